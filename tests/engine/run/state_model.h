// The model with states of the tests of sessions.
#pragma once

#include "support/random_model.h"

namespace headroom::test {

// Four layers: two and two with states and with attention.
inline RandomModelSpec model_with_states() {
  RandomModelSpec spec;
  spec.architecture = "qwen35";
  spec.n_layers = 4;
  spec.d_model = 64;
  spec.d_ff = 96;
  spec.n_key_heads = 2;
  spec.n_value_heads = 6;
  spec.state_dim = 40;  // fills no panel of columns
  return spec;
}

}  // namespace headroom::test
