#include "text/pair_merger.h"

#include <algorithm>

namespace headroom {

void PairMerger::start(std::size_t n_most) {
  symbols_.clear();
  candidates_.clear();
  symbols_.reserve(n_most);
}

void PairMerger::push(std::uint32_t id, std::uint32_t n_bytes) {
  const auto index = static_cast<std::int32_t>(symbols_.size());
  std::uint32_t from = 0;
  if (index != 0) {
    Symbol& before = symbols_.back();
    before.next = index;
    from = before.from + before.n_bytes;
  }
  symbols_.push_back({id, from, n_bytes, index - 1, kNone});
}

void PairMerger::consider(std::int32_t left, std::int32_t right) {
  if (left == kNone || right == kNone) return;
  const PairMerge* merge = merges_.find(symbols_[left].id, symbols_[right].id);
  if (!merge) return;
  candidates_.push_back({merge->rank, left, symbols_[left].id, symbols_[right].id, merge->merged});
  std::push_heap(candidates_.begin(), candidates_.end());
}

void PairMerger::merge_all() {
  for (std::int32_t i = 1; i < static_cast<std::int32_t>(symbols_.size()); ++i) consider(i - 1, i);
  while (!candidates_.empty()) {
    std::pop_heap(candidates_.begin(), candidates_.end());
    const Candidate best = candidates_.back();
    candidates_.pop_back();
    Symbol& left = symbols_[best.left];
    if (left.n_bytes == 0 || left.id != best.left_id || left.next == kNone || symbols_[left.next].id != best.right_id)
      continue;
    Symbol& right = symbols_[left.next];
    left.id = best.merged;
    left.n_bytes += right.n_bytes;
    left.next = right.next;
    right.n_bytes = 0;
    if (left.next != kNone) symbols_[left.next].previous = best.left;
    consider(left.previous, best.left);
    consider(best.left, left.next);
  }
}

}  // namespace headroom
