// The tests of tests/gpu_contract on CUDA: see gpu_fixture.h.
#pragma once

#include "cuda/cuda_fixture.h"
#include "format/dtype_table.h"

namespace headroom::test {

inline constexpr const char* kGpuId = "cuda:0";
inline constexpr bool kSharesMemory = false;

// The n-th launch of a kernel from now loses its device, once; 0: none.
inline void lose_gpu_at(std::uint32_t n) { fake_cuda().lose_at_launch = n; }

inline std::vector<DeviceInfo> cpu_and_gpu(bool /*is_unified*/) { return cpu_and_cuda(); }

// Of quantized weights activations are int8.
template <class Check>
void with_every_arithmetic(DType weight, Check check) {
  check(dtype_row(weight).block_elems > 1 ? kInt8Tolerance : kExactTolerance);
}

template <class Check>
void with_some_arithmetics(DType weight, std::size_t /*place*/, Check check) {
  with_every_arithmetic(weight, check);
}

inline bool tells_more(std::uint32_t /*n_rows*/) { return true; }

}  // namespace headroom::test
