#include "file/split_name.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace headroom {
namespace {

std::optional<std::uint32_t> five_digits(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.size() != 5 || status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<SplitName> parse_split_name(const std::filesystem::path& path) {
  constexpr std::string_view kEnding = ".gguf", kOf = "-of-";
  constexpr std::size_t kTail = 1 + 5 + kOf.size() + 5;  // "-00001-of-00003"
  const std::string file_name = path.filename().string();
  std::string_view rest = file_name;
  if (!rest.ends_with(kEnding)) return std::nullopt;
  rest.remove_suffix(kEnding.size());
  if (rest.size() < kTail) return std::nullopt;
  const std::string_view tail = rest.substr(rest.size() - kTail);
  const auto number = five_digits(tail.substr(1, 5)), n = five_digits(tail.substr(kTail - 5));
  if (tail[0] != '-' || tail.substr(6, kOf.size()) != kOf || !number || !n || *number < 1 || *number > *n)
    return std::nullopt;
  return SplitName{std::string(rest.substr(0, rest.size() - kTail)), *number, *n};
}

std::filesystem::path split_part_path(const std::filesystem::path& path, const SplitName& name, std::uint32_t number) {
  return path.parent_path() / fmt::format("{}-{:05d}-of-{:05d}.gguf", name.prefix, number, name.n);
}

}  // namespace headroom
