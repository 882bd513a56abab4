// Keys that move the conversation, wherever in it the keyboard is.
#pragma once

#include <QKeyEvent>

namespace headroom::ui {

// With Shift they select, in text that can be selected by keys.
inline bool isPageKey(const QKeyEvent& event) {
  const int key = event.key();
  return !event.modifiers().testFlag(Qt::ShiftModifier) &&
         (key == Qt::Key_PageUp || key == Qt::Key_PageDown || key == Qt::Key_Home || key == Qt::Key_End);
}

}  // namespace headroom::ui
