#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "base/c_locale.h"
#include "devices/device_catalogue.h"

namespace headroom {
namespace {

constexpr std::array<std::string_view, 8> kFamilyWords{"nvidia", "geforce", "amd",      "radeon",
                                                       "intel",  "apple",   "instinct", "tesla"};
constexpr std::array<std::string_view, 4> kFillWords{"gpu", "graphics", "r", "tm"};
constexpr std::size_t kMaxSuggestions = 4;
constexpr std::size_t kMaxCandidates = 12;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Lower-case runs of letters and digits: "NVIDIA GeForce RTX-4090" is nvidia, geforce, rtx, 4090.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool in_word = false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool belongs = byte < 0x80 && std::isalnum(byte) != 0;
    if (belongs && !in_word) words.emplace_back();
    if (belongs) words.back() += ascii_lower(c);
    in_word = belongs;
  }
  return words;
}

bool is_unit(std::string_view text) { return text == "g" || text == "gb" || text == "gib"; }

// A word without vendors and families, which may be written together with what follows: "w7900" of "radeonw7900".
std::string without_family(std::string word) {
  for (bool is_cut = true; is_cut;) {
    is_cut = false;
    for (const std::string_view family : kFamilyWords) {
      if (!word.starts_with(family)) continue;
      word.erase(0, family.size());
      is_cut = true;
    }
  }
  return std::find(kFillWords.begin(), kFillWords.end(), word) == kFillWords.end() ? word : std::string();
}

// The gigabytes that a word names: 12 of "12gb", "12gib" and "12g"; 0 when it names none.
std::uint32_t gigabytes_of(std::string_view word) {
  std::uint32_t count = 0;
  const auto [unit, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  const std::string_view rest(unit, static_cast<std::size_t>(word.data() + word.size() - unit));
  return error == std::errc() && is_unit(rest) ? count : 0;
}

// A name without vendor and family words, its memory apart: "NVIDIA RTX 3060 12 GB" is rtx, 3060 and 12.
struct PlainName {
  std::vector<std::string> words;
  std::uint32_t gigabytes = 0;  // 0: the name does not say
  std::string letters;          // and digits of all that was written, in its order

  std::string joined() const { return fmt::format("{}", fmt::join(words, "")); }
  std::string with_memory(std::uint32_t n) const { return fmt::format("{}{}gb", joined(), n); }
  std::string whole() const { return gigabytes == 0 ? joined() : with_memory(gigabytes); }
};

PlainName plain_name(std::string_view name) {
  PlainName plain;
  const std::vector<std::string> words = words_of(name);
  plain.letters = fmt::format("{}", fmt::join(words, ""));
  for (std::size_t i = 0; i < words.size(); ++i) {
    // "12 GB" is one size in two words.
    const bool has_unit = i + 1 < words.size() && is_unit(words[i + 1]);
    if (const std::uint32_t in_two = has_unit ? gigabytes_of(words[i] + words[i + 1]) : 0; in_two > 0) {
      plain.gigabytes = in_two;
      ++i;
    } else if (gigabytes_of(words[i]) > 0) {
      plain.gigabytes = gigabytes_of(words[i]);
    } else if (std::string word = without_family(words[i]); !word.empty()) {
      plain.words.push_back(std::move(word));
    }
  }
  return plain;
}

// Whether `words`, from one of them to the last, read `text`: "rtx3060" and "3060" end rtx, 3060; "060" does not.
bool words_end_with(const std::vector<std::string>& words, std::string_view text) {
  std::string ending;
  for (auto word = words.rbegin(); word != words.rend() && ending.size() < text.size(); ++word) ending = *word + ending;
  return ending == text;
}

// Whether `words` read one after the other hold `part` with no number of them cut in two: rtx, 2080, ti hold "2080ti"
// and "rtx2080", and neither "208" nor "80".
bool hold(const std::vector<std::string>& words, std::string_view part) {
  std::string text;
  std::vector<std::size_t> joints;
  for (const std::string& word : words) {
    joints.push_back(text.size());
    text += word;
  }
  const auto cuts_number = [&](std::size_t at) {
    const bool inside = at > 0 && at < text.size() && std::find(joints.begin(), joints.end(), at) == joints.end();
    return inside && is_digit(text[at - 1]) && is_digit(text[at]);
  };
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    if (!cuts_number(at) && !cuts_number(at + part.size())) return true;
  }
  return false;
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

// What a device is called, and what memory is written on its box: a name with a size of memory may mean one of another
// size.
std::string joined_names(std::span<const DeviceInfo> devices, const std::vector<DeviceIndex>& which) {
  std::string names;
  for (const DeviceIndex i : which) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", devices[i].name);
    if (plain_name(devices[i].name).gigabytes > 0) continue;
    // A driver that computes on the CPU has no box.
    const DeviceInfo& device = devices[i];
    names +=
        fmt::format(" ({})", format_bytes(device.nameplate_bytes > 0 ? device.nameplate_bytes : device.total_bytes));
  }
  return names;
}

Error unknown_device(std::span<const DeviceInfo> devices, std::string_view name, const PlainName& plain) {
  std::vector<std::pair<std::size_t, DeviceIndex>> by_distance;
  for (DeviceIndex i = 0; i < devices.size(); ++i)
    by_distance.emplace_back(edit_distance(plain.whole(), plain_name(devices[i].name).whole()), i);
  std::sort(by_distance.begin(), by_distance.end());
  by_distance.resize(std::min(by_distance.size(), kMaxSuggestions));
  std::vector<DeviceIndex> nearest;
  for (const auto& [distance, i] : by_distance) nearest.push_back(i);
  return Error{
      ErrorCode::kUsage,
      Message::say("device: expected a device of this machine or of the catalogue, found \"{}\"; the nearest are {}",
                   name, joined_names(devices, nearest))};
}

Error ambiguous_device(std::span<const DeviceInfo> devices, std::string_view name,
                       std::vector<DeviceIndex> candidates) {
  const std::size_t n_more = candidates.size() - std::min(candidates.size(), kMaxCandidates);
  candidates.resize(candidates.size() - n_more);
  return Error{ErrorCode::kUsage,
               n_more > 0
                   ? Message::say("device: expected the name of one device, found \"{}\", which may be {} and {} more",
                                  name, joined_names(devices, candidates), n_more)
                   : Message::say("device: expected the name of one device, found \"{}\", which may be {}", name,
                                  joined_names(devices, candidates))};
}

// How a name may mean a device, from the strictest reading to the loosest. The first reading that any device answers
// to decides, so that "RTX 3080" is that card beside an "RTX 3080 12GB", and "4090" the card and not a laptop's.
enum class Reading { kNone, kPart, kBeginning, kOtherMemory, kEnding, kNameEnding, kWords, kName };

Reading reading_of(const DeviceInfo& device, const PlainName& asked) {
  const PlainName named = plain_name(device.name);
  const auto on_box = static_cast<std::uint32_t>(device.nameplate_bytes / kGiB);
  const std::string text = asked.whole(), joined = asked.joined();
  const std::string written = named.whole(), with_memory = named.with_memory(on_box);
  if (text == written || asked.letters == named.letters) return Reading::kName;
  // A size that is named must be the one on the box.
  const bool same_memory = asked.gigabytes == 0 || asked.gigabytes == on_box;
  if ((same_memory && joined == named.joined()) || text == with_memory) return Reading::kWords;
  if (!same_memory) return hold(named.words, joined) ? Reading::kOtherMemory : Reading::kNone;
  // Without a digit an ending is a family ("rtx"), not a card.
  const bool has_digit = std::any_of(joined.begin(), joined.end(), is_digit);
  if (has_digit && words_end_with(named.words, joined))
    return named.gigabytes == asked.gigabytes ? Reading::kNameEnding : Reading::kEnding;
  // "RTX 3060 8GB" is no RTX 3060 Ti although that has 8: words may only be left out where the name tells the size.
  if (asked.gigabytes != 0 && named.gigabytes == 0)
    return hold(named.words, joined) ? Reading::kOtherMemory : Reading::kNone;
  if (!hold(named.words, joined)) return Reading::kNone;
  return named.joined().starts_with(joined) ? Reading::kBeginning : Reading::kPart;
}

}  // namespace

Result<DeviceIndex> find_device(std::span<const DeviceInfo> devices, std::string_view name) {
  const auto same = [](char a, char b) { return ascii_lower(a) == ascii_lower(b); };
  for (DeviceIndex i = 0; i < devices.size(); ++i) {
    if (std::equal(name.begin(), name.end(), devices[i].id.begin(), devices[i].id.end(), same)) return i;
  }
  const PlainName asked = plain_name(name);
  if (asked.words.empty()) return unknown_device(devices, name, asked);
  std::map<Reading, std::vector<DeviceIndex>> read;
  for (DeviceIndex i = 0; i < devices.size(); ++i) read[reading_of(devices[i], asked)].push_back(i);
  read.erase(Reading::kNone);
  if (read.empty()) return unknown_device(devices, name, asked);
  const auto& [strictest, candidates] = *read.rbegin();
  if (strictest == Reading::kName) return candidates.front();
  if (candidates.size() == 1 && strictest != Reading::kOtherMemory) return candidates.front();
  return ambiguous_device(devices, name, candidates);
}

}  // namespace headroom
