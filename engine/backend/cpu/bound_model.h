// A model and a plan with the address of everything that a step of the CPU reads or writes: found once, in bind().
#pragma once

#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/kv_rows.h"
#include "backend/cpu/matrix.h"
#include "plan/device_rules.h"

namespace headroom {

// One matrix per expert, each in whole panels.
struct ExpertMatrices {
  Matrix first;  // without panels: none, or on another device

  Matrix of(std::uint32_t expert) const {
    Matrix matrix = first;
    matrix.panels += expert * first.n_panels() * first.panel_stride;
    return matrix;
  }
};

struct BoundLayer {
  const LayerSpec* spec = nullptr;
  std::int32_t index = 0;
  Matrix q, k, v, out_gate, alpha, beta, attn_out, gate, up, down, router;
  ExpertMatrices expert_gate, expert_up, expert_down;
  Matrix input_gate, input_out;
  const float *attn_norm = nullptr, *ffn_norm = nullptr;                       // (d_model)
  const float* shared_gate = nullptr;                                          // (d_model); null: none
  const float *router_norm = nullptr, *expert_norm = nullptr;                  // (d_model); ffn_norm, or of branches
  const float *expert_post_norm = nullptr, *shared_post_norm = nullptr;        // (d_model); null: no branches
  const float* expert_scale = nullptr;                                         // (n_experts); null: none
  const float *attn_post_norm = nullptr, *ffn_post_norm = nullptr;             // (d_model); null: none
  const float* input_post_norm = nullptr;                                      // likewise
  const float *q_bias = nullptr, *k_bias = nullptr, *v_bias = nullptr;         // null: none
  const float *q_norm = nullptr, *k_norm = nullptr, *attn_out_bias = nullptr;  // null: none
  const float* sinks = nullptr;                                                // (n_heads); null: none
  const float* choice_bias = nullptr;                                          // (n_experts); these five null: none
  const float* router_bias = nullptr;                                          // (n_experts)
  const float *expert_gate_bias = nullptr, *expert_up_bias = nullptr;          // (n_experts, expert_d_ff)
  const float* expert_down_bias = nullptr;                                     // (n_experts, d_model)
  // Of a delta net; taps, (width, channels), of a short convolution too; null otherwise.
  const float *taps = nullptr, *time_bias = nullptr, *decay = nullptr, *read_norm = nullptr;
  float *conv_states = nullptr, *matrix_states = nullptr;  // one slot behind the other; see DeltaJob::state
  KvCache keys, values;
  // The factors of rotate_head(): of Q and K (n_kv_heads, head_dim), times those of balanced keys; of V (head_dim).
  // Empty where heads are not rotated.
  std::vector<float> q_rotation, k_rotation, v_rotation;
};

// Scratch regions as pointers; see CpuScratch.
struct BoundScratch {
  float* rope = nullptr;
  std::byte *f32 = nullptr, *int8 = nullptr;  // null: no matrix of the model reads this form
  float* step_rows = nullptr;
  float* partials = nullptr;
  float* router = nullptr;
  std::byte* threads = nullptr;  // n_threads * per_thread
  CpuScratch sizes;

  float* row(std::uint32_t thread) const { return reinterpret_cast<float*>(of_thread(thread)); }
  std::byte* few_f32(std::uint32_t thread) const {
    return f32 == nullptr ? nullptr : of_thread(thread) + sizes.row_bytes;
  }
  std::byte* few_int8(std::uint32_t thread) const {
    return int8 == nullptr ? nullptr : of_thread(thread) + sizes.row_bytes + sizes.few_f32_bytes;
  }
  // Scratch for the first or second of two matrices that a thread multiplies together. Both use the same slabs, in
  // turns.
  ProductScratch product(std::uint32_t thread, std::uint32_t index = 0) const {
    std::byte* slabs = of_thread(thread) + sizes.row_bytes + sizes.few_f32_bytes + sizes.few_int8_bytes;
    return {slabs, reinterpret_cast<float*>(slabs + sizes.slab_bytes + index * (sizes.product_bytes / 2))};
  }
  // Of how many tiles, times two panels, each of the two has room for the products.
  std::uint32_t product_tiles() const {
    return static_cast<std::uint32_t>(sizes.product_bytes / 2 / (kPairPanels * kTileCols * kPanelRows * sizeof(float)));
  }
  std::byte* attention(std::uint32_t thread) const {
    return of_thread(thread) + sizes.per_thread() - sizes.grouping_bytes - sizes.attention_bytes;
  }
  std::uint32_t* grouping(std::uint32_t thread) const {
    return reinterpret_cast<std::uint32_t*>(of_thread(thread) + sizes.per_thread() - sizes.grouping_bytes);
  }

 private:
  std::byte* of_thread(std::uint32_t thread) const { return threads + thread * sizes.per_thread(); }
};

struct BoundModel {
  const ModelInfo* model = nullptr;
  const MemoryPlan* plan = nullptr;
  Matrix embedding, head;  // without panels where another device has them
  Matrix layer_embedding, input_project;
  const float* input_project_norm = nullptr;  // (input_dim), with input_project
  const float* output_norm = nullptr;         // with the head
  std::vector<BoundLayer> layers;             // (n_layers); what stands elsewhere is null
  std::vector<RopeFrequencies> ropes;
  std::vector<std::uint32_t> rope_offsets;  // of each rope in a row of the rope table
  std::uint32_t rope_row_elems = 0, widest_head_dim = 0;
  std::byte *activations = nullptr, *logits = nullptr;
  std::vector<const std::byte*> weights;  // as model->weights; null: on another device
  std::span<std::byte> panel_rows;        // see copy_cpu_panels(); empty where no step streams
  std::byte* candidates = nullptr;        // see CandidateScratch; null where another device has the head
  BoundScratch scratch;

  float* buffer(BufferId id) const;
  std::span<std::byte> buffer_bytes(BufferId id) const;  // all that the plan gives it
};

// kUsage: a plan for another number of threads than `device` has. CHECKs that regions have the sizes that the plan's
// own rules give.
Result<BoundModel> bind_model(const Binding& binding, const DeviceInfo& device);

}  // namespace headroom
