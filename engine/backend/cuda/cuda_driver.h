// NVIDIA's driver API, opened when the program runs: the declarations are ours, so that this builds on every machine
// and starts on one without a driver. Names and meanings are those of the CUDA driver API reference; tests hold types
// and constants against the toolkit's header where there is one.
#pragma once

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

struct CUuuid {
  char bytes[16];
};

inline constexpr CUresult CUDA_SUCCESS = 0, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_READY = 600;

// CUdevice_attribute
inline constexpr int CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16, CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
                     CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
                     CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76;
inline constexpr int CU_COMPUTEMODE_PROHIBITED = 2;

// CUlimit: what a context sets aside for what our kernels never use.
inline constexpr int CU_LIMIT_STACK_SIZE = 0, CU_LIMIT_PRINTF_FIFO_SIZE = 1, CU_LIMIT_MALLOC_HEAP_SIZE = 2;

inline constexpr unsigned CU_CTX_SCHED_BLOCKING_SYNC = 4, CU_MEMHOSTALLOC_PORTABLE = 1, CU_STREAM_NON_BLOCKING = 1,
                          CU_EVENT_DISABLE_TIMING = 2;
inline constexpr int CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1;

// The functions that we call, by their names in the library where those have a version.
struct Driver {
  CUresult (*cuInit)(unsigned flags);
  CUresult (*cuDriverGetVersion)(int* version);
  CUresult (*cuGetErrorName)(CUresult error, const char** name);
  CUresult (*cuDeviceGetCount)(int* count);
  CUresult (*cuDeviceGet)(CUdevice* device, int ordinal);
  CUresult (*cuDeviceGetName)(char* name, int size, CUdevice device);
  CUresult (*cuDeviceGetAttribute)(int* value, int attribute, CUdevice device);
  CUresult (*cuDeviceTotalMem_v2)(std::size_t* bytes, CUdevice device);
  CUresult (*cuDeviceGetPCIBusId)(char* text, int size, CUdevice device);
  CUresult (*cuDevicePrimaryCtxSetFlags_v2)(CUdevice device, unsigned flags);
  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext* context, CUdevice device);
  CUresult (*cuDevicePrimaryCtxRelease_v2)(CUdevice device);
  CUresult (*cuDevicePrimaryCtxReset_v2)(CUdevice device);
  CUresult (*cuCtxSetCurrent)(CUcontext context);
  CUresult (*cuCtxSetLimit)(int limit, std::size_t value);
  CUresult (*cuMemGetInfo_v2)(std::size_t* free, std::size_t* total);
  CUresult (*cuMemAlloc_v2)(CUdeviceptr* address, std::size_t bytes);
  CUresult (*cuMemFree_v2)(CUdeviceptr address);
  CUresult (*cuMemHostAlloc)(void** address, std::size_t bytes, unsigned flags);
  CUresult (*cuMemFreeHost)(void* address);
  CUresult (*cuMemHostGetDevicePointer_v2)(CUdeviceptr* address, void* of, unsigned flags);
  CUresult (*cuMemcpyAsync)(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream);
  CUresult (*cuMemsetD8Async)(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream);
  CUresult (*cuStreamCreate)(CUstream* stream, unsigned flags);
  CUresult (*cuStreamDestroy_v2)(CUstream stream);
  CUresult (*cuStreamSynchronize)(CUstream stream);
  CUresult (*cuEventCreate)(CUevent* event, unsigned flags);
  CUresult (*cuEventRecord)(CUevent event, CUstream stream);
  CUresult (*cuEventSynchronize)(CUevent event);
  CUresult (*cuEventElapsedTime)(float* milliseconds, CUevent from, CUevent to);
  CUresult (*cuEventDestroy_v2)(CUevent event);
  CUresult (*cuModuleLoadData)(CUmodule* module, const void* image);
  CUresult (*cuModuleUnload)(CUmodule module);
  CUresult (*cuModuleGetFunction)(CUfunction* function, CUmodule module, const char* name);
  CUresult (*cuLaunchKernel)(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                             unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** params,
                             void** extra);
  CUresult (*cuStreamBeginCapture_v2)(CUstream stream, int mode);
  CUresult (*cuStreamEndCapture)(CUstream stream, CUgraph* graph);
  CUresult (*cuGraphInstantiateWithFlags)(CUgraphExec* exec, CUgraph graph, unsigned long long flags);
  CUresult (*cuGraphUpload)(CUgraphExec exec, CUstream stream);
  CUresult (*cuGraphLaunch)(CUgraphExec exec, CUstream stream);
  CUresult (*cuGraphExecDestroy)(CUgraphExec exec);
  CUresult (*cuGraphDestroy)(CUgraph graph);
};

inline constexpr int kLeastDriverVersion = 12000;  // as cuDriverGetVersion() counts: 1000 major + 10 minor
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
