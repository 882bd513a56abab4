#include "backend/cuda/cuda_candidates.h"

#include "backend/cuda/cuda_arena.h"
#include "backend/cuda/cuda_launch.h"
#include "backend/gpu/gpu_words.h"

namespace headroom {

Result<std::unique_ptr<CudaCandidates>> CudaCandidates::prepare(std::shared_ptr<CudaDevice> device,
                                                                const CandidateSlices& slices) {
  std::unique_ptr<CudaCandidates> made(
      new CudaCandidates(std::move(device), slices));  // NOLINT: the constructor is private
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

// Copies the queries to the device, where its kernels read a copy.
Status CudaCandidates::start_queries() {
  if (slices_.kernel_inputs.arena == slices_.inputs.arena) return ok_status();
  const GpuInputs& layout = slices_.layout;
  const Bytes first = layout.queries_at * 4, n_bytes = (layout.answers_at - layout.queries_at) * 4;
  return device_->start_copy({slices_.inputs.part(first, n_bytes), slices_.kernel_inputs.part(first, n_bytes)});
}

Status CudaCandidates::start(const Launch& launch, const CudaDevice::Grid& grid) {
  return device_->launch("submitting work", launch.function, grid, launch.n_threads, launch.params);
}

Status CudaCandidates::find(std::span<CandidateQuery> queries) {
  candidates_.write_queries(queries);
  if (Status started = start_queries(); !started) return started;
  if (Status started = start(launches_[0], {candidates_.n_sums(), candidates_.n_queries(), 1}); !started)
    return started;
  if (Status started = start(launches_[1], {1, candidates_.n_queries(), 1}); !started) return started;
  if (Status done = device_->wait_idle("finding the likeliest tokens"); !done) return done;
  return candidates_.read_answers(device_->id(), queries);
}

}  // namespace headroom
