// What kernels are given, as words of 32 bits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"

namespace headroom {

// A struct of gpu_args.inl as words, in the order of its members, and back.
template <class Args>
std::vector<std::uint32_t> words_of(const Args& args) {
  static_assert(sizeof(Args) % 4 == 0);
  const auto words = std::bit_cast<std::array<std::uint32_t, sizeof(Args) / 4>>(args);
  return {words.begin(), words.end()};
}
template <class Args>
Args args_of(const std::vector<std::uint32_t>& words) {
  CHECK(words.size() * 4 == sizeof(Args), "a dispatch has the words of another kernel");
  Args args;
  std::memcpy(&args, words.data(), sizeof(Args));
  return args;
}

inline std::uint32_t narrow(std::uint64_t x) {
  CHECK(x <= ~std::uint32_t{0}, "a number is too large for a kernel");
  return static_cast<std::uint32_t>(x);
}

}  // namespace headroom
