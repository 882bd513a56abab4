// Balanced keys. Some channels of K are much larger than the others, and a quantized cache rounds small channels by the
// scale of the large ones. So each channel of a key is divided by a factor before it is quantized, and the same channel
// of the queries is multiplied with it: scores do not change, and the rounding error is spread by what queries weigh.
// Example: a channel with keys of 40 and queries of 0.4 has the factor 8 (the power of two near 10); it keeps keys of 5
// and queries of 3.2. The factors are computed from the weights alone, without running a text. Decoding does not read
// them, because they are multiplied into the factors of the rotation. Source of the idea: SmoothAttention in arXiv
// 2405.04532, which takes its factors from a calibration text.
#pragma once

#include <span>
#include <vector>

#include "base/stop.h"
#include "model/model_info.h"

namespace headroom {

// Columns of a matrix that are read: enough to see which channels are large, and few enough to be read in an instant.
inline constexpr std::uint32_t kBalanceCols = 256;

// The mean square of one output of a matrix that reads a normed input. row: the first elements of the matrix's row of
// n_cols; norm: the weights of the norm.
float output_square(std::span<const float> row, std::span<const float> norm, std::uint64_t n_cols, float bias);

// Mean squares of a layer's outputs before RoPE, or behind it where heads are normed there: queries (n_heads *
// head_dim), keys (n_kv_heads * head_dim).
struct OutputSquares {
  std::vector<float> queries, keys;
};

// The same for layers that norm each head of queries and keys: from the weights of these norms, (head_dim) each.
OutputSquares normed_squares(const LayerSpec& layer, std::span<const float> q_norm, std::span<const float> k_norm);

// The factors of a layer, (n_kv_heads * head_dim): powers of two, so that multiplying with them rounds nothing. The two
// elements of a pair that RoPE turns behind their norm share one. The best factor is the root of the key's size over
// the query's; 1 where either is zero.
std::vector<float> balance_keys(const LayerSpec& layer, const RopeSpec& rope, const OutputSquares& squares);

// balance_keys() of every layer, (n_layers). Reads the start of each row of Q and K from the file, their biases and
// norms. Errors as ModelFile::read_tensor(); kCancelled when stopped, which is looked at before every row.
Result<std::vector<std::vector<float>>> read_key_balance(const ModelInfo& model, const ModelFile& file,
                                                         const StopToken& stop = {});

}  // namespace headroom
