// What one step computes: rows of tokens, each at its place in a conversation.
#pragma once

#include <cstdint>

namespace headroom {

// A token of a slot at a position.
struct StepRow {
  std::uint32_t token = 0;
  std::uint32_t slot = 0;
  std::uint32_t position = 0;
};

}  // namespace headroom
