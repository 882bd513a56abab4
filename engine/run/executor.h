// Walks the program of a plan over its devices: segment after segment, and what crosses between them.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "plan/speed.h"
#include "run/backends.h"

namespace headroom {

// Used from the engine thread. Nothing is allocated after open().
class Executor {
 public:
  // Binds each backend of the plan to `arenas`, which stand in the order of the plan's, all mapped. Model, plan, arenas
  // and balance outlive the executor, and no other executor is bound to these backends.
  static Result<std::unique_ptr<Executor>> open(const ModelInfo& model, const MemoryPlan& plan,
                                                const Backends& backends, std::span<Arena* const> arenas,
                                                std::span<const std::vector<float>> key_balance);

  // Runs one step. kUsage: rows outside the plan; nothing was computed then. Logits: (logit_rows.size(), n_vocab) f32,
  // row-major, valid until the next step. kCancelled when stopped, kDeviceLost or kResource as the backend says that
  // names its device: the cache rows of this step are then undefined.
  Result<std::span<const float>> step(std::span<const StepRow> rows, std::span<const std::uint32_t> logit_rows,
                                      const StopToken& stop);

  // Makes the first n_positions cache rows of a slot those of another, on every device.
  Status copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions);

  // Of all steps of one row with logits since the last call: what decode is.
  DecodeTimes take_decode_times();

  // Bytes that went from device to device since open(), without the logits.
  Bytes bytes_crossed() const { return bytes_crossed_; }

 private:
  Executor(const ModelInfo& model, const MemoryPlan& plan, const Backends& backends);
  Status bind(std::span<Arena* const> arenas, std::span<const std::vector<float>> key_balance);
  Status run(const StepInputs& inputs, const StopToken& stop);
  Status cross(const Op& transfer, std::size_t n_rows, const StopToken& stop);
  Result<std::span<const float>> logits(std::size_t n_rows);
  void settle();
  void spend(DeviceIndex device);

  const ModelInfo& model_;
  const MemoryPlan& plan_;
  Backends backends_;
  std::vector<Segment> segments_;
  KvRings rings_;
  std::span<std::byte> staging_;  // what crosses, then the logits; empty when every device is the host
  Bytes logits_at_ = 0;           // in staging_
  Bytes bytes_crossed_ = 0;
  std::vector<double> step_seconds_;  // (devices) of the step that runs
  std::chrono::steady_clock::time_point spent_until_;
  DecodeTimes decode_times_;
};

}  // namespace headroom
