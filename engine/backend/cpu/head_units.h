// How the rows of a matrix are dealt out where a head is finished by the thread that computed it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "backend/host/thread_pool.h"
#include "model/weight_layout.h"

namespace headroom {

// Rows that are whole heads and whole panels: the thread that computes them can finish them without waiting for others.
struct HeadUnits {
  std::uint32_t n_heads = 0, heads_per_unit = 1;
  HeadUnits(std::uint32_t heads, std::uint32_t head_dim)
      : n_heads(heads), heads_per_unit(kPanelRows / std::gcd(head_dim, kPanelRows)) {}
  std::uint32_t count() const { return (n_heads + heads_per_unit - 1) / heads_per_unit; }
  std::uint32_t first_head(std::uint32_t unit) const { return std::min(n_heads, unit * heads_per_unit); }

  // Of several matrices whose units are numbered one after the other, `n` of this one from `first` on: calls
  // finish(first head, last head) with those of its heads that are among the units of `dealt`.
  template <class Finish>
  void visit(std::uint32_t first, std::uint32_t n, Share dealt, Finish finish) const {
    const std::uint32_t from = std::clamp(dealt.first, first, first + n) - first,
                        to = std::clamp(dealt.last, first, first + n) - first;
    if (from < to) finish(first_head(from), first_head(to));
  }
};

}  // namespace headroom
