// Runs the steps of a plan: hands each device its subgraphs of the program, in order, and copies buffers between
// devices where one subgraph reads what another wrote.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "plan/speed.h"
#include "run/backends.h"
#include "run/kv_rings.h"

namespace headroom {

// Used from the engine thread. Nothing is allocated after open().
class Executor {
 public:
  // Binds each backend of the plan to `arenas`, which stand in the order of the plan's, all mapped. Model, plan, arenas
  // and balance outlive the executor, and no other executor is bound to these backends. kCancelled when stopped.
  static Result<std::unique_ptr<Executor>> open(const ModelInfo& model, const MemoryPlan& plan,
                                                const Backends& backends, std::span<Arena* const> arenas,
                                                std::span<const std::vector<float>> key_balance,
                                                const StopToken& stop = {});

  // Runs one step; its logits stay where they were computed. `queries` are answered as top_k() answers them, those that
  // the device with the head takes at once together with the step. kUsage: rows outside the plan, or a query about a
  // row without logits; nothing was computed then. kCancelled when stopped, kDeviceLost or kResource as the backend
  // says that names its device: the cache rows of this step are then undefined.
  Status step(std::span<const StepRow> rows, std::span<const std::uint32_t> logit_rows, const StopToken& stop,
              std::span<CandidateQuery> queries = {});

  // Finds the likeliest tokens of rows of the last step's logits, for any number of queries. Rows are counted among the
  // step's logit rows: row 0 is the first of them. kUsage: the step had no such row. Errors as of step().
  Status top_k(std::span<CandidateQuery> queries);

  // A whole row of these logits, (n_vocab), valid until the next call or step.
  Result<std::span<const float>> logits(std::uint32_t row);
  std::uint64_t n_rows_read() const { return n_rows_read_; }  // whole rows, since open()

  // Makes the first n_positions cache rows of a slot those of another, on every device.
  Status copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions,
                    const StopToken& stop = {});

  // Times of the decode steps since the last call: of all steps that had one row, and its logits.
  DecodeTimes take_decode_times();

  // Bytes that went from device to device since open(), without the logits.
  Bytes bytes_crossed() const { return bytes_crossed_; }

 private:
  Executor(const ModelInfo& model, const MemoryPlan& plan, const Backends& backends);
  Status bind(std::span<Arena* const> arenas, std::span<const std::vector<float>> key_balance, const StopToken& stop);
  Status run(const StepInputs& inputs, const StopToken& stop);
  const std::vector<DeviceSubgraph>& subgraphs_for(std::span<const StepRow> rows) const;
  Status upload(const DeviceSubgraph& subgraph, const StopToken& stop);
  Status cross(const Op& transfer, std::size_t n_rows, const StopToken& stop);
  DeviceIndex head_device() const { return plan_.program.buffers[plan_.program.logits].device; }
  Backend& head() const { return *backends_[head_device()]; }
  std::span<CandidateQuery> first_group(std::span<CandidateQuery> queries) const;
  void settle();
  void charge_time(DeviceIndex device);

  const ModelInfo& model_;
  const MemoryPlan& plan_;
  Backends backends_;
  std::vector<DeviceSubgraph> subgraphs_, streamed_subgraphs_;  // see ExecutionMode
  std::unique_ptr<WeightSource> weight_source_;                 // of streamed weights; null where none are
  KvRings rings_;
  // (devices) Host memory through which bytes leave each device: buffers that cross, then a row of logits. GPUs that
  // copy from page-locked memory have their own, all other devices share the host's; empty when there is only the host.
  std::vector<std::span<std::byte>> staging_;
  Bytes logits_at_ = 0;  // of the row of logits, in the staging of the device that has the head
  Bytes bytes_crossed_ = 0;
  std::vector<double> step_seconds_;  // (devices) of the step that runs
  std::chrono::steady_clock::time_point spent_until_;
  DecodeTimes decode_times_;
  std::uint64_t n_steps_ = 0;
  std::size_t n_logit_rows_ = 0;  // of the last step; 0 once it failed
  std::uint64_t n_rows_read_ = 0;
};

}  // namespace headroom
