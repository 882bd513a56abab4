// Where a tokenizer puts the ids of a text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/stop.h"

namespace headroom {

using TokenId = std::uint32_t;

// Keeps the first ids and counts all of them, so that a text of any length takes no more memory than what it may have
// and its length is known all the same. Example: a context of 4,096 tokens keeps 4,096 of a text that has 90,000.
class TokenSink {
 public:
  // A tokenizer looks at `stop` after every word, and inside long ones; what it has found until then is of no use.
  explicit TokenSink(std::size_t n_most = std::numeric_limits<std::size_t>::max(), StopToken stop = {})
      : n_most_(n_most), stop_(std::move(stop)) {}

  void push(TokenId id) {
    if (n_tokens_++ < n_most_) ids_.push_back(id);
  }
  // Room for about so many more.
  void expect(std::size_t n) { ids_.reserve(std::min(n_most_, ids_.size() + n)); }

  bool is_stopped() const { return stop_.stop_requested(); }
  std::size_t n_tokens() const { return n_tokens_; }
  std::vector<TokenId> take() { return std::move(ids_); }

 private:
  std::size_t n_most_, n_tokens_ = 0;
  StopToken stop_;
  std::vector<TokenId> ids_;
};

}  // namespace headroom
