// Keys that move the conversation, wherever in it the keyboard is.
#pragma once

#include "ui/keys/view_keys.h"

namespace headroom::ui {

// With Shift they select, in text that can be selected by keys.
inline bool isPageKey(const QKeyEvent& event) {
  return isViewKey(event, ViewKey::PageUp) || isViewKey(event, ViewKey::PageDown) ||
         isViewKey(event, ViewKey::ToStart) || isViewKey(event, ViewKey::ToEnd);
}

}  // namespace headroom::ui
