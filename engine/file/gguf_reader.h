// Reads the header of one GGUF file, version 2 or 3. A header is hostile until every count, offset and size in it was
// held against the file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "file/model_file.h"

namespace headroom {

// Larger headers are refused: real ones are about 10 MiB (a vocabulary of 256k tokens with its merges).
inline constexpr Bytes kMaxHeaderBytes = 256 * kMiB;
// Elements of all metadata arrays together, so that a header of empty strings cannot take many times its size in
// memory.
inline constexpr std::uint64_t kMaxArrayElems = std::uint64_t{1} << 22;
// The largest models have about 50,000 tensors (each expert on its own) and some hundred keys.
inline constexpr std::uint64_t kMaxTensors = std::uint64_t{1} << 17, kMaxMetadata = std::uint64_t{1} << 16;

struct GgufHeader {
  std::uint32_t version = 0;
  std::map<std::string, MetaValue, std::less<>> metadata;
  std::vector<TensorInfo> tensors;  // in file order, inside the file, none overlapping another
};

// `part` is written into the tensors. kBadFile names field, expected and found; kUnsupported names a version, byte
// order, value type or tensor type of the format that cannot be read. Allocates in proportion to the header, never to
// what the header claims.
Result<GgufHeader> read_gguf_header(const InputFile& file, std::uint32_t part);

}  // namespace headroom
