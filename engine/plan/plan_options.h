// Turns what the user asked for into numbers that a plan can be made of, or says which option makes no sense.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/memory_plan.h"

namespace headroom {

inline constexpr std::uint32_t kDefaultCtxLimit = 4096;
// Rows of one step. Beyond this a longer batch only costs memory, and every product of rows and a 32-bit width stays
// far below 64 bits.
inline constexpr std::uint32_t kMaxBatch = 65536;
// What every plan with an automatic batch has at least. A CPU is full with it, and its products are measured so.
inline constexpr std::uint32_t kLeastAutoBatch = 256;
// Drafts of a slot in a decode step: the smallest ring of F16 rows still has the newest position then.
inline constexpr std::uint32_t kMostDraft = kKvRowStep - 1;
// Positions of a slot: as many as a float holds exactly, which is what rotary angles are made from.
inline constexpr std::uint32_t kMaxContext = 1U << 24;
// Checkpoints of a slot: of a long conversation one in front of each message or two.
inline constexpr std::int32_t kMostCheckpoints = 64;

// `options` with devices, n_ctx, n_logit_rows and the least n_batch and n_checkpoints filled in; n_gpu_layers and
// n_cpu_ffn stay as given (kAutoLayers included). kUsage names option, expected and found.
Result<PlanOptions> resolve_options(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                    const PlanOptions& options);

// The CPU among `devices`, which every plan needs for the embedding and for layers that do not fit; kUsage when there
// is none.
Result<DeviceIndex> find_cpu(std::span<const DeviceInfo> devices);

// What a rule leaves to use where this much is free. `held`: what is used already and counts towards "at most".
Bytes limit_under(const HeadroomRule& rule, Bytes free_bytes, Bytes held = 0);

// Rows of the largest step that the GPUs of `options` take; any number where none of them computes.
std::uint32_t most_step_rows(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options);

// The devices of `options` that are not the CPU, in their order.
std::vector<DeviceIndex> gpus_of(const PlanOptions& options, std::span<const DeviceInfo> devices);
// "RTX 4090 and RTX 3060"; empty without any.
Message device_names(std::span<const DeviceIndex> which, std::span<const DeviceInfo> devices);

}  // namespace headroom
