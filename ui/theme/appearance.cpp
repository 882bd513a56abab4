#include "ui/theme/appearance.h"

#include <algorithm>
#include <iterator>

namespace headroom::ui {

int largerText(int percent) {
  const auto* const next = std::ranges::upper_bound(kTextPercents, percent);
  return next == std::end(kTextPercents) ? *std::prev(next) : *next;
}

int smallerText(int percent) {
  const auto* const at = std::ranges::lower_bound(kTextPercents, percent);
  return at == std::begin(kTextPercents) ? *at : *std::prev(at);
}

}  // namespace headroom::ui
