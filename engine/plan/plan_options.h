// Turns what the user asked for into numbers that a plan can be made of, or says which option makes no sense.
#pragma once

#include <span>

#include "base/result.h"
#include "plan/memory_plan.h"

namespace headroom {

inline constexpr std::uint32_t kDefaultCtxLimit = 4096;
// Rows of one step. Beyond this a longer batch only costs memory, and every product of rows and a 32-bit width stays
// far below 64 bits.
inline constexpr std::uint32_t kMaxBatch = 65536;

// `options` with n_ctx and n_logit_rows filled in; n_gpu_layers stays as given (kAutoLayers included). kUsage names
// option, expected and found.
Result<PlanOptions> resolve_options(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                    const PlanOptions& options);

// The CPU among `devices`, which every plan needs for the embedding and for layers that do not fit; kUsage when there
// is none.
Result<DeviceIndex> find_cpu(std::span<const DeviceInfo> devices);

}  // namespace headroom
