#include "backend/gpu/gpu_kernel.h"

#include "base/check.h"

namespace headroom {

std::string_view kernel_name(Kernel kernel) {
  switch (kernel) {
    case Kernel::kEmbed: return "embed";
    case Kernel::kNorm: return "norm";
    case Kernel::kEncode: return "encode";
    case Kernel::kEncodeHalf: return "encode_half";
    case Kernel::kMatvec: return "matvec";
    case Kernel::kMatvecInt8: return "matvec_int8";
    case Kernel::kMatmul: return "matmul";
    case Kernel::kMatmulInt8: return "matmul_int8";
    case Kernel::kMatmulHalf: return "matmul_half";
    case Kernel::kMatmulMatrices: return "matmul_matrices";
    case Kernel::kRoute: return "route";
    case Kernel::kGroupExperts: return "group_experts";
    case Kernel::kAddExperts: return "add_experts";
    case Kernel::kQueryHeads: return "query_heads";
    case Kernel::kCacheHeads: return "cache_heads";
    case Kernel::kAttend: return "attend";
    case Kernel::kAttendRows: return "attend_rows";
    case Kernel::kAttendTiles: return "attend_tiles";
    case Kernel::kAttendMerge: return "attend_merge";
    case Kernel::kConvMix: return "conv_mix";
    case Kernel::kDeltaMix: return "delta_mix";
    case Kernel::kDeltaPairs: return "delta_pairs";
    case Kernel::kDeltaRule: return "delta_rule";
    case Kernel::kGateHeads: return "gate_heads";
    case Kernel::kGateInputs: return "gate_inputs";
    case Kernel::kSharedGate: return "shared_gate";
    case Kernel::kReadRate: return "read_rate";
    case Kernel::kPeakRate: return "peak_rate";
    case Kernel::kPeakRateInt8: return "peak_rate_int8";
    case Kernel::kPeakRateHalf: return "peak_rate_half";
    case Kernel::kPeakMatrices: return "peak_matrices";
    case Kernel::kRowMaxima: return "row_maxima";
    case Kernel::kTopTokens: return "top_tokens";
  }
  CHECK(false, "a kernel that is not there");
}

}  // namespace headroom
