#include "text/traced_text.h"

#include <algorithm>

#include "base/check.h"

namespace headroom {

TracedText::TracedText(std::string bytes, TextOrigin origin) : bytes_(std::move(bytes)) {
  if (origin == TextOrigin::kMessage) add_message_range({0, bytes_.size()});
}

void TracedText::add_message_range(Range range) {
  if (range.from == range.to) return;
  if (!message_.empty() && message_.back().to == range.from) {
    message_.back().to = range.to;
  } else {
    message_.push_back(range);
  }
}

std::vector<TracedText::Range>::const_iterator TracedText::range_at(std::size_t index) const {
  return std::partition_point(message_.begin(), message_.end(), [&](const Range& range) { return range.to <= index; });
}

TextOrigin TracedText::origin_at(std::size_t index) const {
  const auto range = range_at(index);
  return range != message_.end() && range->from <= index ? TextOrigin::kMessage : TextOrigin::kTemplate;
}

void TracedText::append(std::string_view bytes, TextOrigin origin) {
  const std::size_t from = bytes_.size();
  bytes_.append(bytes);
  if (origin == TextOrigin::kMessage) add_message_range({from, bytes_.size()});
}

void TracedText::append_part(const TracedText& text, std::string_view part) {
  if (part.empty()) return;
  CHECK(&text != this, "a text is not appended to itself");
  const auto from = static_cast<std::size_t>(part.data() - text.bytes_.data()), to = from + part.size();
  CHECK(part.data() >= text.bytes_.data() && to <= text.bytes_.size(), "the part is a view into the text");
  const std::size_t start = bytes_.size();
  bytes_.append(part);
  for (auto range = text.range_at(from); range != text.message_.end() && range->from < to; ++range)
    add_message_range({start + std::max(range->from, from) - from, start + std::min(range->to, to) - from});
}

void TracedText::truncate(std::size_t n_bytes) {
  if (n_bytes >= bytes_.size()) return;
  bytes_.resize(n_bytes);
  while (!message_.empty() && message_.back().from >= n_bytes) message_.pop_back();
  if (!message_.empty()) message_.back().to = std::min(message_.back().to, n_bytes);
}

TracedText TracedText::part(std::string_view part) const {
  TracedText copy;
  copy.append_part(*this, part);
  return copy;
}

std::vector<TextPiece> TracedText::pieces() const {
  std::vector<TextPiece> pieces;
  const std::string_view all = bytes_;
  std::size_t done = 0;
  for (const Range& range : message_) {
    if (range.from > done) pieces.push_back({all.substr(done, range.from - done), TextOrigin::kTemplate});
    pieces.push_back({all.substr(range.from, range.to - range.from), TextOrigin::kMessage});
    done = range.to;
  }
  if (done < all.size()) pieces.push_back({all.substr(done), TextOrigin::kTemplate});
  return pieces;
}

}  // namespace headroom
