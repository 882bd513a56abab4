// Models as values, without files: the real shapes of well-known models, and random small ones.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/device_info.h"
#include "model/model_info.h"

namespace headroom::test {

struct ModelShape {
  const char* name;
  const char* architecture;
  std::uint32_t n_layers, d_model, n_heads, n_kv_heads, head_dim, d_ff, n_vocab, n_ctx_trained;
  bool tied_head = false, has_qkv_bias = false, has_qk_norm = false;
  std::uint32_t window = 0;        // 0: full attention
  std::uint32_t window_every = 1;  // every so-many-th layer is full; 1: all layers have the window
  bool has_post_norms = false;
  std::uint32_t n_experts = 0, n_experts_used = 0;  // 0: none; else d_ff is the width of each
  // Delta nets in all layers but every so-many-th, whose attention has an output gate then; 0: in none.
  std::uint32_t attention_period = 0;
  DeltaNetSpec delta_net{};
  std::uint32_t shared_d_ff = 0;  // of a shared expert with a gate; 0: none
  // Of Gemma 4: heads of layers with a window have another size, and heads of K and V in the others another number;
  // these make their values by K's matrix. With experts shared_d_ff is the FFN beside them, and each has norms. 0: none
  // of it.
  std::uint32_t window_head_dim = 0, full_kv_heads = 0;
};

extern const ModelShape kTinyLlama, kLlama32_1B, kLlama3_8B, kQwen25_7B, kQwen3_8B, kLlama3_70B, kMistral7B, kGemma2_9B,
    kGemma3_27B, kQwen3_30B_A3B, kQwen35_27B, kQwen35_35B_A3B, kQwen3Next_80B_A3B, kGemma4_12B, kGemma4_26B_A4B,
    kGemma4_31B;

// Every weight the forward pass reads, matrices as `matrix_dtype` (as F16 where rows do not end on its block), vectors
// as F32.
ModelInfo make_model(const ModelShape& shape, DType matrix_dtype = DType::kQ4_K);

// A small random shape; the same seed gives the same model. Heads, windows, biases, ties and experts vary; some layers
// differ from the others.
ModelInfo random_model(std::uint32_t seed);

// "cpu" with this much memory, all of it free, and 8 threads; and a discrete GPU that is present, with a 2 MiB
// granularity and a measured driver.
DeviceInfo cpu_with(Bytes free_bytes);
// With the traits of its kind.
void set_kind(DeviceInfo& device, DeviceKind kind);
DeviceInfo gpu_with(Bytes free_bytes, Bytes driver_bytes = 300 * kMiB);

}  // namespace headroom::test
