// The op of a short convolution.
#include <array>

#include "backend/cpu/cpu_step.h"
#include "backend/cpu/head_units.h"

namespace headroom {

// A thread has some channels with all of their rows: their three products, and then their convolution.
void CpuStep::conv_mix(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const ShortConvSpec& spec = *layer.spec->short_conv;
  float *mixed = bound_.buffer(op.outputs[0]), *factors = bound_.buffer(op.outputs[1]),
        *gates = bound_.buffer(op.outputs[2]);
  const std::array matrices{&layer.k, &layer.v, &layer.q};
  const std::array products{mixed, factors, gates};
  const Activations in = prepare_residual(thread, bound_.buffer(op.inputs[0]), layer.attn_norm, matrices);
  const HeadUnits units(spec.n_channels, 1);
  deal(op, units.count(), [&](std::uint32_t first_unit, std::uint32_t last_unit) {
    const std::uint32_t first = units.first_head(first_unit), last = units.first_head(last_unit);
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      time_product(thread, [&] {
        multiply(kernels_, *matrices[i], first_unit, last_unit, in, whole_blocks(in), bound_.scratch.product(thread),
                 stop_, [&](const PanelProduct& product, bool) {
                   kernels_.put_products(product.values, product.place(products[i], spec.n_channels));
                 });
      });
    }
    for (const Run& run : runs_) {
      const std::size_t at = run.first_row * std::size_t{spec.n_channels} + first;
      kernels_.convolve({.rows = mixed + at,
                         .factors = factors + at,
                         .gates = gates + at,
                         .stride = spec.n_channels,
                         .n_rows = run.n_rows,
                         .n_channels = last - first,
                         .width = spec.width,
                         .taps = layer.taps + first,
                         .state = layer.conv_states + run.slot * layer.spec->conv_bytes() / sizeof(float) + first,
                         .is_new = inputs_.rows[run.first_row].position == 0});
    }
  });
}

}  // namespace headroom
