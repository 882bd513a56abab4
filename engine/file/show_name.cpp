#include "file/show_name.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>

namespace headroom {
namespace {

bool is_printable(char c) { return c >= 0x20 && c < 0x7F; }

}  // namespace

std::string show_name(std::string_view text) {
  constexpr std::size_t kMaxShown = 80;
  std::string out = "'";
  for (const char c : text.substr(0, kMaxShown)) {
    if (is_printable(c)) {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  out += text.size() > kMaxShown ? "...'" : "'";
  return out;
}

std::string displayable(std::string_view text) {
  constexpr std::size_t kMaxBytes = 200;
  std::string out;
  while (!text.empty() && out.size() < kMaxBytes) {
    utf8proc_int32_t code_point = -1;
    const utf8proc_ssize_t n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                static_cast<utf8proc_ssize_t>(text.size()), &code_point);
    const bool is_shown = n > 0 && code_point >= 0x20 && !(code_point >= 0x7F && code_point < 0xA0);
    out += is_shown ? text.substr(0, static_cast<std::size_t>(n)) : std::string_view("\uFFFD");
    text.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 1);
  }
  return out;
}

bool is_printable_ascii(std::string_view text) { return std::all_of(text.begin(), text.end(), is_printable); }

}  // namespace headroom
