// The dynamic properties that the style sheet chooses its rules by.
#pragma once

#include <QWidget>

#include "ui/theme/theme.h"

namespace headroom::ui {

// "card", "title", "heading", "muted", "sentence", "figure", "primary", "fix", "banner", "drop", "line", "flat",
// "page".
void setRole(QWidget* widget, const char* role);

// "active", "focused".
void setState(QWidget* widget, const char* state, bool on);

// Also re-styles the children, whose colours follow it.
void setTone(QWidget* widget, Tone tone);

const char* toneName(Tone tone);  // "good"

}  // namespace headroom::ui
