// How many loads of weights are under way at once in a stretch of machine code.
#pragma once

#include <vector>

#include "support/sass/listing.h"

namespace headroom::test {

struct LoadFlight {
  int loads = 0;        // at most at once: asked for, and none of their registers named since
  double distance = 0;  // instructions from a load to the first that names one of its registers, on average
};

// Of the loads of 16 bytes that are read once (LDG, .EF, .128) in an iteration, whose instructions run one behind the
// other, again and again: what is not used in its own iteration is used in the next.
LoadFlight loads_under_way(const std::vector<const SassInstruction*>& iteration);

// CCTL.PF2, into the second-level cache.
bool is_prefetch(const SassInstruction& instruction);

}  // namespace headroom::test
