// What people read of a sound file that this version cannot run: what it is, what is missing here, what it would take.
// Each message is a sentence with details (base/message_parts.h), and begins with the path.
#pragma once

#include <string>

#include "base/result.h"
#include "model/refused_arch.h"

namespace headroom {

// "latent attention (MLA), one cached row of 576 values for K and V that all heads share". latent_elems: as
// RefusedModel has it.
Message missing_part_words(const RefusedArch& arch, std::uint32_t latent_elems = 0);

// Of an architecture that arch_table does not have: kUnsupported.
Error architecture_refusal(const ModelFile& file);

// Of a file of which is_projector() holds: kUnsupported.
Error projector_refusal(const ModelFile& file);

// "312 of 700 tensors (18.3 GiB of 20.1 GiB) are NVFP4, 4-bit floats with ..."; of a type that the file holds.
Message foreign_type_words(const ModelFile& file, std::uint32_t file_type);

}  // namespace headroom
