#include "backend/gpu/gpu_cache.h"

#include "backend/gpu/gpu_words.h"
#include "format/dtype_table.h"
#include "plan/kv_regions.h"

namespace headroom {

DType GpuCache::type(bool is_keys) const { return is_keys ? bound_.plan->options.kv_k : bound_.plan->options.kv_v; }

bool GpuCache::is_rotated(bool is_keys) const {
  return is_quantized_kv(type(is_keys)) && bound_.plan->options.kv_scheme == KvScheme::kRotated;
}

args::CacheRows GpuCache::rows(bool is_keys) const {
  const LayerSpec& layer = bound_.model->layers[layer_];
  const PlanOptions& options = bound_.plan->options;
  const KvF16Rows ends = kv_f16_rows_of(layer, type(is_keys), options);
  return {narrow(layer.kv_rows(options.n_ctx, options.n_batch)), narrow(row_bytes(type(is_keys), layer.head_dim)),
          narrow(ends.n_sinks), narrow(ends.n_ring)};
}

}  // namespace headroom
