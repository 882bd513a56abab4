// Which experts the rows of a step go through, and which rows go through an expert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/model_info.h"

namespace headroom {

// From the logits of a row, one per expert, the experts that it goes through, best first, and their weights: as the
// layer's router, its scales and choice_bias say, (n_experts) or null. Other things than logits may stand in `logits`
// afterwards. ids and weights have n_experts_used elements, at most as many as there are logits.
void choose_experts(const LayerSpec& layer, std::span<float> logits, const float* choice_bias,
                    std::span<std::uint32_t> ids, std::span<float> weights);

// The choices of all rows sorted by expert, so that each expert's weights are read once per step. Example: rows 0 and 1
// chose experts (5, 2) and (2, 7); the groups are expert 2 with choices 1 and 2, expert 5 with 0, expert 7 with 3. All
// of it stands in the given scratch.
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
  // The index into `ids` of the choice at this place of the sorted order. The rows of a group ascend.
  std::uint32_t choice(std::uint32_t place) const { return order_[place]; }

 private:
  std::uint32_t *order_, *experts_, *ends_;  // (n_choices), (n_groups), (n_groups)
  std::uint32_t n_groups_ = 0, n_choices_ = 0;
};

}  // namespace headroom
