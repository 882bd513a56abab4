// An opened GPU as what its backends share sees it, and the ops of a plan on it.
#pragma once

#include <string>
#include <string_view>

#include "backend/gpu/gpu_binding.h"

namespace headroom {

// Bytes from one slice to another of the same size, which do not overlap.
struct GpuCopy {
  GpuSlice from, to;
};

// Weights that reach a device while it computes, through parts of page-locked memory that are used in turns. From one
// call of mark() to the next what is submitted reads other weights than are brought meanwhile.
class GpuUploads {
 public:
  virtual ~GpuUploads() = default;
  // What is started from now on waits for all that was submitted before the last mark().
  virtual Status begin() = 0;
  virtual Status mark() = 0;
  // Until a part may be written.
  virtual Status wait(std::uint32_t part) = 0;
  virtual Status start(const GpuCopy& copy, std::uint32_t part) = 0;
  // What is submitted from now on waits for all that was started.
  virtual Status end() = 0;
};

// Used from one thread. Once the device was lost every call says so (kDeviceLost).
class GpuDriver {
 public:
  virtual ~GpuDriver() = default;
  virtual const std::string& id() const = 0;
  virtual Status check_present() const = 0;
  // Until all that was submitted is done, or the device is given up: see kDeviceWaitLimit. `what` is waited for, for
  // the message.
  virtual Status wait_idle(std::string_view what) = 0;
  // Behind all that was submitted, one behind another; all is done when it returns. `what` is for the message.
  virtual Status copy(std::string_view what, std::span<const GpuCopy> copies) = 0;
  virtual Status clear(const GpuSlice& slice) = 0;
  // All that uploads take is taken now. Their end waits for those that run.
  virtual Result<std::unique_ptr<GpuUploads>> make_uploads(std::uint32_t n_parts) = 0;
};

// Made by bind(), with all that steps need.
class GpuStep {
 public:
  virtual ~GpuStep() = default;
  virtual const GpuBinding& bound() const = 0;

  // Starts the ops of a subgraph; false when it was stopped before all of them were started. Allocates nothing.
  virtual Result<bool> submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) = 0;

  // As Backend::top_k(), of rows that were checked, while nothing runs; the head is on this device.
  virtual Status top_k(std::span<CandidateQuery> queries) = 0;
};

// The factors of balanced keys, which the first copy of a plan lays down once.
Status write_balance(GpuDriver& driver, const GpuBinding& bound, std::span<const std::vector<float>> balance);

// What the kernels of a step read beside weights and buffers, in page-locked memory; nothing that reads it runs.
// Dispatches are counted apart: see GpuInputs::groups_at.
void write_inputs(const GpuBinding& bound, const StepInputs& inputs);

}  // namespace headroom
