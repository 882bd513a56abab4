#include "backend/cuda/cuda_candidates.h"

#include "backend/cuda/cuda_arena.h"
#include "backend/cuda/cuda_launch.h"
#include "backend/gpu/gpu_words.h"

namespace headroom {

Result<std::unique_ptr<CudaCandidates>> CudaCandidates::prepare(std::shared_ptr<CudaDevice> device,
                                                                const CandidateSlices& slices) {
  Result<CudaInputCopy> copy = CudaInputCopy::prepare(device);
  if (!copy) return copy.error();
  std::unique_ptr<CudaCandidates> made(
      new CudaCandidates(std::move(device), slices, std::move(*copy)));  // NOLINT: the constructor is private
  if (Status found = made->find_kernels(); !found) return found.error();
  return made;
}

Status CudaCandidates::find_kernels() {
  const std::array<GpuSlice, 6> buffers = candidates_.buffers();
  std::size_t i = 0;
  for (const Kernel kernel : {Kernel::kRowMaxima, Kernel::kTopTokens}) {
    Dispatch dispatch;
    dispatch.kernel = kernel;
    dispatch.push = words_of(candidates_.push());
    CudaLaunch made = cuda_launch(dispatch);
    for (std::size_t at = 0; at < buffers.size(); ++at) {
      if (buffers[at]) made.buffers[at] = address_of(buffers[at]);
    }
    const Result<cuda::CUfunction> function = device_->find_kernel(made.entry);
    if (!function) return function.error();
    launches_[i++] = {*function, made.n_threads, made.params()};
  }
  return ok_status();
}

std::optional<GpuCopy> CudaCandidates::copy_of_queries(std::size_t n_queries) const {
  if (slices_.kernel_inputs.arena == slices_.inputs.arena) return std::nullopt;
  const GpuInputs& layout = slices_.layout;
  const Bytes first = layout.queries_at * 4,
              n_bytes = (layout.ids_at - layout.queries_at + n_queries * kMostCandidates) * 4;
  return GpuCopy{slices_.inputs.part(first, n_bytes), slices_.kernel_inputs.part(first, n_bytes)};
}

Status CudaCandidates::launch(const Launch& launch, const CudaDevice::Grid& grid) {
  return device_->launch("submitting work", launch.function, grid, launch.n_threads, launch.params);
}

Status CudaCandidates::start(std::size_t n_queries) {
  const auto n = static_cast<std::uint32_t>(n_queries);
  if (Status started = launch(launches_[0], {candidates_.n_sums(), n, 1}); !started) return started;
  return launch(launches_[1], {1, n, 1});
}

Status CudaCandidates::find(std::span<CandidateQuery> queries) {
  candidates_.write_queries(queries);
  if (const std::optional<GpuCopy> copy = copy_of_queries(queries.size())) {
    if (Status started = copy_.start({&*copy, 1}); !started) return started;
  }
  if (Status started = start(queries.size()); !started) return started;
  if (Status done = device_->wait_idle("finding the likeliest tokens"); !done) return done;
  return candidates_.read_answers(device_->id(), queries);
}

}  // namespace headroom
