#include "backend/cuda/cuda_arithmetic.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "backend/cuda/kernel_limits.h"
#include "backend/gpu/gpu_args.h"

namespace headroom {
namespace {

// CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions", and the tuning guides: data centre cards
// add up f16 products in f32 at full rate, others at half of it. Products of int8 need a multiplication by a scale for
// each group of 32, which takes longer than they do where f16 is at full rate.
bool has_fast_halves(const CudaCard& card) {
  return (card.major == 8 && card.minor == 0) || card.major == 9 || card.major == 10;
}

}  // namespace

GpuArithmetic cuda_arithmetic(const CudaCard& card) {
  const char* asked = std::getenv(kCudaPromptsVariable);
  const std::string_view wanted = asked == nullptr ? "" : asked;
  const bool is_half = wanted == "f16" || (wanted != "int8" && has_fast_halves(card));
  GpuArithmetic arithmetic;
  arithmetic.has_int8 = true;
  arithmetic.half_rows = is_half ? HalfRows::kOfAllWeights : HalfRows::kOfPlainWeights;
  arithmetic.half_exponent = args::kHalfExponent;
  arithmetic.tile_features = arithmetic.tile_rows = 128;
  arithmetic.n_multiprocessors = card.n_multiprocessors;
  // A block with a panel has to keep a multiprocessor's share of the memory's bandwidth under way, alone where a matrix
  // has few panels: 16 warps of 32 lanes ask for 64 KiB at once.
  arithmetic.column_parts = 16;
  arithmetic.shares_out_experts = true;
  arithmetic.most_panel_blocks = cuda::kMostPanelBlocks;
  arithmetic.half_attend_dim = cuda::kAttendTileDim;
  arithmetic.half_attend_row_dim = cuda::kAttendRowDim;
  arithmetic.attends_to_int8 = true;
  arithmetic.attend = {.n_threads = cuda::kAttendThreads,
                       .team = cuda::kAttendTeam,
                       .shared_words = cuda::kAttendRoomWords,
                       .most_queries = cuda::kAttendQueries,
                       .queries_of_rows = 8,
                       .tile_queries = cuda::attend_tile_queries,
                       .few_row_queries = cuda::kAttendRowQueries,
                       .least_rows = 128};
  arithmetic.group_sizes = {.embedded_cols = cuda::kEmbedThreads * cuda::kEmbedElems,
                            .encoded_groups = cuda::kEncodeThreads / cuda::kEncodeTeam,
                            .added_cols = cuda::kAddThreads};
  // Nobody ends long work on a card, so a submission is bounded for the sake of a stop alone: half a second at most of
  // the slowest cards that the kernels are compiled for, whose 14 multiprocessors make 1e12 multiply-adds of f32 a
  // second. Over 32,768 positions of 32 heads of 128 elements a card of 132 attends with 2,048 rows in one dispatch, so
  // that no multiprocessor waits at the end of several.
  arithmetic.most_products = 4e11 * std::max(1.0, card.n_multiprocessors / 14.0);
  return arithmetic;
}

}  // namespace headroom
