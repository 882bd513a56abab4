// How the program behaves, as the user chose it; plain values with defaults, kept by app/settings_store.
#pragma once

namespace headroom::ui {

struct GeneralSettings {
  bool loadsLast = true;   // at a start what was loaded last, else the starter model
  bool enterSends = true;  // a message; else Ctrl+Enter does, and Enter begins a line
  bool operator==(const GeneralSettings&) const = default;
};

}  // namespace headroom::ui
