// From a request to the tokens that a model reads.
#pragma once

#include <vector>

#include "run/engine_thread.h"
#include "run/loaded_model.h"

namespace headroom {

// The messages in the file's template, or the raw prompt as it stands. kUnsupported when the template cannot be used
// and the plain form was not agreed to, or when the file has no tokenizer; kUsage for what the template itself refuses.
Result<std::vector<TokenId>> request_tokens(const LoadedModel& model, const GenerateRequest& request);

}  // namespace headroom
