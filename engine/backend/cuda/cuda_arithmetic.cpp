#include "backend/cuda/cuda_arithmetic.h"

#include <cstdlib>
#include <string_view>

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
  arithmetic.tile_features = arithmetic.tile_rows = 128;
  arithmetic.n_multiprocessors = card.n_multiprocessors;
  // A block with a panel has to keep a multiprocessor's share of the memory's bandwidth under way, alone where a matrix
  // has few panels: 16 warps of 32 lanes ask for 64 KiB at once.
  arithmetic.column_parts = 16;
  arithmetic.half_attend_dim = 256;  // of attend_tiles_256
  arithmetic.attends_to_int8 = true;
  return arithmetic;
}

}  // namespace headroom
