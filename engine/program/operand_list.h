// The buffers that an op reads, or those that it writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "base/check.h"

namespace headroom {

using BufferId = std::uint32_t;  // index into Program::buffers

// At most kMost buffers, in the order that the op's kind states; on no heap.
class OperandList {
 public:
  static constexpr std::size_t kMost = 4;

  OperandList() = default;
  OperandList(std::initializer_list<BufferId> ids) {
    CHECK(ids.size() <= kMost, "an op has more operands than its list holds");
    for (const BufferId id : ids) ids_[n_++] = id;
  }

  std::size_t size() const { return n_; }
  bool empty() const { return n_ == 0; }
  BufferId operator[](std::size_t i) const {
    CHECK(i < n_, "an op reads an operand that it does not have");
    return ids_[i];
  }
  const BufferId* begin() const { return ids_.data(); }
  const BufferId* end() const { return ids_.data() + n_; }
  bool operator==(const OperandList&) const = default;  // what is behind the last is 0

 private:
  std::array<BufferId, kMost> ids_{};
  std::uint32_t n_ = 0;
};

}  // namespace headroom
