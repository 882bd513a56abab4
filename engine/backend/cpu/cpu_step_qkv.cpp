// The op of queries, keys and values: their heads are normed, turned and, where they are kept, put into the cache.
#include <algorithm>
#include <array>
#include <cmath>

#include "backend/cpu/cpu_step.h"
#include "backend/cpu/head_units.h"

namespace headroom {
namespace {

const float* of_head(const float* bias, std::uint32_t head, std::uint32_t head_dim) {
  return bias == nullptr ? nullptr : bias + std::size_t{head} * head_dim;
}

}  // namespace

// A barrier before the first op that reads it makes it seen by all.
void CpuStep::fill_rope_table(std::uint32_t thread) {
  const Share rows = share_of(static_cast<std::uint32_t>(inputs_.rows.size()), thread, pool_.n_threads());
  for (std::uint32_t row = rows.first; row < rows.last; ++row) {
    const auto position = static_cast<float>(inputs_.rows[row].position);
    for (std::size_t r = 0; r < bound_.ropes.size(); ++r) {
      const RopeFrequencies& rope = bound_.ropes[r];
      const std::size_t n_pairs = rope.per_pair.size();
      const bool neighbours = bound_.model->ropes[r].pairing == RopePairing::kNeighbours;
      float* cosines = bound_.scratch.rope + std::size_t{row} * bound_.rope_row_elems + bound_.rope_offsets[r];
      float* sines = cosines + 2 * n_pairs;
      const float magnitude = rope.magnitude_at(inputs_.rows[row].position);
      for (std::size_t pair = 0; pair < n_pairs; ++pair) {
        const float angle = position * rope.per_pair[pair];  // in f32, as the models were trained
        const std::size_t x = neighbours ? 2 * pair : pair, y = neighbours ? 2 * pair + 1 : pair + n_pairs;
        cosines[x] = cosines[y] = std::cos(angle) * magnitude;
        sines[y] = std::sin(angle) * magnitude;
        sines[x] = -sines[y];
      }
    }
  }
}

void CpuStep::turn(float* head, std::uint32_t by, std::uint32_t row) const {
  const RopeSpec& rope = bound_.model->ropes[by];
  const float* cosines = bound_.scratch.rope + std::size_t{row} * bound_.rope_row_elems + bound_.rope_offsets[by];
  const auto turn_pairs = rope.pairing == RopePairing::kNeighbours ? kernels_.turn_neighbours : kernels_.turn_halves;
  turn_pairs(head, cosines, cosines + rope.rope_dim, rope.rope_dim);
}

void CpuStep::turn_normed(const BoundLayer& layer, const float* norm, float* head, std::uint32_t by,
                          std::uint32_t row) const {
  const LayerSpec& spec = *layer.spec;
  const bool is_normed = norm != nullptr && !spec.norms_heads_together;
  const auto norm_head = [&] { kernels_.norm(head, norm, spec.head_dim, bound_.model->norm_epsilon, head); };
  if (is_normed && !spec.norms_turned_heads) norm_head();
  turn(head, by, row);
  if (is_normed && spec.norms_turned_heads) norm_head();
}

void CpuStep::finish_queries(const BoundLayer& layer, float* query, std::uint32_t first_head, std::uint32_t last_head) {
  const std::uint32_t head_dim = layer.spec->head_dim, heads_per_kv = layer.spec->n_heads / layer.spec->n_kv_heads;
  for (std::uint32_t row = 0; row < inputs_.rows.size(); ++row) {
    for (std::uint32_t head = first_head; head < last_head; ++head) {
      float* elems = query + std::size_t{row} * layer.spec->q_dim() + std::size_t{head} * head_dim;
      if (!layer.spec->norms_heads_together) add_bias(elems, of_head(layer.q_bias, head, head_dim), head_dim);
      turn_normed(layer, layer.q_norm, elems, layer.spec->rope_of_queries(), row);
      if (!layer.q_rotation.empty())
        kernels_.rotate(elems, head_dim, layer.q_rotation.data() + std::size_t{head / heads_per_kv} * head_dim);
    }
  }
}

// Where the row's head of K or V is computed: a row has all heads of K, then all of V.
float* CpuStep::kv_elems(const BoundLayer& layer, KvPart part, std::uint32_t head, std::uint32_t row) const {
  const std::size_t kv_dim = layer.spec->kv_dim(), first = part == KvPart::kKeys ? 0 : kv_dim;
  return bound_.scratch.step_rows + row * 2 * kv_dim + first + std::size_t{head} * layer.spec->head_dim;
}

// Calls work(Share) for rows of a slot at positions that follow each other and stand in one group of the cache.
template <class Work>
void CpuStep::for_each_group(Work work) const {
  const std::span<const StepRow> rows = inputs_.rows;
  for (std::uint32_t first = 0, last = 0; first < rows.size(); first = last) {
    const std::uint32_t slot = rows[first].slot, position = rows[first].position,
                        most = kPanelRows - position % kPanelRows;
    for (last = first + 1; last < rows.size() && last - first < most; ++last) {
      if (rows[last].slot != slot || rows[last].position != position + last - first) break;
    }
    work(Share{first, last});
  }
}

// Writes heads of a group's rows to the cache, and to the exact ends beside it what later rows of the step do not
// replace: as many heads at a time as fill 16 rows.
void CpuStep::keep(const BoundLayer& layer, KvPart part, Share heads, Share rows) {
  const StepRow& start = inputs_.rows[rows.first];
  const KvCache& cache = part == KvPart::kKeys ? layer.keys : layer.values;
  const std::uint32_t n_rows = rows.last - rows.first, head_dim = layer.spec->head_dim, most = kPanelRows / n_rows;
  for (std::uint32_t head = heads.first; head < heads.last; head += most) {
    const KvRows kept{.lane = start.position % kPanelRows,
                      .n_rows = n_rows,
                      .n_heads = std::min(most, heads.last - head),
                      .head_dim = head_dim,
                      .elems = kv_elems(layer, part, head, rows.first),
                      .stride = 2UL * layer.spec->kv_dim()};
    const auto put = [&](const KvView& view) {
      put_kv_rows(kernels_, bound_.plan->options.kv_scheme, view, part, kept, start.slot, head, start.position);
    };
    put(cache.all);
    if (!cache.has_ends()) continue;
    if (start.position < cache.sinks.n_rows) {
      put(cache.sinks);
    } else if (start.position + n_rows > exact_from(layer.index, start.slot)) {
      put(cache.ring);
    }
  }
}

void CpuStep::finish_kv(const BoundLayer& layer, KvPart part, Share heads) {
  const std::uint32_t head_dim = layer.spec->head_dim;
  const bool is_keys = part == KvPart::kKeys;
  for_each_group([&](Share rows) {
    for (std::uint32_t row = rows.first; row < rows.last; ++row) {
      for (std::uint32_t head = heads.first; head < heads.last; ++head) {
        float* elems = kv_elems(layer, part, head, row);
        const bool is_normed = is_keys && layer.spec->norms_heads_together;
        if (!is_normed) add_bias(elems, of_head(is_keys ? layer.k_bias : layer.v_bias, head, head_dim), head_dim);
        if (is_keys) {
          turn_normed(layer, layer.k_norm, elems, layer.spec->rope, row);
          if (!layer.k_rotation.empty())
            kernels_.rotate(elems, head_dim, layer.k_rotation.data() + std::size_t{head} * head_dim);
        } else {
          if (layer.spec->has_value_norm) norm_without_weight(elems, head_dim);
          if (!layer.v_rotation.empty()) kernels_.rotate(elems, head_dim, layer.v_rotation.data());
        }
      }
    }
    keep(layer, part, heads, rows);
  });
}

// Biases and norms of whole rows of Q and K, whose heads have all been computed; the threads share the rows. The
// barriers are before it, so that the heads are there, and behind it, before one of them is turned.
void CpuStep::norm_heads_together(const BoundLayer& layer, float* query, std::uint32_t thread) {
  const LayerSpec& spec = *layer.spec;
  pool_.barrier();
  const Share rows = share_of(static_cast<std::uint32_t>(inputs_.rows.size()), thread, pool_.n_threads());
  for (std::uint32_t row = rows.first; row < rows.last; ++row) {
    const auto norm = [&](float* elems, const float* bias, const float* weight, std::uint32_t n) {
      add_bias(elems, bias, n);
      kernels_.norm(elems, weight, n, bound_.model->norm_epsilon, elems);
    };
    norm(query + std::size_t{row} * spec.q_dim(), layer.q_bias, layer.q_norm, spec.q_dim());
    if (spec.has_cache()) norm(kv_elems(layer, KvPart::kKeys, 0, row), layer.k_bias, layer.k_norm, spec.kv_dim());
  }
  pool_.barrier();
}

void CpuStep::qkv_rope(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  const LayerSpec& spec = *layer.spec;
  float* query = bound_.buffer(op.outputs[0]);
  const std::array matrices{&layer.q, &layer.k, &layer.v, &layer.out_gate};
  const std::size_t n_matrices = !spec.has_cache() ? 1 : spec.has_out_gate ? 4 : 3;
  CHECK(spec.has_cache() || !spec.has_out_gate, "a layer that reads another's cache has no output gate");
  const Activations in = prepare_residual(thread, bound_.buffer(op.inputs[0]), layer.attn_norm,
                                          std::span<const Matrix* const>(matrices).first(n_matrices));
  // Computes the heads of units [first, last) of one matrix into `out`, rows `stride` apart.
  const auto compute = [&](const Matrix& matrix, std::uint32_t first_head, std::uint32_t last_head, float* out,
                           std::size_t stride) {
    const std::uint32_t first = first_head * spec.head_dim / kPanelRows,
                        last = (last_head * spec.head_dim + kPanelRows - 1) / kPanelRows;
    const auto store = [&](const PanelProduct& product, bool) {
      kernels_.put_products(product.values, product.place(out, stride));
    };
    time_product(thread, [&] {
      multiply(kernels_, matrix, first, last, in, whole_blocks(in), bound_.scratch.product(thread), stop_, store);
    });
  };
  const auto count = [&](std::uint32_t first, std::uint32_t last, std::uint32_t heads_per_kv) {
    for (std::uint32_t head = first; head < last; ++head) ThreadPool::add(n_finished(op.layer, head / heads_per_kv), 1);
  };
  const HeadUnits q_units(spec.n_heads, spec.head_dim), kv_units(spec.n_kv_heads, spec.head_dim);
  const std::uint32_t n_q = q_units.count(), n_kv = spec.has_cache() ? kv_units.count() : 0, kv_dim = spec.kv_dim();
  const std::uint32_t n_gates = spec.has_out_gate ? n_q : 0;
  const auto end_queries = [&](std::uint32_t first, std::uint32_t last) {
    finish_queries(layer, query, first, last);
    count(first, last, spec.n_heads / spec.n_kv_heads);
  };
  const auto end_keys = [&](std::uint32_t first, std::uint32_t last) {
    finish_kv(layer, KvPart::kKeys, {first, last});
    count(first, last, 1);
  };
  deal(op, n_q + 2 * n_kv + n_gates, [&](std::uint32_t first_unit, std::uint32_t last_unit) {
    const auto part = [&](std::uint32_t first, std::uint32_t n, const HeadUnits& units, auto finish) {
      units.visit(first, n, {first_unit, last_unit}, finish);
    };
    part(0, n_q, q_units, [&](std::uint32_t first, std::uint32_t last) {
      compute(layer.q, first, last, query, spec.q_dim());
      if (!spec.norms_heads_together) end_queries(first, last);
    });
    part(n_q, n_kv, kv_units, [&](std::uint32_t first, std::uint32_t last) {
      compute(layer.k, first, last, bound_.scratch.step_rows, 2UL * kv_dim);
      if (!spec.norms_heads_together) end_keys(first, last);
    });
    part(n_q + n_kv, n_kv, kv_units, [&](std::uint32_t first, std::uint32_t last) {
      compute(layer.v, first, last, bound_.scratch.step_rows + kv_dim, 2UL * kv_dim);
      finish_kv(layer, KvPart::kValues, {first, last});
      count(first, last, 1);
    });
    part(n_q + 2 * n_kv, n_gates, q_units, [&](std::uint32_t first, std::uint32_t last) {
      compute(layer.out_gate, first, last, bound_.buffer(op.outputs[1]), spec.q_dim());
    });
  });
  if (!spec.norms_heads_together) return;
  norm_heads_together(layer, query, thread);
  const Share ours = share_of(n_q + n_kv, thread, pool_.n_threads());
  q_units.visit(0, n_q, ours, end_queries);
  if (n_kv > 0) kv_units.visit(n_q, n_kv, ours, end_keys);
}

}  // namespace headroom
