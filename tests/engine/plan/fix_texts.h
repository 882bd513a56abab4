// What is offered for a plan, by what it says.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "plan/fixes.h"

namespace headroom::test {

// The first one whose text has `text` in it, or null.
inline const Fix* with_text(const std::vector<Fix>& fixes, const char* text) {
  const auto found = std::find_if(fixes.begin(), fixes.end(),
                                  [&](const Fix& fix) { return fix.words.text().find(text) != std::string::npos; });
  return found == fixes.end() ? nullptr : &*found;
}

}  // namespace headroom::test
