// A driver for CUDA on a machine without a card: the functions of backend/cuda/cuda_driver.h, over the emulated
// kernels. As strict as a driver may be: what is submitted runs as late as it may or at once, a device's memory cannot
// be reached by the host, new memory is full of nonsense, handles are known while what they stand for is there, and
// every copy and launch is held against what was allocated.
#include "support/cuda/fake_cuda.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/cuda/fake_world.h"

namespace headroom::cuda {
namespace {

constexpr std::uint32_t kFatbinMagic = 0xBA55ED50;
constexpr unsigned kMostGroupsBeyondX = 65535;

thread_local CUcontext current = nullptr;

CUresult device_of(CUdevice number, CUctx_st*& device) {
  read_devices();
  if (number < 0 || static_cast<std::size_t>(number) >= world().devices.size()) return kInvalidDevice;
  device = world().devices[static_cast<std::size_t>(number)].get();
  return CUDA_SUCCESS;
}

// Whether this thread records a stream, which forbids what might not end before the recording does.
bool is_capturing() {
  bool any = false;
  world().streams.for_each([&](const CUstream_st& stream) {
    any |= stream.captured != nullptr && stream.capturing == std::this_thread::get_id();
  });
  return any;
}

// Whether a test has this call do nothing.
bool is_left_out(const char* name) {
  const test::FakeCuda& told = control();
  return told.leaves_out != nullptr && told.leaves_out(name, told.n_calls.at(name));
}

CUresult allocate(std::size_t bytes, bool is_host, std::uintptr_t& address) {
  ++control().n_allocations;
  if (bytes == 0) return kInvalidValue;
  if (control().refuse_at_allocation > 0 && --control().refuse_at_allocation == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!is_host && bytes > current->total - used_by_all(*current)) return CUDA_ERROR_OUT_OF_MEMORY;
  address = world().memory.allocate(bytes, current->number, is_host);
  if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!is_host) current->used += bytes;
  (is_host ? control().host_bytes : control().device_bytes) += bytes;
  control().most_device_bytes = std::max<std::uint64_t>(control().most_device_bytes, control().device_bytes);
  return CUDA_SUCCESS;
}

CUresult release(std::uintptr_t address, bool is_host) {
  const auto found = world().memory.all().find(address);
  if (found == world().memory.all().end() || found->second.is_host != is_host)
    return fault(kInvalidValue, "memory is freed that was not allocated so");
  // As drivers wait for what uses it.
  CUresult done = CUDA_SUCCESS;
  world().streams.for_each([&](CUstream_st& stream) {
    if (const CUresult ended = run_until(stream, stream.n_added); ended != CUDA_SUCCESS) done = ended;
  });
  const test::FakeMemory::Allocation allocation = found->second;
  if (!is_host) world().devices[static_cast<std::size_t>(allocation.device)]->used -= allocation.bytes;
  (is_host ? control().host_bytes : control().device_bytes) -= allocation.bytes;
  const std::string wrong = world().memory.release(address);
  return wrong.empty() ? done : fault(kInvalidValue, wrong);
}

// What is asked the first time since something was submitted is not done yet, as with a card. A kernel that hangs ends
// at most when a test says so.
CUresult ask(CUstream_st& stream, std::uint64_t position, Question& question) {
  if (stream.context->hangs && control().ends_hangs) stream.context->hangs = false;
  const auto now = std::chrono::steady_clock::now();
  if (!std::exchange(question.was_asked, true)) {
    question.first = now;
    return CUDA_ERROR_NOT_READY;
  }
  if (now - question.first < std::chrono::microseconds(control().answers_after_us)) return CUDA_ERROR_NOT_READY;
  const CUresult done = run_until(stream, position);
  return done == CUDA_SUCCESS && stream.n_run < position ? CUDA_ERROR_NOT_READY : done;
}

CUresult unknown_handle(const char* function) {
  return fault(kInvalidHandle, std::string(function) + " is given what is not there");
}

bool has_function(const CUfunc_st* function) {
  bool any = false;
  world().modules.for_each([&](const CUmod_st& module) {
    for (const auto& [name, each] : module.functions) any |= &each == function;
  });
  return any;
}

}  // namespace

#define CALLED()                             \
  const std::lock_guard lock(world().mutex); \
  if (const CUresult seeded = called(__func__, current); seeded != CUDA_SUCCESS) return seeded
#define NEEDS_CONTEXT()                                                                  \
  CALLED();                                                                              \
  if (current == nullptr || current->n_retained == 0)                                    \
    return fault(kInvalidContext, std::string(__func__) + " is called with no context"); \
  if (current->is_lost) return kLaunchFailed
// What drivers do no sooner than all that runs on the device has ended.
#define WAITS_FOR(device) \
  if ((device)->hangs)    \
  return fault(CUDA_ERROR_NOT_READY, std::string(__func__) + " waits for a device that never answers")
#define NEEDS_NO_RECORDING()                                            \
  if (is_capturing())                                                   \
  return fault(kCaptureUnsupported, std::string(__func__) +             \
                                        " is called while a stream is " \
                                        "recorded")
#define NEEDS(handles, handle) \
  if (!world().handles.has(handle)) return unknown_handle(__func__)
#define NEEDS_DEVICE(number, device) \
  CUctx_st* device = nullptr;        \
  if (const CUresult found = device_of(number, device); found != CUDA_SUCCESS) return found

extern "C" {

test::FakeCuda* headroom_fake_cuda() {
  control().barrier_sites = [](const char* name) {
    const EmulatedKernel* kernel = find_emulated_kernel(name);
    return kernel == nullptr ? 0 : barrier_sites(*kernel);
  };
  return &control();
}

CUresult cuInit(unsigned) {
  CALLED();
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  CALLED();
  const char* other = std::getenv(test::kFakeCudaVersion);
  *version = other != nullptr ? std::atoi(other) : kLeastDrivers.back().version;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  CALLED();
  switch (error) {
    case CUDA_ERROR_OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return CUDA_SUCCESS;
    case kNoDevice: *name = "CUDA_ERROR_NO_DEVICE"; return CUDA_SUCCESS;
    case kLaunchFailed: *name = "CUDA_ERROR_LAUNCH_FAILED"; return CUDA_SUCCESS;
    case kNotFound: *name = "CUDA_ERROR_NOT_FOUND"; return CUDA_SUCCESS;
    default: return kInvalidValue;
  }
}
CUresult cuDeviceGetCount(int* count) {
  CALLED();
  read_devices();
  *count = static_cast<int>(world().devices.size());
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* number, int ordinal) {
  CALLED();
  NEEDS_DEVICE(ordinal, device);
  *number = device->number;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice number) {
  CALLED();
  NEEDS_DEVICE(number, device);
  std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU %d", device->number);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice number) {
  CALLED();
  NEEDS_DEVICE(number, device);
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = device->major; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = device->minor; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = control().n_multiprocessors; break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = control().cache_bytes; break;
    default: *value = 0;
  }
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice number) {
  CALLED();
  NEEDS_DEVICE(number, device);
  *bytes = device->total;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice number) {
  CALLED();
  NEEDS_DEVICE(number, device);
  *uuid = {};
  uuid->bytes[0] = static_cast<char>(0xfa);
  uuid->bytes[15] = static_cast<char>(device->number);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* text, int size, CUdevice number) {
  CALLED();
  NEEDS_DEVICE(number, device);
  if (device->bus < 0) return kInvalidValue;
  std::snprintf(text, static_cast<std::size_t>(size), "0000:%02X:00.0", static_cast<unsigned>(device->bus));
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice number, unsigned) {
  CALLED();
  NEEDS_DEVICE(number, device);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice number) {
  CALLED();
  NEEDS_DEVICE(number, device);
  if (device->n_retained == 0) {
    if (device->total - used_by_all(*device) < test::kFakeContextBytes) return CUDA_ERROR_OUT_OF_MEMORY;
    device->used += test::kFakeContextBytes;
    ++control().n_contexts;
  }
  ++device->n_retained;
  *context = device;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice number) {
  CALLED();
  NEEDS_DEVICE(number, device);
  if (device->n_retained == 0) return fault(kInvalidContext, "a context is released that is not there");
  if (device->n_retained == 1) WAITS_FOR(device);
  if (--device->n_retained > 0) return CUDA_SUCCESS;
  if (const std::string left = left_in(*device); !left.empty() && !device->is_lost)
    fault(CUDA_SUCCESS, "a context ends, and of what it had there are still " + left);
  reset(*device);
  device->used -= test::kFakeContextBytes;
  --control().n_contexts;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxReset_v2(CUdevice number) {
  CALLED();
  NEEDS_DEVICE(number, device);
  WAITS_FOR(device);
  reset(*device);
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  CALLED();
  if (context != nullptr && context->n_retained == 0)
    return fault(kInvalidContext, "a context is made current that is not there");
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetLimit(int, std::size_t) {
  NEEDS_CONTEXT();
  return CUDA_SUCCESS;
}
CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  NEEDS_CONTEXT();
  *total = current->total;
  *free = current->total - used_by_all(*current);
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  NEEDS_CONTEXT();
  NEEDS_NO_RECORDING();
  std::uintptr_t at = 0;
  const CUresult made = allocate(bytes, false, at);
  *address = at;
  return made;
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  NEEDS_CONTEXT();
  NEEDS_NO_RECORDING();
  WAITS_FOR(current);
  return release(address, false);
}
CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  NEEDS_CONTEXT();
  NEEDS_NO_RECORDING();
  std::uintptr_t at = 0;
  const CUresult made = allocate(bytes, true, at);
  *address = reinterpret_cast<void*>(at);  // NOLINT: an address of the API
  return made;
}
CUresult cuMemFreeHost(void* address) {
  NEEDS_CONTEXT();
  NEEDS_NO_RECORDING();
  WAITS_FOR(current);
  return release(reinterpret_cast<std::uintptr_t>(address), true);
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* of, unsigned) {
  NEEDS_CONTEXT();
  const auto at = reinterpret_cast<std::uintptr_t>(of);
  const test::FakeMemory::Allocation* allocation = world().memory.find(at, 1);
  if (allocation == nullptr || !allocation->is_host) return fault(kInvalidValue, "page-locked memory is not there");
  *address = at;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  NEEDS_CONTEXT();
  NEEDS(streams, stream);
  ++control().n_copies;
  if (world().memory.find(to, bytes) == nullptr || world().memory.find(from, bytes) == nullptr)
    return fault(kInvalidValue, fmt::format("a copy of {} bytes leaves what was allocated", bytes));
  if (to < from + bytes && from < to + bytes) return fault(kInvalidValue, "a copy overlaps itself");
  return add(*stream, [=] {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);  // NOLINT
    const auto* source = world().memory.find(from, bytes);
    copied(to, bytes, source != nullptr && source->is_host);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  NEEDS_CONTEXT();
  NEEDS(streams, stream);
  if (world().memory.find(to, bytes) == nullptr)
    return fault(kInvalidValue, fmt::format("{} bytes to set leave what was allocated", bytes));
  return add(*stream, [=] {
    std::memset(reinterpret_cast<void*>(to), value, bytes);  // NOLINT: an address of the API
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamCreate(CUstream* stream, unsigned) {
  NEEDS_CONTEXT();
  auto made = std::make_unique<CUstream_st>();
  made->context = current;
  *stream = world().streams.add(std::move(made));
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  NEEDS_CONTEXT();
  NEEDS(streams, stream);
  WAITS_FOR(current);
  const CUresult done = run_until(*stream, stream->n_added);
  world().events.for_each([&](CUevent_st& event) {
    if (event.stream == stream) event.stream = nullptr;
  });
  world().streams.remove(stream);
  return done;
}
CUresult cuStreamQuery(CUstream stream) {
  NEEDS_CONTEXT();
  NEEDS(streams, stream);
  NEEDS_NO_RECORDING();
  return ask(*stream, stream->n_added, stream->done);
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  NEEDS_CONTEXT();
  NEEDS(streams, stream);
  NEEDS(events, event);
  if (is_left_out(__func__)) return CUDA_SUCCESS;
  if (stream->captured) return fault(kNotSupported, "a recorded stream waits for an event, which is not emulated");
  if (event->stream == nullptr || event->stream == stream) return CUDA_SUCCESS;
  // For what it was recorded behind by now.
  return add(*stream, [before = event->stream, position = event->position] {
    return world().streams.has(before) ? run_until(*before, position) : CUDA_SUCCESS;
  });
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  NEEDS_CONTEXT();
  auto made = std::make_unique<CUevent_st>();
  made->context = current;
  *event = world().events.add(std::move(made));
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  NEEDS_CONTEXT();
  NEEDS(events, event);
  NEEDS(streams, stream);
  if (stream->captured) return fault(kNotSupported, "an event is recorded into a graph, which is not emulated");
  event->stream = stream;
  event->position = stream->n_added;
  event->done.was_asked = false;
  return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent event) {
  NEEDS_CONTEXT();
  NEEDS(events, event);
  NEEDS_NO_RECORDING();
  if (is_left_out(__func__)) return CUDA_SUCCESS;
  return event->stream == nullptr ? CUDA_SUCCESS : ask(*event->stream, event->position, event->done);
}
CUresult cuEventDestroy_v2(CUevent event) {
  NEEDS_CONTEXT();
  return world().events.remove(event) ? CUDA_SUCCESS : unknown_handle(__func__);
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  NEEDS_CONTEXT();
  NEEDS_NO_RECORDING();
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof(magic));
  if (magic != kFatbinMagic) return fault(kInvalidImage, "a module is not what pack_kernel makes");
  auto made = std::make_unique<CUmod_st>();
  made->context = current;
  *module = world().modules.add(std::move(made));
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  NEEDS_CONTEXT();
  WAITS_FOR(current);
  return world().modules.remove(module) ? CUDA_SUCCESS : unknown_handle(__func__);
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  NEEDS_CONTEXT();
  NEEDS(modules, module);
  const EmulatedKernel* kernel = find_emulated_kernel(name);
  if (kernel == nullptr) return kNotFound;
  *function = &module->functions.try_emplace(name, CUfunc_st{kernel}).first->second;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** params, void** extra) {
  NEEDS_CONTEXT();
  const CUstream stream = config->hStream;
  NEEDS(streams, stream);
  if (!has_function(function)) return unknown_handle(__func__);
  const EmulatedKernel& kernel = *function->kernel;
  const CUlaunchConfig& of = *config;
  if (of.gridDimX == 0 || of.gridDimY == 0 || of.gridDimZ == 0 || of.gridDimY > kMostGroupsBeyondX ||
      of.gridDimZ > kMostGroupsBeyondX || of.blockDimX == 0 || of.blockDimX > kernel.n_threads || of.blockDimY != 1 ||
      of.blockDimZ != 1 || of.sharedMemBytes != 0 || extra != nullptr)
    return fault(kInvalidValue, std::string(kernel.name) + " is launched with sizes that it cannot have");
  for (unsigned i = 0; i < of.numAttrs; ++i) {
    if (of.attrs[i].id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      return fault(kInvalidValue, std::string(kernel.name) + " is launched with an option that is not known");
    if (of.attrs[i].value != 0 && stream->context->major < 9)
      return fault(kNotSupported, std::string(kernel.name) + " is to begin before others end, on a card that cannot");
    if (of.attrs[i].value != 0) ++control().n_overlapped;
  }
  // A driver takes what a kernel is given when it is launched.
  const auto* given = static_cast<const std::byte*>(params[0]);
  std::vector<std::byte> taken(given, given + kernel.param_bytes);
  const LaunchSizes sizes{{of.gridDimX, of.gridDimY, of.gridDimZ}, of.blockDimX};
  return add(*stream, [&kernel, device = stream->context, taken = std::move(taken), sizes] {
    return launch_now(kernel, *device, taken, sizes);
  });
}
CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  NEEDS_CONTEXT();
  NEEDS(streams, stream);
  if (stream->captured) return fault(kCaptureUnsupported, "a stream is recorded that is recorded already");
  stream->captured = std::make_unique<CUgraph_st>();
  stream->captured->context = stream->context;
  stream->capturing = std::this_thread::get_id();
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  // A recording ends also where a driver makes no graph of it.
  const std::lock_guard all(world().mutex);
  std::unique_ptr<CUgraph_st> captured;
  if (world().streams.has(stream)) captured = std::move(stream->captured);
  *graph = nullptr;
  NEEDS_CONTEXT();
  NEEDS(streams, stream);
  if (!captured) return fault(kCaptureUnsupported, "a recording ends that was not begun");
  *graph = world().graphs.add(std::move(captured));
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long) {
  NEEDS_CONTEXT();
  NEEDS(graphs, graph);
  *exec = world().execs.add(std::make_unique<CUgraphExec_st>(CUgraphExec_st{graph->context, graph->work}));
  return CUDA_SUCCESS;
}
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  NEEDS_CONTEXT();
  NEEDS(execs, exec);
  NEEDS(streams, stream);
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  NEEDS_CONTEXT();
  NEEDS(execs, exec);
  NEEDS(streams, stream);
  ++control().n_graph_launches;
  if (is_stale(++exec->n_launches)) return CUDA_SUCCESS;
  for (const Work& each : exec->work) {
    if (const CUresult added = add(*stream, each); added != CUDA_SUCCESS) return added;
  }
  return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  CALLED();
  if (world().execs.has(exec)) WAITS_FOR(exec->context);
  return world().execs.remove(exec) ? CUDA_SUCCESS : unknown_handle(__func__);
}
CUresult cuGraphDestroy(CUgraph graph) {
  CALLED();
  return world().graphs.remove(graph) ? CUDA_SUCCESS : unknown_handle(__func__);
}

}  // extern "C"

// Each function that the engine asks for is here, as it is declared there.
#define HEADROOM_CUDA_FUNCTION(name, ...) static_assert(std::is_same_v<decltype(&name), decltype(Driver::name)>, #name);
#include "backend/cuda/driver_functions.inl"
#undef HEADROOM_CUDA_FUNCTION

}  // namespace headroom::cuda
