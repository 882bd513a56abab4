// What a widget that paints itself is to a screen reader.
#pragma once

#include <QAccessible>

class QWidget;

namespace headroom::ui {

// To be called first in its constructor: whoever asks before is told that it is nothing in particular.
void setAccessibleRole(QWidget* widget, QAccessible::Role role);

}  // namespace headroom::ui
