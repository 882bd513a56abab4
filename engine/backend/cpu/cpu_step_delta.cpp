// The ops of a layer with a gated delta net.
#include <algorithm>
#include <array>
#include <cmath>

#include "backend/cpu/cpu_step.h"
#include "backend/cpu/head_units.h"

namespace headroom {
// Some channels of all rows have been projected: the convolution of each slot's rows.
void CpuStep::mix(const BoundLayer& layer, float* mixed, std::uint32_t first_channel, std::uint32_t n_channels) const {
  const DeltaNetSpec& spec = *layer.spec->delta_net;
  const std::size_t n_mixed = spec.n_mixed();
  for (const Run& run : runs_) {
    kernels_.convolve({.rows = mixed + run.first_row * n_mixed + first_channel,
                       .stride = n_mixed,
                       .n_rows = run.n_rows,
                       .n_channels = n_channels,
                       .width = spec.conv_width,
                       .taps = layer.taps + first_channel,
                       .state = layer.conv_states + run.slot * (spec.conv_width - 1) * n_mixed + first_channel,
                       .is_new = inputs_.rows[run.first_row].position == 0});
  }
}

// Of alpha the logarithm of the decay, of beta the sigmoid.
void CpuStep::finish_rates(const BoundLayer& layer, float* rates, Share heads, bool is_beta) const {
  const std::uint32_t n_heads = layer.spec->delta_net->n_value_heads;
  for (std::size_t row = 0; row < inputs_.rows.size(); ++row) {
    float* const of_row = rates + row * 2 * n_heads;
    for (std::uint32_t head = heads.first; head < heads.last; ++head) {
      float& rate = of_row[head];
      if (is_beta) {
        rate = 1.0F / (1.0F + std::exp(-rate));
      } else {
        const float x = rate + layer.time_bias[head];
        rate = layer.decay[head] * (x > 20.0F ? x : std::log1p(std::exp(x)));
      }
    }
  }
}

void CpuStep::delta_mix(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const DeltaNetSpec& spec = *layer.spec->delta_net;
  const auto n_rows = static_cast<std::uint32_t>(inputs_.rows.size());
  float *mixed = bound_.buffer(op.outputs[0]), *rates = bound_.buffer(op.outputs[1]),
        *gates = bound_.buffer(op.outputs[2]);
  const std::array matrices{&layer.q, &layer.k, &layer.v, &layer.out_gate, &layer.alpha, &layer.beta};
  const Activations in = prepare_residual(thread, bound_.buffer(op.inputs[0]), layer.attn_norm, matrices);
  // The rows of heads [first, last) into `out`, rows `stride` apart.
  const auto compute = [&](const Matrix& matrix, std::uint32_t head_dim, Share heads, float* out, std::size_t stride) {
    const auto store = [&](const PanelProduct& product, bool) {
      kernels_.put_products(product.values, product.place(out, stride));
    };
    time_product(thread, [&] {
      multiply(kernels_, matrix, heads.first * head_dim / kPanelRows,
               (heads.last * head_dim + kPanelRows - 1) / kPanelRows, in, whole_blocks(in),
               bound_.scratch.product(thread), stop_, store);
    });
  };
  const auto normalize = [&](std::uint32_t first_channel, Share heads, float length) {
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      for (std::uint32_t head = heads.first; head < heads.last; ++head) {
        float* const elems = mixed + std::size_t{row} * spec.n_mixed() + first_channel;
        kernels_.l2_norm(elems + std::size_t{head} * spec.key_dim, spec.key_dim, kL2NormEpsilon, length);
      }
    }
  };
  const HeadUnits keys(spec.n_key_heads, spec.key_dim), values(spec.n_value_heads, spec.value_dim),
      rate_units(spec.n_value_heads, 1);
  const std::uint32_t n_keys = keys.count(), n_values = values.count(), n_rates = rate_units.count();
  deal(op, 2 * (n_keys + n_values + n_rates), [&](std::uint32_t first_unit, std::uint32_t last_unit) {
    std::uint32_t n_before = 0;
    const auto part = [&](std::uint32_t n, const HeadUnits& units, auto finish) {
      units.visit(n_before, n, {first_unit, last_unit}, [&](std::uint32_t first, std::uint32_t last) {
        finish(Share{first, last});
      });
      n_before += n;
    };
    const auto mixed_part = [&](const Matrix& matrix, std::uint32_t head_dim, std::uint32_t first_channel,
                                Share heads) {
      compute(matrix, head_dim, heads, mixed + first_channel, spec.n_mixed());
      mix(layer, mixed, first_channel + heads.first * head_dim, (heads.last - heads.first) * head_dim);
    };
    part(n_keys, keys, [&](Share heads) {
      mixed_part(layer.q, spec.key_dim, 0, heads);
      normalize(0, heads, 1.0F / std::sqrt(static_cast<float>(spec.key_dim)));
    });
    part(n_keys, keys, [&](Share heads) {
      mixed_part(layer.k, spec.key_dim, spec.q_dim(), heads);
      normalize(spec.q_dim(), heads, 1.0F);
    });
    part(n_values, values, [&](Share heads) { mixed_part(layer.v, spec.value_dim, 2 * spec.q_dim(), heads); });
    part(n_values, values, [&](Share heads) { compute(layer.out_gate, spec.value_dim, heads, gates, spec.v_dim()); });
    part(n_rates, rate_units, [&](Share heads) {
      compute(layer.alpha, 1, heads, rates, std::size_t{2} * spec.n_value_heads);
      finish_rates(layer, rates, heads, false);
    });
    part(n_rates, rate_units, [&](Share heads) {
      compute(layer.beta, 1, heads, rates + spec.n_value_heads, std::size_t{2} * spec.n_value_heads);
      finish_rates(layer, rates + spec.n_value_heads, heads, true);
    });
  });
}

// Each thread takes a value head of a slot with all of its rows, one after the other.
void CpuStep::delta_rule(const Op& op) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const DeltaNetSpec& spec = *layer.spec->delta_net;
  const float *mixed = bound_.buffer(op.inputs[0]), *rates = bound_.buffer(op.inputs[1]);
  float* read = bound_.buffer(op.outputs[0]);
  const auto n_items = static_cast<std::uint32_t>(runs_.size() * spec.n_value_heads);
  for (;;) {
    const std::uint32_t item = n_dealt(op).fetch_add(1, std::memory_order_relaxed);
    if (item >= n_items || stop_.stop_requested()) return;
    const Run& run = runs_[item / spec.n_value_heads];
    const std::uint32_t head = item % spec.n_value_heads;
    const float* const queries =
        mixed + std::size_t{run.first_row} * spec.n_mixed() + std::size_t{spec.key_head_of(head)} * spec.key_dim;
    const float* const decays = rates + std::size_t{run.first_row} * 2 * spec.n_value_heads + head;
    kernels_.delta_rule({.queries = queries,
                         .keys = queries + spec.q_dim(),
                         .values = mixed + std::size_t{run.first_row} * spec.n_mixed() + std::size_t{2} * spec.q_dim() +
                                   std::size_t{head} * spec.value_dim,
                         .stride = spec.n_mixed(),
                         .decays = decays,
                         .betas = decays + spec.n_value_heads,
                         .rate_stride = std::size_t{2} * spec.n_value_heads,
                         .state = layer.matrix_states +
                                  (std::size_t{run.slot} * spec.n_value_heads + head) * spec.key_dim * spec.value_dim,
                         .read = read + std::size_t{run.first_row} * spec.v_dim() + std::size_t{head} * spec.value_dim,
                         .read_stride = spec.v_dim(),
                         .n_rows = run.n_rows,
                         .key_dim = spec.key_dim,
                         .value_dim = spec.value_dim,
                         .is_new = inputs_.rows[run.first_row].position == 0});
  }
}

void CpuStep::delta_out(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const DeltaNetSpec& spec = *layer.spec->delta_net;
  const float *read = bound_.buffer(op.inputs[0]), *gates = bound_.buffer(op.inputs[1]);
  const std::array matrices{&layer.attn_out};
  const Activations in = prepare(thread, static_cast<std::uint32_t>(inputs_.rows.size()),
                                 std::span<const Matrix* const>(matrices), [&](std::uint32_t row, float* scratch) {
                                   const std::size_t at = std::size_t{row} * spec.v_dim();
                                   for (std::uint32_t i = 0; i < spec.v_dim(); i += spec.value_dim)
                                     kernels_.norm(read + at + i, layer.read_norm, spec.value_dim,
                                                   bound_.model->norm_epsilon, scratch + i);
                                   kernels_.gate_silu(scratch, gates + at, spec.v_dim(), scratch);
                                   return scratch;
                                 });
  add_to_residual(op, layer.attn_out, in, {}, thread);
}

}  // namespace headroom
