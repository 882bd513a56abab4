#include "backend/cuda/cuda_kernels.h"

#include <algorithm>

#include "base/check.h"

// The build puts each image into the program: see CMakeLists.txt.
#define HEADROOM_KERNELS(file, ...)                                \
  extern "C" const unsigned char headroom_cuda_##file[];           \
  namespace headroom {                                             \
  namespace {                                                      \
  constexpr std::string_view k_##file##_entries[] = {__VA_ARGS__}; \
  }                                                                \
  }
#include "backend/cuda/kernel_files.inl"
#undef HEADROOM_KERNELS

namespace headroom {

std::span<const CudaKernelFile> cuda_kernel_files() {
#define HEADROOM_KERNELS(file, ...) \
  {#file, static_cast<const unsigned char*>(headroom_cuda_##file), k_##file##_entries},
  static const CudaKernelFile files[] = {
#include "backend/cuda/kernel_files.inl"
  };
#undef HEADROOM_KERNELS
  return files;
}

const CudaKernelFile& kernel_file_of(std::string_view entry) {
  for (const CudaKernelFile& file : cuda_kernel_files()) {
    if (std::ranges::find(file.entries, entry) != file.entries.end()) return file;
  }
  CHECK(false, "a kernel that is not there");
}

}  // namespace headroom
