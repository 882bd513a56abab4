// From a file and a plan to weights in memory.
#pragma once

#include <functional>
#include <memory>

#include "base/stop.h"
#include "run/event.h"
#include "run/loaded_model.h"

namespace headroom {

// Makes the backend of a present device; the registry's, or a test's.
using BackendFactory = std::function<Result<std::unique_ptr<Backend>>(const DeviceInfo&)>;

using LoadObserver = std::function<void(LoadProgress, Backend&)>;

struct LoadInputs {
  std::shared_ptr<const ModelInfo> info;  // of the file; the plan was made for it
  std::shared_ptr<const MemoryPlan> plan;
  BackendFactory make_backend;
};

// The tokenizer and template of a file, for tools that need no weights and for load_model(). A file without a tokenizer
// can still be stepped by token ids; one whose tokenizer is damaged or unknown is an error.
struct TextParts {
  std::shared_ptr<const Tokenizer> tokenizer;           // null when the file has none
  std::shared_ptr<const ChatPromptWriter> chat_prompt;  // null without a tokenizer
  std::string template_problem;
};
Result<TextParts> read_text_parts(const ModelFile& file);

// Bytes to be mapped against bytes free now, under the plan's headroom rule. `held` is what this model has mapped
// already: it counts towards "at most". kDoesNotFit names bytes asked, bytes free, what this process holds and what
// other programs hold.
Status check_fits_now(const DeviceInfo& device, const HeadroomRule& rule, Bytes asked, Bytes held,
                      const MemorySample& now);

// Maps the weight arenas of the plan and fills them. `on_progress` is called on this thread at most about 20 times a
// second and at the end; the backend comes along for memory samples. Stops within one chunk of a tensor (kCancelled);
// whatever was mapped is then returned. kUnsupported when the plan needs a device that is not here. The whole plan,
// sessions included, must fit: free memory is read again right before mapping.
Result<std::shared_ptr<const LoadedModel>> load_model(const ModelFile& file, const LoadInputs& inputs,
                                                      const StopToken& stop, const LoadObserver& on_progress);

// The same weights for a second session at the same time, on a backend of its own: two KV types can then be compared
// step by step. The weight arenas are shared, so both backends must address host memory.
Result<std::shared_ptr<const LoadedModel>> share_weights(const LoadedModel& model, const BackendFactory& make_backend);

}  // namespace headroom
