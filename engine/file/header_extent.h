// How long the header of a GGUF file is, told from the first bytes of it: so that a file that is still on a server can
// be judged by its header alone.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/result.h"

namespace headroom {

// Absent: `beginning` ends within the header, more of the file is needed. kBadFile, kUnsupported: no header can be read
// here, whatever follows; what is wrong with it, the reader says. Allocates nothing.
Result<std::optional<Bytes>> header_extent(std::span<const std::byte> beginning);

}  // namespace headroom
