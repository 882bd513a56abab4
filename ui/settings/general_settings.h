// How the program behaves, as the user chose it; plain values with defaults, kept by app/settings_store.
#pragma once

#include "ui/language/language.h"

namespace headroom::ui {

struct GeneralSettings {
  bool loadsLast = true;                             // at a start what was loaded last, else the starter model
  bool enterSends = true;                            // a message; else Ctrl+Enter does, and Enter begins a line
  LanguageChoice language = LanguageChoice::System;  // of the window
  bool modelTitles = false;  // the loaded model names conversations while it has nothing to answer
  bool operator==(const GeneralSettings&) const = default;
};

}  // namespace headroom::ui
