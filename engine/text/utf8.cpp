#include "text/utf8.h"

namespace headroom {

namespace {

// What a lead byte promises: how many bytes, and the range of the second one, which excludes overlong forms, surrogates
// and values past U+10FFFF.
struct LeadByte {
  std::uint32_t n_bytes;
  std::uint8_t second_from, second_to;
  std::uint8_t value_bits;
};

LeadByte lead_byte(std::uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0, byte};
  if (byte < 0xC2) return {0, 0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF, static_cast<std::uint8_t>(byte & 0x1F)};
  if (byte < 0xF0) {
    const std::uint8_t from = byte == 0xE0 ? 0xA0 : 0x80;
    const std::uint8_t to = byte == 0xED ? 0x9F : 0xBF;
    return {3, from, to, static_cast<std::uint8_t>(byte & 0x0F)};
  }
  if (byte > 0xF4) return {0, 0, 0, 0};
  const std::uint8_t from = byte == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t to = byte == 0xF4 ? 0x8F : 0xBF;
  return {4, from, to, static_cast<std::uint8_t>(byte & 0x07)};
}

}  // namespace

CodePoint read_code_point(std::string_view text, std::size_t pos) {
  const LeadByte lead = lead_byte(static_cast<std::uint8_t>(text[pos]));
  if (lead.n_bytes == 0) return {0xFFFD, 1, false, false};
  char32_t value = lead.value_bits;
  for (std::uint32_t i = 1; i < lead.n_bytes; ++i) {
    if (pos + i >= text.size()) return {0xFFFD, i, false, true};
    const auto byte = static_cast<std::uint8_t>(text[pos + i]);
    const std::uint8_t from = i == 1 ? lead.second_from : 0x80;
    const std::uint8_t to = i == 1 ? lead.second_to : 0xBF;
    if (byte < from || byte > to) return {0xFFFD, i, false, false};
    value = value << 6 | (byte & 0x3F);
  }
  return {value, lead.n_bytes, true, false};
}

bool is_one_character(std::string_view text) {
  if (text.empty()) return false;
  const CodePoint first = read_code_point(text, 0);
  return first.valid && first.n_bytes == text.size();
}

void append_code_point(std::string& text, char32_t value) {
  if (value >= 0xD800 && value <= 0xDFFF) value = 0xFFFD;
  if (value < 0x80) {
    text += static_cast<char>(value);
  } else if (value < 0x800) {
    text += static_cast<char>(0xC0 | value >> 6);
    text += static_cast<char>(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    text += static_cast<char>(0xE0 | value >> 12);
    text += static_cast<char>(0x80 | (value >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (value & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | value >> 18);
    text += static_cast<char>(0x80 | (value >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (value >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (value & 0x3F));
  }
}

}  // namespace headroom
