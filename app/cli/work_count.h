// What a step reads and computes, from the model's shapes: the denominators of the bench.
#pragma once

#include "model/model_info.h"
#include "plan/memory_plan.h"

namespace headroom::cli {

// Bytes that one decoded token reads when the cache holds `nCached` positions: every matrix but the embedding's other
// rows and the experts that were not chosen, norms and biases, and the cached keys and values that each layer looks at.
double decodeBytes(const ModelInfo& model, const PlanOptions& options, std::uint32_t nCached);

// Multiplications and additions of `nTokens` prompt tokens after `nCached` positions: matrices (the head for the last
// token only), and causal attention.
double prefillOps(const ModelInfo& model, std::uint32_t nTokens, std::uint32_t nCached);

}  // namespace headroom::cli
