#include "backend/cuda/cuda_kernels.h"

#include <algorithm>

#include "base/check.h"
#include "base/fingerprint.h"

// The build puts each image into the program: see CMakeLists.txt.
#define HEADROOM_KERNELS(file, ...)                                \
  extern "C" const std::byte headroom_cuda_##file[];               \
  extern "C" const std::byte headroom_cuda_##file##_end[];         \
  namespace headroom {                                             \
  namespace {                                                      \
  constexpr std::string_view k_##file##_entries[] = {__VA_ARGS__}; \
  }                                                                \
  }
#include "backend/cuda/kernel_files.inl"
#undef HEADROOM_KERNELS

namespace headroom {

std::span<const CudaKernelFile> cuda_kernel_files() {
#define HEADROOM_KERNELS(file, ...) {#file, {headroom_cuda_##file, headroom_cuda_##file##_end}, k_##file##_entries},
  static const CudaKernelFile files[] = {
#include "backend/cuda/kernel_files.inl"
  };
#undef HEADROOM_KERNELS
  return files;
}

std::uint64_t cuda_kernels_fingerprint() {
  static const std::uint64_t value = [] {
    Fingerprint print;
    for (const CudaKernelFile& file : cuda_kernel_files()) print.add(file.image);
    return print.value();
  }();
  return value;
}

const CudaKernelFile& kernel_file_of(std::string_view entry) {
  for (const CudaKernelFile& file : cuda_kernel_files()) {
    if (std::ranges::find(file.entries, entry) != file.entries.end()) return file;
  }
  CHECK(false, "a kernel that is not there");
}

}  // namespace headroom
