// Stands for NVIDIA's library. FAKE_NVML says how it answers: "total reserved free" in MiB, or which call is refused.
// "8192 256 5000 MIG" is divided into instances. FAKE_NVML_PROCESSES: how many other processes are on the card, and
// what this one has there, in MiB for each of the instances that the card is divided into: "3 100", "3 100 50"; -1 is
// what is not told. Absent: the list is refused.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {

struct FakeMemory {
  unsigned version;
  unsigned long long total, reserved, free, used;
};

static int n_initialized = 0;
static const char* answer() { return std::getenv("FAKE_NVML") == nullptr ? "" : std::getenv("FAKE_NVML"); }
static int refused_if(const char* call) { return std::strcmp(answer(), call) == 0 ? 999 : 0; }

int nvmlInit_v2() {
  if (refused_if("init") != 0) return 9;
  ++n_initialized;
  return 0;
}
int nvmlShutdown() {
  --n_initialized;
  return 0;
}
int fakeNvmlOpen() { return n_initialized; }

// 1: not initialized, 6: no such card, as the real one counts.
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  if (n_initialized == 0) return 1;
  if (std::strcmp(bus, "0000:03:00.0") != 0) return 6;
  *device = &n_initialized;
  return refused_if("device");
}
int nvmlDeviceGetMemoryInfo_v2(void* device, struct FakeMemory* memory) {
  if (device != &n_initialized || memory->version != 0x02000028) return 25;  // another version of the struct
  const unsigned long long mib = 1024ULL * 1024;
  unsigned long long total = 0, reserved = 0, free = 0;
  if (std::sscanf(answer(), "%llu %llu %llu", &total, &reserved, &free) != 3) return 999;
  // "used" is whatever: documents conflict on what it counts.
  *memory = {memory->version, total * mib, reserved * mib, free * mib, 12345};
  return 0;
}

int nvmlDeviceGetMigMode(void*, unsigned* current, unsigned* pending) {
  *current = *pending = std::strstr(answer(), "MIG") != nullptr ? 1 : 0;
  return 0;
}

struct FakeProcess {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, struct FakeProcess* processes) {
  const char* answer = std::getenv("FAKE_NVML_PROCESSES");
  unsigned n_others = 0;
  int own[2] = {};
  const int n_read = answer == nullptr ? 0 : std::sscanf(answer, "%u %d %d", &n_others, &own[0], &own[1]);
  if (n_read == 0) return 3;  // not supported
  const unsigned n_given = *count;
  *count = n_others + static_cast<unsigned>(n_read) - 1;
  if (n_given < *count) return 7;
  const unsigned self = static_cast<unsigned>(getpid());
  for (unsigned i = 0; i < n_others; ++i) processes[i] = {self + 1 + i, 1ULL << 30, 0, 0};
  for (int i = 0; i + 1 < n_read; ++i) {
    const unsigned long long bytes = own[i] < 0 ? ~0ULL : static_cast<unsigned long long>(own[i]) << 20;
    processes[n_others + static_cast<unsigned>(i)] = {self, bytes, static_cast<unsigned>(i), 0};
  }
  return 0;
}

}  // extern "C"
