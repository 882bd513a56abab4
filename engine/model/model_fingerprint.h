// Tells whether two headers are those of one model, as far as a plan is concerned.
#pragma once

#include "model/model_info.h"

namespace headroom {

// A hash over all that plans depend on: the model's shape, its layers, and role, name, type and shape of every weight.
// Two files have the same one when a plan for one of them is a plan for the other; their weights may be different ones.
// What a load measures (the heap), the model's name and notes for readers count for nothing. The same on every machine.
std::uint64_t model_fingerprint(const ModelInfo& model);

}  // namespace headroom
