#include <array>

#include "backend/vulkan/vulkan_pipelines.h"
#include "base/check.h"
#include "base/fingerprint.h"

namespace headroom {
namespace {

constexpr std::uint32_t kEmbedCode[] = {
#include "kernels/embed.inc"
};
constexpr std::uint32_t kNormCode[] = {
#include "kernels/norm.inc"
};
constexpr std::uint32_t kEncodeCode[] = {
#include "kernels/encode.inc"
};
constexpr std::uint32_t kEncodeHalfCode[] = {
#include "kernels/encode_half.inc"
};
constexpr std::uint32_t kMatvecCode[] = {
#include "kernels/matvec.inc"
};
constexpr std::uint32_t kMatvecInt8Code[] = {
#include "kernels/matvec_int8.inc"
};
constexpr std::uint32_t kMatmulCode[] = {
#include "kernels/matmul.inc"
};
constexpr std::uint32_t kMatmulInt8Code[] = {
#include "kernels/matmul_int8.inc"
};
constexpr std::uint32_t kMatmulHalfCode[] = {
#include "kernels/matmul_half.inc"
};
constexpr std::uint32_t kMatmulMatricesCode[] = {
#include "backend/vulkan/shaders/compiled/matmul_matrices.inc"
};
constexpr std::uint32_t kRouteCode[] = {
#include "kernels/route.inc"
};
constexpr std::uint32_t kGroupExpertsCode[] = {
#include "kernels/group_experts.inc"
};
constexpr std::uint32_t kAddExpertsCode[] = {
#include "kernels/add_experts.inc"
};
constexpr std::uint32_t kQueryHeadsCode[] = {
#include "kernels/query_heads.inc"
};
constexpr std::uint32_t kCacheHeadsCode[] = {
#include "kernels/cache_heads.inc"
};
constexpr std::uint32_t kAttendCode[] = {
#include "kernels/attend.inc"
};
constexpr std::uint32_t kAttendMergeCode[] = {
#include "kernels/attend_merge.inc"
};
constexpr std::uint32_t kConvMixCode[] = {
#include "kernels/conv_mix.inc"
};
constexpr std::uint32_t kDeltaMixCode[] = {
#include "kernels/delta_mix.inc"
};
constexpr std::uint32_t kDeltaPairsCode[] = {
#include "kernels/delta_pairs.inc"
};
constexpr std::uint32_t kDeltaRuleCode[] = {
#include "kernels/delta_rule.inc"
};
constexpr std::uint32_t kGateHeadsCode[] = {
#include "kernels/gate_heads.inc"
};
constexpr std::uint32_t kGateInputsCode[] = {
#include "kernels/gate_inputs.inc"
};
constexpr std::uint32_t kSharedGateCode[] = {
#include "kernels/shared_gate.inc"
};
constexpr std::uint32_t kReadRateCode[] = {
#include "kernels/read_rate.inc"
};
constexpr std::uint32_t kPeakRateCode[] = {
#include "kernels/peak_rate.inc"
};
constexpr std::uint32_t kPeakRateInt8Code[] = {
#include "kernels/peak_rate_int8.inc"
};
constexpr std::uint32_t kPeakRateHalfCode[] = {
#include "kernels/peak_rate_half.inc"
};
constexpr std::uint32_t kPeakMatricesCode[] = {
#include "backend/vulkan/shaders/compiled/peak_matrices.inc"
};
constexpr std::uint32_t kRowMaximaCode[] = {
#include "kernels/row_maxima.inc"
};
constexpr std::uint32_t kTopTokensCode[] = {
#include "kernels/top_tokens.inc"
};

}  // namespace

std::span<const std::uint32_t> kernel_code(Kernel kernel) {
  switch (kernel) {
    case Kernel::kEmbed: return kEmbedCode;
    case Kernel::kNorm: return kNormCode;
    case Kernel::kEncode: return kEncodeCode;
    case Kernel::kEncodeHalf: return kEncodeHalfCode;
    case Kernel::kMatvec: return kMatvecCode;
    case Kernel::kMatvecInt8: return kMatvecInt8Code;
    case Kernel::kMatmul: return kMatmulCode;
    case Kernel::kMatmulInt8: return kMatmulInt8Code;
    case Kernel::kMatmulHalf: return kMatmulHalfCode;
    case Kernel::kMatmulMatrices: return kMatmulMatricesCode;
    case Kernel::kRoute: return kRouteCode;
    case Kernel::kGroupExperts: return kGroupExpertsCode;
    case Kernel::kAddExperts: return kAddExpertsCode;
    case Kernel::kQueryHeads: return kQueryHeadsCode;
    case Kernel::kCacheHeads: return kCacheHeadsCode;
    case Kernel::kAttend: return kAttendCode;
    case Kernel::kAttendRows:
    case Kernel::kAttendTiles: break;  // CUDA's
    case Kernel::kAttendMerge: return kAttendMergeCode;
    case Kernel::kConvMix: return kConvMixCode;
    case Kernel::kDeltaMix: return kDeltaMixCode;
    case Kernel::kDeltaPairs: return kDeltaPairsCode;
    case Kernel::kDeltaRule: return kDeltaRuleCode;
    case Kernel::kGateHeads: return kGateHeadsCode;
    case Kernel::kGateInputs: return kGateInputsCode;
    case Kernel::kSharedGate: return kSharedGateCode;
    case Kernel::kReadRate: return kReadRateCode;
    case Kernel::kPeakRate: return kPeakRateCode;
    case Kernel::kPeakRateInt8: return kPeakRateInt8Code;
    case Kernel::kPeakRateHalf: return kPeakRateHalfCode;
    case Kernel::kPeakMatrices: return kPeakMatricesCode;
    case Kernel::kRowMaxima: return kRowMaximaCode;
    case Kernel::kTopTokens: return kTopTokensCode;
  }
  CHECK(false, "a kernel that is not there");
}

std::uint64_t vulkan_kernels_fingerprint() {
  static const std::uint64_t value = [] {
    Fingerprint print;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(Kernel::kTopTokens); ++i) {
      const auto kernel = static_cast<Kernel>(i);
      if (kernel != Kernel::kAttendRows && kernel != Kernel::kAttendTiles)
        print.add(std::as_bytes(kernel_code(kernel)));
    }
    return print.value();
  }();
  return value;
}

}  // namespace headroom
