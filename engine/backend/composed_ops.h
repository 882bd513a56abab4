// Each coarse op composed from plain loops over decoded rows, in f32 and double: what every backend's ops are held
// against.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"

namespace headroom {

// The forward pass of a whole model, op by op, on the calling thread. Slow and memory-hungry on purpose: weights are
// decoded to f32 once, and the cache holds the values that remain after a round trip through its number format.
class ComposedModel {
 public:
  // Reads every weight of `file`. `options` are resolved: they say what the cache rounds to, and which of its rows stay
  // exact.
  static Result<ComposedModel> load(const ModelInfo& model, const ModelFile& file, const PlanOptions& options);

  // Runs the ops of one step; (logit_rows.size(), n_vocab) logits. Positions must follow on those before.
  std::vector<float> step(const StepInputs& inputs);

 private:
  struct Weights {  // one slot of one layer, decoded; empty: the model has none
    std::vector<float> values;
    std::uint64_t n_rows = 0, n_cols = 0;
  };
  struct Cache {  // of a (layer, slot): (position, kv_dim) each, as quantized and as F16
    std::vector<float> keys, values, exact_keys, exact_values;
    std::uint32_t exact_from = 0;  // positions behind the sinks that are read as F16 if there are exact ends
  };

  const Weights& at(WeightSlot slot, std::int32_t layer) const;
  Cache& cache(std::size_t layer, std::uint32_t slot) { return caches_[layer * options_.n_slots + slot]; }
  bool is_rotated(DType kv) const;
  void balance(std::int32_t layer, std::vector<float>& query, std::vector<float>& keys) const;
  void move_exact_from(std::span<const StepRow> rows);

  std::vector<float> embed(std::uint32_t token) const;
  std::vector<float> qkv_rope(std::int32_t layer, const StepRow& row, const std::vector<float>& residual);  // -> query
  std::vector<float> attend(std::int32_t layer, const StepRow& row, const std::vector<float>& query);
  void attn_out(std::int32_t layer, const std::vector<float>& attended, std::vector<float>& residual) const;
  std::vector<float> ffn_up(std::int32_t layer, const std::vector<float>& residual) const;
  void ffn_down(std::int32_t layer, const std::vector<float>& hidden, std::vector<float>& residual) const;
  std::vector<float> logits(const std::vector<float>& residual) const;

  ModelInfo model_;
  PlanOptions options_;
  std::vector<RopeFrequencies> ropes_;
  std::vector<Weights> weights_;  // as model_.weights
  std::vector<Cache> caches_;
};

}  // namespace headroom
