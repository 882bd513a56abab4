// Everything of a plan that stands on one reference device, with the address of its bytes.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "backend/reference/reference_arena.h"
#include "backend/reference/reference_kv.h"
#include "backend/weight_panels.h"
#include "model/weight_index.h"

namespace headroom {

struct ReferenceWeight {
  const std::byte* bytes = nullptr;  // matrices as in the file, vectors F32; null: not on this device
  DType dtype = DType::kF32;
  std::uint64_t n_rows = 0, n_cols = 0;  // experts: of each of their matrices

  const std::byte* row(std::uint64_t index) const;
  ReferenceWeight of_expert(std::uint64_t expert) const;
  // Also of the taps of a convolution, (n_cols, n_rows).
  std::span<const float> vector() const { return {reinterpret_cast<const float*>(bytes), n_rows * n_cols}; }
};

struct ReferenceBinding {
  const ModelInfo* model = nullptr;
  const MemoryPlan* plan = nullptr;
  DeviceIndex device = 0;
  std::span<const std::vector<float>> key_balance;  // see Binding
  std::vector<ReferenceArena*> arenas;              // of this device
  std::vector<RopeFrequencies> ropes;               // as model->ropes
  std::vector<float*> buffers;                      // as the program's; null: on another device
  struct Layer {
    ReferenceCache keys, values;  // not bound: on another device, or a layer with states
    // Of a delta net, as DeltaNetSpec has them, one slot behind the other; null otherwise.
    float *conv = nullptr, *matrices = nullptr;
  };
  std::vector<Layer> layers;

  // Null when the model has no such weight. CHECKs that a weight that it has stands on this device.
  const ReferenceWeight* find(TensorRole role, std::int32_t layer) const;
  const ReferenceWeight& at(TensorRole role, std::int32_t layer) const;
  float* buffer(BufferId id) const;

  // Copies the weights of an op with needs_weight_upload from `source`.
  void upload(const Op& op, WeightSource& source) const;

  WeightIndex index;
  std::vector<ReferenceWeight> weights;  // as model->weights
};

// Finds the weights, caches and buffers. CHECKs that arenas are those of the plan.
ReferenceBinding bind_reference(const Binding& binding);

}  // namespace headroom
