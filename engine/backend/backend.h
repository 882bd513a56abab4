// What run/ sees of a device: about seven calls. All of them are made from one thread, the engine thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "plan/memory_plan.h"

namespace headroom {

// Memory of one arena. Unmapped when destroyed. Device memory may not be readable by the host.
class Arena {
 public:
  virtual ~Arena() = default;
  virtual std::byte* base() const = 0;
  virtual Bytes mapped_bytes() const = 0;  // as the system gave it
};

// One row of a step: a token of a slot at a position.
struct StepRow {
  std::uint32_t token = 0;
  std::uint32_t slot = 0;
  std::uint32_t position = 0;
};

struct StepInputs {
  std::span<const StepRow> rows;              // of one slot ascending in position; at most Program::max_rows
  std::span<const std::uint32_t> logit_rows;  // indices into rows, ascending; at most Program::max_logit_rows
};

struct MemorySample {
  Bytes total = 0, free = 0;  // of the device, all programs
  Bytes ours = 0;             // of this process, as the system counts it
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual const DeviceInfo& device_info() const = 0;

  // The only call that obtains memory for a model. kResource names bytes asked and bytes free.
  virtual Result<std::unique_ptr<Arena>> map_arena(const ArenaPlan& plan) = 0;

  // Fills one weight region from the file, in the layout of the device. `advance` is called with bytes done since the
  // last call.
  virtual Status load_weight(Arena& arena, const Region& region, const WeightTensor& weight, const ModelFile& file,
                             const StopToken& stop, const std::function<void(Bytes)>& advance) = 0;

  // Binds a plan to its arenas (in the order of plan.arenas; those of other devices are null). Model and plan outlive
  // the binding.
  virtual Status prepare(const ModelInfo& model, const MemoryPlan& plan, std::span<Arena* const> arenas) = 0;

  // Runs the ops of one step. Logits: (logit_rows.size(), n_vocab) f32, row-major, valid until the next step. Allocates
  // nothing. kCancelled when stopped: the cache rows of this step are then undefined.
  virtual Result<std::span<const float>> step(const StepInputs& inputs, const StopToken& stop) = 0;

  // Copies the first n_positions cache rows of a slot to another (a shared prompt).
  virtual Status copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions) = 0;

  virtual Result<MemorySample> sample_memory() = 0;

  // Seconds of all steps so far in which a thread multiplied matrices (with what is fused to them), the mean over the
  // threads; 0: not measured.
  virtual double product_seconds() const { return 0; }

  // Calls that obtained memory from the system since this backend was made.
  virtual std::uint64_t n_allocations() const = 0;
};

}  // namespace headroom
