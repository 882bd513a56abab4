// A dispatch as the launch of a CUDA kernel: entry, threads and parameters. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "backend/cuda/cuda_driver.h"
#include "backend/gpu/gpu_dispatches.h"

namespace headroom {

struct CudaLaunch {
  std::string_view entry;       // of kernels/*.cu
  std::uint32_t n_threads = 0;  // of a block
  // Params of kernels/lib/params.cuh: the addresses of the buffers, then words.
  std::array<cuda::CUdeviceptr, kKernelBuffers> buffers{};
  std::vector<std::uint32_t> words;
  GridSize groups;
  // Several dispatches of one kernel that do not wait for each other may share a launch (kernels/lib/grouped.cuh):
  // their blocks stand side by side in the first dimension. Example: the products of queries, keys and values.
  bool is_grouped = false;         // this kernel can
  std::vector<CudaLaunch> beside;  // the other dispatches of this launch

  // Whether `other`, which does not wait for this one, can share its launch.
  bool takes_beside(const CudaLaunch& other) const;
  std::uint32_t blocks_across() const;
  std::vector<std::byte> params() const;
};

// Bytes of the parameters of a kernel, and of each member of a shared launch; unused ones are 0. At most
// kCudaMostGrouped dispatches share one.
inline constexpr std::size_t kCudaParamBytes = 256, kCudaMemberBytes = 192, kCudaMostGrouped = 3;

// Entry, threads and words; the buffers are left to the caller.
CudaLaunch cuda_launch(const Dispatch& dispatch);

}  // namespace headroom
