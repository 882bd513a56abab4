// The ops of a layer with experts: which ones each row goes through, and the products with those that were chosen.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "backend/cpu/cpu_step.h"
#include "backend/cpu/prefetch.h"

namespace headroom {
namespace {

// To the 16 products of a panel with one row; biases, of the n rows of the matrix that are there: null: none.
void add_biases(float* products, const float* biases, std::uint32_t n, float weight = 1.0F) {
  for (std::uint32_t i = 0; biases != nullptr && i < n; ++i) products[i] += weight * biases[i];
}

// Of an expert, from a row of its matrix on: biases of all experts stand one behind the other, n_rows each.
const float* biases_at(const float* biases, std::uint32_t expert, std::uint32_t n_rows, std::uint32_t row) {
  return biases == nullptr ? nullptr : biases + std::size_t{expert} * n_rows + row;
}

// How much of the next expert's weights is asked for while the last ones are multiplied, since no processor foresees a
// jump to another expert: about as far as kernels ask ahead where they do (kFarBytes of kernels/packed_blocks.inl).
constexpr Bytes kMostAhead = 32768;

std::uint32_t* as_ids(float* buffer) { return reinterpret_cast<std::uint32_t*>(buffer); }

}  // namespace

// Activation rows of a step, a copy for each expert that a row goes through, in the order of the groups.
struct CpuStep::GroupedInputs {
  std::span<const Matrix* const> matrices;
  std::byte *f32 = nullptr, *int8 = nullptr;
  bool is_shared = false;  // one row, which all experts read

  Activations of(const ExpertGroups::Group& group) const {
    const std::uint32_t first = is_shared ? 0 : group.first, n_cols = matrices.front()->n_cols;
    const auto at = [&](std::byte* base, Bytes row_bytes) { return base == nullptr ? base : base + first * row_bytes; };
    return activations_for(matrices, group.n_rows, at(f32, n_cols * sizeof(float)),
                           at(int8, cpu_int8_row_bytes(n_cols)));
  }
};

// As prepare(). `row(choice, scratch)` is of the row that made the choice.
template <class Row>
CpuStep::GroupedInputs CpuStep::prepare_groups(std::uint32_t thread, const ExpertGroups& groups, bool is_shared,
                                               std::span<const Matrix* const> matrices, Row row) {
  const bool few = is_few(static_cast<std::uint32_t>(inputs_.rows.size()));
  const BoundScratch& scratch = bound_.scratch;
  const GroupedInputs made{matrices, few ? scratch.few_f32(thread) : scratch.f32,
                           few ? scratch.few_int8(thread) : scratch.int8, is_shared};
  const std::uint32_t n_groups = is_shared ? 1 : groups.n_groups();
  std::uint32_t n_tiles = 0;
  for (std::uint32_t i = 0; i < n_groups; ++i) n_tiles += made.of(groups[i]).n_tiles();
  const Share ours = few ? Share{0, n_tiles} : share_of(n_tiles, thread, pool_.n_threads());
  for (std::uint32_t i = 0, first_tile = 0; i < n_groups && first_tile < ours.last; ++i) {
    const ExpertGroups::Group group = groups[i];
    const Activations in = made.of(group);
    const auto of_group = [&](std::uint32_t tile) {
      return std::min(group.n_rows, (std::max(tile, first_tile) - first_tile) * kTileCols);
    };
    for (std::uint32_t index = of_group(ours.first); index < of_group(ours.last); ++index)
      put_activation_row(kernels_, in, index, row(groups.choice(group.first + index), scratch.row(thread)));
    first_tile += in.n_tiles();
  }
  if (!few) pool_.barrier();
  return made;
}

ExpertGroups CpuStep::group_rows(const LayerSpec& layer, BufferId ids, std::uint32_t thread) const {
  const std::size_t n_choices = inputs_.rows.size() * layer.n_experts_used;
  return {{as_ids(bound_.buffer(ids)), n_choices}, layer.n_experts, bound_.scratch.grouping(thread)};
}

void CpuStep::moe_route(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const std::uint32_t n_experts = layer.spec->n_experts, n_used = layer.spec->n_experts_used;
  const auto n_rows = static_cast<std::uint32_t>(inputs_.rows.size());
  float* logits = bound_.scratch.router;
  const std::array matrices{&layer.router};
  const Activations in = prepare_residual(thread, bound_.buffer(op.inputs[0]), layer.router_norm, matrices);
  const auto store = [&](const PanelProduct& product, bool) {
    for (std::uint32_t col = 0; col < product.n_cols; ++col)
      add_biases(product.values + col * kPanelRows, biases_at(layer.router_bias, 0, 0, product.first_row),
                 product.n_rows);
    kernels_.put_products(product.values, product.place(logits, n_experts));
  };
  deal(op, layer.router.n_panels(), [&](std::uint32_t first, std::uint32_t last) {
    time_product(thread, [&] {
      multiply(kernels_, layer.router, first, last, in, whole_blocks(in), bound_.scratch.product(thread), stop_, store);
    });
  });
  pool_.barrier();
  std::uint32_t* ids = as_ids(bound_.buffer(op.outputs[0]));
  float* weights = bound_.buffer(op.outputs[1]);
  const Share rows = share_of(n_rows, thread, pool_.n_threads());
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    const std::span<std::uint32_t> chosen(ids + row * n_used, n_used);
    const std::span<float> of_chosen(weights + row * n_used, n_used);
    choose_experts(*layer.spec, {logits + row * n_experts, n_experts}, layer.choice_bias, chosen, of_chosen);
    for (std::uint32_t i = 0; layer.expert_scale != nullptr && i < n_used; ++i)
      of_chosen[i] *= layer.expert_scale[chosen[i]];
  }
}

void CpuStep::moe_up(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const std::uint32_t d_model = bound_.model->d_model, n_used = layer.spec->n_experts_used,
                      d_ff = layer.spec->expert_d_ff, n_panels = layer.expert_gate.first.n_panels();
  const float* residual = bound_.buffer(op.inputs[0]);
  float* hidden = bound_.buffer(op.outputs[0]);
  const ExpertGroups groups = group_rows(*layer.spec, op.inputs[1], thread);
  const std::array matrices{&layer.expert_gate.first, &layer.expert_up.first};
  const GroupedInputs inputs =
      prepare_groups(thread, groups, inputs_.rows.size() == 1, std::span<const Matrix* const>(matrices),
                     [&](std::uint32_t choice, float* scratch) {
                       return normed(residual + std::size_t{choice / n_used} * d_model, layer.expert_norm, scratch);
                     });
  const auto act_mul = act_mul_of(*layer.spec);
  const auto compute = [&](const ExpertGroups::Group& group, std::uint32_t first, std::uint32_t last) {
    const Matrix gate = layer.expert_gate.of(group.expert), up = layer.expert_up.of(group.expert);
    const Activations in = inputs.of(group);
    BlockProducts gates(kernels_, gate, in, bound_.scratch.product(thread, 0)),
        ups(kernels_, up, in, bound_.scratch.product(thread, 1));
    const BlockShape shape = run_blocks(in, bound_.scratch.product_tiles());
    for_each_block(first, last, in, shape, stop_, [&](const ProductBlock& block) {
      gates.compute(block);
      ups.compute(block);
      for (std::uint32_t tile = block.first_tile; tile < block.last_tile; ++tile) {
        for (std::uint32_t which = 0; which < block.n_panels; ++which) {
          const PanelProduct product = gates.product(which, tile);
          float* factors = ups.product(which, tile).values;
          const float *of_gates = biases_at(layer.expert_gate_bias, group.expert, d_ff, product.first_row),
                      *of_ups = biases_at(layer.expert_up_bias, group.expert, d_ff, product.first_row);
          for (std::uint32_t col = 0; col < product.n_cols; ++col) {
            const std::size_t choice = groups.choice(group.first + product.first_col + col);
            add_biases(product.values + col * kPanelRows, of_gates, product.n_rows);
            add_biases(factors + col * kPanelRows, of_ups, product.n_rows);
            act_mul(product.values + col * kPanelRows, factors + col * kPanelRows,
                    {hidden + choice * d_ff + product.first_row, d_ff, 1, product.n_rows});
          }
        }
      }
    });
  };
  deal(op, groups.n_groups() * n_panels, [&](std::uint32_t first, std::uint32_t last) {
    time_product(thread, [&] {
      for (std::uint32_t at = first; at < last;) {
        const std::uint32_t index = at / n_panels, begin = index * n_panels, end = std::min(last, begin + n_panels);
        compute(groups[index], at - begin, end - begin);
        at = end;
      }
    });
  });
}

void CpuStep::shared_down(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const float *shared = bound_.buffer(op.inputs[0]),
              *gates = layer.spec->has_shared_gate ? bound_.buffer(op.inputs[1]) : nullptr,
              *branch = layer.spec->has_branch_norms ? bound_.buffer(op.inputs[1]) : nullptr;
  const std::uint32_t d_ff = layer.spec->d_ff;
  const std::array matrices{&layer.down};
  const Activations in =
      prepare(thread, static_cast<std::uint32_t>(inputs_.rows.size()), std::span<const Matrix* const>(matrices),
              [&](std::uint32_t row, float* scratch) {
                const float* elems = shared + std::size_t{row} * d_ff;
                if (gates == nullptr) return elems;
                std::transform(elems, elems + d_ff, scratch, [gate = gates[row]](float x) { return gate * x; });
                return static_cast<const float*>(scratch);
              });
  add_to_residual(op, layer.down, in,
                  {nullptr, layer.ffn_post_norm, layer.spec->ffn_scale(), branch, layer.shared_post_norm}, thread);
}

// Each thread has some columns of all experts, because all add to the same rows.
void CpuStep::moe_down(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const std::uint32_t d_model = bound_.model->d_model, n_used = layer.spec->n_experts_used,
                      d_ff = layer.spec->expert_d_ff;
  const float *hidden = bound_.buffer(op.inputs[0]), *weights = bound_.buffer(op.inputs[2]);
  float* sums = bound_.buffer(op.outputs[0]);  // the residual, or a branch that begins at 0
  const ExpertGroups groups = group_rows(*layer.spec, op.inputs[1], thread);
  const std::array matrices{&layer.expert_down.first};
  const GroupedInputs inputs = prepare_groups(
      thread, groups, false, std::span<const Matrix* const>(matrices), [&](std::uint32_t choice, float* scratch) {
        const float* row = hidden + std::size_t{choice} * d_ff;
        std::transform(row, row + d_ff, scratch, [weight = weights[choice]](float x) { return weight * x; });
        return scratch;
      });
  const auto compute = [&](std::uint32_t index, std::uint32_t first, std::uint32_t last) {
    const ExpertGroups::Group group = groups[index];
    const Activations in = inputs.of(group);
    // The processor or the kernel prefetches what follows panel last - 1 of this expert. The thread reads panel `first`
    // of the next expert instead, so that one is asked for here.
    std::span<const std::byte> ahead;
    if (is_few(in.n_rows) && index + 1 < groups.n_groups()) {
      const Matrix next = layer.expert_down.of(groups[index + 1].expert);
      ahead = {next.panel(first), std::min(kMostAhead, (last - first) * next.panel_stride)};
    }
    const auto add = [&](const PanelProduct& product, bool) {
      prefetch_part(ahead, product.first_row / kPanelRows - first, last - first);
      const float* biases = biases_at(layer.expert_down_bias, group.expert, d_model, product.first_row);
      for (std::uint32_t col = 0; col < product.n_cols; ++col) {
        const std::size_t choice = groups.choice(group.first + product.first_col + col), row = choice / n_used;
        add_biases(product.values + col * kPanelRows, biases, product.n_rows, weights[choice]);
        kernels_.add_products(product.values + col * kPanelRows, nullptr,
                              {sums + row * d_model + product.first_row, d_model, 1, product.n_rows});
      }
    };
    multiply(kernels_, layer.expert_down.of(group.expert), first, last, in, whole_blocks(in),
             bound_.scratch.product(thread), stop_, add);
  };
  deal(op, layer.expert_down.first.n_panels(), [&](std::uint32_t first, std::uint32_t last) {
    if (layer.spec->has_branch_norms) {
      const std::uint32_t begin = first * kPanelRows, end = std::min(d_model, last * kPanelRows);
      for (std::size_t row = 0; row < inputs_.rows.size(); ++row)
        std::fill(sums + row * d_model + begin, sums + row * d_model + end, 0.0F);
    }
    time_product(thread, [&] {
      for (std::uint32_t i = 0; i < groups.n_groups(); ++i) compute(i, first, last);
    });
  });
  if (!layer.spec->has_branch_norms) return;
  pool_.barrier();
  const Share rows = share_of(static_cast<std::uint32_t>(inputs_.rows.size()), thread, pool_.n_threads());
  for (std::uint32_t row = rows.first; row < rows.last; ++row) {
    float* of_row = sums + std::size_t{row} * d_model;
    kernels_.norm(of_row, layer.expert_post_norm, d_model, bound_.model->norm_epsilon, of_row);
  }
}

}  // namespace headroom
