// The ops of layer inputs that are no products alone as dispatches.
#pragma once

#include "backend/gpu/gpu_products.h"

namespace headroom {

// op_parts() of a kLayerInputs and of a kInputUp.
std::vector<OpPart> layer_inputs_parts(const GpuBinding& bound, const Op& op, RowClass rows);
std::vector<OpPart> input_up_parts(const GpuBinding& bound, const Op& op, RowClass rows);

// How a layer's input stands between kInputUp and kInputDown.
Encoding input_encoding(const GpuBinding& bound, const Op& op, RowClass rows);

}  // namespace headroom
