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

// Each of `order` at the lowest offset that is free throughout its life.
Layout pack_in_order(std::span<const Life> lives, const std::vector<std::uint32_t>& order) {
  Layout layout;
  layout.offsets.resize(lives.size());
  std::vector<Placed> placed;
  placed.reserve(lives.size());
  for (const std::uint32_t i : order) {
    const Life& life = lives[i];
    const Bytes offset = lowest_free_offset(placed, life);
    layout.offsets[i] = offset;
    layout.peak = std::max(layout.peak, offset + life.size);
    const auto at = std::upper_bound(placed.begin(), placed.end(), offset,
                                     [](Bytes offset_of, const Placed& p) { return offset_of < p.offset; });
    placed.insert(at, Placed{offset, offset + life.size, life.first, life.last});
  }
  return layout;
}

// No layout is smaller than the most bytes that are alive at once.
Bytes live_bytes(std::span<const Life> lives) {
  std::uint32_t n_ops = 0;
  for (const Life& life : lives) n_ops = std::max(n_ops, life.last + 1);
  std::vector<Bytes> begins(n_ops + 1, 0), ends(n_ops + 1, 0);
  for (const Life& life : lives) {
    begins[life.first] += life.size;
    ends[life.last + 1] += life.size;
  }
  Bytes now = 0, most = 0;
  for (std::uint32_t op = 0; op < n_ops; ++op) {
    now = now + begins[op] - ends[op];
    most = std::max(most, now);
  }
  return most;
}

}  // namespace

Layout pack_lives(std::span<const Life> lives) {
  std::vector<std::uint32_t> order(lives.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return lives[a].size > lives[b].size; });
  Layout by_size = pack_in_order(lives, order);
  if (by_size.peak == live_bytes(lives)) return by_size;
  const auto length = [&](std::uint32_t i) { return lives[i].last - lives[i].first; };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return length(a) > length(b); });
  Layout by_length = pack_in_order(lives, order);
  return by_length.peak < by_size.peak ? by_length : by_size;
}

}  // namespace headroom
