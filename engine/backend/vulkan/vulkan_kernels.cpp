#include <array>

#include "backend/vulkan/vulkan_pipelines.h"
#include "base/check.h"

namespace headroom {
namespace {

constexpr std::uint32_t kEmbedCode[] = {
#include "kernels/embed.inc"
};
constexpr std::uint32_t kNormCode[] = {
#include "kernels/norm.inc"
};
constexpr std::uint32_t kMatmulCode[] = {
#include "kernels/matmul.inc"
};
constexpr std::uint32_t kExpertsCode[] = {
#include "kernels/experts.inc"
};
constexpr std::uint32_t kRouteCode[] = {
#include "kernels/route.inc"
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
constexpr std::uint32_t kReadRateCode[] = {
#include "kernels/read_rate.inc"
};

}  // namespace

std::span<const std::uint32_t> kernel_code(Kernel kernel) {
  switch (kernel) {
    case Kernel::kEmbed: return kEmbedCode;
    case Kernel::kNorm: return kNormCode;
    case Kernel::kMatmul: return kMatmulCode;
    case Kernel::kExperts: return kExpertsCode;
    case Kernel::kRoute: return kRouteCode;
    case Kernel::kQueryHeads: return kQueryHeadsCode;
    case Kernel::kCacheHeads: return kCacheHeadsCode;
    case Kernel::kAttend: return kAttendCode;
    case Kernel::kReadRate: return kReadRateCode;
  }
  CHECK(false, "a kernel that is not there");
}

}  // namespace headroom
