#include "backend/cuda/cuda_input_copy.h"

#include <algorithm>

#include "backend/cuda/cuda_arena.h"
#include "backend/cuda/kernel_limits.h"
#include "backend/gpu/gpu_words.h"
#include "base/check.h"

namespace headroom {
namespace {

// A thread waits for each word that it copies as long as the bus takes. So it has one, up to so many blocks, which have
// enough under way to keep the bus busy.
constexpr std::uint32_t kMostBlocks = 64;

}  // namespace

Result<CudaInputCopy> CudaInputCopy::prepare(std::shared_ptr<CudaDevice> device) {
  const Result<cuda::CUfunction> function = device->find_kernel("copy_inputs");
  if (!function) return function.error();
  return CudaInputCopy(std::move(device), *function);
}

Status CudaInputCopy::start(std::span<const GpuCopy> copies) const {
  if (copies.empty()) return ok_status();
  CHECK(copies.size() <= cuda::kMostInputCopies, "the inputs of a step are in more places than a kernel copies");
  cuda::CopyInputsParams params{};
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const GpuCopy& copy = copies[i];
    CHECK(copy.from.size == copy.to.size && copy.to.size % 4 == 0, "inputs are words, and there is room for them");
    params.from[i] = address_of(copy.from);
    params.to[i] = address_of(copy.to);
    params.n_words[i] = narrow(copy.to.size / 4);
    most = std::max(most, params.n_words[i]);
  }
  const auto n_blocks = static_cast<std::uint32_t>(div_up(most, cuda::kCopyInputsThreads));
  const CudaDevice::Grid grid{std::clamp(n_blocks, 1U, kMostBlocks), static_cast<std::uint32_t>(copies.size()), 1};
  return device_->launch("submitting work", function_, grid, cuda::kCopyInputsThreads,
                         std::as_bytes(std::span(&params, 1)));
}

}  // namespace headroom
