// gpu_args.inl for C++ and CUDA.
#pragma once

#include <cstdint>

namespace headroom::args {

using uint = std::uint32_t;
#include "backend/gpu/gpu_args.inl"

// Rows of F16 are scaled by a power of 2, which rounds nothing, so that their largest magnitude is at least 2 to this
// power and below twice that. Beside an outlier small activations keep all 11 bits down to 2^-14, F16's smallest normal
// number: 2^-27 of the largest. Twice 2^13 is a quarter of F16's largest number, and sums in F32 are far from their
// end. Where products are added up in F16 the power is 0: sums of 16 of them would overflow with weights of 0.25
// already, and so do with those of 2,048.
inline constexpr uint kHalfExponent = 13;

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
static_assert(stand_one_behind_another<ConvMixConstants, ConvMixPush>());
static_assert(stand_one_behind_another<DeltaMixConstants, DeltaMixPush>());
static_assert(stand_one_behind_another<DeltaPairsConstants, DeltaPairsPush>());
static_assert(stand_one_behind_another<DeltaRuleConstants, DeltaRulePush>());
static_assert(stand_one_behind_another<GateHeadsConstants, GateHeadsPush>());
static_assert(stand_one_behind_another<GateInputsConstants, GateInputsPush>());
// Every driver of Vulkan has 128 bytes for the words of a dispatch.
static_assert(sizeof(AttendPush) <= 128 && sizeof(HeadsPush) <= 128 && sizeof(MatmulPush) <= 128);

}  // namespace headroom::args
