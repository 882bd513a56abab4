// The language that kernels are written in: CUDA's where NVRTC compiles them, and where a test does, what
// tests/support/cuda/emulation.h makes of it on the host.
//
//   KERNEL(name, n_threads, Params) { ... }  an entry that the host finds by its name; p is what it is given. Blocks
//                                            have one dimension, of at most n_threads, a multiple of 32.
//   KERNEL_PDL(name, n_threads, Params, ahead) { ... }  the same; ahead(p) comes before all of it. A card may run it
//                                            while earlier kernels still do (programmatic dependent launch): it asks
//                                            for weights, and neither reads nor writes what kernels write. Cards that
//                                            cannot (before sm_90) leave it out: they would ask right before they load.
//   KERNEL_PDL_BLOCKS(name, n_threads, n_blocks, Params, ahead) { ... }
//                                            the same, with registers for n_blocks blocks on a multiprocessor at once;
//                                            the compiler spills where it cannot.
//   DEVICE                                   before a function that kernels call
//   INLINED                                  behind the parameters of a lambda that is called more than once, which
//                                            compilers may else leave a function of its own, with all that it captures
//                                            in local memory
//   TABLE T name = ...;                      constants in the card's memory, which load_table(&element) reads
//   SHARED(T, name, n);                      an array in shared memory; other functions get it as auto&. It begins
//                                            where 16 bytes do.
//   BARRIER(); WARP_BARRIER();               of all threads of the block, of the warp
//   ATOMIC_ADD(name, i, v)                   on an element of a shared array; what it was before
//
// Exchanges between lanes are called by all 32 of a warp.
#pragma once

#include <cstddef>
#include <cstdint>

#define INLINED __attribute__((always_inline))

#ifndef __CUDACC__
#include "support/cuda/emulation.h"
#else

#define DEVICE __device__ __forceinline__
#define KERNEL_PDL_BLOCKS(name, n_threads, n_blocks, Params, ahead)                                          \
  DEVICE void run_##name(const Params& p);                                                                   \
  extern "C" __global__ void __launch_bounds__(n_threads, n_blocks) name(const __grid_constant__ Params p) { \
    let_next_start();                                                                                        \
    if (kStartsEarly) ahead(p);                                                                              \
    wait_for_earlier();                                                                                      \
    run_##name(p);                                                                                           \
  }                                                                                                          \
  DEVICE void run_##name(const Params& p)
#define KERNEL_PDL(name, n_threads, Params, ahead) KERNEL_PDL_BLOCKS(name, n_threads, 1, Params, ahead)
#define KERNEL(name, n_threads, Params) KERNEL_PDL(name, n_threads, Params, nothing_ahead)
#define TABLE __device__ constexpr
#define SHARED(T, name, n) __shared__ alignas(16) T name[n]
#define BARRIER() __syncthreads()
#define WARP_BARRIER() __syncwarp()
#define ATOMIC_ADD(name, i, v) atomicAdd(&name[i], v)

namespace headroom::cuda {

inline constexpr unsigned kAllLanes = ~0U;

#ifdef __CUDA_ARCH__
inline constexpr unsigned kArchitecture = __CUDA_ARCH__;  // 900: sm_90
#else
inline constexpr unsigned kArchitecture = 0;
#endif

// Whether a kernel may begin while earlier ones still run.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool kStartsEarly = false;
#else
inline constexpr bool kStartsEarly = true;
#endif

template <class Params>
DEVICE void nothing_ahead(const Params&) {}

// PTX ISA, "griddepcontrol". The next kernel starts when all blocks of this one have, where the host allows it; what
// kernels before this one have written is seen once they have ended. Cards before sm_90 run one behind the other.
DEVICE void let_next_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
DEVICE void wait_for_earlier() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

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

// Of a word of an array in shared memory. Added up in 32 bits, so that what is known of `word` becomes an offset in the
// instruction: through &area[word] compilers of CUDA 12 compute each address by itself, up to 8 % more instructions in
// tiles of prompts.
template <std::size_t n>
DEVICE std::uint32_t shared_address(std::uint32_t (&area)[n], std::uint32_t word) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(&area[0])) + 4 * word;
}

// Units of 16 bytes in an array of words in shared memory, whose number is a multiple of 4. What is copied there is
// seen by the thread behind await_copies(), by others behind a barrier after that.
template <std::size_t n>
DEVICE void put_unit(std::uint32_t (&area)[n], std::uint32_t word, const uint4& unit) {
  *reinterpret_cast<uint4*>(&area[word]) = unit;
}
template <std::size_t n>
DEVICE uint4 unit_at(const std::uint32_t (&area)[n], std::uint32_t word) {
  return *reinterpret_cast<const uint4*>(&area[word]);
}
// Four numbers, of which the first stands at a multiple of 4.
template <std::size_t n>
DEVICE float4 quad_at(const float (&area)[n], std::uint32_t at) {
  return *reinterpret_cast<const float4*>(&area[at]);
}
template <std::size_t n>
DEVICE void copy_unit(std::uint32_t (&area)[n], std::uint32_t word, const uint4* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(area, word)), "l"(from) : "memory");
#else
  put_unit(area, word, *from);
#endif
}
DEVICE void await_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

DEVICE int dot4(int a, int b, int sum) { return __dp4a(a, b, sum); }  // of four signed bytes each
// PTX ISA, "prmt". Byte i of the result is one of the eight bytes of `low` and, behind them, `high`: digit i of the
// selector, hexadecimal, says which, 0 to 7; its upper four digits say nothing. Volatile, so that it stays between the
// barriers of a warp where it stands: else compilers decode all groups that a thread has loaded before they multiply
// the first one, and have too few registers for that.
DEVICE std::uint32_t choose_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
  std::uint32_t chosen;
  asm volatile("prmt.b32 %0, %1, %2, %3;" : "=r"(chosen) : "r"(low), "r"(high), "r"(selector));
  return chosen;
}
// PTX ISA, "cvt".
DEVICE float half_to_float(std::uint16_t bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
DEVICE std::uint16_t float_to_half(float x) {
  std::uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
DEVICE void prefetch_l2(const uint4* unit) { asm volatile("prefetch.global.L2 [%0];" ::"l"(unit)); }  // is read soon
DEVICE std::uint32_t floats_to_halves(float low, float high) {
  std::uint32_t both;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
#else
  asm("mov.b32 %0, {%1, %2};" : "=r"(both) : "h"(float_to_half(low)), "h"(float_to_half(high)));
#endif
  return both;
}
DEVICE uint4 load_stream(const uint4* from) { return __ldcs(from); }  // what is read once
DEVICE std::uint32_t load_table(const std::uint32_t* from) { return __ldg(from); }
DEVICE float exp_of(float x) { return expf(x); }
// 2 to the power of x, to 2^-22 of itself; 0 where that is below what f32 has in full. PTX ISA, "ex2".
DEVICE float exp2_of(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}
DEVICE std::uint32_t bits_of(float x) { return __float_as_uint(x); }
DEVICE float float_of(std::uint32_t bits) { return __uint_as_float(bits); }

}  // namespace headroom::cuda

#endif
