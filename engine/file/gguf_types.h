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

}  // namespace headroom
