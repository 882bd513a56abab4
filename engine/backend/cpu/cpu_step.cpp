#include "backend/cpu/cpu_step.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>

#include "backend/cpu/head_units.h"
#include "backend/cpu/subnormals.h"
#include "format/decode.h"
#include "format/encode.h"

namespace headroom {

namespace {

// Sums side by side, which a compiler adds up as vectors.
float product_of(const float* a, const float* b, std::uint32_t n) {
  std::array<float, 16> sums{};
  std::uint32_t i = 0;
  for (; i + sums.size() <= n; i += sums.size()) {
    for (std::uint32_t lane = 0; lane < sums.size(); ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  float sum = std::accumulate(sums.begin(), sums.end(), 0.0F);
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

CpuStep::CpuStep(BoundModel bound, const KernelTable& kernels, ThreadPool& pool)
    : bound_(std::move(bound)),
      kernels_(kernels),
      pool_(pool),
      product_clocks_(pool.n_threads()),
      n_dealt_(bound_.plan->program.ops.size()) {
  runs_.reserve(bound_.plan->program.max_rows);
  for (const BoundLayer& layer : bound_.layers) most_kv_heads_ = std::max(most_kv_heads_, layer.spec->n_kv_heads);
  n_finished_ = std::vector<std::atomic<std::uint32_t>>(bound_.layers.size() * most_kv_heads_);
}

Status CpuStep::run(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) {
  first_op_ = subgraph.first_op;
  last_op_ = subgraph.last_op;
  inputs_ = inputs;
  stop_ = stop;
  stops_[0] = stops_[1] = stop.stop_requested();
  find_runs();
  for (std::atomic<std::uint32_t>& n : n_dealt_) n.store(0, std::memory_order_relaxed);
  for (std::atomic<std::uint32_t>& n : n_finished_) n.store(0, std::memory_order_relaxed);
  if (is_one_embedding()) {
    for (const Op& op : ops()) embed_rows(op, 0, {0, 1});
  } else {
    pool_.run([this](std::uint32_t thread) { run_thread(thread); });
  }
  stop_ = StopToken();
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::say("the step was stopped")};
  return ok_status();
}

// Whether the subgraph is one row of the embedding, which is all that the CPU computes while a GPU has every layer. The
// pool is then left asleep: waking 16 threads took 0.15 ms or more of an 8B's 3.4 ms a token on an H100, and the row
// takes a few microseconds.
bool CpuStep::is_one_embedding() const {
  const auto embeds = [](const Op& op) { return op.kind == OpKind::kEmbed || op.kind == OpKind::kLayerEmbed; };
  return inputs_.rows.size() == 1 && std::ranges::all_of(ops(), embeds);
}

void CpuStep::find_runs() {
  runs_.clear();
  for (std::uint32_t row = 0; row < inputs_.rows.size(); ++row) {
    const std::uint32_t slot = inputs_.rows[row].slot;
    if (runs_.empty() || runs_.back().slot != slot) {
      runs_.push_back({slot, row, 1});
    } else {
      ++runs_.back().n_rows;
    }
  }
}

// Whole groups: the positions behind the last one are written before they are read.
// Every thread copies its share of the positions of each head, and looks at the token between two of them.
Status CpuStep::copy_slot(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions,
                          const StopToken& stop) {
  std::atomic<bool> is_stopped = false;
  pool_.run([&](std::uint32_t thread) {
    const auto copy_state = [&](float* states, Bytes bytes) {
      auto* const first = reinterpret_cast<std::byte*>(states);
      const Share share = share_of(static_cast<std::uint32_t>(bytes / sizeof(float)), thread, pool_.n_threads());
      const Bytes at = share.first * sizeof(float);
      std::memmove(first + to_slot * bytes + at, first + from_slot * bytes + at,
                   (share.last - share.first) * sizeof(float));
    };
    const auto copy = [&](const KvView& view, std::uint32_t n_heads) {
      if (view.n_rows == 0) return;  // a short cache has no sinks
      const auto n_groups = static_cast<std::uint32_t>(div_up(std::min(n_positions, view.n_rows), kPanelRows));
      const Share share = share_of(n_groups, thread, pool_.n_threads());
      const Bytes n_bytes = (share.last - share.first) * view.group_bytes, at = share.first * view.group_bytes;
      for (std::uint32_t head = 0; head < n_heads; ++head) {
        if (stop.stop_requested()) is_stopped = true;
        if (is_stopped) return;
        std::memmove(view.group(to_slot, head, 0) + at, view.group(from_slot, head, 0) + at, n_bytes);
      }
    };
    for (const BoundLayer& layer : bound_.layers) {
      if (stop.stop_requested()) is_stopped = true;
      if (is_stopped) return;
      if (layer.conv_states != nullptr) copy_state(layer.conv_states, layer.spec->conv_bytes());
      if (layer.matrix_states != nullptr) copy_state(layer.matrix_states, layer.spec->matrix_bytes());
      if (layer.keys.all.base == nullptr || !layer.spec->has_cache()) continue;  // on another device, or another's
      for (const KvCache* cache : {&layer.keys, &layer.values}) {
        copy(cache->all, layer.spec->n_kv_heads);
        if (!cache->has_ends()) continue;
        copy(cache->sinks, layer.spec->n_kv_heads);
        copy(cache->ring, layer.spec->n_kv_heads);
      }
    }
  });
  return is_stopped ? Status(Error{ErrorCode::kCancelled, Message::say("copying a prompt was stopped")}) : ok_status();
}

void CpuStep::run_thread(std::uint32_t thread) {
  const std::span<const Op> ops = this->ops();
  const auto attends = [](const Op& op) { return op.kind == OpKind::kQkvRope; };
  if (std::any_of(ops.begin(), ops.end(), attends)) fill_rope_table(thread);
  if (attends(ops.front())) pool_.barrier();
  const bool few = is_few(static_cast<std::uint32_t>(inputs_.rows.size()));
  std::size_t n_passed = 0;  // barriers
  for (std::size_t i = 0; i < ops.size(); ++i, ++n_passed) {
    if (stops_[n_passed % 2]) return;
    if (thread == 0) stops_[(n_passed + 1) % 2] = stop_.stop_requested();
    run_op(ops[i], thread);
    if (few && ops[i].kind == OpKind::kQkvRope)
      run_op(ops[++i], thread);  // attention, which waits for each of the heads that it reads
    if (few && ops[i].kind == OpKind::kMoeUp && i + 1 < ops.size() && ops[i + 1].kind == OpKind::kSharedUp)
      run_op(ops[++i], thread);  // neither reads what the other writes
    pool_.barrier();
  }
}

void CpuStep::run_op(const Op& op, std::uint32_t thread) {
  switch (op.kind) {
    case OpKind::kEmbed:
    case OpKind::kLayerEmbed: return embed(op, thread);
    case OpKind::kLayerInputs: return layer_inputs(op, thread);
    case OpKind::kQkvRope: return qkv_rope(op, thread);
    case OpKind::kAttend: {
      const SubnormalsAsZero zeros;  // weights of keys that are hardly looked at, times small values; Q6_K, 256 tokens:
                                     // 27 ms of attention became 11
      return attend_op(op, thread);
    }
    case OpKind::kAttnOut: return attn_out(op, thread);
    case OpKind::kConvMix: return conv_mix(op, thread);
    case OpKind::kDeltaMix: return delta_mix(op, thread);
    case OpKind::kDeltaRule: {
      const SubnormalsAsZero zeros;  // what a state has forgotten decays on
      return delta_rule(op);
    }
    case OpKind::kDeltaOut: return delta_out(op, thread);
    case OpKind::kFfnUp:
    case OpKind::kSharedUp: return ffn_up(op, thread);
    case OpKind::kFfnDown: return ffn_down(op, thread);
    case OpKind::kSharedDown: return shared_down(op, thread);
    case OpKind::kMoeRoute: return moe_route(op, thread);
    case OpKind::kMoeUp: return moe_up(op, thread);
    case OpKind::kMoeDown: return moe_down(op, thread);
    case OpKind::kInputUp: return input_up(op, thread);
    case OpKind::kInputDown: return input_down(op, thread);
    case OpKind::kLogits: return logits(op, thread);
    case OpKind::kTransfer: break;  // between subgraphs
  }
}

double CpuStep::product_seconds() const {
  double sum = 0;
  for (const ProductClock& clock : product_clocks_) sum += clock.seconds;
  return sum / static_cast<double>(product_clocks_.size());
}

void CpuStep::add_bias(float* row, const float* bias, std::uint32_t n) {
  if (bias == nullptr) return;
  for (std::uint32_t i = 0; i < n; ++i) row[i] += bias[i];
}

// Divided by the root of the sum of squares, and multiplied by that of their number: by that of the mean.
void CpuStep::norm_without_weight(float* elems, std::uint32_t n) const {
  const auto length = static_cast<float>(n);
  kernels_.l2_norm(elems, n, length * bound_.model->norm_epsilon, std::sqrt(length));
}

void CpuStep::add_to_residual(const Op& op, const Matrix& matrix, const Activations& in, Finish finish,
                              std::uint32_t thread) {
  const BlockShape shape = cut_blocks(matrix, in);
  const bool is_apart = finish.norm != nullptr;  // a norm needs whole rows
  float* residual = bound_.buffer(op.outputs[0]);
  float* out = is_apart ? bound_.scratch.step_rows : residual;
  const auto store = [&](const PanelProduct& product, bool is_first) {
    const ProductPlace place = product.place(out, matrix.n_rows);
    if (is_apart && is_first) return kernels_.put_products(product.values, place);
    const float* of_rows = finish.bias == nullptr || !is_first ? nullptr : finish.bias + product.first_row;
    kernels_.add_products(product.values, of_rows, place);
  };
  deal(op, matrix.n_panels(), [&](std::uint32_t first, std::uint32_t last) {
    time_product(thread, [&] {
      multiply(kernels_, matrix, first, last, in, shape, bound_.scratch.product(thread), stop_, store);
    });
  });
  if (!is_apart) return;
  pool_.barrier();
  const std::uint32_t d_model = bound_.model->d_model;
  const Share rows = share_of(static_cast<std::uint32_t>(inputs_.rows.size()), thread, pool_.n_threads());
  for (std::uint32_t row = rows.first; row < rows.last; ++row) {
    float *more = out + std::size_t{row} * d_model, *to = residual + std::size_t{row} * d_model;
    add_bias(more, finish.bias, d_model);
    if (finish.branch != nullptr) {
      kernels_.norm(more, finish.branch_norm, d_model, bound_.model->norm_epsilon, more);
      add_bias(more, finish.branch + std::size_t{row} * d_model, d_model);
    }
    kernels_.norm(more, finish.norm, d_model, bound_.model->epsilon_behind(), more);
    for (std::uint32_t i = 0; i < d_model; ++i) to[i] = (to[i] + more[i]) * finish.scale;
  }
}

void CpuStep::embed(const Op& op, std::uint32_t thread) {
  embed_rows(op, thread, share_of(static_cast<std::uint32_t>(inputs_.rows.size()), thread, pool_.n_threads()));
}

void CpuStep::embed_rows(const Op& op, std::uint32_t thread, const Share& rows) {
  const bool is_of_layers = op.kind == OpKind::kLayerEmbed;
  const Matrix& table = is_of_layers ? bound_.layer_embedding : bound_.embedding;
  const float scale = is_of_layers ? std::sqrt(static_cast<float>(bound_.model->layers.front().input_dim))
                                   : bound_.model->embedding_scale;
  float* out = bound_.buffer(op.outputs[0]);
  auto* bytes =
      reinterpret_cast<std::byte*>(bound_.scratch.row(thread));  // a row in file layout is never longer than as f32
  for (std::uint32_t row = rows.first; row < rows.last; ++row) {
    const std::uint32_t token = inputs_.rows[row].token;
    take_panel_row(table.dtype, table.n_cols, token % kPanelRows, table.panel(token / kPanelRows), bytes);
    float* to = out + std::size_t{row} * table.n_cols;
    decode_row(table.dtype, bytes, table.n_cols, to);
    for (std::uint32_t i = 0; i < table.n_cols; ++i) to[i] *= scale;
    if (!is_of_layers && bound_.model->norms_embedding) norm_without_weight(to, bound_.model->d_model);
  }
}

void CpuStep::attn_out(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const float* attended = bound_.buffer(op.inputs[0]);
  const auto n_rows = static_cast<std::uint32_t>(inputs_.rows.size());
  const std::uint32_t mixed_dim = layer.spec->mixed_dim();
  const bool is_split = layer.spec->has_attention() && is_few(n_rows);
  const float* gates = layer.spec->has_out_gate ? bound_.buffer(op.inputs[1]) : nullptr;
  const std::array matrices{&layer.attn_out};
  const Activations in =
      prepare(thread, n_rows, std::span<const Matrix* const>(matrices), [&](std::uint32_t row, float* scratch) {
        const std::size_t at = std::size_t{row} * mixed_dim;
        const float* elems = is_split ? merge_partials(layer, row, scratch) : attended + at;
        if (gates == nullptr) return elems;
        kernels_.gate_sigmoid(elems, gates + at, mixed_dim, scratch);
        return static_cast<const float*>(scratch);
      });
  add_to_residual(op, layer.attn_out, in, {layer.attn_out_bias, layer.attn_post_norm}, thread);
}

const float* CpuStep::normed(const float* row, const float* norm, float* scratch) const {
  if (norm == nullptr) return row;
  kernels_.norm(row, norm, bound_.model->d_model, bound_.model->norm_epsilon, scratch);
  return scratch;
}

Activations CpuStep::prepare_residual(std::uint32_t thread, const float* residual, const float* norm,
                                      std::span<const Matrix* const> matrices) {
  return prepare(thread, static_cast<std::uint32_t>(inputs_.rows.size()), matrices,
                 [&](std::uint32_t row, float* scratch) {
                   return normed(residual + std::size_t{row} * bound_.model->d_model, norm, scratch);
                 });
}

decltype(KernelTable::silu_mul) CpuStep::act_mul_of(const LayerSpec& layer) const {
  switch (layer.activation) {
    case Activation::kSilu: return kernels_.silu_mul;
    case Activation::kGelu: return kernels_.gelu_mul;
    case Activation::kClamped: return kernels_.clamped_mul;
  }
  CHECK(false, "an activation that is not there");
}

void CpuStep::ffn_up(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const std::uint32_t d_model = bound_.model->d_model;
  const float* residual = bound_.buffer(op.inputs[0]);
  float* hidden = bound_.buffer(op.outputs[0]);
  const auto n_rows = static_cast<std::uint32_t>(inputs_.rows.size());
  // Every thread has every row where there are few: one of them writes the gate of a shared expert.
  float* row_gates = op.outputs.size() > 1 && (thread == 0 || !is_few(n_rows)) ? bound_.buffer(op.outputs[1]) : nullptr;
  const std::array matrices{&layer.gate, &layer.up};
  const Activations in =
      prepare(thread, n_rows, std::span<const Matrix* const>(matrices), [&](std::uint32_t row, float* scratch) {
        const float* elems = normed(residual + std::size_t{row} * d_model, layer.ffn_norm, scratch);
        if (row_gates != nullptr)
          row_gates[row] = 1.0F / (1.0F + std::exp(-product_of(elems, layer.shared_gate, d_model)));
        return elems;
      });
  const auto act_mul = act_mul_of(*layer.spec);
  BlockProducts gates(kernels_, layer.gate, in, bound_.scratch.product(thread, 0)),
      ups(kernels_, layer.up, in, bound_.scratch.product(thread, 1));
  const auto multiply_both = [&](const ProductBlock& block) {
    gates.compute(block);
    ups.compute(block);
    for (std::uint32_t tile = block.first_tile; tile < block.last_tile; ++tile) {
      for (std::uint32_t which = 0; which < block.n_panels; ++which) {
        const PanelProduct gate = gates.product(which, tile);
        act_mul(gate.values, ups.product(which, tile).values, gate.place(hidden, layer.gate.n_rows));
      }
    }
  };
  const BlockShape shape = run_blocks(in, bound_.scratch.product_tiles());
  deal(op, layer.gate.n_panels(), [&](std::uint32_t first, std::uint32_t last) {
    time_product(thread, [&] { for_each_block(first, last, in, shape, stop_, multiply_both); });
  });
}

void CpuStep::ffn_down(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const float* hidden = bound_.buffer(op.inputs[0]);
  const std::array matrices{&layer.down};
  const Activations in =
      prepare(thread, static_cast<std::uint32_t>(inputs_.rows.size()), std::span<const Matrix* const>(matrices),
              [&](std::uint32_t row, float*) { return hidden + std::size_t{row} * layer.down.n_cols; });
  add_to_residual(op, layer.down, in, {nullptr, layer.ffn_post_norm, layer.spec->ffn_scale()}, thread);
}

void CpuStep::logits(const Op& op, std::uint32_t thread) {
  if (inputs_.logit_rows.empty()) return;
  const std::uint32_t d_model = bound_.model->d_model;
  const float* residual = bound_.buffer(op.inputs[0]);
  float* out = bound_.buffer(op.outputs[0]);
  const std::array matrices{&bound_.head};
  const Activations in =
      prepare(thread, static_cast<std::uint32_t>(inputs_.logit_rows.size()), std::span<const Matrix* const>(matrices),
              [&](std::uint32_t row, float* scratch) {
                const std::size_t at = std::size_t{inputs_.logit_rows[row]} * d_model;
                kernels_.norm(residual + at, bound_.output_norm, d_model, bound_.model->norm_epsilon, scratch);
                return scratch;
              });
  const float softcap = bound_.model->logit_softcap;
  const auto store = [&](const PanelProduct& product, bool) {
    if (softcap > 0) kernels_.softcap(product.values, product.n_cols * kPanelRows, softcap);
    kernels_.put_products(product.values, product.place(out, bound_.head.n_rows));
  };
  deal(op, bound_.head.n_panels(), [&](std::uint32_t first, std::uint32_t last) {
    time_product(thread, [&] {
      multiply(kernels_, bound_.head, first, last, in, whole_blocks(in), bound_.scratch.product(thread), stop_, store);
    });
  });
}

}  // namespace headroom
