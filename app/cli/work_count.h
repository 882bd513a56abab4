// What a prompt computes, from the model's shapes: a denominator of the bench.
#pragma once

#include "model/model_info.h"
#include "plan/memory_plan.h"

namespace headroom::cli {

// Multiplications and additions that `nTokens` prompt tokens after `nCached` positions take on a device: its matrices
// (the head for the last token only), and causal attention.
double prefillOps(const ModelInfo& model, const Placement& placement, DeviceIndex device, std::uint32_t nTokens,
                  std::uint32_t nCached);

}  // namespace headroom::cli
