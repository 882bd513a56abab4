// The two things that a GPU backend has to write itself: GpuDriver, an opened GPU that copies bytes, and GpuStep, the
// ops of a plan that run there. GpuBackend does all else with them.
#pragma once

#include <string>
#include <string_view>

#include "backend/gpu/gpu_binding.h"

namespace headroom {

// A copy between two slices of the same size that do not overlap.
struct GpuCopy {
  GpuSlice from, to;
  bool operator==(const GpuCopy&) const = default;
};

// The uploads of streamed weights. The host packs a piece of a weight into a part of page-locked memory, and the device
// copies it from there while it computes; the parts are used in turns. Two ops in a row never share a weight
// (streamed_roles()), so between two calls of mark() the submitted ops read one set of weights while the other set is
// being uploaded. Example for one layer:
//   begin, upload gate and up, end, mark, submit kFfnUp;  begin, upload down, end, mark, submit kFfnDown
// The upload of down runs beside kFfnUp. It waits only for the ops before the last mark(): those of the layer before,
// which read the old weights in the same room.
class GpuUploads {
 public:
  virtual ~GpuUploads() = default;
  // Copies that start after begin() wait for all ops that were submitted before the last mark().
  virtual Status begin() = 0;
  // Notes which ops have been submitted so far. Called right before ops that read uploaded weights are submitted.
  virtual Status mark() = 0;
  // Returns when the last copy from this part is done, so that the host may write to it.
  virtual Status wait(std::uint32_t part) = 0;
  // Starts a copy from this part.
  virtual Status start(const GpuCopy& copy, std::uint32_t part) = 0;
  // Ops that are submitted after end() wait for all copies that have been started.
  virtual Status end() = 0;
};

// Used from one thread. Once the device was lost every call returns kDeviceLost.
class GpuDriver {
 public:
  virtual ~GpuDriver() = default;
  virtual const std::string& id() const = 0;
  virtual Status check_present() const = 0;
  // Returns when all submitted work is done, or gives the device up: see kDeviceWaitLimit. `what` is waited for, for
  // the message.
  virtual Status wait_idle(std::string_view what) = 0;
  // Copies one after the other, once all submitted work is done, and returns when the last copy is. `what` is for the
  // message: "copying weights".
  virtual Status copy(std::string_view what, std::span<const GpuCopy> copies) = 0;
  virtual Status clear(const GpuSlice& slice) = 0;
  // Obtains here all memory that the uploads will need of the driver. The destructor waits for the running ones.
  virtual Result<std::unique_ptr<GpuUploads>> make_uploads(std::uint32_t n_parts) = 0;
};

// Made by bind(), with all that steps need.
class GpuStep {
 public:
  virtual ~GpuStep() = default;
  virtual const GpuBinding& bound() const = 0;

  // Starts the ops of a subgraph, and behind the head what answers inputs.queries. False: a stop came before all of
  // them were started. Allocates nothing.
  virtual Result<bool> submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) = 0;

  // Has bytes of page-locked memory reach a buffer before the ops that are submitted next, and after those that were. A
  // backend may leave the copy to the next submit(); finish_copies() starts it now. Whoever writes to `from` again
  // waits for the device before that.
  virtual Status copy_in(const GpuCopy& copy) = 0;
  virtual Status finish_copies() = 0;

  // As Backend::top_k(). The rows were checked, no op is running, and this device has the head. read_answers(): of the
  // queries that the last step was given.
  virtual Status top_k(std::span<CandidateQuery> queries) = 0;
  virtual Status read_answers(std::span<CandidateQuery> queries) = 0;
};

// Before anything is prepared: kUnsupported where a step of the plan may have more rows than a dispatch has workgroups.
// Plans refuse that themselves, by DeviceTraits::max_groups. `id` is of the device, for the message.
Status check_step_rows(const GpuBinding& bound, std::string_view id);

// Writes the factors of balanced keys (model/key_balance.h) to their scratch, once after bind().
Status write_balance(GpuDriver& driver, const GpuBinding& bound, std::span<const std::vector<float>> balance);
// Writes the grids of the model's weights to the inputs, after that: no step writes there.
void write_grids(const GpuBinding& bound);

// Writes a step's rows and rope tables to the page-locked inputs (GpuInputs) while no kernel reads them. The numbers of
// workgroups (GpuInputs::groups_at) are Vulkan's, which writes them itself.
void write_inputs(const GpuBinding& bound, const StepInputs& inputs);

}  // namespace headroom
