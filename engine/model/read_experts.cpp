#include "model/read_experts.h"

#include <fmt/format.h>

#include <limits>

namespace headroom {

constexpr std::uint32_t kMaxExperts = 1U << 12;

void refuse_experts(const ArchRow& row, KeyReader& keys) {
  if (row.router) return;
  const std::uint32_t n_experts = keys.count("expert_count", std::numeric_limits<std::uint32_t>::max(), 0);
  if (keys.failed() || n_experts == 0) return;
  keys.fail(ErrorCode::kUnsupported,
            fmt::format("metadata '{}' is {}, expected 0: how a mixture of experts of this architecture chooses "
                        "them is not known to this version",
                        keys.full_key("expert_count"), n_experts));
}

LayerSpec read_experts(const ArchRow& row, std::uint32_t max_width, KeyReader& keys) {
  LayerSpec layer;
  if (!row.router) return layer;
  if (row.may_lack_experts && keys.count("expert_count", kMaxExperts, 0) == 0) return layer;
  layer.router = *row.router;
  layer.n_experts = keys.positive("expert_count", kMaxExperts);
  layer.n_experts_used = keys.positive("expert_used_count", kMaxExperts);
  layer.expert_d_ff = keys.positive(row.expert_width, max_width);
  layer.has_branch_norms = row.has_branch_norms;
  if (row.shared_expert) {
    constexpr std::string_view kWidth = "expert_shared_feed_forward_length";
    if (row.shared_expert->is_optional) {
      layer.d_ff = keys.count(kWidth, max_width, 0);
    } else if (!row.shared_expert->is_named_as_dense) {
      layer.d_ff = keys.positive(kWidth, max_width);
    }
    layer.has_shared_gate = row.shared_expert->has_gate;
  }
  if (layer.n_experts_used > layer.n_experts) {
    keys.fail(ErrorCode::kBadFile,
              fmt::format("metadata '{}' is {}, expected at most '{}', {}", keys.full_key("expert_used_count"),
                          layer.n_experts_used, keys.full_key("expert_count"), layer.n_experts));
  }
  if (const std::uint64_t width = std::uint64_t{layer.n_experts_used} * layer.expert_d_ff; width > max_width) {
    keys.fail(ErrorCode::kBadFile,
              fmt::format("metadata '{}' times '{}' is {}, expected at most {}", keys.full_key("expert_used_count"),
                          keys.full_key(row.expert_width), width, max_width));
  }
  return layer;
}

}  // namespace headroom
