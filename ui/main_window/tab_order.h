// Where Tab goes: the order in which a window is read.
#pragma once

#include <vector>

class QWidget;

namespace headroom::ui {

// Every widget of the window that Tab can reach now, in reading order: boxes beside each other from left to right,
// boxes below each other from top to bottom, and all of a box before the next one. Qt's own order is that in which
// widgets were made, and rows of a conversation are made as they come near.
std::vector<QWidget*> tabOrder(QWidget& window);

// Moves the keyboard to the one after (before) the one that has it, and scrolls to it. False: there is none to move to.
bool focusNextInOrder(QWidget& window, bool forward);

}  // namespace headroom::ui
