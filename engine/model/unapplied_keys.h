// Metadata keys that change what a model computes. One that nothing has read is refused, unless its value changes
// nothing: a scale that the forward pass leaves out gives wrong answers and no error.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "file/model_file.h"
#include "model/key_reader.h"

namespace headroom {

struct ArchRow;

// A key without the architecture's prefix, and up to two values that change nothing. Of an array every entry must be
// one of them. Without such a value the key must have been read.
struct KeyRule {
  std::string_view key;
  std::optional<double> neutral{}, other_neutral{};
};
std::span<const KeyRule> key_rules();

// Whether the key has a rule, or is known to change nothing by itself.
bool is_known_key(std::string_view key);

// To be called when all metadata has been read, and before tensors are looked for, which such a key may rename or drop.
// A key that is not known is refused where its name says that it scales or caps something. kUnsupported names the key,
// its value and the neutral ones.
void refuse_unapplied_keys(const ModelFile& file, const ArchRow& row, KeyReader& keys);

}  // namespace headroom
