// The numbers of the GGUF format that reader and writer share. Source: the GGUF specification in the ggml repository.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace headroom {

inline constexpr std::string_view kGgufMagic = "GGUF";
inline constexpr std::uint32_t kGgufOldestVersion = 2, kGgufNewestVersion = 3;
inline constexpr Bytes kGgufDefaultAlignment = 32;

enum class GgufType : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64
};

// Of one value; 0: it is a string or an array, or no type that is known.
constexpr Bytes scalar_bytes(GgufType type) {
  switch (type) {
    case GgufType::kU8:
    case GgufType::kI8:
    case GgufType::kBool: return 1;
    case GgufType::kU16:
    case GgufType::kI16: return 2;
    case GgufType::kU32:
    case GgufType::kI32:
    case GgufType::kF32: return 4;
    case GgufType::kU64:
    case GgufType::kI64:
    case GgufType::kF64: return 8;
    case GgufType::kString:
    case GgufType::kArray: break;
  }
  return 0;
}

}  // namespace headroom
