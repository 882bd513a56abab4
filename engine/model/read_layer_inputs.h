// What layers of the small Gemma 4 have of each other and of a second embedding.
#pragma once

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

// Fills LayerSpec::kv_layer where the file says that the last layers have no cache of their own. kBadFile names a layer
// before which none sees as much, or whose heads are not those of the cache. `keys` keeps failures, as below.
void share_caches(const ArchRow& row, ModelInfo& model, KeyReader& keys);

// Fills LayerSpec::input_dim and ModelInfo::input_elems. kBadFile: more elements than a tensor may have columns.
void read_layer_inputs(const ArchRow& row, ModelInfo& model, KeyReader& keys);

}  // namespace headroom
