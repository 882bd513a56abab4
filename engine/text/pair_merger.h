// The merging of byte-pair encoding: of all neighbours that make a symbol together, those of the lowest rank become one
// first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/pair_table.h"

namespace headroom {

// Symbols as a linked list, candidate pairs in a heap, so n symbols take n log n steps. Its memory is kept from one
// text to the next.
class PairMerger {
  static constexpr std::int32_t kNone = -1;

 public:
  struct Symbol {
    std::uint32_t id = 0;
    std::uint32_t from = 0, n_bytes = 0;  // of the text; absorbed ones have no bytes
    std::int32_t previous = kNone, next = kNone;
  };

  explicit PairMerger(const PairTable& merges) : merges_(merges) {}

  // A text begins, of at most so many symbols; push() then adds them in order.
  void start(std::size_t n_most);
  void push(std::uint32_t id, std::uint32_t n_bytes);
  void merge_all();
  // The symbols in the order of the text, absorbed ones among them.
  const std::vector<Symbol>& symbols() const { return symbols_; }

 private:
  struct Candidate {
    std::uint32_t rank = 0;
    std::int32_t left = kNone;
    std::uint32_t left_id = 0, right_id = 0,
                  merged = 0;  // as they were when it was found: others now mean that it is out of date

    // For a min-heap by std::push_heap: the lowest rank first, then the leftmost.
    bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
  };

  void consider(std::int32_t left, std::int32_t right);

  const PairTable& merges_;
  std::vector<Symbol> symbols_;
  std::vector<Candidate> candidates_;
};

}  // namespace headroom
