#include "program/liveness.h"

#include <algorithm>
#include <numeric>

namespace headroom {
namespace {

struct Placed {
  Bytes offset, end;
  std::uint32_t first, last;
};

// The lowest offset where `life` overlaps none of `placed`, which is ascending in offset.
Bytes lowest_free_offset(const std::vector<Placed>& placed, const Life& life) {
  Bytes offset = 0;
  for (const Placed& other : placed) {
    if (other.last < life.first || life.last < other.first) continue;
    if (other.offset >= offset + life.size) break;
    offset = std::max(offset, other.end);
  }
  return offset;
}

}  // namespace

Layout pack_lives(std::span<const Life> lives) {
  std::vector<std::uint32_t> by_size(lives.size());
  std::iota(by_size.begin(), by_size.end(), 0U);
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return lives[a].size > lives[b].size; });

  Layout layout;
  layout.offsets.resize(lives.size());
  std::vector<Placed> placed;
  placed.reserve(lives.size());
  for (const std::uint32_t i : by_size) {
    const Life& life = lives[i];
    const Placed here{lowest_free_offset(placed, life), 0, life.first, life.last};
    layout.offsets[i] = here.offset;
    layout.peak = std::max(layout.peak, here.offset + life.size);
    const auto at = std::upper_bound(placed.begin(), placed.end(), here.offset,
                                     [](Bytes offset, const Placed& p) { return offset < p.offset; });
    placed.insert(at, Placed{here.offset, here.offset + life.size, life.first, life.last});
  }
  return layout;
}

}  // namespace headroom
