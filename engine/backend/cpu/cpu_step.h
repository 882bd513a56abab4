// Runs a subgraph on the thread pool: all threads go through its ops in order, with four barriers per layer in steps of
// few rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <span>
#include <vector>

#include "backend/cpu/attend.h"
#include "backend/cpu/bound_model.h"
#include "backend/cpu/routing.h"
#include "backend/host/thread_pool.h"

namespace headroom {

// Results do not depend on the number of threads: threads share out outputs, and where a sum is split its parts depend
// on the shape of the step alone.
class CpuStep {
 public:
  CpuStep(BoundModel bound, const KernelTable& kernels, ThreadPool& pool);

  // As Backend::submit, to the end of the subgraph: kCancelled when stopped.
  Status run(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop);

  // As Backend::copy_state; the arguments are within the plan.
  Status copy_slot(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions, const StopToken& stop);

  const BoundModel& bound() const { return bound_; }

  // As Backend::product_seconds, of this binding.
  double product_seconds() const;

 private:
  struct alignas(64) ProductClock {  // of one thread, on a cache line of its own
    double seconds = 0;
  };
  struct Run {  // consecutive rows of one slot
    std::uint32_t slot = 0, first_row = 0, n_rows = 0;
  };
  struct Split {  // a part of the positions that a row sees
    std::uint32_t first = 0, last = 0;
  };

  void find_runs();
  void run_thread(std::uint32_t thread);
  void run_op(const Op& op, std::uint32_t thread);
  void fill_rope_table(std::uint32_t thread);

  bool is_one_embedding() const;
  void embed(const Op& op, std::uint32_t thread);
  void embed_rows(const Op& op, std::uint32_t thread, const Share& rows);
  void layer_inputs(const Op& op, std::uint32_t thread);
  void qkv_rope(const Op& op, std::uint32_t thread);
  void attend_op(const Op& op, std::uint32_t thread);
  void attn_out(const Op& op, std::uint32_t thread);
  void conv_mix(const Op& op, std::uint32_t thread);
  void delta_mix(const Op& op, std::uint32_t thread);
  void delta_rule(const Op& op);
  void delta_out(const Op& op, std::uint32_t thread);
  void ffn_up(const Op& op, std::uint32_t thread);
  void ffn_down(const Op& op, std::uint32_t thread);
  void moe_route(const Op& op, std::uint32_t thread);
  void moe_up(const Op& op, std::uint32_t thread);
  void shared_down(const Op& op, std::uint32_t thread);
  void moe_down(const Op& op, std::uint32_t thread);
  void input_up(const Op& op, std::uint32_t thread);
  void input_down(const Op& op, std::uint32_t thread);
  void logits(const Op& op, std::uint32_t thread);

  // The kernel of a layer's activation, as KernelTable has it.
  decltype(KernelTable::silu_mul) act_mul_of(const LayerSpec& layer) const;

  // Encodes activation rows for these matrices. With few rows every thread encodes all of them for itself; with many
  // the threads share the rows and meet at a barrier. `row(index, scratch)` returns the n_elems floats of a row, which
  // it may write to scratch.
  template <class Row>
  Activations prepare(std::uint32_t thread, std::uint32_t n_rows, std::span<const Matrix* const> matrices, Row row);
  // A row of the residual as attention or an FFN reads it: normed into `scratch`, or itself where the norm is null.
  const float* normed(const float* row, const float* norm, float* scratch) const;
  // prepare() of all rows of a residual, normed likewise.
  Activations prepare_residual(std::uint32_t thread, const float* residual, const float* norm,
                               std::span<const Matrix* const> matrices);
  // A bias that is added to a product and a norm that follows, before it is added to the residual; null: none.
  struct Finish {
    const float *bias = nullptr, *norm = nullptr;  // (d_model)
    float scale = 1.0F;                            // on the sum; not 1: with a norm alone
    // Where the layer has branches: what its experts added, (n_rows, d_model), and the norm of this product before the
    // two meet, (d_model). Null: it has none.
    const float *branch = nullptr, *branch_norm = nullptr;
  };
  // The residual that `op` writes becomes (residual + norm(matrix . in + bias)) * scale; with a branch
  // (residual + norm(branch + branch_norm(matrix . in + bias))) * scale.
  void add_to_residual(const Op& op, const Matrix& matrix, const Activations& in, Finish finish, std::uint32_t thread);
  struct GroupedInputs;
  template <class Row>
  GroupedInputs prepare_groups(std::uint32_t thread, const ExpertGroups& groups, bool is_shared,
                               std::span<const Matrix* const> matrices, Row row);
  // The rows of the step by expert, in scratch of the thread: `ids` is the buffer of that name.
  ExpertGroups group_rows(const LayerSpec& layer, BufferId ids, std::uint32_t thread) const;
  // Calls work() and counts its time as spent on matrix products. Reads the clock twice for a piece of a matrix.
  template <class Work>
  void time_product(std::uint32_t thread, Work work);
  // Calls work(first, last) for pieces of n items until none is left. A thread that is free takes the next piece, so
  // that a thread that the system holds up does not hold up the others. A piece is one thread's share of half of what
  // is left, in whole pairs: two threads take 44, 34, 26, 18, ... of 176 panels. Large pieces come first, because each
  // one begins with weights that no kernel has asked for; small ones last, because threads wait for each other. Once
  // per op.
  template <class Work>
  void deal(const Op& op, std::uint32_t n, Work work);
  // How many heads of a layer have their product finished, counted for each KV head: its query heads, its key and
  // value.
  std::atomic<std::uint32_t>& n_finished(std::int32_t layer, std::uint32_t kv_head) {
    return n_finished_[static_cast<std::size_t>(layer) * most_kv_heads_ + kv_head];
  }
  std::atomic<std::uint32_t>& n_dealt(const Op& op) {
    return n_dealt_[static_cast<std::size_t>(&op - bound_.plan->program.ops.data())];
  }

  void mix(const BoundLayer& layer, float* mixed, std::uint32_t first_channel, std::uint32_t n_channels) const;
  void finish_rates(const BoundLayer& layer, float* rates, Share heads, bool is_beta) const;
  void finish_queries(const BoundLayer& layer, float* query, std::uint32_t first_head, std::uint32_t last_head);
  void norm_heads_together(const BoundLayer& layer, float* query, std::uint32_t thread);
  float* kv_elems(const BoundLayer& layer, KvPart part, std::uint32_t head, std::uint32_t row) const;
  void finish_kv(const BoundLayer& layer, KvPart part, Share heads);
  template <class Work>
  void for_each_group(Work work) const;
  void keep(const BoundLayer& layer, KvPart part, Share heads, Share rows);
  static void add_bias(float* row, const float* bias, std::uint32_t n);  // none where it is null
  void norm_without_weight(float* elems, std::uint32_t n) const;         // in place
  void turn(float* head, std::uint32_t by, std::uint32_t row) const;     // by: index of the rope
  // Likewise a head with its norm, before or behind the rotation; null: none.
  void turn_normed(const BoundLayer& layer, const float* norm, float* head, std::uint32_t by, std::uint32_t row) const;

  bool is_few(std::uint32_t n_rows) const { return n_rows <= kCpuFewRows; }
  std::uint32_t seen_from(const LayerSpec& layer, std::uint32_t position) const;
  Split split(const LayerSpec& layer, std::uint32_t row, std::uint32_t index) const;
  std::uint32_t n_splits(const LayerSpec& layer, std::uint32_t row) const;
  float* partial(const LayerSpec& layer, std::uint32_t row, std::uint32_t head, std::uint32_t index) const;
  void attend_few(const Op& op, const BoundLayer& layer, const float* query, std::uint32_t thread);
  void attend_part(const BoundLayer& layer, const float* query, std::uint32_t row, std::uint32_t kv_head,
                   std::uint32_t index, std::uint32_t thread);
  std::uint32_t tile_rows(const BoundLayer& layer) const;
  void attend_many(const Op& op, const BoundLayer& layer, const float* query, float* attended, std::uint32_t thread);
  void attend_rows(const BoundLayer& layer, const float* query, float* attended, std::uint32_t kv_head,
                   std::uint32_t first_row, std::uint32_t n_rows, std::uint32_t thread);
  const float* merge_partials(const BoundLayer& bound, std::uint32_t row, float* out) const;

  std::uint32_t exact_from(std::int32_t layer, std::uint32_t slot) const {
    return inputs_.exact_from[static_cast<std::size_t>(layer) * bound_.plan->options.n_slots + slot];
  }
  std::span<const Op> ops() const {
    return std::span(bound_.plan->program.ops).subspan(first_op_, last_op_ - first_op_);
  }

  BoundModel bound_;
  const KernelTable& kernels_;
  ThreadPool& pool_;
  std::vector<ProductClock> product_clocks_;  // by thread
  // Of the subgraph that runs:
  std::uint32_t first_op_ = 0, last_op_ = 0;
  StepInputs inputs_;
  StopToken stop_;
  std::vector<Run> runs_;
  std::vector<std::atomic<std::uint32_t>> n_dealt_;  // of each op's items
  std::uint32_t most_kv_heads_ = 0;
  std::vector<std::atomic<std::uint32_t>> n_finished_;  // (n_layers, most_kv_heads)
  bool stops_[2] =
      {};  // by parity of the barriers passed: written one ahead by thread 0, read by all after the barrier between
};

template <class Row>
Activations CpuStep::prepare(std::uint32_t thread, std::uint32_t n_rows, std::span<const Matrix* const> matrices,
                             Row row) {
  const bool few = is_few(n_rows);
  const BoundScratch& scratch = bound_.scratch;
  const Activations made = activations_for(matrices, n_rows, few ? scratch.few_f32(thread) : scratch.f32,
                                           few ? scratch.few_int8(thread) : scratch.int8);
  const Share tiles = few ? Share{0, made.n_tiles()} : share_of(made.n_tiles(), thread, pool_.n_threads());
  const std::uint32_t last = std::min(n_rows, tiles.last * kTileCols);
  for (std::uint32_t index = tiles.first * kTileCols; index < last; ++index) {
    put_activation_row(kernels_, made, index, row(index, scratch.row(thread)));
  }
  if (!few) pool_.barrier();
  return made;
}

template <class Work>
void CpuStep::deal(const Op& op, std::uint32_t n, Work work) {
  std::atomic<std::uint32_t>& next = n_dealt(op);
  for (;;) {
    std::uint32_t first = next.load(std::memory_order_relaxed), piece = 0;
    do {
      if (first >= n) return;
      const std::uint32_t left = n - first;
      piece = std::min<std::uint32_t>(left, round_up(div_up(left, 2 * pool_.n_threads()), kPairPanels));
    } while (!next.compare_exchange_weak(first, first + piece, std::memory_order_relaxed));
    work(first, first + piece);
  }
}

template <class Work>
void CpuStep::time_product(std::uint32_t thread, Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  product_clocks_[thread].seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace headroom
