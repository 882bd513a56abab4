#include "backend/cuda/cuda_launch.h"

#include <cstring>

#include "backend/cuda/kernel_limits.h"
#include "backend/gpu/gpu_args.h"
#include "backend/gpu/gpu_words.h"
#include "base/check.h"
#include "plan/gpu_rules.h"

namespace headroom {
namespace {

constexpr std::uint32_t kLongHead = 512;  // elements, beyond which a value takes threads two rounds

struct Entry {
  std::string_view name;
  std::uint32_t n_threads;
  bool is_grouped = false;
};

std::string_view attend_entry(const args::AttendConstants& constants) {
  const std::uint32_t n_queries = constants.heads * constants.rows;
  CHECK(n_queries <= cuda::kAttendQueries, "a block attends with more queries than it has room for");
  if (constants.head_dim > kLongHead) return "attend_long";
  return n_queries == 1   ? "attend_1"
         : n_queries == 2 ? "attend_2"
         : n_queries <= 4 ? "attend_4"
         : n_queries <= 8 ? "attend_8"
                          : "attend_16";
}

Entry matvec_entry(const Dispatch& dispatch) {
  const auto constants = args_of<args::MatvecConstants>(dispatch.constants);
  const bool is_int8 = dispatch.kernel == Kernel::kMatvecInt8, is_one = constants.most_rows == 1;
  const auto entry = [&](std::string_view name) { return Entry{name, constants.n_threads, true}; };
  if (constants.experts != 0) return entry(is_int8 ? "matvec_int8_experts" : "matvec_experts");
  if (is_int8) return entry(is_one ? "matvec_int8_1" : "matvec_int8_8");
  if (args_of<args::MatvecPush>(dispatch.push).panel_blocks > 1)
    return entry(is_one ? "matvec_split_1" : "matvec_split_8");
  return entry(is_one ? "matvec_1" : "matvec_8");
}

std::string_view delta_rule_entry(const std::vector<std::uint32_t>& words) {
  static_assert(kGpuDeltaChunk == cuda::kDeltaChunk && kGpuDeltaTile == cuda::kDeltaTile &&
                kGpuDeltaPairWords == cuda::kDeltaPairWords);
  const auto constants = args_of<args::DeltaRuleConstants>(words);
  // A thread of those for shorter keys holds its part of the state in registers.
  if (constants.chunk_rows == 1) return "delta_rule_1";
  return constants.key_dim > cuda::kDeltaTile ? "delta_rule_long" : "delta_rule_8";
}

// kernels/attend_tiles.cu, attend_long_tiles.cu.
Entry attend_tiles_entry(std::uint32_t head_dim) {
  if (head_dim <= 64) return {"attend_tiles_64", 128};
  if (head_dim <= 128) return {"attend_tiles_128", 128};
  return {head_dim <= 256 ? "attend_tiles_256" : "attend_tiles_512", 256};
}

// kernels/attend_rows.cu.
Entry attend_rows_entry(std::uint32_t head_dim) {
  static_assert(kGpuAttendGroups <= cuda::kMostAttendSplits);
  if (head_dim <= 64) return {"attend_rows_64", 128};
  return head_dim <= 128 ? Entry{"attend_rows_128", 128} : Entry{"attend_rows_256", 64};
}

// Of experts a tile has kGpuTileRows rows.
bool has_high_tiles(const GridSize& groups) {
  return groups.of != GridSize::Of::kExpertTiles && groups.factor > kGpuTileRows;
}

Entry entry_of(const Dispatch& dispatch) {
  const std::vector<std::uint32_t>& constants = dispatch.constants;
  switch (dispatch.kernel) {
    case Kernel::kEmbed: return {"embed", cuda::kEmbedThreads};
    case Kernel::kNorm: return {"rms_norm", 256};
    case Kernel::kEncode: return {"encode", cuda::kEncodeThreads};
    case Kernel::kEncodeHalf: return {"encode_half", 256};
    case Kernel::kMatvec:
    case Kernel::kMatvecInt8: return matvec_entry(dispatch);
    case Kernel::kMatmul: return {"matmul", 256, true};
    case Kernel::kMatmulInt8:
      return has_high_tiles(dispatch.groups) ? Entry{"matmul_int8_128", 256, true} : Entry{"matmul_int8_64", 128, true};
    case Kernel::kMatmulHalf:
      return has_high_tiles(dispatch.groups) ? Entry{"matmul_half_128", 256, true} : Entry{"matmul_half_64", 128, true};
    case Kernel::kRoute: return {"route", cuda::kRouteThreads};
    case Kernel::kGroupExperts: return {"group_experts", 256};
    case Kernel::kAddExperts: return {"add_experts", cuda::kAddThreads};
    case Kernel::kQueryHeads:
    case Kernel::kCacheHeads: return {"heads", 64, true};
    case Kernel::kAttend: return {attend_entry(args_of<args::AttendConstants>(constants)), cuda::kAttendThreads};
    case Kernel::kAttendRows: return attend_rows_entry(args_of<args::AttendConstants>(constants).head_dim);
    case Kernel::kAttendTiles: return attend_tiles_entry(args_of<args::AttendConstants>(constants).head_dim);
    case Kernel::kAttendMerge: return {"attend_merge", 64};
    case Kernel::kConvMix: return {"conv_mix", 64};
    case Kernel::kDeltaMix: return {"delta_mix", 64};
    case Kernel::kDeltaPairs: return {"delta_pairs", cuda::kDeltaPairThreads};
    case Kernel::kDeltaRule: return {delta_rule_entry(constants), cuda::kDeltaThreads};
    case Kernel::kGateHeads: return {"gate_heads", 64};
    case Kernel::kGateInputs: return {"gate_inputs", 64};
    case Kernel::kSharedGate: return {"shared_gate", 256};
    case Kernel::kRowMaxima: return {"row_maxima", 128};
    case Kernel::kTopTokens: return {"top_tokens", 128};
    case Kernel::kMatmulMatrices:
    case Kernel::kReadRate:
    case Kernel::kPeakRate:
    case Kernel::kPeakRateInt8:
    case Kernel::kPeakRateHalf:
    case Kernel::kPeakMatrices: break;
  }
  CHECK(false, "a dispatch of a kernel that CUDA does not have");
}

}  // namespace

CudaLaunch cuda_launch(const Dispatch& dispatch) {
  CudaLaunch launch;
  const Entry entry = entry_of(dispatch);
  launch.entry = entry.name;
  launch.n_threads = entry.n_threads;
  launch.is_grouped = entry.is_grouped;
  launch.groups = dispatch.groups;
  launch.words = dispatch.constants;
  launch.words.insert(launch.words.end(), dispatch.push.begin(), dispatch.push.end());
  if (entry.name == "heads") launch.words.push_back(dispatch.kernel == Kernel::kQueryHeads ? 1 : 0);
  return launch;
}

bool CudaLaunch::takes_beside(const CudaLaunch& other) const {
  GridSize with_as_many = other.groups;
  with_as_many.x = groups.x;
  return is_grouped && 1 + beside.size() < kCudaMostGrouped && entry == other.entry && n_threads == other.n_threads &&
         groups == with_as_many;
}

std::uint32_t CudaLaunch::blocks_across() const {
  std::uint32_t n = groups.x;
  for (const CudaLaunch& other : beside) n += other.groups.x;
  return n;
}

namespace {

void put_params(const CudaLaunch& launch, std::span<std::byte> to) {
  const std::size_t n_bytes = launch.words.size() * 4;
  CHECK(sizeof(launch.buffers) + n_bytes <= to.size(), "a kernel is given more words than there is room for");
  std::memcpy(to.data(), launch.buffers.data(), sizeof(launch.buffers));
  if (n_bytes > 0) std::memcpy(to.data() + sizeof(launch.buffers), launch.words.data(), n_bytes);
}

}  // namespace

std::vector<std::byte> CudaLaunch::params() const {
  if (!is_grouped) {
    std::vector<std::byte> bytes(kCudaParamBytes);
    put_params(*this, bytes);
    return bytes;
  }
  std::array<std::uint32_t, 1 + kCudaMostGrouped> head{};  // how many, and where each begins
  std::vector<std::byte> bytes(sizeof(head) + kCudaMostGrouped * kCudaMemberBytes);
  const auto put_member = [&](const CudaLaunch& member, std::size_t i, std::uint32_t first) {
    head[1 + i] = first;
    put_params(member, std::span(bytes).subspan(sizeof(head) + i * kCudaMemberBytes, kCudaMemberBytes));
  };
  head[0] = static_cast<std::uint32_t>(1 + beside.size());
  put_member(*this, 0, 0);
  std::uint32_t first = groups.x;
  for (std::size_t i = 0; i < beside.size(); ++i) {
    put_member(beside[i], 1 + i, first);
    first += beside[i].groups.x;
  }
  std::memcpy(bytes.data(), head.data(), sizeof(head));
  return bytes;
}

}  // namespace headroom
