// How the next token is chosen; plain values, so that the window, the store and the command line share them.
#pragma once

#include <cstdint>

namespace headroom {

struct SamplerSettings {
  float temperature = 0.7F;         // 0: always the likeliest token
  std::uint32_t top_k = 40;         // 0: off
  float top_p = 0.95F;              // 1: off
  float min_p = 0.05F;              // 0: off
  float repetition_penalty = 1.0F;  // 1: off; over the last repetition_window tokens
  float presence_penalty = 0.0F;    // 0: off
  std::uint32_t repetition_window = 64;
  std::uint64_t seed = 0;  // 0: a new one for each answer, which is reported
  bool operator==(const SamplerSettings&) const = default;
};

}  // namespace headroom
