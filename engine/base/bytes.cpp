#include "base/bytes.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace headroom {
namespace {

struct Unit {
  std::string_view name;
  Bytes bytes;
};
constexpr std::array<Unit, 5> kUnits{{{"TiB", kGiB << 10}, {"GiB", kGiB}, {"MiB", kMiB}, {"KiB", kKiB}, {"B", 1}}};

}  // namespace

std::string format_bytes(Bytes bytes) {
  for (const Unit& unit : kUnits) {
    if (bytes < unit.bytes) continue;
    if (unit.bytes == 1) break;
    const double count = static_cast<double>(bytes) / static_cast<double>(unit.bytes);
    const int decimals = count >= 100 ? 0 : count >= 10 ? 1 : 2;
    return fmt::format("{:.{}f} {}", count, decimals, unit.name);
  }
  return fmt::format("{} B", bytes);
}

std::optional<Bytes> parse_bytes(std::string_view text) {
  double count = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), count, std::chars_format::fixed);
  if (status != std::errc{} || !(count >= 0)) return std::nullopt;
  std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  for (const Unit& known : kUnits) {
    if (unit != known.name && !(unit.empty() && known.bytes == 1)) continue;
    const double bytes = std::round(count * static_cast<double>(known.bytes));
    if (!(bytes < 18446744073709551616.0)) return std::nullopt;
    return static_cast<Bytes>(bytes);
  }
  return std::nullopt;
}

}  // namespace headroom
