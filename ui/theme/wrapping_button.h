// A button whose text goes on in a second line where the first is full: a sentence, not a word.
#pragma once

#include <QPushButton>

namespace headroom::ui {

class WrappingButton : public QPushButton {
  Q_OBJECT
 public:
  explicit WrappingButton(const QString& text, QWidget* parent = nullptr);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QRect textRect(int width) const;  // of any height
};

}  // namespace headroom::ui
