#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "plan/device_catalogue.h"

namespace headroom {
namespace {

constexpr std::array<std::string_view, 12> kFillWords{"nvidia",   "geforce", "amd",      "radeon", "intel", "apple",
                                                      "instinct", "gpu",     "graphics", "tesla",  "r",     "tm"};
constexpr std::size_t kMaxSuggestions = 4;
constexpr std::size_t kMaxCandidates = 12;

// Lower case letters and digits without vendor and family words: "NVIDIA GeForce RTX 4090" and "rtx4090" are one.
std::string plain_name(std::string_view name) {
  std::string plain, word;
  const auto end_word = [&] {
    if (std::find(kFillWords.begin(), kFillWords.end(), word) == kFillWords.end()) plain += word;
    word.clear();
  };
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      word += static_cast<char>(std::tolower(byte));
    } else {
      end_word();
    }
  }
  end_word();
  return plain;
}

// Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row.back();
}

std::string joined_names(std::span<const DeviceInfo> devices, const std::vector<DeviceIndex>& which) {
  std::string names;
  for (const DeviceIndex i : which) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", devices[i].name);
  return names;
}

Error unknown_device(std::span<const DeviceInfo> devices, std::string_view name, const std::string& plain) {
  std::vector<std::pair<std::size_t, DeviceIndex>> by_distance;
  for (DeviceIndex i = 0; i < devices.size(); ++i)
    by_distance.emplace_back(edit_distance(plain, plain_name(devices[i].name)), i);
  std::sort(by_distance.begin(), by_distance.end());
  by_distance.resize(std::min(by_distance.size(), kMaxSuggestions));
  std::vector<DeviceIndex> nearest;
  for (const auto& [distance, i] : by_distance) nearest.push_back(i);
  return Error{
      ErrorCode::kUsage,
      fmt::format("device: expected a device of this machine or of the catalogue, found \"{}\"; the nearest are {}",
                  name, joined_names(devices, nearest))};
}

Error ambiguous_device(std::span<const DeviceInfo> devices, std::string_view name,
                       std::vector<DeviceIndex> candidates) {
  const std::size_t n_more = candidates.size() - std::min(candidates.size(), kMaxCandidates);
  candidates.resize(candidates.size() - n_more);
  return Error{ErrorCode::kUsage,
               fmt::format("device: expected the name of one device, found \"{}\", which may be {}{}", name,
                           joined_names(devices, candidates), n_more > 0 ? fmt::format(" and {} more", n_more) : "")};
}

}  // namespace

Result<DeviceIndex> find_device(std::span<const DeviceInfo> devices, std::string_view name) {
  for (DeviceIndex i = 0; i < devices.size(); ++i) {
    if (devices[i].id == name) return i;
  }
  const std::string plain = plain_name(name);
  if (plain.empty()) return unknown_device(devices, name, plain);
  // From the strictest reading to the loosest: "4090" is the card whose name ends so, before it is a part of a
  // laptop's. Without a digit an ending is a family ("rtx"), not a card.
  const bool has_digit = std::any_of(plain.begin(), plain.end(), [](char c) { return c >= '0' && c <= '9'; });
  std::vector<DeviceIndex> whole, endings, beginnings, parts;
  for (DeviceIndex i = 0; i < devices.size(); ++i) {
    const std::string candidate = plain_name(devices[i].name);
    if (candidate == plain) whole.push_back(i);
    if (has_digit && candidate.ends_with(plain)) endings.push_back(i);
    if (candidate.starts_with(plain)) beginnings.push_back(i);
    if (candidate.find(plain) != std::string::npos) parts.push_back(i);
  }
  if (!whole.empty()) return whole.front();
  for (const std::vector<DeviceIndex>* reading : {&endings, &beginnings, &parts}) {
    if (reading->size() == 1) return reading->front();
  }
  if (parts.empty()) return unknown_device(devices, name, plain);
  return ambiguous_device(devices, name, beginnings.empty() ? parts : beginnings);
}

}  // namespace headroom
