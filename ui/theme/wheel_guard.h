// The wheel scrolls the page under it and changes a field only where the keyboard is.
#pragma once

#include <QObject>

namespace headroom::ui {

// For as long as it lives, over every spin box, drop-down list and slider of the program: the wheel neither gives them
// the keyboard nor, without it, changes them; whoever scrolls below has it instead.
class WheelGuard : public QObject {
  Q_OBJECT
 public:
  explicit WheelGuard(QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;
};

}  // namespace headroom::ui
