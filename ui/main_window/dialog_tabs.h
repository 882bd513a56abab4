// Tab in dialogs: Qt's own order leaves buttons out.
#pragma once

#include <QObject>

namespace headroom::ui {

// While it lives, Tab and Shift+Tab go through every dialog of the program in reading order, as through the window. Of
// a box with three buttons Qt 6.4 goes to and fro between two and never comes to the rest. Dialogs that ask for a file
// are left as they are.
class DialogTabs : public QObject {
  Q_OBJECT
 public:
  explicit DialogTabs(QObject* parent = nullptr);

 private:
  bool eventFilter(QObject* object, QEvent* event) override;
};

}  // namespace headroom::ui
