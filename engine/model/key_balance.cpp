#include "model/key_balance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "format/decode.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

constexpr float kMaxExponent = 10.0F;  // F16 holds what is balanced, whatever a file says

// Both elements of each pair become their mean.
void share_in_pairs(const RopeSpec& rope, std::span<float> head) {
  const std::uint32_t n_pairs = rope.rope_dim / 2;
  const bool neighbours = rope.pairing == RopePairing::kNeighbours;
  for (std::uint32_t pair = 0; pair < n_pairs; ++pair) {
    float& x = head[neighbours ? 2 * pair : pair];
    float& y = head[neighbours ? 2 * pair + 1 : pair + n_pairs];
    x = y = (x + y) / 2;
  }
}

// Rows of weights as floats, as many columns of each as are asked for.
class WeightReader {
 public:
  WeightReader(const ModelFile& file, const StopToken& stop) : file_(file), stop_(stop) {}

  // Row `index`, its first `n_seen` elements.
  Status read(const WeightTensor& weight, std::uint64_t index, std::uint64_t n_seen, std::span<float> out) {
    if (stop_.stop_requested()) return Error{ErrorCode::kCancelled, Message::say("loading was cancelled")};
    bytes_.resize(row_bytes(weight.dtype, n_seen));
    const Bytes at = weight.rows.of(index) * row_bytes(weight.dtype, weight.n_cols);
    if (Status read = file_.read_tensor(file_.tensors()[weight.file_tensor], at, bytes_); !read) return read;
    decode_row(weight.dtype, bytes_.data(), n_seen, out.data());
    return ok_status();
  }

  // All of a vector; empty when there is none.
  Result<std::vector<float>> vector(const WeightTensor* weight) {
    std::vector<float> out(weight == nullptr ? 0 : weight->n_cols);
    if (weight == nullptr) return out;
    if (Status read = this->read(*weight, 0, weight->n_cols, out); !read) return read.error();
    return out;
  }

 private:
  const ModelFile& file_;
  const StopToken& stop_;
  std::vector<std::byte> bytes_;
};

// output_square() of each row of a matrix.
Result<std::vector<float>> read_squares(WeightReader& reader, const WeightTensor& matrix,
                                        const std::vector<float>& norm, const std::vector<float>& bias) {
  const std::uint64_t n_seen = std::min<std::uint64_t>(matrix.n_cols, kBalanceCols);
  std::vector<float> row(n_seen), out(matrix.n_rows);
  for (std::uint64_t i = 0; i < matrix.n_rows; ++i) {
    if (Status read = reader.read(matrix, i, n_seen, row); !read) return read.error();
    out[i] = output_square(row, {norm.data(), n_seen}, matrix.n_cols, bias.empty() ? 0.0F : bias[i]);
  }
  return out;
}

// What a norm over all of them makes of the squares of a vector's elements.
void norm_together(const std::vector<float>& weights, std::vector<float>& squares) {
  const double mean = std::accumulate(squares.begin(), squares.end(), 0.0) / static_cast<double>(squares.size());
  for (std::size_t i = 0; i < squares.size(); ++i)
    squares[i] = static_cast<float>(squares[i] / mean * weights[i] * weights[i]);
}

Result<OutputSquares> read_output_squares(WeightReader& reader, const ModelInfo& model, std::int32_t layer) {
  const LayerSpec& spec = model.layers[static_cast<std::size_t>(layer)];
  const auto vector = [&](TensorRole role) { return reader.vector(model.find_weight(role, layer)); };
  if (spec.has_qk_norm && !spec.norms_heads_together) {
    const Result<std::vector<float>> q_norm = vector(TensorRole::kQNorm);
    if (!q_norm) return q_norm.error();
    const Result<std::vector<float>> k_norm = vector(TensorRole::kKNorm);
    if (!k_norm) return k_norm.error();
    return normed_squares(spec, *q_norm, *k_norm);
  }
  const Result<std::vector<float>> norm =
      spec.has_pre_norms ? vector(TensorRole::kAttnNorm) : std::vector<float>(model.d_model, 1.0F);
  if (!norm) return norm.error();
  const auto squares = [&](TensorRole matrix, TensorRole bias_slot) -> Result<std::vector<float>> {
    const Result<std::vector<float>> bias = vector(bias_slot);
    if (!bias) return bias.error();
    return read_squares(reader, *model.find_weight(matrix, layer), *norm, *bias);
  };
  Result<std::vector<float>> queries = squares(TensorRole::kQ, TensorRole::kQBias);
  if (!queries) return queries.error();
  Result<std::vector<float>> keys = squares(TensorRole::kK, TensorRole::kKBias);
  if (!keys) return keys.error();
  if (spec.norms_heads_together) {
    for (const auto& [of, role] : {std::pair(&*queries, TensorRole::kQNorm), std::pair(&*keys, TensorRole::kKNorm)}) {
      const Result<std::vector<float>> weights = vector(role);
      if (!weights) return weights.error();
      norm_together(*weights, *of);
    }
  }
  return OutputSquares{std::move(*queries), std::move(*keys)};
}

}  // namespace

float output_square(std::span<const float> row, std::span<const float> norm, std::uint64_t n_cols, float bias) {
  double squares = 0.0;
  for (std::size_t i = 0; i < row.size(); ++i) squares += std::pow(static_cast<double>(row[i]) * norm[i], 2);
  return static_cast<float>(squares * static_cast<double>(n_cols) / static_cast<double>(row.size()) +
                            static_cast<double>(bias) * bias);
}

OutputSquares normed_squares(const LayerSpec& layer, std::span<const float> q_norm, std::span<const float> k_norm) {
  OutputSquares squares;
  for (std::uint32_t i = 0; i < layer.q_dim(); ++i)
    squares.queries.push_back(q_norm[i % layer.head_dim] * q_norm[i % layer.head_dim]);
  for (std::uint32_t i = 0; i < layer.kv_dim(); ++i)
    squares.keys.push_back(k_norm[i % layer.head_dim] * k_norm[i % layer.head_dim]);
  return squares;
}

std::vector<float> balance_keys(const LayerSpec& layer, const RopeSpec& rope, const OutputSquares& squares) {
  std::vector<float> factors(layer.kv_dim());
  const std::uint32_t head_dim = layer.head_dim, heads_per_kv = layer.n_heads / layer.n_kv_heads;
  std::vector<float> keys(head_dim), queries(head_dim);
  for (std::uint32_t kv_head = 0; kv_head < layer.n_kv_heads; ++kv_head) {
    std::copy_n(squares.keys.begin() + std::ptrdiff_t{kv_head} * head_dim, head_dim, keys.begin());
    std::fill(queries.begin(), queries.end(), 0.0F);
    for (std::uint32_t head = kv_head * heads_per_kv; head < (kv_head + 1) * heads_per_kv; ++head) {
      for (std::uint32_t i = 0; i < head_dim; ++i)
        queries[i] += squares.queries[std::size_t{head} * head_dim + i] / static_cast<float>(heads_per_kv);
    }
    if (!layer.norms_turned_heads) {
      share_in_pairs(rope, keys);
      share_in_pairs(rope, queries);
    }
    for (std::uint32_t i = 0; i < head_dim; ++i) {
      const float exponent = std::round(std::log2(keys[i] / queries[i]) / 4);  // of the squares: a fourth root
      factors[std::size_t{kv_head} * head_dim + i] =
          std::isfinite(exponent) ? std::exp2(std::clamp(exponent, -kMaxExponent, kMaxExponent)) : 1.0F;
    }
  }
  return factors;
}

Result<std::vector<std::vector<float>>> read_key_balance(const ModelInfo& model, const ModelFile& file,
                                                         const StopToken& stop) {
  WeightReader reader(file, stop);
  std::vector<std::vector<float>> balance;
  for (std::int32_t layer = 0; layer < static_cast<std::int32_t>(model.n_layers()); ++layer) {
    const LayerSpec& spec = model.layers[static_cast<std::size_t>(layer)];
    if (!spec.has_cache()) {
      // Keys of another layer have its factors.
      balance.push_back(spec.kv_layer ? balance[*spec.kv_layer] : std::vector<float>());
      continue;
    }
    const Result<OutputSquares> squares = read_output_squares(reader, model, layer);
    if (!squares) return squares.error();
    balance.push_back(balance_keys(spec, model.ropes[spec.rope], *squares));
  }
  return balance;
}

}  // namespace headroom
