// From a file and a plan to weights in memory.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/stop.h"
#include "run/event.h"
#include "run/loaded_model.h"

namespace headroom {

// Called with bytes done since the last call.
using Advance = std::function<void(Bytes)>;

// What plans are made from: read_model_info() with an estimate of what the model will hold of the heap.
Result<ModelInfo> describe_model(const ModelFile& file);

struct LoadInputs {
  std::shared_ptr<const ModelInfo> info;  // of the file; the plan has its fingerprint
  std::shared_ptr<const MemoryPlan> plan;
  BackendFactory make_backend;
};

// The tokenizer and template of a file, for tools that need no weights and for load_model(). A file without a tokenizer
// can still be stepped by token ids; one whose tokenizer is damaged or unknown is an error. kCancelled when stopped.
Result<TextParts> read_text_parts(const ModelFile& file, const StopToken& stop = {});

// All that can be found out about a load before any memory is taken: whether the plan is of this file, its tokenizer,
// and a backend for each device. No arena is mapped yet. kUnsupported when the plan needs a device that is not here,
// kCancelled when stopped.
Result<std::shared_ptr<LoadedModel>> prepare_model(const ModelFile& file, const LoadInputs& inputs,
                                                   const StopToken& stop = {});

// Maps the weight arenas and fills them. Stops within one chunk of a tensor (kCancelled). The whole plan, sessions
// included, must fit: free memory is read again right before mapping, and check_fits_now() of memory_request.h is
// asked.
Status fill_model(LoadedModel& model, const ModelFile& file, const StopToken& stop, const Advance& advance);

// Both. Whatever was mapped is returned on an error.
Result<std::shared_ptr<const LoadedModel>> load_model(const ModelFile& file, const LoadInputs& inputs,
                                                      const StopToken& stop, const Advance& advance);

// Bytes that fill_model() and then Session::open() tell of, together.
Bytes bytes_to_load(const ModelInfo& info, const MemoryPlan& plan);
Bytes bytes_to_open(const MemoryPlan& plan);

// Adds up what is done and tells about it at most 20 times a second, at the start and at the end.
class LoadMeter {
 public:
  LoadMeter(Bytes total, std::function<void(LoadProgress)> tell);
  void advance(Bytes bytes);
  void finish();

 private:
  Bytes total_, done_ = 0;
  std::chrono::steady_clock::time_point told_;
  std::function<void(LoadProgress)> tell_;
};

// The same weights for a second session at the same time, on a backend of its own: two KV types can then be compared
// step by step. The weight arenas are shared, so both backends must address host memory.
Result<std::shared_ptr<const LoadedModel>> share_weights(const LoadedModel& model, const BackendFactory& make_backend);

}  // namespace headroom
