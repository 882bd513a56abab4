// Everything of a plan that stands on one GPU, with the place of its bytes: found once, when a plan is bound.
#pragma once

#include <array>
#include <vector>

#include "backend/gpu/gpu_arena.h"
#include "backend/gpu/gpu_arithmetic.h"
#include "model/weight_index.h"
#include "plan/gpu_rules.h"
#include "program/subgraphs.h"

namespace headroom {

struct GpuWeight {
  GpuSlice slice;  // panels: model/gpu_panel.h; vectors F32
  DType dtype = DType::kF32;
  std::uint64_t n_rows = 0, n_cols = 0, n_matrices = 1;
};

struct GpuBinding {
  const ModelInfo* model = nullptr;
  const MemoryPlan* plan = nullptr;
  DeviceIndex device = 0;
  GpuArithmetic arithmetic;
  std::vector<RopeFrequencies> ropes;                                                            // as model->ropes
  std::vector<GpuSlice> buffers;                                                                 // as the program's
  std::vector<std::array<GpuSlice, static_cast<std::size_t>(KvPart::kExactValues) + 1>> caches;  // (n_layers), by part
  std::vector<std::array<GpuSlice, static_cast<std::size_t>(StatePart::kMatrix) + 1>> states;    // likewise
  struct {
    GpuSlice normed, keys, values, added, router, balance, partials, expert_tiles, expert_rows, mixes, inputs;
  } scratch;
  GpuSlice candidates;               // see CandidateScratch; absent where another device has the head
  GpuSlice inputs, staging, stream;  // page-locked; stream: the parts of uploads, absent where no weights are streamed
  GpuInputs input_layout;

  // Whether the head is among the ops of a subgraph of this device.
  bool has_logits(const DeviceSubgraph& subgraph) const {
    return plan->program.ops[subgraph.last_op - 1].kind == OpKind::kLogits;
  }
  // Null when the model has no such weight. CHECKs that a weight that it has stands on this device.
  const GpuWeight* find(TensorRole role, std::int32_t layer) const;
  const GpuWeight& at(TensorRole role, std::int32_t layer) const;
  const GpuSlice& buffer(BufferId id) const;
  // CHECKs that the layer has a state and that it is on this device.
  const GpuSlice& state(std::int32_t layer, StatePart part) const;
  // The inputs as kernels read them: the copy in the device's own memory where the plan has room for one.
  const GpuSlice& step_inputs() const { return scratch.inputs ? scratch.inputs : inputs; }

  WeightIndex index;
  std::vector<GpuWeight> weights;  // as model->weights
};

// CHECKs that arenas are those of the plan, and that regions hold what the kernels need.
GpuBinding bind_gpu(const Binding& binding, const GpuArithmetic& arithmetic);

}  // namespace headroom
