// What a model is called, for people.
#pragma once

#include <string>

#include "base/result.h"
#include "file/model_file.h"

namespace headroom {

// general.name, or what the file is called where that is missing or shows nothing; displayable. kBadFile: the key is no
// string.
Result<std::string> read_model_name(const ModelFile& file);

// By the file alone, without the number of its part.
std::string name_of_file(const ModelFile& file);

}  // namespace headroom
