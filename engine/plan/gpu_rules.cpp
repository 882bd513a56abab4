#include "plan/gpu_rules.h"

#include <algorithm>

#include "format/dtype_table.h"

namespace headroom {
namespace {

Bytes aligned(Bytes bytes) { return round_up(bytes, kGpuAlignment); }

}  // namespace

GpuScratch gpu_scratch(const ModelInfo& model, const PlanOptions& options, std::uint32_t max_rows) {
  std::uint64_t kv_dim = 0, q_dim = 0, n_experts = 0;
  bool has_post_norms = false;
  for (const LayerSpec& layer : model.layers) {
    kv_dim = std::max<std::uint64_t>(kv_dim, layer.kv_dim());
    q_dim = std::max<std::uint64_t>(q_dim, layer.q_dim());
    n_experts = std::max<std::uint64_t>(n_experts, layer.n_experts);
    has_post_norms |= layer.has_post_norms;
  }
  const bool is_balanced = is_quantized_kv(options.kv_k) && options.kv_scheme == KvScheme::kRotated;
  const Bytes row = aligned(Bytes{max_rows} * model.d_model * kF32Bytes);
  const Bytes kv_rows = aligned(Bytes{max_rows} * kv_dim * kF32Bytes);
  const Bytes normed_row = std::max(Bytes{model.d_model} * kF32Bytes, gpu_int8_row_bytes(q_dim));
  return {.normed_bytes = aligned(max_rows * normed_row),
          .keys_bytes = kv_rows,
          .values_bytes = kv_rows,
          .added_bytes = has_post_norms ? row : 0,
          .router_bytes = aligned(Bytes{max_rows} * n_experts * kF32Bytes),
          .balance_bytes = is_balanced ? aligned(Bytes{model.n_layers()} * kv_dim * kF32Bytes) : 0};
}

GpuAnswer gpu_answer(std::uint32_t n_vocab) {
  GpuAnswer answer;
  answer.logits_at = 2 * std::uint64_t{kMostCandidates};
  answer.sums_at = answer.logits_at + kMostCandidates;
  answer.n_words = round_up(answer.sums_at + 2 * div_up(n_vocab, kRowSumBlock), kGpuAlignment / 4);
  return answer;
}

std::uint64_t GpuInputs::rope_at(const ModelInfo& model, std::uint32_t rope, std::uint32_t max_rows) const {
  std::uint64_t at = ropes_at;
  for (std::uint32_t i = 0; i < rope; ++i) at += std::uint64_t{max_rows} * model.ropes[i].rope_dim;
  return at;
}

GpuInputs gpu_inputs(const ModelInfo& model, const PlanOptions& options) {
  const std::uint64_t max_rows = options.step_rows();
  GpuInputs inputs;
  const auto take = [&](std::uint64_t n_words) {
    const std::uint64_t at = inputs.n_words;
    inputs.n_words += round_up(n_words, kGpuRowWords);
    return at;
  };
  inputs.counts_at = take(2);
  inputs.rows_at = take(max_rows * kGpuRowWords);
  inputs.logit_rows_at = take(options.n_logit_rows);
  inputs.exact_from_at = take(std::uint64_t{model.n_layers()} * options.n_slots);
  std::uint64_t rope_words = 0;
  for (const RopeSpec& rope : model.ropes) rope_words += max_rows * rope.rope_dim;
  inputs.ropes_at = take(rope_words);
  inputs.max_groups = 2 * std::uint64_t{kGpuGroupsPerOp};  // embedding and head
  for (const LayerSpec& layer : model.layers) {
    const std::uint64_t n_ops = layer.has_experts() ? 5 : 4;  // but for attention
    inputs.max_groups += n_ops * kGpuGroupsPerOp + div_up(max_rows, kGpuAttendRows);
  }
  inputs.groups_at = take(inputs.max_groups * kGpuRowWords);
  const std::uint64_t n_queries = candidate_rows(options);
  inputs.queries_at = take(n_queries * kGpuRowWords);
  inputs.ids_at = take(n_queries * kMostCandidates);
  inputs.n_words = round_up(inputs.n_words, kGpuAlignment / 4);
  inputs.answers_at = take(n_queries * gpu_answer(model.n_vocab).n_words);
  return inputs;
}

}  // namespace headroom
