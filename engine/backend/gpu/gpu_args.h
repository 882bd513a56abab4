// gpu_args.inl for C++ and CUDA.
#pragma once

#include <cstdint>

namespace headroom::args {

using uint = std::uint32_t;
#include "backend/gpu/gpu_args.inl"

// All that a kernel of CUDA is given beside its buffers: the constants, then the words of one dispatch.
template <class Constants, class Push>
struct KernelArgs : Constants, Push {};

template <class Constants, class Push>
constexpr bool stand_one_behind_another() {
  return sizeof(KernelArgs<Constants, Push>) == sizeof(Constants) + sizeof(Push) && sizeof(Constants) % 4 == 0 &&
         sizeof(Push) % 4 == 0;
}
static_assert(stand_one_behind_another<EmbedConstants, EmbedPush>());
static_assert(stand_one_behind_another<NormConstants, NormPush>());
static_assert(stand_one_behind_another<MatvecConstants, MatvecPush>());
static_assert(stand_one_behind_another<MatmulConstants, MatmulPush>());
static_assert(stand_one_behind_another<HeadsConstants, HeadsPush>());
static_assert(stand_one_behind_another<AttendConstants, AttendPush>());
static_assert(stand_one_behind_another<AttendMergeConstants, AttendMergePush>());
// Every driver of Vulkan has 128 bytes for the words of a dispatch.
static_assert(sizeof(AttendPush) <= 128 && sizeof(HeadsPush) <= 128 && sizeof(MatmulPush) <= 128);

}  // namespace headroom::args
