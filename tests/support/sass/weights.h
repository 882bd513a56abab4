// How many instructions a weight takes in a kernel of products, read from its machine code.
//
// What is counted: one iteration of the loop that multiplies, as one thread goes through it for a format where all rows
// and columns are there (best_iteration()), by the weights that the thread has in an iteration; and of a loop around
// that which is still inside of what is made for one format (over blocks of 256 columns) likewise what is outside of
// the inner one. Not counted: what stands before and behind the loops. Ways of other formats are cut off by following
// what the switches of with_type() and its like are asked (keep_answered_ways()).
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "format/dtype.h"
#include "support/sass/costs.h"

namespace headroom::test {

struct WeightLines {
  std::map<SassLine, DType> formats;  // what is inlined there is this format's alone
  std::set<SassLine> asked;           // where a format is asked for
  std::map<SassLine, bool> halves;    // products made here: of formats with scales of half groups, or not
};
// From the sources of the kernels.
Result<WeightLines> weight_lines(const std::string& folder);

struct WeightCosts {
  DType format = DType::kF32;
  std::array<double, kSassKinds> of_kinds{};  // instructions of a thread, by weight
};
// An entry for each format; none for kernels that do not multiply weights.
std::vector<Result<WeightCosts>> weight_costs(const SassFunction& function, const WeightLines& lines, int architecture);

// What a warp of a matvec kernel has under way of a format's weights, in the iteration that weight_costs() counts. Its
// weights are what load_stream() reads: LDG with .EF, since they are read once.
struct WeightFlight {
  DType format = DType::kF32;
  int loads = 0;        // of 16 bytes a thread, at most at once: asked for and not yet used
  double distance = 0;  // instructions from such a load to the first use of what it reads, on average
  int prefetches = 0;   // into the second-level cache, in the loops of the format: for the iterations to come
};
// An entry for each format; none for kernels that are no matvec.
std::vector<Result<WeightFlight>> weight_flights(const SassFunction& function, const WeightLines& lines);

}  // namespace headroom::test
