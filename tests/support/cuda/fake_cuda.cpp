// A driver for CUDA on a machine without a card: the functions that backend/cuda/cuda_driver.h lists, over the emulated
// kernels. As strict as a driver may be: what is submitted runs as late as it may, a device's memory cannot be reached
// by the host, new memory is full of nonsense, and every copy and launch is held against what was allocated.
#include "support/cuda/fake_cuda.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "backend/cuda/cuda_driver.h"
#include "base/bytes.h"
#include "support/cuda/emulation.h"
#include "support/ptx/machine.h"

namespace headroom::cuda {
namespace {

constexpr CUresult kInvalidValue = 1, kNotFound = 500, kInvalidImage = 200, kInvalidHandle = 400, kNoDevice = 101,
                   kLaunchFailed = 719, kCaptureUnsupported = 900, kInvalidContext = 201;
constexpr std::size_t kContextBytes = 64 << 20;
constexpr std::uint32_t kFatbinMagic = 0xBA55ED50;
constexpr unsigned kMostGroupsBeyondX = 65535;

using Work = std::function<CUresult()>;

struct Device {
  int major = 9, minor = 0;
  std::size_t total = std::size_t{2} << 30, used = 0;
  int n_retained = 0;
  bool is_lost = false;
};

struct Allocation {
  std::size_t bytes = 0, mapped = 0;
  Device* device = nullptr;
  bool is_host = false;  // page-locked memory
};

}  // namespace

// What the handles of the API point to.
struct CUctx_st {
  Device* device;
};
struct CUmod_st {};
struct CUfunc_st {
  const EmulatedKernel* kernel;
};
struct CUgraph_st {
  std::vector<Work> work;
};
struct CUgraphExec_st {
  std::vector<Work> work;
};
struct CUstream_st {
  Device* device;
  std::vector<Work> waiting;
  std::unique_ptr<CUgraph_st> captured;  // while it records
};
struct CUevent_st {
  CUstream stream = nullptr;
};

namespace {

test::FakeCuda control;

// All that there is, under one lock: a driver may be called from any thread.
struct World {
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<std::unique_ptr<CUctx_st>> contexts;  // of devices, by number
  std::map<std::uintptr_t, Allocation> allocations;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
  std::vector<CUstream> streams;
};

World& world() {
  static World all;
  return all;
}

thread_local CUcontext current = nullptr;

std::size_t parse_size(const std::string& text) {
  const std::size_t n = std::strtoull(text.c_str(), nullptr, 10);
  if (text.ends_with("GiB")) return n << 30;
  return text.ends_with("MiB") ? n << 20 : n;
}

void read_devices() {
  World& all = world();
  if (!all.devices.empty()) return;
  const char* setting = std::getenv(test::kFakeCudaDevices);
  std::string rest = setting != nullptr ? setting : "sm_90:2GiB";
  while (!rest.empty()) {
    const std::string one = rest.substr(0, rest.find(','));
    rest = one.size() < rest.size() ? rest.substr(one.size() + 1) : "";
    if (one.size() < 5) continue;
    auto device = std::make_unique<Device>();
    const int version = std::atoi(one.c_str() + 3);
    device->major = version / 10;
    device->minor = version % 10;
    if (const std::size_t colon = one.find(':'); colon != std::string::npos)
      device->total = parse_size(one.substr(colon + 1));
    all.contexts.push_back(std::make_unique<CUctx_st>(CUctx_st{device.get()}));
    all.devices.push_back(std::move(device));
  }
}

void say(const std::string& what) {
  if (control.is_quiet) return;
  std::fprintf(stderr, "fake CUDA: %s\n", what.c_str());
}

CUresult lose(Device& device, const std::string& why) {
  if (!device.is_lost) say(why);
  device.is_lost = true;
  return kLaunchFailed;
}

// The allocation that holds all of [address, address + bytes).
const Allocation* find(std::uintptr_t address, std::size_t bytes) {
  auto& all = world().allocations;
  auto above = all.upper_bound(address);
  if (above == all.begin()) return nullptr;
  --above;
  return address + bytes <= above->first + above->second.bytes ? &above->second : nullptr;
}

void protect(int protection) {
  for (const auto& [address, allocation] : world().allocations) {
    if (!allocation.is_host)
      mprotect(reinterpret_cast<void*>(address), allocation.mapped, protection);  // NOLINT: an address of the API
  }
}

// What streams were given, in order; devices' memory is there for so long.
CUresult run_all(CUstream stream) {
  if (stream->waiting.empty()) return stream->device->is_lost ? kLaunchFailed : CUDA_SUCCESS;
  std::vector<Work> work;
  work.swap(stream->waiting);
  protect(PROT_READ | PROT_WRITE);
  CUresult result = CUDA_SUCCESS;
  for (const Work& each : work) {
    if (result == CUDA_SUCCESS) result = stream->device->is_lost ? kLaunchFailed : each();
  }
  protect(PROT_NONE);
  return result;
}

CUresult add(CUstream stream, Work work) {
  if (stream == nullptr) return kInvalidHandle;
  if (stream->device->is_lost) return kLaunchFailed;
  if (stream->captured) {
    stream->captured->work.push_back(std::move(work));
  } else {
    stream->waiting.push_back(std::move(work));
  }
  return CUDA_SUCCESS;
}

// None where the kernels' twins run.
const std::map<std::string, ptx::Entry>& ptx_entries() {
  static const std::map<std::string, ptx::Entry> all = [] {
    std::map<std::string, ptx::Entry> found;
    const char* folder = std::getenv(test::kFakeCudaPtx);
    if (folder == nullptr) return found;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() != ".ptx") continue;
      std::stringstream text;
      text << std::ifstream(file.path()).rdbuf();
      Result<std::map<std::string, ptx::Entry>> entries = ptx::parse(text.str());
      if (!entries) {
        say(entries.error().message);
        std::abort();
      }
      found.merge(*entries);
    }
    return found;
  }();
  return all;
}

std::string run_ptx(const ptx::Entry& entry, const std::vector<std::byte>& params, const unsigned (&grid)[3],
                    unsigned n_threads) {
  ++control.n_ptx_launches;
  ptx::Launch setup;
  setup.entry = &entry;
  std::copy(std::begin(grid), std::end(grid), setup.grid);
  setup.n_threads = n_threads;
  setup.params = params;
  setup.seed = control.seed++;
  setup.is_allocated = [](std::uint64_t address, std::size_t bytes) { return find(address, bytes) != nullptr; };
  return ptx::run(setup);
}

CUresult launch_now(const EmulatedKernel& kernel, Device& device, const std::vector<std::byte>& params,
                    const unsigned (&grid)[3], unsigned n_threads) {
  ++control.n_launches;
  if (control.lose_at_launch > 0 && --control.lose_at_launch == 0) return lose(device, "the device is lost for a test");
  if (const auto entry = ptx_entries().find(kernel.name); entry != ptx_entries().end()) {
    const std::string wrong = run_ptx(entry->second, params, grid, n_threads);
    return wrong.empty() ? CUDA_SUCCESS : lose(device, wrong);
  }
  EmulatedLaunch setup;
  setup.kernel = &kernel;
  std::copy(std::begin(grid), std::end(grid), setup.grid);
  setup.n_threads = n_threads;
  setup.params = params.data();
  setup.seed = control.seed++;
  if (control.skipped_kernel == kernel.name) setup.skipped_barrier = control.skipped_barrier;
  setup.order = setup.seed % 3 == 0   ? LaneOrder::kAscending
                : setup.seed % 3 == 1 ? LaneOrder::kShuffled
                                      : LaneOrder::kDescending;
  if (const std::string wrong = cuda::launch(setup); !wrong.empty()) return lose(device, wrong);
  return CUDA_SUCCESS;
}

CUresult allocate(std::size_t bytes, Device& device, bool is_host, std::uintptr_t& address) {
  ++control.n_allocations;
  if (bytes == 0) return kInvalidValue;
  if (control.refuse_at_allocation > 0 && --control.refuse_at_allocation == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!is_host && bytes > device.total - device.used) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::size_t mapped = round_up(bytes, Bytes{4096});
  void* at = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(at, 0xFB, bytes);  // NaN and large indices
  if (!is_host) {
    device.used += bytes;
    mprotect(at, mapped, PROT_NONE);
  }
  (is_host ? control.host_bytes : control.device_bytes) += bytes;
  address = reinterpret_cast<std::uintptr_t>(at);
  world().allocations[address] = {bytes, mapped, &device, is_host};
  return CUDA_SUCCESS;
}

void unmap(std::uintptr_t address, const Allocation& allocation) {
  munmap(reinterpret_cast<void*>(address), allocation.mapped);  // NOLINT: an address of the API
  if (!allocation.is_host) allocation.device->used -= allocation.bytes;
  (allocation.is_host ? control.host_bytes : control.device_bytes) -= allocation.bytes;
}

CUresult release(std::uintptr_t address, bool is_host) {
  World& all = world();
  const auto found = all.allocations.find(address);
  if (found == all.allocations.end() || found->second.is_host != is_host) return kInvalidValue;
  for (CUstream stream : all.streams) run_all(stream);  // as drivers wait for what uses it
  unmap(address, found->second);
  all.allocations.erase(found);
  return CUDA_SUCCESS;
}

// All that was made in the context is gone.
void reset(Device& device) {
  World& all = world();
  for (auto each = all.allocations.begin(); each != all.allocations.end();) {
    if (each->second.device != &device) {
      ++each;
      continue;
    }
    unmap(each->first, each->second);
    each = all.allocations.erase(each);
  }
  for (CUstream stream : all.streams) {
    if (stream->device == &device) stream->waiting.clear();
  }
  device.is_lost = false;
}

CUresult device_of(CUdevice number, Device*& device) {
  read_devices();
  if (number < 0 || static_cast<std::size_t>(number) >= world().devices.size()) return kNoDevice;
  device = world().devices[static_cast<std::size_t>(number)].get();
  return CUDA_SUCCESS;
}

}  // namespace

#define LOCKED() const std::lock_guard lock(world().mutex)
#define NEEDS_CONTEXT()                           \
  LOCKED();                                       \
  if (current == nullptr) return kInvalidContext; \
  if (current->device->is_lost) return kLaunchFailed

extern "C" {

test::FakeCuda* headroom_fake_cuda() {
  control.barrier_sites = [](const char* name) {
    const EmulatedKernel* kernel = find_emulated_kernel(name);
    return kernel == nullptr ? 0 : barrier_sites(*kernel);
  };
  return &control;
}

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) {
  const char* other = std::getenv("FAKE_CUDA_VERSION");
  *version = other != nullptr ? std::atoi(other) : 13000;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  switch (error) {
    case CUDA_ERROR_OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return CUDA_SUCCESS;
    case kLaunchFailed: *name = "CUDA_ERROR_LAUNCH_FAILED"; return CUDA_SUCCESS;
    case kNotFound: *name = "CUDA_ERROR_NOT_FOUND"; return CUDA_SUCCESS;
    default: return kInvalidValue;
  }
}
CUresult cuDeviceGetCount(int* count) {
  LOCKED();
  read_devices();
  *count = static_cast<int>(world().devices.size());
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  LOCKED();
  Device* found = nullptr;
  *device = ordinal;
  return device_of(ordinal, found);
}
CUresult cuDeviceGetName(char* name, int size, CUdevice number) {
  LOCKED();
  Device* device = nullptr;
  if (const CUresult found = device_of(number, device); found != CUDA_SUCCESS) return found;
  std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU %d", number);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice number) {
  LOCKED();
  Device* device = nullptr;
  if (const CUresult found = device_of(number, device); found != CUDA_SUCCESS) return found;
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = device->major; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = device->minor; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 2; break;
    default: *value = 0;
  }
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice number) {
  LOCKED();
  Device* device = nullptr;
  if (const CUresult found = device_of(number, device); found != CUDA_SUCCESS) return found;
  *bytes = device->total;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char*, int, CUdevice) { return kInvalidValue; }
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice, unsigned) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice number) {
  LOCKED();
  Device* device = nullptr;
  if (const CUresult found = device_of(number, device); found != CUDA_SUCCESS) return found;
  if (device->n_retained++ == 0) {
    if (device->total - device->used < kContextBytes) {
      --device->n_retained;
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    device->used += kContextBytes;
    ++control.n_contexts;
  }
  *context = world().contexts[static_cast<std::size_t>(number)].get();
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice number) {
  LOCKED();
  Device* device = nullptr;
  if (const CUresult found = device_of(number, device); found != CUDA_SUCCESS) return found;
  if (device->n_retained == 0) return kInvalidContext;
  if (--device->n_retained == 0) {
    device->used -= kContextBytes;
    reset(*device);
    --control.n_contexts;
  }
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxReset_v2(CUdevice number) {
  LOCKED();
  Device* device = nullptr;
  if (const CUresult found = device_of(number, device); found != CUDA_SUCCESS) return found;
  reset(*device);
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetLimit(int, std::size_t) { return CUDA_SUCCESS; }
CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  NEEDS_CONTEXT();
  *total = current->device->total;
  *free = current->device->total - current->device->used;
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  NEEDS_CONTEXT();
  std::uintptr_t at = 0;
  const CUresult made = allocate(bytes, *current->device, false, at);
  *address = at;
  return made;
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  LOCKED();
  return release(address, false);
}
CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  NEEDS_CONTEXT();
  std::uintptr_t at = 0;
  const CUresult made = allocate(bytes, *current->device, true, at);
  *address = reinterpret_cast<void*>(at);  // NOLINT: an address of the API
  return made;
}
CUresult cuMemFreeHost(void* address) {
  LOCKED();
  return release(reinterpret_cast<std::uintptr_t>(address), true);
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* of, unsigned) {
  *address = reinterpret_cast<std::uintptr_t>(of);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  NEEDS_CONTEXT();
  ++control.n_copies;
  if (find(to, bytes) == nullptr || find(from, bytes) == nullptr) {
    say("a copy leaves what was allocated");
    return kInvalidValue;
  }
  if (to < from + bytes && from < to + bytes) return kInvalidValue;
  return add(stream, [=] {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);  // NOLINT
    return CUDA_SUCCESS;
  });
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  NEEDS_CONTEXT();
  if (find(to, bytes) == nullptr) return kInvalidValue;
  return add(stream, [=] {
    std::memset(reinterpret_cast<void*>(to), value, bytes);  // NOLINT: an address of the API
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamCreate(CUstream* stream, unsigned) {
  NEEDS_CONTEXT();
  *stream = new CUstream_st{current->device, {}, nullptr};
  world().streams.push_back(*stream);
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  LOCKED();
  std::erase(world().streams, stream);
  delete stream;
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
  NEEDS_CONTEXT();
  return stream->captured ? kCaptureUnsupported : run_all(stream);
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  NEEDS_CONTEXT();
  *event = new CUevent_st{};
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  NEEDS_CONTEXT();
  event->stream = stream;
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent event) {
  NEEDS_CONTEXT();
  return event->stream == nullptr ? CUDA_SUCCESS : run_all(event->stream);
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
  *milliseconds = 1;
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy_v2(CUevent event) {
  delete event;
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  NEEDS_CONTEXT();
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof(magic));
  if (magic != kFatbinMagic) return kInvalidImage;
  ++control.n_modules;
  *module = new CUmod_st{};
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  LOCKED();
  --control.n_modules;
  delete module;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  NEEDS_CONTEXT();
  const EmulatedKernel* kernel = find_emulated_kernel(name);
  if (kernel == nullptr) return kNotFound;
  std::unique_ptr<CUfunc_st>& known = world().functions[name];
  if (!known) known = std::make_unique<CUfunc_st>(CUfunc_st{kernel});
  *function = known.get();
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** params,
                        void** extra) {
  NEEDS_CONTEXT();
  const EmulatedKernel& kernel = *function->kernel;
  if (grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_y > kMostGroupsBeyondX || grid_z > kMostGroupsBeyondX ||
      block_x == 0 || block_x > kernel.n_threads || block_y != 1 || block_z != 1 || shared_bytes != 0 ||
      extra != nullptr) {
    say(std::string(kernel.name) + " is launched with sizes that it cannot have");
    return kInvalidValue;
  }
  // A driver takes what a kernel is given when it is launched.
  const auto* given = static_cast<const std::byte*>(params[0]);
  std::vector<std::byte> taken(given, given + kernel.param_bytes);
  return add(stream, [&kernel, device = stream->device, taken = std::move(taken), grid_x, grid_y, grid_z, block_x] {
    return launch_now(kernel, *device, taken, {grid_x, grid_y, grid_z}, block_x);
  });
}
CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  NEEDS_CONTEXT();
  if (stream->captured || !stream->waiting.empty()) return kCaptureUnsupported;
  stream->captured = std::make_unique<CUgraph_st>();
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  NEEDS_CONTEXT();
  *graph = stream->captured.release();
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long) {
  NEEDS_CONTEXT();
  *exec = new CUgraphExec_st{graph->work};
  return CUDA_SUCCESS;
}
CUresult cuGraphUpload(CUgraphExec, CUstream) { return CUDA_SUCCESS; }
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  NEEDS_CONTEXT();
  ++control.n_graph_launches;
  for (const Work& each : exec->work) {
    if (const CUresult added = add(stream, each); added != CUDA_SUCCESS) return added;
  }
  return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  delete exec;
  return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}

}  // extern "C"
}  // namespace headroom::cuda
