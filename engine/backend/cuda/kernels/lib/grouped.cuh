// A launch of several dispatches of a kernel that do not wait for each other, side by side in the first dimension: what
// each of them is given, and where its blocks begin. A card that has little to do for one has more for all of them.
#pragma once

#include "lib/params.cuh"

namespace headroom::cuda {

inline constexpr u32 kMostGrouped = 3, kMemberBytes = 192;  // CudaLaunch

template <class Words>
struct BatchedLaunch {
  struct Member {
    Params<Words> params;
    unsigned char behind[kMemberBytes - sizeof(Params<Words>)];
  };
  u32 n, firsts[kMostGrouped];
  Member members[kMostGrouped];
};

template <class Words>
DEVICE u32 member_at(const BatchedLaunch<Words>& all, u32 across) {
  u32 member = 0;
  while (member + 1 < all.n && across >= all.firsts[member + 1]) ++member;
  return member;
}

}  // namespace headroom::cuda
