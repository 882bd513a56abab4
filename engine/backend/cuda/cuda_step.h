// The ops of a plan on one card, as launches of kernels. A step of one token is captured as a graph when the plan is
// bound, because the host starts a graph faster than its launches one by one.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backend/cuda/cuda_candidates.h"
#include "backend/cuda/cuda_device.h"
#include "backend/cuda/cuda_launch.h"

namespace headroom {

class CudaStep final : public GpuStep {
 public:
  // Loads the kernels of every op of the device and captures the graphs. Errors name the kernel; kCancelled when
  // stopped.
  static Result<std::unique_ptr<CudaStep>> prepare(std::shared_ptr<CudaDevice> device, GpuBinding bound,
                                                   const StopToken& stop);
  CudaStep(const CudaStep&) = delete;
  CudaStep& operator=(const CudaStep&) = delete;
  ~CudaStep() override;

  const GpuBinding& bound() const override { return bound_; }
  // Bounds the work that waits to run, so that a stop takes effect soon: waits between two parts where it is too much.
  Result<bool> submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) override;
  Status top_k(std::span<CandidateQuery> queries) override;

 private:
  struct Launch {
    cuda::CUfunction function = nullptr;
    std::uint32_t n_threads = 0;
    std::vector<std::byte> params;
    GridSize groups;
  };
  struct Part {
    std::vector<Launch> launches;
    std::uint32_t first_row = 0;
    double products_per_row = 0;
  };
  // A subgraph in a step of one row that asks for logits. It launches blocks for all splits of the keys that a full
  // context has; those beyond the splits of a step end at once.
  struct Graph {
    std::uint32_t first_op = 0;
    cuda::CUgraphExec exec = nullptr;
  };

  CudaStep(std::shared_ptr<CudaDevice> device, GpuBinding bound)
      : device_(std::move(device)), bound_(std::move(bound)) {}
  bool has_head() const;
  Status find_parts(const StopToken& stop);
  Status prepare_candidates();
  Status make_events();
  Status capture_graphs();
  Status launch(const Launch& launch, const CudaDevice::Grid& grid);
  Status start_inputs(const StepInputs& inputs);
  Status start_words(std::uint64_t first, std::uint64_t n_words);
  std::span<const Part> parts_of(std::size_t op, std::size_t n_rows) const;
  const Graph* find_graph(const DeviceSubgraph& subgraph, const StepInputs& inputs) const;

  std::shared_ptr<CudaDevice> device_;
  GpuBinding bound_;
  std::vector<std::vector<Part>> parts_;  // (RowClass, ops of the program); none of another device's
  std::vector<Graph> graphs_;
  std::unique_ptr<CudaCandidates> candidates_;  // null where another device has the head
  std::array<cuda::CUevent, 2> done_{};         // of what was submitted last, and before it
  std::uint64_t n_submitted_ = 0;               // batches, of which two wait to run at most
  std::uint64_t written_step_ = 0;              // StepInputs::number of the inputs that the device has
};

}  // namespace headroom
