// Distances within the chat pane, in pixels.
#pragma once

namespace headroom::ui {

inline constexpr int kMiddlePx = 350;  // of the messages: below this the sides give way
inline constexpr int kMarginPx = 4;    // the separators of the docks keep their distance too
inline constexpr int kSpacingPx = 8;
inline constexpr int kBottomPx = 12;

}  // namespace headroom::ui
