// Files of which a part stands elsewhere: the layers that predict further tokens alone, or a model without a number
// that only the program that wrote the file knows.
#pragma once

#include "file/model_file.h"
#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

// kUnsupported says which file to open instead. To be called before sizes are read, which such a file contradicts.
void refuse_incomplete(const ModelFile& file, const ArchRow& row, KeyReader& keys);

}  // namespace headroom
