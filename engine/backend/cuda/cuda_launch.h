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
  std::vector<std::byte> params() const;
};

// What a kernel is given at most; of fewer words those behind them are 0.
inline constexpr std::size_t kCudaParamBytes = 256;

// Entry, threads and words; the buffers are left to the caller.
CudaLaunch cuda_launch(const Dispatch& dispatch);

}  // namespace headroom
