#include "backend/cuda/cuda_uploads.h"

#include "backend/cuda/cuda_arena.h"

namespace headroom {
namespace {

constexpr const char* kUploading = "streaming weights to it";

}  // namespace

Result<std::unique_ptr<GpuUploads>> CudaUploads::open(CudaDevice& device, std::uint32_t n_parts) {
  std::unique_ptr<CudaUploads> made(new CudaUploads(device));  // NOLINT: the constructor is private
  if (Status done = made->make(n_parts); !done) return done.error();
  return std::unique_ptr<GpuUploads>(std::move(made));
}

Status CudaUploads::make(std::uint32_t n_parts) {
  const cuda::Driver& driver = device_.driver();
  if (const auto made = driver.cuStreamCreate(&stream_, cuda::CU_STREAM_NON_BLOCKING); made != cuda::CUDA_SUCCESS)
    return device_.failed("making a stream", made);
  parts_.resize(n_parts);
  std::vector<cuda::CUevent*> events{&marked_, &ended_};
  for (cuda::CUevent& part : parts_) events.push_back(&part);
  for (cuda::CUevent* event : events) {
    const auto made = driver.cuEventCreate(event, cuda::CU_EVENT_DISABLE_TIMING);
    if (made != cuda::CUDA_SUCCESS) return device_.failed("making an event", made);
  }
  return ok_status();
}

CudaUploads::~CudaUploads() {
  if (stream_ != nullptr) (void)device_.wait_for(kUploading, stream_);
  if (!device_.has_context()) return;
  const cuda::Driver& driver = device_.driver();
  if (stream_ != nullptr) driver.cuStreamDestroy_v2(stream_);
  parts_.insert(parts_.end(), {marked_, ended_});
  for (const cuda::CUevent event : parts_) {
    if (event != nullptr) driver.cuEventDestroy_v2(event);
  }
}

Status CudaUploads::done(cuda::CUresult result) {
  return result == cuda::CUDA_SUCCESS ? ok_status() : Status(device_.failed(kUploading, result));
}

// An event that was never recorded holds up nobody.
Status CudaUploads::begin() { return done(device_.driver().cuStreamWaitEvent(stream_, marked_, 0)); }

Status CudaUploads::mark() { return done(device_.driver().cuEventRecord(marked_, device_.stream())); }

Status CudaUploads::wait(std::uint32_t part) { return device_.wait_for(kUploading, parts_[part]); }

Status CudaUploads::start(const GpuCopy& copy, std::uint32_t part) {
  const cuda::Driver& driver = device_.driver();
  const auto started = driver.cuMemcpyAsync(address_of(copy.to), address_of(copy.from), copy.from.size, stream_);
  return done(started != cuda::CUDA_SUCCESS ? started : driver.cuEventRecord(parts_[part], stream_));
}

Status CudaUploads::end() {
  const cuda::Driver& driver = device_.driver();
  const auto recorded = driver.cuEventRecord(ended_, stream_);
  return done(recorded != cuda::CUDA_SUCCESS ? recorded : driver.cuStreamWaitEvent(device_.stream(), ended_, 0));
}

}  // namespace headroom
