#include "backend/gpu/device_choice.h"

#include <algorithm>
#include <charconv>

namespace headroom {

Result<std::vector<std::size_t>> parse_device_choice(std::string_view variable, std::string_view setting,
                                                     std::size_t n) {
  std::vector<std::size_t> chosen;
  for (std::string_view rest = setting; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view number = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (error != std::errc() || end != number.data() + number.size() || index >= n) {
      return Error{
          ErrorCode::kUsage,
          Message::say("{}: expected numbers below {} such as 0 or 1,0, or none, found \"{}\"", variable, n, setting)};
    }
    chosen.push_back(index);
  }
  return chosen;
}

}  // namespace headroom
