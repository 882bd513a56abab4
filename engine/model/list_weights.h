// Which tensor of a file, and which of its rows, fills each role of a model.
#pragma once

#include <vector>

#include "file/model_file.h"
#include "model/arch_table.h"
#include "model/key_reader.h"
#include "model/model_info.h"

namespace headroom {

// Lists the weights of `model`, whose layers have their sizes, and what layers have where they have its tensors
// (biases, norms of heads). A tensor that is missing, or of another shape or type, is a failure of `keys` that names
// it. is_used: (tensors of the file), those that fill a role become true. logit_scale: on the last norm's weights.
void list_weights(const ModelFile& file, const ArchRow& row, float logit_scale, KeyReader& keys, ModelInfo& model,
                  std::vector<bool>& is_used);

}  // namespace headroom
