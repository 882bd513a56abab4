// The ops of a plan on one card, as launches of kernels. A step of one token is captured as graphs when the plan is
// bound, because the host starts a graph faster than its launches one by one: with the copy of its inputs before the
// first op, and behind the head what finds the likeliest tokens. A card begins with a graph when the host has started
// all of it, so a long one is cut: the card has the first launches to do while the host starts the others. So a token
// of an answer is two launches at most, and one wait.
#pragma once

#include <array>
#include <memory>
#include <optional>
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
  Status copy_in(const GpuCopy& copy) override;
  Status finish_copies() override;
  Status top_k(std::span<CandidateQuery> queries) override;
  Status read_answers(std::span<CandidateQuery> queries) override;

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
  // A subgraph in a step of one row that asks for logits, with at most one query about them. It launches blocks for all
  // splits of the keys that a full context has; those beyond the splits of a step end at once. The device's first one
  // copies the inputs. What another device has computed for it, one row, is copied in it, too.
  struct Graph {
    std::uint32_t first_op = 0;
    bool copies_inputs = false;
    std::optional<GpuCopy> arrival;
    std::vector<cuda::CUgraphExec> parts;  // one behind the other
  };

  struct OpRange {
    std::uint32_t first = 0, last = 0;
  };

  CudaStep(std::shared_ptr<CudaDevice> device, GpuBinding bound)
      : device_(std::move(device)), bound_(std::move(bound)) {}
  bool has_head() const;
  Status find_parts(const StopToken& stop);
  Status prepare_inputs();
  Status make_events();
  Status capture_graphs();
  Status capture(const DeviceSubgraph& subgraph, bool copies_inputs);
  Result<cuda::CUgraphExec> capture_part(const DeviceSubgraph& subgraph, const Graph& graph, const OpRange& ops);
  Status start_all_of(const DeviceSubgraph& subgraph, const Graph& graph, const OpRange& ops);
  std::uint32_t end_of_first_part(const DeviceSubgraph& subgraph) const;
  std::optional<GpuCopy> find_arrival(const DeviceSubgraph& subgraph) const;
  Status launch(const Launch& launch, const CudaDevice::Grid& grid);
  Status write(const StepInputs& inputs);
  Status start_inputs(std::size_t n_rows, std::size_t n_queries, const std::optional<GpuCopy>& arrival);
  std::span<const Part> parts_of(std::size_t op, std::size_t n_rows) const;
  const Graph* find_graph(const DeviceSubgraph& subgraph, const StepInputs& inputs) const;

  std::shared_ptr<CudaDevice> device_;
  GpuBinding bound_;
  std::vector<std::vector<Part>> parts_;  // (RowClass, ops of the program); none of another device's
  std::vector<Graph> graphs_;
  std::optional<CudaInputCopy> copy_;           // from prepare() on
  std::unique_ptr<CudaCandidates> candidates_;  // null where another device has the head
  std::optional<GpuCopy> arrival_;              // of copy_in(), until something starts it
  std::array<cuda::CUevent, 2> done_{};         // of what was submitted last, and before it
  std::uint64_t n_submitted_ = 0;               // batches, of which two wait to run at most
  std::uint64_t written_step_ = 0;              // StepInputs::number of the inputs that the host has written
};

}  // namespace headroom
