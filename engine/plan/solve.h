// The inverse questions, each answered by trying plans: an answer is exact because it is the plan's own verdict at the
// answer and beside it.
#pragma once

#include <optional>
#include <span>

#include "plan/memory_plan.h"

namespace headroom {

struct SolveAnswer {
  std::optional<PlanOptions> options;  // as asked, with the one answer filled in; absent: nothing fits
  bool is_capped = false;              // a longer context would fit too, and is above the limit
  Message words;                       // one sentence: the answer, or why there is none
};

// The largest n_ctx up to `limit` (0: the trained context) whose plan fits; n_ctx + 1 does not, or is above the limit.
// Other options stay as asked. kUsage as plan_memory.
Result<SolveAnswer> longest_context(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                    const PlanOptions& options, std::uint32_t limit = 0);

// The most layers on the devices that are not the CPU whose plan fits there and on the CPU, and how many of them have
// their FFN on the CPU. kUsage also when there is no such device.
Result<SolveAnswer> most_layers(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                const PlanOptions& options);

// The least lossy pair of KV types whose plan fits. Loss grows f16, q8_0, fp8, q4_0; a step of K weighs more than one
// of V, since errors in scores are amplified by the softmax.
Result<SolveAnswer> lightest_kv(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                const PlanOptions& options);

// Loss rank of a KV type, 0 for f16.
std::uint32_t kv_loss_rank(DType dtype);

}  // namespace headroom
