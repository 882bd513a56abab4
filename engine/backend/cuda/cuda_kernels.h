// The kernels that were compiled with the program, by file: a driver loads all entries of a file together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headroom {

struct CudaKernelFile {
  std::string_view name;  // kernels/<name>.cu
  // Code for several kinds of cards, put together by cuda/compiler/pack_kernel.cpp.
  std::span<const std::byte> image;
  std::span<const std::string_view> entries;
};

std::span<const CudaKernelFile> cuda_kernel_files();

// Stands for all of them: other kernels have another one.
std::uint64_t cuda_kernels_fingerprint();

// The file that has this entry, which is one.
const CudaKernelFile& kernel_file_of(std::string_view entry);

}  // namespace headroom
