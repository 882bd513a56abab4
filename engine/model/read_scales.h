// The factors and caps of a model that files state, or that its architecture has without a key.
#pragma once

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

// Fills embedding_scale and logit_softcap of the model, and its norm_epsilon and the scale of its layers' scores where
// the row has scale keys. Returns the factor on logits.
//
// No op knows of a factor r on what layers add to the residual: x + r f(norm(x)) is r times z + f(norm(r z)) for x = r
// z, and norm(r z) is the norm of z with epsilon / r^2. So the residual is kept divided by r, with the embedding's
// factor and the epsilon of all norms to match. r is positive.
float read_scales(const ArchRow& row, KeyReader& keys, ModelInfo& model);

// c of c tanh(x / c), from a key that may be absent; 0: no cap. Without a fallback the row has none, and 0 is returned.
float read_softcap(std::string_view key, const std::optional<double>& fallback, KeyReader& keys);

}  // namespace headroom
