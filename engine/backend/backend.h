// What run/ sees of a device. All calls are made from one thread, the engine thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/candidates.h"
#include "backend/weight_panels.h"
#include "base/result.h"
#include "base/stop.h"
#include "plan/memory_plan.h"
#include "program/step.h"
#include "program/subgraphs.h"

namespace headroom {

// Memory of one arena. Unmapped when destroyed.
class Arena {
 public:
  virtual ~Arena() = default;
  virtual Bytes mapped_bytes() const = 0;  // as the system gave it
  // Where the host reads and writes it; null for memory that only its backend reaches.
  virtual std::byte* host_address() const = 0;
};

// What the ops of one step are given, checked against the plan. Valid until wait() has returned.
struct StepInputs {
  std::span<const StepRow> rows;  // slots ascending, of each slot positions one after the other; at most max_rows
  std::span<const std::uint32_t> logit_rows;  // indices into rows, ascending; at most Program::max_logit_rows
  // (n_layers, n_slots): from this position on a query reads the F16 ring of a quantized cache instead of its codes; 0
  // where there is no ring. It counts the rows of this step as written. Example: a ring of 512 rows and a slot that
  // holds 4,096 positions after the step: 3,584.
  std::span<const std::uint32_t> exact_from;
  // The same for all subgraphs of a step, and different for the next step, so that a backend copies the inputs of a
  // step to its device once. 0: the backend copies them each time.
  std::uint64_t number = 0;
  // What top_k() is asked about the logits of this step right behind it, at most candidate_rows() of them; they are not
  // changed in between. A GPU answers them with the work of the step, so that it is waited for once.
  std::span<CandidateQuery> queries{};
};

// What bind() is given. Model, plan, balance and the arenas live longer than the binding; the list `arenas` itself does
// not, so a backend copies what it needs of it.
struct Binding {
  const ModelInfo* model = nullptr;
  const MemoryPlan* plan = nullptr;
  DeviceIndex device = 0;                           // of the plan: the one that this backend is
  std::span<Arena* const> arenas;                   // in the order of plan->arenas; those of other devices are null
  std::span<const std::vector<float>> key_balance;  // (n_layers) as balance_keys() gives them
  StopToken stop{};                                 // kernels may have to be compiled
};

struct MemorySample {
  Bytes total = 0, free = 0;  // of the device, all programs
  Bytes ours = 0;             // of this process, as the system counts it
  MemoryAccount account = {};
};

// What a device can do at most, with the threads and the arithmetic that its kernels have: they are judged as shares of
// it. An operation is one multiply or one add; 0: its kernels do not compute so, or nobody measured it.
struct DeviceLimits {
  double read_bytes_per_s = 0;  // memory that no cache holds
  double f32_ops_per_s = 0, f16_ops_per_s = 0;
  double int8_ops_per_s = 0;  // products of int8, added up in 32 bits
  double tile_ops_per_s = 0;  // whole tiles by one instruction: int8 of AMX; of a GPU what prompts are multiplied in
  double most_ops_per_s() const { return std::max({f32_ops_per_s, f16_ops_per_s, int8_ops_per_s, tile_ops_per_s}); }
};

// How fast a device reads memory that no cache holds, asked again and again: where other programs share that memory,
// the answer changes from second to second. Holds the memory that it reads; its backend outlives it.
class ReadMeter {
 public:
  virtual ~ReadMeter() = default;
  virtual Bytes size() const = 0;
  // Seconds of one pass over size() bytes, some tens of milliseconds; to be called while nothing computes.
  virtual double read() = 0;
};

// Memory that measure_speed() uses: at most and at least.
inline constexpr Bytes kMostMeasureBytes = 512 * kMiB, kLeastMeasureBytes = 16 * kMiB;

// A copy of bytes from an arena to itself or to another one; the two do not overlap.
struct ArenaCopy {
  Arena* from = nullptr;
  Bytes from_offset = 0;
  Arena* to = nullptr;
  Bytes to_offset = 0;
  Bytes n_bytes = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual const DeviceInfo& device_info() const = 0;

  // What the time model asks of the device, in a few tenths of a second and with memory of its own for so long: at most
  // `most_bytes`, or kLeastMeasureBytes where that is less; figures that need more stay 0, unknown. To be called while
  // nothing computes. kResource when that memory is refused.
  virtual Result<DeviceSpeed> measure_speed(Bytes most_bytes) = 0;

  // What the device can do at most, in about a second and with up to 1 GiB of its memory for so long; to be called
  // while nothing computes. kResource when that memory is refused. A backend that says no more knows what
  // measure_speed() does.
  virtual Result<DeviceLimits> measure_limits() {
    const Result<DeviceSpeed> speed = measure_speed(kMostMeasureBytes);
    if (!speed) return speed.error();
    return DeviceLimits{.read_bytes_per_s = speed->read_bytes_per_s};
  }

  // A meter of the memory that weights are read from. Null: the backend has none, or no memory to spare for it, and
  // what measure_limits() says stands. kResource when the meter's memory is refused.
  virtual Result<std::unique_ptr<ReadMeter>> open_read_meter() { return std::unique_ptr<ReadMeter>(); }

  // What the driver took of the device since this backend was opened, beside the arenas; absent where nothing tells, or
  // where another backend had opened the device before. Of use once something has run there.
  virtual std::optional<Bytes> driver_bytes() { return std::nullopt; }

  // The only call that obtains memory for a model. kResource names bytes asked and bytes free.
  virtual Result<std::unique_ptr<Arena>> map_arena(const ArenaPlan& plan) = 0;

  // Fills one weight region from the file, in the device's WeightLayout. `upload`: the arena of the load that this
  // backend mapped; null unless DeviceInfo::needs_upload(). `advance` is called with bytes done since the last call.
  virtual Status load_weight(Arena& arena, const Region& region, const WeightTensor& weight, const ModelFile& file,
                             Arena* upload, const StopToken& stop, const std::function<void(Bytes)>& advance) = 0;

  // Writes zeros to every byte of an arena. A system may promise memory and find pages only when they are written: a
  // machine that cannot keep the promise fails here, and not in the middle of an answer. `advance` as above.
  virtual Status clear_arena(Arena& arena, const StopToken& stop, const std::function<void(Bytes)>& advance) = 0;

  // Finds the weights, caches and buffers that stand on this device, before the first step and after each new plan.
  // All that a step needs is allocated here. kCancelled when stopped.
  virtual Status bind(const Binding& binding) = 0;

  // Writes some panels of a weight, in the format of another device, to `to`; on all threads. A vector is always
  // written whole. Only the CPU's backend has it: weights are streamed from the CPU to GPUs and never the other way.
  // Example: panels 64 to 127 of layer 7's gate, which has 16 rows a panel here and 32 rows a panel on the GPU.
  virtual void copy_panels(std::int32_t /*weight*/, const PanelFormat& /*format*/, PanelRange /*range*/,
                           std::byte* /*to*/) {
    CHECK(false, "weights are streamed from the CPU alone");
  }

  // Starts the upload of the weights of an op with needs_weight_upload from `source`, while the ops that were submitted
  // before are running. The op itself is submitted after this call. kCancelled when stopped: then nothing more of this
  // step may be submitted.
  virtual Status upload_weights(const Op& /*op*/, WeightSource& /*source*/, const StopToken& /*stop*/) {
    CHECK(false, "weights are uploaded to a device that takes no streams");
  }

  // Starts the ops of a subgraph of this device; they run after those of earlier calls. Allocates nothing. A backend
  // may have computed all of them when this returns, as the CPU's does, or none, as those of GPUs do.
  virtual Status submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) = 0;

  // Returns when all submitted ops are done. kCancelled when `stop` ended the step before its last op: the cache rows
  // of this step are then undefined. kDeviceLost when the device is gone: every later call fails as well.
  virtual Status wait(const StopToken& stop) = 0;

  // Copy a buffer of the program between the device and the host, once all submitted ops are done; rows stand one
  // behind another. read() begins with row `first_row`, write() with the first row.
  virtual Status read(BufferId buffer, std::uint32_t first_row, std::span<std::byte> to) = 0;
  virtual Status write(BufferId buffer, std::span<const std::byte> from) = 0;
  // The buffer itself where the host can read it, valid until the next submit() or write(); else null.
  virtual const std::byte* host_view(BufferId buffer) const = 0;

  // Finds the likeliest tokens of some rows of the last step's logits; at most candidate_rows() queries at a time.
  // Every device finds the same tokens in the same order in the same logits, with any number of threads; its sums are
  // off by at most kMostSumError. Allocates nothing. A GPU that was given the same span with the step
  // (StepInputs::queries) has the answers already: they are read once, and without asking its driver.
  virtual Status top_k(std::span<CandidateQuery> queries) = 0;

  // Copies the first n_positions cache rows of a slot to another (a shared prompt), with what the exact rings hold.
  // kCancelled when stopped: the other slot then has some of them.
  virtual Status copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions,
                            const StopToken& stop) = 0;

  // Copies bytes between arenas of this backend, once all submitted ops are done: so checkpoints are made and taken up,
  // and so a check looks at memory that only the backend reaches. Allocates nothing for up to four copies of each layer
  // of the bound model.
  virtual Status copy_bytes(std::span<const ArenaCopy> copies) {
    for (const ArenaCopy& copy : copies) {
      CHECK(copy.from->host_address() != nullptr && copy.to->host_address() != nullptr, "the host reaches both arenas");
      std::copy_n(copy.from->host_address() + copy.from_offset, copy.n_bytes, copy.to->host_address() + copy.to_offset);
    }
    return ok_status();
  }
  Status copy_bytes(const ArenaCopy& copy) { return copy_bytes({&copy, 1}); }

  virtual Result<MemorySample> sample_memory() = 0;

  // Seconds of all steps so far in which a thread multiplied matrices (with what is fused to them), the mean over the
  // threads; 0: not measured.
  virtual double product_seconds() const { return 0; }

  // Calls that obtained memory from the system since this backend was made.
  virtual std::uint64_t n_allocations() const = 0;
};

// Makes the backend of a present device; the registry's, or a test's.
using BackendFactory = std::function<Result<std::unique_ptr<Backend>>(const DeviceInfo&)>;

}  // namespace headroom
