// The language that kernels are written in: CUDA's where nvcc compiles them, and where a test does, what
// tests/support/cuda/emulation.h makes of it on the host.
//
//   KERNEL(name, n_threads, Params) { ... }  an entry that the host finds by its name; p is what it is given. Blocks
//   have
//                                            one dimension, of at most n_threads, a multiple of 32.
//   DEVICE                                   before a function that kernels call
//   SHARED(T, name, n);                      an array in shared memory; other functions get it as auto&
//   BARRIER(); WARP_BARRIER();               of all threads of the block, of the warp
//   ATOMIC_ADD(name, i, v)                   on an element of a shared array; what it was before
//
// Exchanges between lanes are called by all 32 of a warp.
#pragma once

#include <cstdint>

#ifndef __CUDACC__
#include "support/cuda/emulation.h"
#else

#include <cuda_fp16.h>

#define DEVICE __device__ __forceinline__
#define KERNEL(name, n_threads, ...) \
  extern "C" __global__ void __launch_bounds__(n_threads, 1) name(const __grid_constant__ __VA_ARGS__ p)
#define SHARED(T, name, n) __shared__ T name[n]
#define BARRIER() __syncthreads()
#define WARP_BARRIER() __syncwarp()
#define ATOMIC_ADD(name, i, v) atomicAdd(&name[i], v)

namespace headroom::cuda {

inline constexpr unsigned kAllLanes = ~0U;

DEVICE std::uint32_t thread_index() { return threadIdx.x; }
DEVICE std::uint32_t block_x() { return blockIdx.x; }
DEVICE std::uint32_t block_y() { return blockIdx.y; }
DEVICE std::uint32_t block_z() { return blockIdx.z; }
DEVICE std::uint32_t grid_x() { return gridDim.x; }
DEVICE std::uint32_t grid_y() { return gridDim.y; }
DEVICE std::uint32_t lane_index() { return threadIdx.x % 32; }
DEVICE std::uint32_t warp_index() { return threadIdx.x / 32; }

template <class T>
DEVICE T shuffle_xor(T value, std::uint32_t mask) {
  return __shfl_xor_sync(kAllLanes, value, static_cast<int>(mask));
}
template <class T>
DEVICE T shuffle(T value, std::uint32_t lane) {
  return __shfl_sync(kAllLanes, value, static_cast<int>(lane));
}

DEVICE int dot4(int a, int b, int sum) { return __dp4a(a, b, sum); }  // of four signed bytes each
DEVICE float half_to_float(std::uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
DEVICE std::uint16_t float_to_half(float x) { return __half_as_ushort(__float2half_rn(x)); }
DEVICE uint4 load_stream(const uint4* from) { return __ldcs(from); }  // what is read once
DEVICE float exp_of(float x) { return expf(x); }
DEVICE std::uint32_t bits_of(float x) { return __float_as_uint(x); }
DEVICE float float_of(std::uint32_t bits) { return __uint_as_float(bits); }

}  // namespace headroom::cuda

#endif
