// NVIDIA's driver API, opened when the program runs: the declarations are ours, so that this builds on every machine
// and starts on one without a driver. Names and meanings are those of the CUDA driver API reference; tests hold types
// and constants against the toolkit's header where there is one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace headroom::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;

inline constexpr CUresult CUDA_SUCCESS = 0, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_READY = 600;

// CUdevice_attribute
inline constexpr int CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
                     CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
                     CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76;
inline constexpr int CU_COMPUTEMODE_PROHIBITED = 2;

// CUlimit: what a context sets aside for what our kernels never use.
inline constexpr int CU_LIMIT_STACK_SIZE = 0, CU_LIMIT_PRINTF_FIFO_SIZE = 1, CU_LIMIT_MALLOC_HEAP_SIZE = 2;

inline constexpr unsigned CU_CTX_SCHED_BLOCKING_SYNC = 4, CU_MEMHOSTALLOC_PORTABLE = 1, CU_STREAM_NON_BLOCKING = 1,
                          CU_EVENT_DISABLE_TIMING = 2;
inline constexpr int CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1;

// An option of a launch, of which we know one, and a launch: cuda.h, CUlaunchAttribute and CUlaunchConfig.
struct CUuuid {
  char bytes[16];
};
struct CUlaunchAttribute {
  int id;
  int padding;
  alignas(8) int value;
  char of_others[60];
};
struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned numAttrs;
};
inline constexpr int CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6;

// A pointer to each of those functions, by its name.
struct Driver {
#define HEADROOM_CUDA_FUNCTION(name, ...) CUresult (*name)(__VA_ARGS__);
#include "backend/cuda/driver_functions.inl"
#undef HEADROOM_CUDA_FUNCTION
};

// The least drivers that load the kernels, which NVRTC 12.9 compiled: any for CUDA 12 ("CUDA Compatibility" of NVIDIA,
// chapter "Minor Version Compatibility", table 1), for a card of Blackwell's the first that knew it ("CUDA Toolkit,
// Driver, and Architecture Matrix").
struct LeastDriver {
  int first_major;  // compute capability of cards from this one on
  int version;      // as cuDriverGetVersion() counts: 1000 major + 10 minor
  int branch;       // the first of the driver that has it
};
inline constexpr std::array kLeastDrivers{LeastDriver{0, 12000, 525}, LeastDriver{10, 12080, 570}};

// Of a card with this major number of its compute capability.
const LeastDriver& least_driver(int major);
// Says it of a driver that is older, without a full stop.
Message too_old_words(int version, const LeastDriver& least);

inline constexpr const char* kDriverLibrary = "libcuda.so.1";
inline constexpr const char* kDriverVariable = "HEADROOM_CUDA_DRIVER";  // another library, for tests

// Opened and initialized once for as long as the process lasts. kUnsupported says in a sentence what is missing. Any
// thread.
Result<const Driver*> driver();

// What became of a call, by the driver's own name for it: kResource where memory was refused, kDeviceLost where the
// context can do nothing more, else kUnsupported. `what` was tried, on the device `id`.
Error driver_error(const std::string& id, const std::string& what, CUresult result);
bool is_device_lost(CUresult result);
std::string result_name(CUresult result);

}  // namespace headroom::cuda
