// Which experts the rows of a step go through, and which rows go through an expert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/model_info.h"

namespace headroom {

// From the logits of a row, one per expert, the experts that it goes through, best first, and their weights: as
// RouterKind says. ids and weights have n_experts_used elements, at most as many as there are logits.
void choose_experts(RouterKind kind, std::span<const float> logits, std::span<std::uint32_t> ids,
                    std::span<float> weights);

// The choices of all rows in the order of their experts, so that each expert's weights are read once per step. Keeps
// everything in scratch that is given to it.
class ExpertGroups {
 public:
  struct Group {
    std::uint32_t expert = 0;
    std::uint32_t first = 0, n_rows = 0;  // in the order
  };

  // ids: (n_rows, n_used), the experts of each row. scratch: ids.size() + 2 * n_experts numbers.
  ExpertGroups(std::span<const std::uint32_t> ids, std::uint32_t n_experts, std::uint32_t* scratch);

  std::uint32_t n_groups() const { return n_groups_; }
  std::uint32_t n_choices() const { return n_choices_; }
  // Groups have at least one row each and ascend by expert.
  Group operator[](std::uint32_t index) const {
    const std::uint32_t first = index == 0 ? 0 : ends_[index - 1];
    return {experts_[index], first, ends_[index] - first};
  }
  // Where in `ids` the choice stands that comes at this place of the order. Rows of a group ascend.
  std::uint32_t choice(std::uint32_t place) const { return order_[place]; }

 private:
  std::uint32_t *order_, *experts_, *ends_;  // (n_choices), (n_groups), (n_groups)
  std::uint32_t n_groups_ = 0, n_choices_ = 0;
};

}  // namespace headroom
