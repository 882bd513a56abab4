// What instructions of machine code are, and which of them an iteration of a loop takes.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "support/sass/loops.h"

namespace headroom::test {

enum class SassKind {
  kInteger,  // arithmetic, logic, shifts, bytes put together, comparisons and selections of 32-bit words
  kMove,     // of registers, and constants into them; IMAD.MOV is one
  kConvert,  // from a kind of number to another
  kFfma,     // also what does two of them at once
  kFmul,
  kFloat,    // other arithmetic of floats: FADD, comparisons, halves
  kProduct,  // of bytes (IDP) and of tiles (IMMA, HMMA)
  kMemory,   // reads, writes and copies
  kUniform,  // once for a warp, beside what its threads do
  kRest,     // jumps, barriers and waits
};
inline constexpr std::size_t kSassKinds = 10;
inline constexpr std::array<std::string_view, kSassKinds> kSassKindNames = {
    "integer", "moves", "converts", "ffma", "fmul", "float", "products", "memory", "uniform", "rest"};

// None: an instruction that is not known.
std::optional<SassKind> sass_kind(const SassInstruction& instruction);

// "IMAD" of "IMAD.MOV.U32".
std::string_view sass_word(const SassInstruction& instruction);

// Products, f32 arithmetic, and reads and writes of 16 bytes.
bool is_work(const SassInstruction& instruction);

// What speaks for a way through a loop: work, then that there are few instructions, as a number below 0.
using WayScore = std::array<int, 2>;

// The blocks that an iteration of the loop goes through, from its header to a jump back: of all such ways the one whose
// blocks have the greatest sum of scores. A loop within it is gone through once, by its own best way; its blocks are
// not among the result, and of its scores only the work counts.
std::vector<std::size_t> best_iteration(const std::vector<SassBlock>& blocks, const std::vector<SassLoop>& loops,
                                        std::size_t loop, const std::vector<WayScore>& scores);

}  // namespace headroom::test
