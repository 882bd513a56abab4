// One centred line that ends in "…" when there is no room for all of it.
#pragma once

#include <QFrame>

namespace headroom::ui {

class ElidedLabel : public QFrame {
  Q_OBJECT
 public:
  explicit ElidedLabel(QWidget* parent = nullptr);
  void setText(const QString& text);
  const QString& text() const { return m_text; }
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString m_text;
};

}  // namespace headroom::ui
