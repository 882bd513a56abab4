// A hash table from pairs of symbols to what they merge into: one look-up per neighbour of every merge, so it is flat
// and open-addressed.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace headroom {

struct PairMerge {
  std::uint32_t rank = 0;    // the lower, the earlier
  std::uint32_t merged = 0;  // symbol
};

class PairTable {
 public:
  explicit PairTable(std::size_t n_pairs)
      : slots_(n_slots_for(n_pairs)), shift_(64 - std::countr_zero(slots_.size())) {}

  static std::size_t bytes_for(std::size_t n_pairs) { return n_slots_for(n_pairs) * sizeof(Slot); }

  // A pair that is already there stays as it is. At most n_pairs calls.
  void add(std::uint32_t left, std::uint32_t right, PairMerge merge) {
    Slot& slot = slots_[find_slot(key_of(left, right))];
    if (slot.key == kEmpty) slot = {key_of(left, right), merge};
  }

  const PairMerge* find(std::uint32_t left, std::uint32_t right) const {
    const Slot& slot = slots_[find_slot(key_of(left, right))];
    return slot.key == kEmpty ? nullptr : &slot.merge;
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // no symbol is 2^32 - 1
  struct Slot {
    std::uint64_t key = kEmpty;
    PairMerge merge;
  };
  static std::size_t n_slots_for(std::size_t n_pairs) { return std::bit_ceil(2 * n_pairs + 2); }

  static std::uint64_t key_of(std::uint32_t left, std::uint32_t right) { return std::uint64_t{left} << 32 | right; }

  // Fibonacci hashing, then linear probing; the table is at most half full, so an empty slot is always met.
  std::size_t find_slot(std::uint64_t key) const {
    std::size_t at = (key ^ key >> 29) * 0x9E3779B97F4A7C15ULL >> shift_;
    while (slots_[at].key != kEmpty && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<Slot> slots_;
  int shift_;
};

}  // namespace headroom
