// What is done with a product of a matrix, and the words that kernels of products are given.
#pragma once

#include "lib/panels.cuh"

namespace headroom::cuda {

inline constexpr u32 kStore = 0, kAdd = 1, kGate = 2, kCap = 3;  // enum class Epilogue
inline constexpr u32 kUp = 1, kDown = 2;                         // enum class Experts; 0: not of experts

using ProductConstants = args::ProductConstants;

// `second`: the product with the other matrix of kGate.
DEVICE float finished(const ProductConstants& constants, float cap, float total, float second) {
  if (constants.epilogue == kGate) return activated(constants.activation, total, second);
  return constants.epilogue == kCap ? softcapped(cap, total) : total;
}

// A row of int8 activations: n_groups groups of three units.
struct EncodedGroup {
  uint4 low, high;  // codes
  float scale, low_sum, high_sum, sum;
};
DEVICE EncodedGroup encoded_group(const uint4& low, const uint4& high, const uint4& header) {
  return {low, high, float_of(header.x), float_of(header.y), float_of(header.z), float_of(header.w)};
}
DEVICE EncodedGroup encoded_group(const uint4* group) { return encoded_group(group[0], group[1], group[2]); }

// Adds what a group of weights, as words of codes, makes with one of activations.
template <u32 kType>
DEVICE float group_product(const u32 (&codes)[8], const Factors& factors, const EncodedGroup& with) {
  int low = 0, high = 0;
  for (u32 w = 0; w < 4; ++w) {
    low = dot4(static_cast<int>(codes[w]), static_cast<int>(word_of(with.low, w)), low);
    high = dot4(static_cast<int>(codes[w + 4]), static_cast<int>(word_of(with.high, w)), high);
  }
  if constexpr (has_halves(kType)) {
    return with.scale * (factors.low * static_cast<float>(low) + factors.high * static_cast<float>(high)) +
           factors.low_added * with.low_sum + factors.high_added * with.high_sum;
  }
  return with.scale * factors.low * static_cast<float>(low + high) + factors.low_added * with.sum;
}

}  // namespace headroom::cuda
