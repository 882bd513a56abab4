// What instructions of PTX make of numbers, each as 64 bits of a register: those of a type are the lowest.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "support/ptx/program.h"

namespace headroom::ptx {

struct Type {
  char kind = 'u';  // u, s, f, b or p (a predicate)
  unsigned bits = 32;
};
Type type_of(const std::string& part);  // "u32", "pred"; throws std::runtime_error for anything else, "f16x2" too

inline std::uint64_t low_bits(std::uint64_t value, std::size_t bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
inline std::uint64_t sign_extended(std::uint64_t value, std::size_t bits) {
  const std::size_t unused = 64 - bits;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

// From the n_in operands behind the first, which takes the result; none: it is not known, or is more than a function of
// numbers. What a part of its name means that is not known here would be left out: all of the name has to be known.
struct Function {
  std::size_t n_in = 0;
  std::function<std::uint64_t(const std::array<std::uint64_t, 4>& in)> result;
};
Function function_of(const Instruction& code);

}  // namespace headroom::ptx
