// Prints the compute capability of each card that NVIDIA's driver shows, "8.9" a line. nvrtc.sh compiles and runs it
// where the driver's own program for that is not installed; it is no part of Headroom.
#include <dlfcn.h>

#include <cstdio>

int main() {
  constexpr int kMajor = 75, kMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return 1;
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDeviceGetCount"));
  const auto attribute = reinterpret_cast<int (*)(int*, int, int)>(dlsym(library, "cuDeviceGetAttribute"));
  if (init == nullptr || count == nullptr || attribute == nullptr) return 1;
  int n = 0;
  if (init(0) != 0 || count(&n) != 0) return 1;
  for (int i = 0; i < n; ++i) {
    int major = 0, minor = 0;
    // A device's handle is its ordinal.
    if (attribute(&major, kMajor, i) != 0 || attribute(&minor, kMinor, i) != 0) return 1;
    std::printf("%d.%d\n", major, minor);
  }
  return 0;
}
