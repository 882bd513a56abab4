// A text that knows which of its bytes came from messages. What people and documents write must never become a control
// token, so a prompt keeps this knowledge from the chat template through to the tokenizer:
//
// - the content of messages, roles that are not among the known ones, and descriptions of tools are kMessage;
// - what a template writes itself, what this program adds, and the known roles are kTemplate;
// - every operation of a template gives each byte of its result the origin of the byte that it was made from: slices,
//   joins, replacements and paddings keep it, a changed or escaped character keeps that of the character before;
// - a result that cannot be followed byte by byte is kMessage as soon as any of its inputs has a byte from a message;
// - comparisons, searches and look-ups see the bytes alone. Numbers and truth values have no origin.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

enum class TextOrigin : std::uint8_t { kTemplate, kMessage };

// A stretch of one origin; a view into the text that it was taken from.
struct TextPiece {
  std::string_view text;
  TextOrigin origin = TextOrigin::kTemplate;
};

class TracedText {
 public:
  TracedText() = default;
  TracedText(std::string bytes, TextOrigin origin);
  static TracedText of_template(std::string bytes) { return {std::move(bytes), TextOrigin::kTemplate}; }
  static TracedText of_message(std::string bytes) { return {std::move(bytes), TextOrigin::kMessage}; }

  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  bool has_message() const { return !message_.empty(); }
  // What an opaque result has that was made from this text.
  TextOrigin strictest_origin() const { return has_message() ? TextOrigin::kMessage : TextOrigin::kTemplate; }
  TextOrigin origin_at(std::size_t index) const;
  // Memory beyond the object itself.
  std::size_t n_bytes_held() const { return bytes_.size() + message_.size() * sizeof(Range); }

  void append(std::string_view bytes, TextOrigin origin);
  void append(const TracedText& text) { append_part(text, text.bytes_); }
  void append_part(const TracedText& text, std::string_view part);  // `part` is a view into text.bytes()
  void truncate(std::size_t n_bytes);

  TracedText part(std::string_view part) const;  // `part` is a view into bytes()
  // All of the text, in order; neighbours differ in origin, none is empty. Views into bytes().
  std::vector<TextPiece> pieces() const;

 private:
  struct Range {
    std::size_t from = 0, to = 0;
  };
  void add_message_range(Range range);
  // The first range that ends beyond `index`.
  std::vector<Range>::const_iterator range_at(std::size_t index) const;

  std::string bytes_;
  std::vector<Range> message_;  // from messages: ascending, none empty, none touching the next
};

}  // namespace headroom
