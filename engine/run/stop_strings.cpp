#include "run/stop_strings.h"

#include <algorithm>
#include <utility>

namespace headroom {

StopStrings::StopStrings(std::vector<std::string> strings) : strings_(std::move(strings)) {
  std::erase_if(strings_, [](const std::string& string) { return string.empty(); });
}

StopStrings::Released StopStrings::push(std::string_view text) {
  held_ += text;
  std::size_t found = std::string::npos;
  for (const std::string& string : strings_) found = std::min(found, held_.find(string));
  if (found != std::string::npos) {
    Released released{held_.substr(0, found), true};
    held_.clear();
    return released;
  }
  std::size_t n_held = 0;  // the longest end of the text that begins a stop string
  for (const std::string& string : strings_) {
    for (std::size_t n = std::min(string.size() - 1, held_.size()); n > n_held; --n) {
      if (std::string_view(held_).ends_with(std::string_view(string).substr(0, n))) n_held = n;
    }
  }
  Released released{held_.substr(0, held_.size() - n_held), false};
  held_.erase(0, held_.size() - n_held);
  return released;
}

std::string StopStrings::finish() { return std::exchange(held_, {}); }

}  // namespace headroom
