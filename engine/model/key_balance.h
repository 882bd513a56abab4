// Channels of K that stand out, met where they come from: before a quantized cache keeps keys, each channel is divided
// by a factor that its queries are multiplied with, so that scores do not change and the error of a key falls evenly on
// what queries weigh. The factors come from the weights alone: no text is run, and nothing is read at decode, because
// they join the signs of the rotation. Source of the idea: SmoothAttention in arXiv 2405.04532, which takes them from a
// calibration text.
#pragma once

#include <span>
#include <vector>

#include "base/stop.h"
#include "model/model_info.h"

namespace headroom {

// Columns of a matrix that are looked at: enough to see a channel that stands out, few enough for no one to wait.
inline constexpr std::uint32_t kBalanceCols = 256;

// Mean square of one output of a matrix whose input is normed: row holds its first elements of n_cols, norm the weights
// of the norm before it.
float output_square(std::span<const float> row, std::span<const float> norm, std::uint64_t n_cols, float bias);

// Mean squares of a layer's outputs before RoPE: queries (n_heads * head_dim), keys (n_kv_heads * head_dim).
struct OutputSquares {
  std::vector<float> queries, keys;
};

// The same where each head of queries and keys is normed: the weights of those norms say it, (head_dim) each.
OutputSquares normed_squares(const LayerSpec& layer, std::span<const float> q_norm, std::span<const float> k_norm);

// What keys are divided by and queries of their group multiplied with: (n_kv_heads * head_dim), powers of two, so that
// nothing is rounded. Elements that RoPE turns together share one. The best factor is the root of the key's size over
// the query's; what has no size keeps 1.
std::vector<float> balance_keys(const LayerSpec& layer, const RopeSpec& rope, const OutputSquares& squares);

// balance_keys() of every layer, (n_layers), from the file: the start of each row of Q and K, and the vectors beside
// them. Errors as ModelFile::read_tensor(); kCancelled when stopped, which every row looks at.
Result<std::vector<std::vector<float>>> read_key_balance(const ModelInfo& model, const ModelFile& file,
                                                         const StopToken& stop = {});

}  // namespace headroom
