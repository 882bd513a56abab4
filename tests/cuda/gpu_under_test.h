// The tests of tests/gpu_contract on CUDA: see gpu_fixture.h.
#pragma once

#include <cstdlib>
#include <string>

#include "backend/cuda/cuda_arithmetic.h"
#include "cuda/cuda_fixture.h"
#include "format/dtype_table.h"
#include "plan/gpu_rules.h"

namespace headroom::test {

inline constexpr const char* kGpuId = "cuda:0";
inline constexpr bool kSharesMemory = false, kHasHalfAttention = true, kCompilesAtFirstUse = false;

// The n-th launch of a kernel from now loses its device, once; 0: none.
inline void lose_gpu_at(std::uint32_t n) { fake_cuda().lose_at_launch = n; }
// From the n-th launch from now on its device never answers; 0: none. end_gpu_hangs(): it does when it is opened next.
inline void hang_gpu_at(std::uint32_t n) { fake_cuda().hang_at_launch = n; }
inline void end_gpu_hangs(bool ends) { fake_cuda().ends_hangs = ends; }
// The n-th arena from now is refused by the driver, once, with kRefusal; 0: none.
inline void refuse_gpu_arena(std::uint32_t n) { fake_cuda().refuse_at_allocation = n; }
inline constexpr const char* kRefusal = "CUDA_ERROR_OUT_OF_MEMORY";

// Another program takes what is free of the device but for `left`. Nobody tells before the driver has no more.
inline void take_gpu_memory_but(Bytes left) {
  const CudaCard card = cuda_cards().cards.front();
  fake_cuda().taken[0] = card.total_bytes - kFakeContextBytes - use_of_card(card).device_arena_bytes - left;
}
inline void give_gpu_memory_back() { fake_cuda().taken[0] = 0; }
inline constexpr bool kTellsOthers = false;

inline MemorySample sample_gpu() { return sample_card(cuda_cards().cards.front()); }

inline GpuArithmetic gpu_arithmetic() { return cuda_arithmetic(cuda_cards().cards.front()); }

inline std::vector<DeviceInfo> cpu_and_gpu(bool /*is_unified*/) { return cpu_and_cuda(); }

// What prompts are computed in meanwhile.
struct UsePrompts : UseVariable {
  explicit UsePrompts(const char* setting) : UseVariable(kCudaPromptsVariable, setting) {}
};

inline bool is_asked_for_int8() { return std::string(std::getenv(kCudaPromptsVariable)) == "int8"; }

// Activations of quantized weights are int8 in steps of few rows, and there or f16 in those of many; of F16 and BF16
// weights they are f16 in those. Where kernels are interpreted from PTX, two hundred times as slowly, each quantized
// type meets one of the two.
template <class Check>
void with_every_arithmetic(DType weight, Check check) {
  const bool is_slow = std::getenv(kFakeCudaPtx) != nullptr;
  const bool is_quantized = dtype_row(weight).block_elems > 1;
  for (const char* prompts : {"f16", "int8"}) {
    if (!is_quantized && std::string(prompts) == "int8") continue;  // as with f16
    const UsePrompts use(prompts);
    if (is_quantized && is_slow && !is_checked({static_cast<std::size_t>(weight), is_asked_for_int8() ? 1U : 0U}))
      continue;
    SCOPED_TRACE(prompts);
    check(is_quantized ? kInt8Tolerance : weight == DType::kF32 ? kExactTolerance : kHalfRowsTolerance);
  }
}

template <class Check>
void with_some_arithmetics(DType weight, std::size_t place, Check check) {
  with_every_arithmetic(weight, [&](double most) {
    // What is not quantized is multiplied in one way alone.
    if (dtype_row(weight).block_elems == 1 || is_checked({place, is_asked_for_int8() ? 1U : 0U})) check(most);
  });
}

// Steps of few rows are the same in both.
inline bool tells_more(std::uint32_t n_rows) { return is_asked_for_int8() || n_rows > kGpuFewRows; }

}  // namespace headroom::test
