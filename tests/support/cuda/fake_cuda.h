// What tests tell and ask the fake driver (fake_cuda.cpp), which is a library of its own that the engine opens by
// HEADROOM_CUDA_DRIVER as it would NVIDIA's.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace headroom::test {

// When what was submitted runs: not before somebody waits for it, which shows who reads too early; before the call
// returns, which shows who writes what it reads too late; or either, as a seed has it.
enum class FakeRuns : std::uint8_t { kLate, kAtOnce, kEither };

// How NVML tells what this process holds: by its id; by none that it knows, as in a container; or not at all.
enum class FakeOwnUse : std::uint8_t { kById, kByAnotherId, kNotAvailable };

inline constexpr int kMostFakeDevices = 4;

struct FakeCuda {
  // The n-th from now, once; 0: none.
  std::atomic<std::uint32_t> refuse_at_allocation = 0, lose_at_launch = 0, hang_at_launch = 0;
  std::atomic<bool> ends_hangs = false;  // a kernel that hangs ends when somebody asks whether it has
  // Until so long after the first question no driver says that what was submitted is done.
  std::atomic<std::uint64_t> answers_after_us = 0;
  std::atomic<std::uint64_t> n_allocations = 0, n_launches = 0, n_ptx_launches = 0, n_graph_launches = 0, n_copies = 0;
  std::atomic<std::uint64_t> n_overlapped = 0;  // launches that may begin before the kernel before them ends
  std::atomic<std::uint64_t> device_bytes = 0, host_bytes = 0;  // allocated now
  std::atomic<std::uint64_t> most_device_bytes = 0;             // at once, since a test has set it to 0
  std::atomic<std::uint64_t> takes_at_launch = 0;  // of a device's memory, by the driver at the next launch, for good
  std::array<std::atomic<std::uint64_t>, kMostFakeDevices> taken{};  // of a device's memory by another program
  std::atomic<int> n_multiprocessors = 2;                            // that each device has
  std::atomic<int> cache_bytes = 2 << 20;                            // of the second level of each device
  std::atomic<int> n_contexts = 0;                                   // open now
  std::atomic<std::uint32_t> seed = 1;                               // of the order in which threads run
  std::atomic<FakeRuns> runs = FakeRuns::kEither;
  // Of NVML (fake_nvml.cpp), as nvmlReturn_t: what finding a card, its memory and its processes ends with; 0: well.
  std::atomic<int> nvml_card_error = 0, nvml_memory_error = 0, nvml_processes_error = 0;
  std::atomic<FakeOwnUse> nvml_own = FakeOwnUse::kById;
  std::atomic<bool> nvml_is_divided = false;      // into instances, of which each device of CUDA is one
  std::atomic<std::uint64_t> nvml_of_others = 0;  // bytes of a card that NVML knows and CUDA does not offer
  // What a right program never does, and what a kernel does wrong: said on the standard error, and counted unless the
  // driver is quiet.
  std::atomic<std::uint64_t> n_faults = 0;
  std::string last_fault;
  bool is_quiet = false;
  // A call that fails instead of doing anything: the n-th from now, once, with this error; 0: none. With
  // CUDA_ERROR_LAUNCH_FAILED (719) the device is lost.
  std::string failing_call;
  std::uint32_t fail_at = 0;
  int failure = 0;
  std::map<std::string, std::uint64_t> n_calls;        // by the function's name
  std::map<std::string, std::uint64_t> n_launches_of;  // by the kernel's
  // Whether a call that waits, the n-th of its name, is left out; null: none is.
  bool (*leaves_out)(const char* name, std::uint64_t n) = nullptr;
  // A barrier that does nothing, by its place among those of the kernel that it was met in; no name: all do.
  std::string skipped_kernel;
  int skipped_barrier = -1;
  std::size_t (*barrier_sites)(const char* kernel) = nullptr;  // that a kernel has come to so far
};

inline constexpr std::uint64_t kFakeContextBytes = 64 << 20;  // of a device's memory, beside what is allocated there
inline constexpr const char* kFakeCudaSymbol = "headroom_fake_cuda";  // FakeCuda* of the library
// "sm_90:2GiB,sm_75:512MiB@3b": the second is on PCI bus 3b, the first tells of none, and NVML knows the second alone.
// Absent: sm_90 with 2 GiB.
inline constexpr const char* kFakeCudaDevices = "FAKE_CUDA_DEVICES";
inline constexpr const char* kFakeCudaVersion = "FAKE_CUDA_VERSION";  // cuDriverGetVersion(); absent: for every card
inline constexpr const char* kFakeCudaFail = "FAKE_CUDA_FAIL";        // "cuInit=100": its first call fails so
inline constexpr const char* kFakeNvmlVersion = "FAKE_NVML_VERSION";  // of the driver; absent: 999.1
inline constexpr const char* kFakeNvmlInit = "FAKE_NVML_INIT";        // what nvmlInit_v2() ends with; absent: 0
// What a driver or a kernel does wrong, for programs that a test can only start: "lost@40", "hang@40", "crash@40" at a
// launch; "barrier:matmul_half_64:1" leaves that one out; "fragment": lanes get other words of tiles; "scale": an early
// upload of weights arrives with other scales; "behind@40": what follows an arena is written to at a launch; "stale": a
// graph that was launched twice does nothing any more.
inline constexpr const char* kFakeCudaFault = "FAKE_CUDA_FAULT";
// A folder of PTX files: their entries run (tests/support/ptx) instead of the kernels' twins on the host.
inline constexpr const char* kFakeCudaPtx = "FAKE_CUDA_PTX";

}  // namespace headroom::test
