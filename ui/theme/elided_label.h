// One heading line that ends in "…" when there is no room for all of it; the whole text is its tool tip.
#pragma once

#include <QFrame>

namespace headroom::ui {

class ElidedLabel : public QFrame {
  Q_OBJECT
 public:
  explicit ElidedLabel(Qt::Alignment alignment, QWidget* parent = nullptr);
  void setText(const QString& text);
  const QString& text() const { return m_text; }
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Qt::Alignment m_alignment;
  QString m_text;
};

}  // namespace headroom::ui
