// The op of a short convolution as dispatches.
#pragma once

#include "backend/gpu/gpu_products.h"

namespace headroom {

// op_parts() of a kConvMix.
std::vector<OpPart> conv_mix_parts(const GpuBinding& bound, const Op& op, RowClass rows);

}  // namespace headroom
