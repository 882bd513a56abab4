// Numbers as the system's own files write them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace headroom {

// "4096", or "0x1002" in hexadecimal; absent for anything else, also a sign, more text or more than 64 bits.
std::optional<std::uint64_t> parse_whole_number(std::string_view text);

// A file whose first line is such a number; absent also when there is no such file.
std::optional<std::uint64_t> read_number_file(const std::filesystem::path& path);

}  // namespace headroom
