// The tokenizers that models of random_model.h have.
#pragma once

#include "support/random_model.h"

namespace headroom::test {

// By the spec's architecture, as random_gguf() says.
void add_random_tokenizer(GgufWriter& writer, const RandomModelSpec& spec);

}  // namespace headroom::test
