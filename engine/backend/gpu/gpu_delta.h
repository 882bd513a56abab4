// The ops of a delta net that are no products alone as dispatches: what mixes its rows, and the rule over its states.
#pragma once

#include "backend/gpu/gpu_dispatches.h"

namespace headroom {

// op_parts() of a kDeltaMix, and of a kDeltaRule, which takes a prompt in several submissions.
std::vector<OpPart> delta_mix_parts(const GpuBinding& bound, const Op& op, RowClass rows);
std::vector<OpPart> delta_rule_parts(const GpuBinding& bound, const Op& op, RowClass rows);

}  // namespace headroom
