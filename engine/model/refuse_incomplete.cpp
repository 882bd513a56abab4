#include "model/refuse_incomplete.h"

#include <algorithm>
#include <string_view>

namespace headroom {
namespace {

bool has_tensor_of(const ModelFile& file, std::string_view prefix) {
  return std::ranges::any_of(file.tensors(), [&](const TensorInfo& tensor) { return tensor.name.starts_with(prefix); });
}

// llama.cpp's converter writes them so when it is asked for them alone: mtp-NAME.gguf, whose block_count is that of the
// whole model.
bool has_prediction_alone(const ModelFile& file, const KeyReader& keys) {
  const auto n_predicting = file.find_uint(keys.full_key("nextn_predict_layers"));
  return n_predicting && n_predicting->value_or(0) > 0 && !file.tensors().empty() && !has_tensor_of(file, "blk.0.");
}

}  // namespace

void refuse_incomplete(const ModelFile& file, const ArchRow& row, KeyReader& keys) {
  if (has_prediction_alone(file, keys)) {
    return keys.fail(ErrorCode::kUnsupported,
                     Message::say("holds the layers of multi-token prediction alone, not the model itself: open the "
                                  "main file"));
  }
  const bool states_factor = keys.has("rope.scaling.factor") || keys.has("rope.scale_linear");
  if (row.vision_needs_scaling && !states_factor && has_tensor_of(file, "v.")) {
    keys.fail(
        ErrorCode::kUnsupported,
        Message::say("metadata '{}' is missing beside tensors for images: Ollama's own files of this model leave it "
                     "out, and without it every answer would be wrong",
                     keys.full_key("rope.scaling.factor"))
            .with_details(Message::say("Open a file of the same model that llama.cpp's converter has written.")));
  }
}

}  // namespace headroom
