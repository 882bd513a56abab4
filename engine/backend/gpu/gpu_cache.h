// The cache of one layer, in the words of the kernels that fill and read it.
#pragma once

#include "backend/gpu/gpu_args.h"
#include "backend/gpu/gpu_binding.h"

namespace headroom {

class GpuCache {
 public:
  // The layer's own, or the one that it reads.
  GpuCache(const GpuBinding& bound, std::int32_t layer)
      : bound_(bound),
        layer_(
            bound.model->layers[static_cast<std::size_t>(layer)].kv_layer.value_or(static_cast<std::uint32_t>(layer))) {
  }

  const GpuSlice& part(KvPart part) const { return bound_.caches[layer_][static_cast<std::size_t>(part)]; }
  DType type(bool is_keys) const;
  bool is_rotated(bool is_keys) const;
  args::CacheRows rows(bool is_keys) const;

 private:
  const GpuBinding& bound_;
  std::size_t layer_;
};

}  // namespace headroom
