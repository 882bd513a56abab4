#include "model/read_short_conv.h"

#include <limits>

namespace headroom {

std::optional<ShortConvSpec> read_short_conv(const ArchRow& row, std::uint32_t d_model, KeyReader& keys) {
  constexpr std::string_view kWidthKey = "shortconv.l_cache";
  if (!row.has_short_convs) return std::nullopt;
  const std::uint32_t width = keys.positive(kWidthKey, std::numeric_limits<std::uint32_t>::max());
  if (keys.failed()) return std::nullopt;
  if (width < 2 || width > kMaxConvWidth) {
    keys.fail(ErrorCode::kBadFile,
              Message::say("metadata '{}' is {}, expected 2 to {}", keys.full_key(kWidthKey), width, kMaxConvWidth));
    return std::nullopt;
  }
  return ShortConvSpec{.n_channels = d_model, .width = width};
}

}  // namespace headroom
