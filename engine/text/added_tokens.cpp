#include "text/added_tokens.h"

#include <algorithm>

namespace headroom {

AddedTokens::AddedTokens(const Vocabulary& vocabulary) {
  for (TokenId id = 0; id < vocabulary.n_vocab(); ++id) {
    const bool is_added = vocabulary.is_special(id) || vocabulary.types[id] == TokenType::kUserDefined;
    if (vocabulary.texts[id].empty() || !is_added) continue;
    const bool swallows =
        std::binary_search(vocabulary.swallow_space_after.begin(), vocabulary.swallow_space_after.end(), id);
    entries_.push_back({vocabulary.texts[id], id, vocabulary.is_guarded(id), swallows});
  }
  // char_traits compares bytes as unsigned; of a text that stands twice the first id is the one.
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.text < b.text; });
  entries_.erase(
      std::unique(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.text == b.text; }),
      entries_.end());
  for (const Entry& entry : entries_) ++first_by_byte_[static_cast<std::uint8_t>(entry.text[0]) + 1U];
  for (std::size_t byte = 0; byte < 256; ++byte) first_by_byte_[byte + 1] += first_by_byte_[byte];
}

const AddedTokens::Entry* AddedTokens::longest_at(std::string_view text, std::size_t n_of_template) const {
  const auto first_byte = static_cast<std::uint8_t>(text[0]);
  auto from = entries_.begin() + first_by_byte_[first_byte];
  auto to = entries_.begin() + first_by_byte_[first_byte + 1U];
  const Entry* longest = nullptr;
  // All entries in [from, to) share their first n_shared bytes with the text; one of exactly that length sorts first.
  for (std::size_t n_shared = 1; from != to; ++n_shared) {
    if (from->text.size() == n_shared) {
      if (!from->is_guarded || n_shared <= n_of_template) longest = &*from;
      ++from;
    }
    if (n_shared == text.size()) break;
    const auto byte = static_cast<std::uint8_t>(text[n_shared]);
    const auto byte_of = [n_shared](const Entry& entry) { return static_cast<std::uint8_t>(entry.text[n_shared]); };
    from = std::partition_point(from, to, [&](const Entry& entry) { return byte_of(entry) < byte; });
    to = std::partition_point(from, to, [&](const Entry& entry) { return byte_of(entry) == byte; });
  }
  return longest;
}

void AddedTokens::split(std::string_view text, std::span<const TextRange> of_template,
                        const std::function<bool(const TextPart&)>& take) const {
  std::size_t done = 0;
  for (std::size_t pos = 0; pos < text.size();) {
    while (!of_template.empty() && of_template.front().to <= pos) of_template = of_template.subspan(1);
    const bool is_of_template = !of_template.empty() && of_template.front().from <= pos;
    const Entry* entry = longest_at(text.substr(pos), is_of_template ? of_template.front().to - pos : 0);
    if (!entry) {
      ++pos;
      continue;
    }
    if (pos > done && !take({text.substr(done, pos - done)})) return;
    if (!take({text.substr(pos, entry->text.size()), true, entry->id})) return;
    pos += entry->text.size();
    while (entry->swallows_space && pos < text.size() && may_swallow(text[pos])) ++pos;
    done = pos;
  }
  if (done < text.size()) take({text.substr(done)});
}

}  // namespace headroom
