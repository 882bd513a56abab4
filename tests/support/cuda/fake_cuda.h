// What tests tell and ask the fake driver (fake_cuda.cpp), which is a library of its own that the engine opens by
// HEADROOM_CUDA_DRIVER as it would NVIDIA's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace headroom::test {

struct FakeCuda {
  // The n-th from now, once; 0: none.
  std::atomic<std::uint32_t> refuse_at_allocation = 0, lose_at_launch = 0;
  std::atomic<std::uint64_t> n_allocations = 0, n_launches = 0, n_ptx_launches = 0, n_graph_launches = 0, n_copies = 0,
                             n_modules = 0;
  std::atomic<std::uint64_t> device_bytes = 0, host_bytes = 0;  // allocated now
  std::atomic<int> n_contexts = 0;                              // open now
  std::atomic<std::uint32_t> seed = 1;                          // of the order in which threads run
  // A barrier that does nothing, by its place among those of the kernel that it was met in; no name: all do.
  std::string skipped_kernel;
  int skipped_barrier = -1;
  std::size_t (*barrier_sites)(const char* kernel) = nullptr;  // that a kernel has come to so far
  bool is_quiet = false;                                       // says nothing of what is wrong
};

inline constexpr const char* kFakeCudaSymbol = "headroom_fake_cuda";  // FakeCuda* of the library
// "sm_90:2GiB,sm_75:512MiB"; absent: sm_90 with 2 GiB.
inline constexpr const char* kFakeCudaDevices = "FAKE_CUDA_DEVICES";
// A folder of PTX files: their entries run (tests/support/ptx) instead of the kernels' twins on the host.
inline constexpr const char* kFakeCudaPtx = "FAKE_CUDA_PTX";

}  // namespace headroom::test
