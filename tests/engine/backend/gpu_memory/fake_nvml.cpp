// Stands for NVIDIA's library. FAKE_NVML says how it answers: "total reserved free" in MiB, or which call is refused.
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

}  // extern "C"
