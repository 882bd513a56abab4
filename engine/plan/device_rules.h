// Scratch that a backend needs beside the program's buffers, as a pure function, so that it is in the plan.
#pragma once

#include <span>

#include "plan/device_info.h"
#include "plan/memory_plan.h"

namespace headroom {

// Bytes of the scratch region on a device for steps of at most `max_rows` rows. The backend carves its scratch from this one region and CHECKs that
// it suffices. A device that runs neither a layer nor the head has none: embedding a token writes its row straight to the residual.
Bytes scratch_bytes(const ModelInfo& model, const DeviceInfo& device, const PlanOptions& options, std::uint32_t max_rows);

// Scratch of run/sampler: one candidate (a float and an id) per token of the vocabulary. It is the region "sampler" (kStaging) in the session arena
// of the device that is the host, whatever device computes the logits.
Bytes sampler_bytes(const ModelInfo& model);

// Host memory, page-locked, through which bytes reach and leave a device that does not share the CPU's memory: weight chunks at load; at run time the
// residual where it changes device, and the logits. Loading and running never overlap, so it is the larger of the two. 0 without such a device.
Bytes staging_bytes(const ModelInfo& model, std::span<const DeviceInfo> devices, const Placement& placement, std::uint32_t max_rows,
                    std::uint32_t max_logit_rows);
// Two chunks: one is filled from the file while the other is copied.
inline constexpr Bytes kUploadChunkBytes = 16 * kMiB;

// The CPU's share, split as the kernels use it. All sizes are multiples of 64.
struct CpuScratch {
  Bytes normed_bytes = 0;      // (max_rows, d_model) f32: a normalized row, before it is quantized
  Bytes quantized_bytes = 0;   // (max_rows, widest input) int8 rows with a scale and a sum per 32: what integer kernels read
  Bytes kv_rows_bytes = 0;     // (max_rows, 2 * widest kv_dim) f32: K and V before they go to the cache
  Bytes per_thread_bytes = 0;  // tiles and partial sums of one thread
  std::uint32_t n_threads = 1;
  Bytes total() const { return normed_bytes + quantized_bytes + kv_rows_bytes + per_thread_bytes * n_threads; }
};
CpuScratch cpu_scratch(const ModelInfo& model, const PlanOptions& options, std::uint32_t max_rows, std::uint32_t n_threads);

}  // namespace headroom
