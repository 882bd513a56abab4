// CUDA's language on the host, for tests: the kernels of engine/backend/cuda/kernels are compiled against this where no
// NVRTC does it. A block's threads are fibers of one thread of the host; lanes run in an order that a seed makes
// adversarial, and what a card would forgive or get wrong by chance is an error: a barrier that not all threads reach,
// an exchange that a lane of the warp misses or makes elsewhere, shared memory that nobody wrote or that two threads
// touch with nothing between them, an index behind the end.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "format/decode.h"

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

namespace headroom::cuda {

inline constexpr unsigned kArchitecture = 0;  // of no card

// An entry, found by its name.
struct EmulatedKernel {
  const char* name;
  const char* file;
  std::uint32_t n_threads;  // at most
  std::size_t param_bytes;
  void (*run)(const void* params);
  EmulatedKernel(const char* name, const char* file, std::uint32_t n_threads, std::size_t param_bytes,
                 void (*run)(const void*));
};
const EmulatedKernel* find_emulated_kernel(const std::string& name);

enum class LaneOrder : std::uint8_t { kAscending, kDescending, kShuffled };

struct EmulatedLaunch {
  const EmulatedKernel* kernel = nullptr;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t n_threads = 32;
  const void* params = nullptr;
  LaneOrder order = LaneOrder::kShuffled;
  std::uint32_t seed = 1;
  int skipped_barrier =
      -1;  // a BARRIER() that does nothing, by its place among those of the kernel: see barrier_sites()
};

// Empty where all is well, else what is wrong, where, and in which block and thread.
std::string launch(const EmulatedLaunch& launch);

// The places of BARRIER() that a kernel has come to so far, in all launches.
std::size_t barrier_sites(const EmulatedKernel& kernel);

namespace emulated {

// What a thread asks of the block that it is in.
std::uint32_t thread();
std::uint32_t block(int dimension);
std::uint32_t grid(int dimension);
void barrier(const char* file, int line);
void warp_barrier(const char* file, int line);
// Not 0: of the second tile of four lanes are given another word than their own, as by a wrong table of fragments.
std::uint32_t& fragment_fault();
// Gives each lane's word to the other lanes of its warp, which are at the same place; the words of all 32, which are
// there until the exchange after the next.
const std::uint64_t* exchange(std::uint64_t word, const char* file, int line);

enum class Access : std::uint8_t { kRead, kWrite, kAtomic };

// One array in shared memory: a name for it; what it holds is the block's.
class SharedName {
 public:
  SharedName(const char* name, std::size_t n, std::size_t elem_bytes);
  std::byte* touch(std::size_t i, Access access) const;  // the element

 private:
  const char* name_;
  std::size_t n_, elem_bytes_, index_;
};

template <class T>
class SharedElement {
 public:
  SharedElement(const SharedName& name, std::size_t i) : name_(name), i_(i) {}
  operator T() const {
    T value;
    std::memcpy(&value, name_.touch(i_, Access::kRead), sizeof(T));
    return value;
  }
  const SharedElement& operator=(T value) const {
    std::memcpy(name_.touch(i_, Access::kWrite), &value, sizeof(T));
    return *this;
  }
  const SharedElement& operator=(const SharedElement& other) const { return *this = static_cast<T>(other); }
  SharedElement(const SharedElement&) = default;
  const SharedElement& operator+=(T value) const { return *this = static_cast<T>(*this) + value; }
  const SharedElement& operator*=(T value) const { return *this = static_cast<T>(*this) * value; }
  T add(T value) const {
    T before;
    std::byte* at = name_.touch(i_, Access::kAtomic);
    std::memcpy(&before, at, sizeof(T));
    const T after = before + value;
    std::memcpy(at, &after, sizeof(T));
    return before;
  }

 private:
  const SharedName& name_;
  std::size_t i_;
};

template <class T, std::size_t n>
class SharedArray {
 public:
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
  explicit SharedArray(const char* name) : name_(name, n, sizeof(T)) {}
  SharedElement<T> operator[](std::size_t i) const { return {name_, i}; }

 private:
  SharedName name_;
};

}  // namespace emulated

inline std::uint32_t thread_index() { return emulated::thread(); }
inline std::uint32_t block_x() { return emulated::block(0); }
inline std::uint32_t block_y() { return emulated::block(1); }
inline std::uint32_t block_z() { return emulated::block(2); }
inline std::uint32_t grid_x() { return emulated::grid(0); }
inline std::uint32_t grid_y() { return emulated::grid(1); }
inline std::uint32_t lane_index() { return emulated::thread() % 32; }
inline std::uint32_t warp_index() { return emulated::thread() / 32; }

// The place is that of the call.
template <class T>
T shuffle(T value, std::uint32_t lane, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  word = emulated::exchange(word, file, line)[lane % 32];
  std::memcpy(&value, &word, sizeof(T));
  return value;
}
template <class T>
T shuffle_xor(T value, std::uint32_t mask, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return shuffle(value, lane_index() ^ mask, file, line);
}

template <class Area>
void put_unit(const Area& area, std::uint32_t word, const uint4& unit) {
  const std::uint32_t words[] = {unit.x, unit.y, unit.z, unit.w};
  for (std::uint32_t i = 0; i < 4; ++i) area[word + i] = words[i];
}
template <class Area>
uint4 unit_at(const Area& area, std::uint32_t word) {
  return {area[word], area[word + 1], area[word + 2], area[word + 3]};
}
template <class Area>
float4 quad_at(const Area& area, std::uint32_t at) {
  return {area[at], area[at + 1], area[at + 2], area[at + 3]};
}
// When what is copied arrives is for the interpreter of PTX to see (tests/support/ptx).
template <class Area>
void copy_unit(const Area& area, std::uint32_t word, const uint4* from) {
  put_unit(area, word, *from);
}
inline void await_copies() {}

inline int dot4(int a, int b, int sum) {
  for (int i = 0; i < 4; ++i)
    sum += static_cast<std::int8_t>(static_cast<unsigned>(a) >> (8 * i)) *
           static_cast<std::int8_t>(static_cast<unsigned>(b) >> (8 * i));
  return sum;
}
inline std::uint32_t choose_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
  const std::uint64_t bytes = low | static_cast<std::uint64_t>(high) << 32;
  std::uint32_t chosen = 0;
  for (int i = 0; i < 4; ++i)
    chosen |= static_cast<std::uint32_t>((bytes >> (8 * ((selector >> (4 * i)) & 7U))) & 255U) << (8 * i);
  return chosen;
}
inline float half_to_float(std::uint16_t bits) { return f16_to_f32(bits); }
inline std::uint16_t float_to_half(float x) { return f32_to_f16(x); }
inline std::uint32_t floats_to_halves(float low, float high) {
  return f32_to_f16(low) | static_cast<std::uint32_t>(f32_to_f16(high)) << 16;
}
template <class Params>
void nothing_ahead(const Params&) {}
// Reads it, since what is asked for has to be there. A part of it tells whether all of it is.
inline void prefetch_l2(const uint4* unit) { static_cast<void>(*static_cast<const volatile unsigned*>(&unit->x)); }
inline uint4 load_stream(const uint4* from) { return *from; }
inline std::uint32_t load_table(const std::uint32_t* from) { return *from; }
inline float exp_of(float x) { return std::exp(x); }
inline float exp2_of(float x) { return std::exp2(x); }
inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

}  // namespace headroom::cuda

#define DEVICE inline
#define TABLE inline constexpr
#define KERNEL_PDL(name, n_threads, Params, ahead)                                                                     \
  static void run_##name(const Params& p);                                                                             \
  static const ::headroom::cuda::EmulatedKernel emulated_##name(#name, __FILE__, n_threads, sizeof(Params),            \
                                                                [](const void* params) {                               \
                                                                  const auto& p = *static_cast<const Params*>(params); \
                                                                  ahead(p);                                            \
                                                                  run_##name(p);                                       \
                                                                });                                                    \
  static void run_##name(const Params& p)
#define KERNEL_PDL_BLOCKS(name, n_threads, n_blocks, Params, ahead) KERNEL_PDL(name, n_threads, Params, ahead)
#define KERNEL(name, n_threads, Params) KERNEL_PDL(name, n_threads, Params, nothing_ahead)
#define SHARED(T, name, n) static const ::headroom::cuda::emulated::SharedArray<T, (n)> name(#name)
#define BARRIER() ::headroom::cuda::emulated::barrier(__FILE__, __LINE__)
#define WARP_BARRIER() ::headroom::cuda::emulated::warp_barrier(__FILE__, __LINE__)
#define ATOMIC_ADD(name, i, v) (name)[i].add(v)
