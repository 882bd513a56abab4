// Each coarse op in plain loops over decoded rows, in f32 and double. Tests hold the ops of every backend against
// these.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "backend/reference/reference_binding.h"
#include "format/decode.h"

namespace headroom {

// The ops of one device on the calling thread. Slow on purpose: a weight is decoded row by row where it is multiplied,
// a cached head where it is read. Allocates when made only.
class ReferenceStep {
 public:
  explicit ReferenceStep(ReferenceBinding bound);

  const ReferenceBinding& bound() const { return bound_; }

  // Needs the arenas open. False when it was stopped: all that it writes is then undefined.
  bool run(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop);

 private:
  struct Heads {  // of one row
    float* elems = nullptr;
    std::uint32_t n_heads = 0;
  };

  void check(const DeviceSubgraph& subgraph, const StepInputs& inputs) const;
  std::size_t n_rows() const { return inputs_.rows.size(); }
  bool goes_on() { return !(stopped_ = stopped_ || stop_.stop_requested()); }
  void run_op(const Op& op);

  void embed(const Op& op, TensorRole table, float scale);
  void layer_inputs(const Op& op);
  void qkv_rope(const Op& op);
  void attend(const Op& op);
  void attn_out(const Op& op);
  void conv_mix(const Op& op);
  void delta_mix(const Op& op);
  void delta_rule(const Op& op);
  void delta_out(const Op& op);
  void ffn_up(const Op& op);
  void ffn_down(const Op& op);
  void shared_down(const Op& op);
  void moe_route(const Op& op);
  void moe_up(const Op& op);
  void moe_down(const Op& op);
  void input_up(const Op& op);
  void logits(const Op& op);

  // in: (n_rows, n_cols). Calls give(row, n, sum) for each of the n_rows results of the matrix's rows n.
  template <class Give>
  void multiply(const ReferenceWeight& matrix, const float* in, std::size_t n_in, const ReferenceWeight* bias,
                Give give);
  // Adds matrix . in + bias to the residual that `op` writes, normed by `norm` first where the layer has post-norms.
  void add_to_residual(const Op& op, const float* in, TensorRole matrix, const ReferenceWeight* bias, TensorRole norm,
                       float scale = 1.0F);
  void add_branches(const Op& op, const float* in, const float* branch);
  // rows: (n_rows, channels) of what goes into a layer's convolution; they become what comes out of it.
  void convolve(const Op& op, std::span<float> rows, std::uint32_t width);
  // (n_rows, d_model): rows of a residual as a layer's products read them, normed in scratch or as they are.
  const float* normed(const float* residual, TensorRole norm, std::int32_t layer);
  void finish_heads(std::int32_t layer, std::uint32_t position, Heads heads, TensorRole norm) const;
  void balance_keys(std::int32_t layer, float* keys) const;
  void balance_query(std::int32_t layer, float* query) const;
  void put_in_cache(std::int32_t layer, const StepRow& row, float* keys, float* values) const;
  // The experts of a row by its logits, best first, into order_, which has the others behind them.
  void rank_experts(const float* logits, std::uint32_t n_experts);
  // Calls work(expert) for each expert that rows of `ids` go through, their choices in choices_ and gathered_ filled
  // with row(choice), n_elems each.
  template <class Row, class Work>
  void for_each_expert(const LayerSpec& spec, const std::uint32_t* ids, std::size_t n_elems, Row row, Work work);
  void attend_head(const Op& op, const StepRow& row, std::uint32_t head, const float* query, float* attended);

  ReferenceBinding bound_;
  StepInputs inputs_;
  StopToken stop_;
  bool stopped_ = false;
  std::vector<float> normed_;            // (max_rows, d_model), also of what is added to the residual
  std::vector<float> keys_, values_;     // (max_rows, widest kv_dim)
  std::vector<float> up_;                // (max_rows, widest d_ff or expert_d_ff)
  std::vector<float> router_;            // (max_rows, most n_experts)
  std::vector<float> scores_by_expert_;  // (most n_experts): what a row's experts are chosen by
  std::vector<float> gated_;             // (max_rows, widest q_dim, v_dim or d_ff of what has a gate)
  std::vector<float> gathered_;          // (max_rows, widest n_cols) of the rows that go through one expert
  std::vector<std::uint32_t> order_;     // (most n_experts)
  std::vector<std::uint32_t> choices_;   // indices into (n_rows, n_experts_used), at most max_rows
  std::vector<float> weight_row_;        // (widest n_cols)
  std::vector<double> scores_;           // (n_ctx)
  std::vector<double> sums_;             // (widest head_dim or value_dim)
  std::vector<float> head_;              // (widest head_dim)
};

template <class Give>
void ReferenceStep::multiply(const ReferenceWeight& matrix, const float* in, std::size_t n_in,
                             const ReferenceWeight* bias, Give give) {
  // Sums that a processor adds up side by side, where one alone would wait for each of its own additions.
  constexpr std::size_t kRowsAtOnce = 8;
  for (std::uint64_t n = 0; n < matrix.n_rows && goes_on(); ++n) {
    decode_row(matrix.dtype, matrix.row(n), matrix.n_cols, weight_row_.data());
    const double start = bias == nullptr ? 0.0 : static_cast<double>(bias->vector()[n]);
    std::size_t row = 0;
    for (; row + kRowsAtOnce <= n_in; row += kRowsAtOnce) {
      std::array<double, kRowsAtOnce> sums;
      sums.fill(start);
      const float* from = in + row * matrix.n_cols;
      for (std::uint64_t col = 0; col < matrix.n_cols; ++col) {
        const double weight = weight_row_[col];
        for (std::size_t i = 0; i < kRowsAtOnce; ++i) sums[i] += weight * from[i * matrix.n_cols + col];
      }
      for (std::size_t i = 0; i < kRowsAtOnce; ++i) give(row + i, n, static_cast<float>(sums[i]));
    }
    for (; row < n_in; ++row) {
      double sum = start;
      for (std::uint64_t col = 0; col < matrix.n_cols; ++col)
        sum += static_cast<double>(weight_row_[col]) * in[row * matrix.n_cols + col];
      give(row, n, static_cast<float>(sum));
    }
  }
}

}  // namespace headroom
