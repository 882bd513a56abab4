// The role of each weight in the forward pass, and the name of the tensor that fills it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "format/dtype.h"

namespace headroom {

enum class TensorRole : std::uint8_t {
  kTokenEmbedding,    // (n_vocab, d_model)
  kOutputNorm,        // (d_model)
  kHead,              // (n_vocab, d_model); absent when tied: the embedding is read instead
  kLayerEmbedding,    // (n_vocab, input_elems): read by row, by the host
  kInputProject,      // (input_elems, d_model); these two of a row's layer inputs
  kInputProjectNorm,  // (input_dim)
  kAttnNorm,          // (d_model)
  // These three, and kAttnOut, are also of layers without attention. Of a delta net they have its own sizes. Of a short
  // convolution they are (n_channels, d_model), and c * conv(b * y) is made of q = c, k = b and v = y.
  kQ,               // (q_dim, d_model); of a delta net (q_dim, d_model) by its own sizes
  kK,               // (kv_dim, d_model); of a delta net (q_dim, d_model)
  kV,               // (kv_dim, d_model); of a delta net (v_dim, d_model)
  kQBias,           // (q_dim)
  kKBias,           // (kv_dim)
  kVBias,           // (kv_dim)
  kQNorm,           // (head_dim); (q_dim) where heads are normed together
  kKNorm,           // (head_dim); (kv_dim) likewise
  kOutGate,         // (q_dim, d_model); of a delta net (v_dim, d_model)
  kAlpha,           // (n_value_heads, d_model): of the decay
  kBeta,            // (n_value_heads, d_model)
  kConv,            // (channels, width): the last column is of the newest position. Kept as (width, channels)
  kTimeBias,        // (n_value_heads)
  kDecay,           // (n_value_heads), below 0
  kReadNorm,        // (value_dim)
  kAttnOut,         // (d_model, q_dim); of a delta net (d_model, v_dim)
  kAttnOutBias,     // (d_model)
  kAttnPostNorm,    // (d_model)
  kFfnNorm,         // (d_model)
  kGate,            // (d_ff, d_model); these three also of a shared expert
  kUp,              // (d_ff, d_model)
  kDown,            // (d_model, d_ff)
  kFfnPostNorm,     // (d_model)
  kRouter,          // (n_experts, d_model)
  kExpertGate,      // (n_experts, expert_d_ff, d_model)
  kExpertUp,        // (n_experts, expert_d_ff, d_model)
  kExpertDown,      // (n_experts, d_model, expert_d_ff)
  kSharedGate,      // (d_model)
  kRouterNorm,      // (d_model); these four of a layer with branch norms
  kExpertNorm,      // (d_model)
  kExpertPostNorm,  // (d_model)
  kSharedPostNorm,  // (d_model)
  kExpertScale,     // (n_experts)
  kInputGate,       // (input_dim, d_model); these three of a layer with inputs
  kInputOut,        // (d_model, input_dim)
  kInputPostNorm,   // (d_model)
  kAttnSinks,       // (n_heads): one more score of each head, without a value
  kRouterBias,      // (n_experts)
  kExpertGateBias,  // (n_experts, expert_d_ff), one behind the other
  kExpertUpBias,    // (n_experts, expert_d_ff)
  kExpertDownBias,  // (n_experts, d_model)
  kChoiceBias,      // (n_experts): on what experts are chosen by, and not on their weights
};
inline constexpr std::size_t kNTensorRoles = static_cast<std::size_t>(TensorRole::kChoiceBias) + 1;

std::string_view role_name(TensorRole role);  // "attn_q"
bool role_is_matrix(TensorRole role);         // else a vector or the taps of a convolution, kept as F32
bool role_is_ffn(TensorRole role);            // of a layer's FFN; its other roles are of its attention
bool role_is_experts(TensorRole role);        // one matrix per expert

// The tensor that fills a role: "blk.3.attn_q.weight"; `layer` is ignored for roles that are not of a layer.
std::string role_tensor_name(TensorRole role, std::int32_t layer);
// "blk.3." and the name of a tensor that every layer has one of.
std::string layer_tensor_name(std::int32_t layer, std::string_view tensor);
// What fills kAttnOut of a delta net; and kTimeBias in files that Ollama converted at first.
inline constexpr std::string_view kDeltaOutTensor = "ssm_out.weight", kOldTimeBiasTensor = "ssm_dt";
// Of a short convolution: the rows of K, Q and V, one after the other; kConv; and kAttnOut.
inline constexpr std::string_view kShortConvInTensor = "shortconv.in_proj.weight",
                                  kShortConvTensor = "shortconv.conv.weight",
                                  kShortConvOutTensor = "shortconv.out_proj.weight";
// Of a delta net, by key head one after the other: query, key, values and output gates; and beta and alpha.
inline constexpr std::string_view kDeltaInTensor = "ssm_in.weight", kDeltaRatesTensor = "ssm_ba.weight";
// What fills kGate, kUp and kDown of a shared expert.
inline constexpr std::string_view kSharedExpertGateTensor = "ffn_gate_shexp.weight",
                                  kSharedExpertUpTensor = "ffn_up_shexp.weight",
                                  kSharedExpertDownTensor = "ffn_down_shexp.weight";
// The tensor that holds the rows of several roles one after the other, in the order of TensorRole, of experts those of
// each expert; absent for a role that is never fused.
std::optional<std::string> fused_tensor_name(TensorRole role, std::int32_t layer);

// Files may carry these beside the roles.
inline constexpr std::string_view kRopeFactorsTensor =
    "rope_freqs.weight";  // (rope_dim / 2) f32: see RopeSpec::freq_factors
inline constexpr std::string_view kShortFactorsTensor = "rope_factors_short.weight",  // likewise, of RopeScaling::kLong
    kLongFactorsTensor = "rope_factors_long.weight";                                  // see RopeSpec::long_factors
inline constexpr std::string_view kOutputScaleTensor =
    "layer_output_scale.weight";  // of a layer, (1) f32: LayerSpec::output_scale

// Which rows of a tensor a weight has: those from `first` on, one after the other; or groups of n_together of them that
// begin `step` rows apart. Example: a tensor with the queries of two heads of 64 rows, each with its gate behind it, is
// {0, 64, 128} for the queries and {64, 64, 128} for the gates.
struct TensorRows {
  std::uint64_t first = 0, n_together = 0, step = 0;  // n_together 0: no groups

  std::uint64_t of(std::uint64_t row) const {
    return n_together == 0 ? first + row : first + row / n_together * step + row % n_together;
  }
  // How many of the rows from `row` on stand one after the other in the tensor.
  std::uint64_t run_from(std::uint64_t row, std::uint64_t most) const {
    if (n_together == 0) return most;
    const std::uint64_t left = n_together - row % n_together;
    return left < most ? left : most;
  }
  bool operator==(const TensorRows&) const = default;
};

// A weight: one role of one layer with the tensor that fills it. Shapes are (n_rows, n_cols), row-major, a row
// contiguous; vectors have n_rows 1, but for the taps of a convolution. A tensor of experts holds n_matrices of that
// shape, one behind the other.
struct WeightTensor {
  TensorRole role = TensorRole::kTokenEmbedding;
  std::int32_t layer = -1;        // -1: not of a layer
  std::string name;               // in the file
  std::uint32_t file_tensor = 0;  // index into ModelFile::tensors()
  DType dtype = DType::kF32;      // in the file
  TensorRows rows{};              // of the tensor; of experts, those of all matrices
  std::uint64_t n_matrices = 1;   // not 1: experts
  std::uint64_t n_rows = 0, n_cols = 0;
  // Of a vector: what each element is multiplied by when it is loaded. The last norm takes a factor on logits so.
  float factor = 1.0F;
};

}  // namespace headroom
