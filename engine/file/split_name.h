// The file names of a model in parts: "NAME-00002-of-00005.gguf".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace headroom {

struct SplitName {
  std::string prefix;               // "NAME"
  std::uint32_t number = 1, n = 1;  // from 1
};

// Absent when `path` has no such name.
std::optional<SplitName> parse_split_name(const std::filesystem::path& path);

// The path of part `number` (from 1) beside `path`.
std::filesystem::path split_part_path(const std::filesystem::path& path, const SplitName& name, std::uint32_t number);

}  // namespace headroom
