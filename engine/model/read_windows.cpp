#include "model/read_windows.h"

#include <limits>

namespace headroom {
namespace {

constexpr std::string_view kWindowKey = "attention.sliding_window";

// Whether each layer has a window. The key is a period or, for patterns that
// have none, a flag for every layer.
std::vector<bool> read_pattern(const ArchRow& row, std::uint32_t n_blocks, std::uint32_t n_layers, KeyReader& keys) {
  if (std::optional<std::vector<bool>> flags = keys.flags(kPatternKey, n_blocks, n_layers)) return *std::move(flags);
  const std::uint32_t period = keys.positive(kPatternKey, std::numeric_limits<std::uint32_t>::max(), row.window_period);
  std::vector<bool> pattern;
  for (std::uint32_t i = 0; i < n_blocks && !keys.failed(); ++i) pattern.push_back(i % period != period - 1);
  return pattern;
}

}  // namespace

std::vector<std::uint32_t> read_windows(const ArchRow& row, std::uint32_t n_blocks, std::uint32_t n_layers,
                                        std::uint32_t n_ctx_trained, KeyReader& keys) {
  std::vector<std::uint32_t> windows(n_blocks, 0);
  const std::uint32_t window = row.has_window_heads ? keys.positive(kWindowKey, kMaxPositions)
                                                    : keys.count(kWindowKey, kMaxPositions, row.default_window);
  const std::vector<bool> pattern =
      row.window == WindowRule::kPattern ? read_pattern(row, n_blocks, n_layers, keys) : std::vector<bool>();
  if (keys.failed() || window == 0) return windows;
  switch (row.window) {
    case WindowRule::kAllLayers: windows.assign(n_blocks, window); break;
    case WindowRule::kPattern:
      for (std::uint32_t i = 0; i < n_blocks; ++i) windows[i] = pattern[i] ? window : 0;
      break;
    case WindowRule::kIgnored: break;
    case WindowRule::kRefused:
      if (window >= n_ctx_trained) break;
      keys.fail(ErrorCode::kUnsupported, Message::say("metadata '{}' is {}: which layers of {} have a "
                                                      "window is not supported yet",
                                                      keys.full_key(kWindowKey), window, row.architecture));
  }
  return windows;
}

}  // namespace headroom
