// A dispatch as the launch of a CUDA kernel: pure.
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
  // Of a kernel that takes what kernels/lib/grouped.cuh describes: those that stand behind it in the first dimension.
  bool is_grouped = false;
  std::vector<CudaLaunch> beside;

  // Whether another one that does not wait for it can.
  bool takes_beside(const CudaLaunch& other) const;
  std::uint32_t blocks_across() const;
  std::vector<std::byte> params() const;
};

// What a kernel is given at most; of fewer words those behind them are 0. Of a grouped one each member takes so many.
inline constexpr std::size_t kCudaParamBytes = 256, kCudaMemberBytes = 192, kCudaMostGrouped = 3;

// Entry, threads and words; the buffers are left to the caller.
CudaLaunch cuda_launch(const Dispatch& dispatch);

}  // namespace headroom
