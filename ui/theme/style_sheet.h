// What Fusion does not draw as we like it.
#pragma once

#include <QPalette>
#include <QString>

#include "ui/theme/theme.h"

namespace headroom::ui {

QPalette paletteOf(const ThemeTokens& tokens);

// Widgets choose a rule by a dynamic property: "role" (card, title, muted, figure, primary, ...) and "tone" (good,
// warning, bad, neutral).
QString styleSheetOf(const ThemeTokens& tokens, int textPercent = 100);

}  // namespace headroom::ui
