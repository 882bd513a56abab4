// The experts of a model's layers, as a file's metadata has them.
#pragma once

#include <cstdint>
#include <vector>

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

// Of a row without experts: kUnsupported names a file that states some. A width of theirs alone changes nothing.
void refuse_experts(const ArchRow& row, KeyReader& keys);

// A layer that has nothing but its experts and the shared one, where the row and the file have any; widths are at most
// `max_width`. That of a shared expert that is named as a dense FFN is not read. That of experts may be stated for each
// of n_blocks layers, or be told by their tensors alone. `keys` keeps failures.
LayerSpec read_experts(const ModelFile& file, const ArchRow& row, std::uint32_t n_blocks, std::uint32_t max_width,
                       KeyReader& keys);

// Which of n_layers have experts, where `experts`, from read_experts(), has any; the others have a dense FFN.
std::vector<bool> read_expert_layers(const ArchRow& row, const LayerSpec& experts, std::uint32_t n_layers,
                                     KeyReader& keys);

}  // namespace headroom
