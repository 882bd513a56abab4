// Tensors of a file that no role has taken.
#pragma once

#include <vector>

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

// Counts into model.not_loaded what `row` says is not used, and refuses every other tensor by name: who leaves one
// unread computes another model. `is_used` is by index into file.tensors(). Layers from model.n_layers() to `n_blocks`
// are those that predict further tokens.
void sort_unread_tensors(const ModelFile& file, const ArchRow& row, const std::vector<bool>& is_used,
                         std::uint32_t n_blocks, ModelInfo& model, KeyReader& keys);

}  // namespace headroom
