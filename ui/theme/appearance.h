// How the window looks, as the user chose it; plain values with defaults, kept by app/settings_store.
#pragma once

namespace headroom::ui {

enum class ThemeChoice { System, Light, Dark };

// In percent of the desktop's own size of text.
inline constexpr int kTextPercents[] = {80, 90, 100, 110, 125, 150, 175, 200};

struct AppearanceSettings {
  ThemeChoice theme = ThemeChoice::System;
  int textPercent = 100;      // one of kTextPercents
  bool highContrast = false;  // text and borders at 7:1 and more, in either theme
  bool reduceMotion = false;  // nothing moves, fades or blinks by itself
  bool operator==(const AppearanceSettings&) const = default;
};

// The next of kTextPercents above or below; the same at either end.
int largerText(int percent);
int smallerText(int percent);

}  // namespace headroom::ui
