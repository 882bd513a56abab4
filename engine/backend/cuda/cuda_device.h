// An opened card: its context, the stream on which everything runs in order, and its kernels.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/cuda_cards.h"
#include "backend/gpu/gpu_step.h"
#include "backend/wait_pace.h"

namespace headroom {

// Shared by a backend and its arenas. The context is the one that all of this process shares on the card: two devices
// on one card have a stream each.
class CudaDevice final : public GpuDriver {
 public:
  // kResource when the driver refuses; kDeviceLost where the card was given up and has not answered since.
  static Result<std::shared_ptr<CudaDevice>> open(const CudaCard& card, const CudaWays& ways = {});
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice() override;

  const CudaCard& card() const { return card_; }
  bool uses_graphs() const { return ways_.uses_graphs; }
  const std::string& id() const override { return card_.info.id; }
  Status check_present() const override;
  Status wait_idle(std::string_view what) override;
  Status copy(std::string_view what, std::span<const GpuCopy> copies) override;
  Status clear(const GpuSlice& slice) override;
  Result<std::unique_ptr<GpuUploads>> make_uploads(std::uint32_t n_parts) override;

  // As wait_idle(): until all of a stream, or what was recorded as an event, is done. Asks the driver in the pace of
  // WaitPace, because its calls that wait have no end where a card never answers.
  Status wait_for(std::string_view what, cuda::CUstream stream);
  Status wait_for(std::string_view what, cuda::CUevent event);

  // Starts a copy that runs after all submitted work.
  Status start_copy(std::string_view what, const GpuCopy& copy);

  // Starts a kernel that runs after all submitted work. Where kOverlapVariable is "1", and card and driver can, its
  // blocks begin while the last blocks of the kernel before it still run (KERNEL_PDL in kernels/lib/device.cuh). An
  // H100 does without in less time: docs/performance.md, "GPUs".
  struct Grid {
    std::uint32_t x = 1, y = 1, z = 1;
  };
  Status launch(std::string_view what, cuda::CUfunction function, const Grid& grid, std::uint32_t n_threads,
                std::span<const std::byte> params);
  static constexpr const char* kOverlapVariable = "HEADROOM_CUDA_OVERLAP";

  // The driver's functions, with the card's context current on this thread.
  const cuda::Driver& driver() const;
  // To submit work there: the next wait_idle() asks the driver, which others need not.
  cuda::CUstream stream() {
    is_idle_ = false;
    return stream_;
  }

  // A kernel by the name of its entry; the file that has it is loaded when its first one is asked for. Errors name it.
  Result<cuda::CUfunction> find_kernel(std::string_view entry);

  // Whether the context is the one that was opened, and was not given up: else its memory is gone already, or the
  // card's for good.
  bool has_context() const;
  // Does what follows from giving something back: at once, or, once the card was given up, when it has answered after
  // all, which it may never do.
  void when_released(std::function<void()> then);

  // The error of a failed call; remembers a lost device, so that later calls fail too.
  Error failed(std::string_view what, cuda::CUresult result);

 private:
  CudaDevice(const cuda::Driver& driver, CudaCard card, const CudaWays& ways);
  Status create();
  bool is_given_up() const;
  Result<WaitPace::Duration> wait_until_done(std::string_view what, const WaitPace& pace,
                                             const std::function<cuda::CUresult()>& query);
  Error give_up(std::string_view what, std::chrono::milliseconds waited);

  const cuda::Driver& driver_;
  CudaCard card_;
  CudaWays ways_;
  cuda::CUdevice device_ = 0;
  cuda::CUcontext context_ = nullptr;
  cuda::CUstream stream_ = nullptr;
  std::map<std::string, cuda::CUmodule, std::less<>> modules_;  // by file
  std::uint64_t n_resets_ = 0;                                  // of the card's context before this was opened
  bool is_lost_ = false, has_overlap_ = false;
  WaitPace idle_pace_;    // of wait_idle()
  bool is_idle_ = false;  // nothing was submitted since the driver said that all is done
};

}  // namespace headroom
