// NVML over the cards of the fake driver: what all programs hold of them. A card is found by its place on the PCI bus,
// whatever its number in CUDA, and is not opened.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "support/cuda/fake_world.h"

namespace headroom::cuda {
namespace {

// nvmlReturn_t
constexpr int kSuccess = 0, kUninitialized = 1, kInvalidArgument = 2, kNoMig = 3, kNoSuchCard = 6,
              kInsufficientSize = 7, kOtherVersion = 25;

// What a driver keeps for itself, and does not count to what CUDA offers.
constexpr unsigned long long kReserved = 24ULL << 20;
constexpr unsigned kOtherProcess = 4321, kNoInstance = ~0U;

struct NvmlMemory {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
constexpr unsigned kMemoryVersion = sizeof(NvmlMemory) | 2U << 24;

struct NvmlProcess {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

int n_initialized = 0;

}  // namespace

extern "C" {

int nvmlInit_v2() {
  const std::lock_guard lock(world().mutex);
  const char* error = std::getenv(test::kFakeNvmlInit);
  if (error != nullptr && std::atoi(error) != 0) return std::atoi(error);
  read_devices();
  ++n_initialized;
  return kSuccess;
}

int nvmlShutdown() {
  const std::lock_guard lock(world().mutex);
  if (n_initialized == 0) return kUninitialized;
  --n_initialized;
  return kSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* text, CUctx_st** found) {
  const std::lock_guard lock(world().mutex);
  if (n_initialized == 0) return kUninitialized;
  if (control().nvml_card_error != 0) return control().nvml_card_error;
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  if (std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4) return kInvalidArgument;
  for (const auto& device : world().devices) {
    if (domain + slot + function != 0 || device->bus != static_cast<int>(bus)) continue;
    *found = device.get();
    return kSuccess;
  }
  return kNoSuchCard;
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  const std::lock_guard lock(world().mutex);
  if (n_initialized == 0) return kUninitialized;
  const char* version = std::getenv(test::kFakeNvmlVersion);
  std::snprintf(text, length, "%s", version != nullptr ? version : "999.1");
  return kSuccess;
}

int nvmlDeviceGetMemoryInfo_v2(const CUctx_st* device, NvmlMemory* memory) {
  const std::lock_guard lock(world().mutex);
  if (control().nvml_memory_error != 0) return control().nvml_memory_error;
  if (memory->version != kMemoryVersion) return kOtherVersion;
  const unsigned long long used = used_by_all(*device);
  const unsigned long long total = device->total + control().nvml_of_others;
  *memory = {kMemoryVersion, total + kReserved, kReserved, total - used, used};
  return kSuccess;
}

int nvmlDeviceGetMigMode(const CUctx_st* device, unsigned* current, unsigned* pending) {
  if (device->major < 8) return kNoMig;
  *current = *pending = control().nvml_is_divided ? 1 : 0;
  return kSuccess;
}

int nvmlDeviceGetComputeRunningProcesses_v3(const CUctx_st* device, unsigned* count, NvmlProcess* processes) {
  const std::lock_guard lock(world().mutex);
  test::FakeCuda& told = control();
  if (told.nvml_processes_error != 0) return told.nvml_processes_error;
  const auto is = [&](test::FakeOwnUse how) { return told.nvml_own == how; };
  std::vector<NvmlProcess> all;
  if (const unsigned long long taken = used_by_all(*device) - device->used; taken > 0)
    all.push_back({kOtherProcess, taken, kNoInstance, kNoInstance});
  if (device->n_retained > 0) {
    const unsigned pid = is(test::FakeOwnUse::kByAnotherId) ? kOtherProcess + 1 : static_cast<unsigned>(getpid());
    all.push_back({pid, is(test::FakeOwnUse::kNotAvailable) ? ~0ULL : device->used, kNoInstance, kNoInstance});
  }
  const bool is_enough = all.size() <= *count;
  *count = static_cast<unsigned>(all.size());
  if (!is_enough) return kInsufficientSize;
  std::copy(all.begin(), all.end(), processes);
  return kSuccess;
}

}  // extern "C"

}  // namespace headroom::cuda
