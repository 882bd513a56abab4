// What of a conversation goes with a message that is deleted.
#pragma once

#include <functional>

class QWidget;

namespace headroom::ui {

struct RemovalQuestion {
  int nBelow = 0;           // messages that were said after it, in any version
  bool canGoAlone = false;  // they can stay
};

// Asks in a window of its own and does not wait; `remove` is called once, or never.
void askForRemoval(const RemovalQuestion& question, QWidget* parent, std::function<void(bool isAlone)> remove);

}  // namespace headroom::ui
