// The ways that a function's machine code may take, and its loops.
#pragma once

#include <vector>

#include "support/sass/listing.h"

namespace headroom::test {

// Instructions that run one behind the other.
struct SassBlock {
  std::size_t first = 0, end = 0;    // in SassFunction::code
  std::vector<std::size_t> targets;  // blocks that its last instruction jumps to
  std::vector<std::size_t> next;     // blocks that may run behind it
};
std::vector<SassBlock> blocks_of(const SassFunction& function);

// A natural loop: its blocks all reach a jump back to the header, which every way into them goes through.
struct SassLoop {
  std::size_t header = 0;
  std::vector<std::size_t> blocks;  // in order; those of loops within it are among them
  std::vector<std::size_t> inner;   // loops directly within it
  int outer = -1;                   // the loop directly around it
};
// Of what can be reached from the first block.
std::vector<SassLoop> loops_of(const std::vector<SassBlock>& blocks);

}  // namespace headroom::test
