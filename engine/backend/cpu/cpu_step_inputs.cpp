// The ops of layer inputs: how they are made, and what a layer does with its own.
#include <algorithm>
#include <array>
#include <cmath>

#include "backend/cpu/cpu_step.h"

namespace headroom {

void CpuStep::layer_inputs(const Op& op, std::uint32_t thread) {
  const Matrix& matrix = bound_.input_project;
  const std::uint32_t d_model = bound_.model->d_model, dim = bound_.model->layers.front().input_dim;
  const auto n_rows = static_cast<std::uint32_t>(inputs_.rows.size());
  const float* residual = bound_.buffer(op.inputs[0]);
  float *inputs = bound_.buffer(op.outputs[0]), *projected = bound_.buffer(op.outputs[1]);
  const std::array matrices{&matrix};
  const Activations in = prepare(thread, n_rows, std::span<const Matrix* const>(matrices),
                                 [&](std::uint32_t row, float*) { return residual + std::size_t{row} * d_model; });
  const auto store = [&](const PanelProduct& product, bool) {
    kernels_.put_products(product.values, product.place(projected, matrix.n_rows));
  };
  deal(op, matrix.n_panels(), [&](std::uint32_t first, std::uint32_t last) {
    time_product(thread, [&] {
      multiply(kernels_, matrix, first, last, in, whole_blocks(in), bound_.scratch.product(thread), stop_, store);
    });
  });
  pool_.barrier();
  // Products are to be divided by the root of d_model, which a norm undoes but for its epsilon.
  const float epsilon = bound_.model->norm_epsilon * static_cast<float>(d_model), factor = std::sqrt(0.5F);
  const Share pieces = share_of(n_rows * bound_.model->n_layers(), thread, pool_.n_threads());
  for (std::uint32_t piece = pieces.first; piece < pieces.last; ++piece) {
    float *of_layer = projected + std::size_t{piece} * dim, *to = inputs + std::size_t{piece} * dim;
    kernels_.norm(of_layer, bound_.input_project_norm, dim, epsilon, of_layer);
    for (std::uint32_t i = 0; i < dim; ++i) to[i] = (to[i] + of_layer[i]) * factor;
  }
}

void CpuStep::input_up(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const std::uint32_t d_model = bound_.model->d_model, dim = layer.spec->input_dim, n_elems = bound_.model->input_elems;
  const float* residual = bound_.buffer(op.inputs[0]);
  const float* inputs = bound_.buffer(op.inputs[1]) + static_cast<std::size_t>(op.layer) * dim;
  float* to = bound_.buffer(op.outputs[0]);
  const std::array matrices{&layer.input_gate};
  const Activations in =
      prepare(thread, static_cast<std::uint32_t>(inputs_.rows.size()), std::span<const Matrix* const>(matrices),
              [&](std::uint32_t row, float*) { return residual + std::size_t{row} * d_model; });
  const auto act_mul = act_mul_of(*layer.spec);
  const auto store = [&](const PanelProduct& product, bool) {
    // Of the rows of the product, as the product stands.
    alignas(64) std::array<float, kTileCols * kPanelRows> by{};
    for (std::uint32_t col = 0; col < product.n_cols; ++col) {
      const float* from = inputs + std::size_t{product.first_col + col} * n_elems + product.first_row;
      std::copy_n(from, product.n_rows, by.begin() + std::ptrdiff_t{col} * kPanelRows);
    }
    act_mul(product.values, by.data(), product.place(to, dim));
  };
  deal(op, layer.input_gate.n_panels(), [&](std::uint32_t first, std::uint32_t last) {
    time_product(thread, [&] {
      multiply(kernels_, layer.input_gate, first, last, in, whole_blocks(in), bound_.scratch.product(thread), stop_,
               store);
    });
  });
}

void CpuStep::input_down(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const float* input = bound_.buffer(op.inputs[0]);
  const std::array matrices{&layer.input_out};
  const Activations in =
      prepare(thread, static_cast<std::uint32_t>(inputs_.rows.size()), std::span<const Matrix* const>(matrices),
              [&](std::uint32_t row, float*) { return input + std::size_t{row} * layer.input_out.n_cols; });
  add_to_residual(op, layer.input_out, in, {nullptr, layer.input_post_norm, layer.spec->output_scale}, thread);
}

}  // namespace headroom
