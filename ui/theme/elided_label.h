// One line that ends in "…" when there is no room for all of it; the whole text is its tool tip.
#pragma once

#include <QFrame>

namespace headroom::ui {

class ElidedLabel : public QFrame {
  Q_OBJECT
 public:
  ElidedLabel(const char* role, Qt::Alignment alignment,
              QWidget* parent = nullptr);  // a role of roles.h: its weight and colour
  void setText(const QString& text);
  const QString& text() const { return m_text; }
  QString shownText() const;  // what there is room for
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Qt::Alignment m_alignment;
  QString m_text;
};

}  // namespace headroom::ui
