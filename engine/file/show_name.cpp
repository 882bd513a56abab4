#include "file/show_name.h"

#include <fmt/format.h>

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

bool is_printable_ascii(std::string_view text) { return std::all_of(text.begin(), text.end(), is_printable); }

}  // namespace headroom
