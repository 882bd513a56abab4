// The ways that machine code takes where the number is known that it asks for.
#pragma once

#include <vector>

#include "support/sass/loops.h"

namespace headroom::test {

// Leaves of the blocks' ways those that are taken where `answer` is what instructions from some lines of the source
// compare or choose a jump by: `asks`, by places in SassFunction::origins. A line asks for nothing else; what it
// computes is followed through registers and predicates. An error where such a jump cannot be told.
Status keep_answered_ways(const SassFunction& function, const std::vector<bool>& asks, int answer,
                          std::vector<SassBlock>& blocks);

}  // namespace headroom::test
