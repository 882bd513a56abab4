#include "text/jinja/field_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "text/jinja/error.h"
#include "text/jinja/print.h"
#include "text/jinja/text.h"
#include "text/utf8.h"

namespace headroom::jinja {

namespace {

// repr() with what is not ASCII as escapes.
TracedText ascii_repr(const TracedText& repr) {
  TracedText out;
  for (const std::string_view each : characters(repr.bytes())) {
    const auto number = static_cast<std::uint32_t>(read_code_point(each, 0).value);
    const std::string shown = number < 0x80      ? std::string(each)
                              : number < 0x100   ? fmt::format("\\x{:02x}", number)
                              : number < 0x10000 ? fmt::format("\\u{:04x}", number)
                                                 : fmt::format("\\U{:08x}", number);
    out.append(shown, repr.origin_at(static_cast<std::size_t>(each.data() - repr.bytes().data())));
  }
  return out;
}

}  // namespace

std::string sign_text(bool is_negative, char sign) {
  if (is_negative) return "-";
  return sign == '-' ? "" : std::string(1, sign);
}

std::string grouped(std::string digits, char separator, std::size_t n_in_group) {
  if (separator == '\0') return digits;
  const std::size_t end = std::min(digits.find_first_not_of("0123456789abcdefABCDEF"), digits.size());
  for (std::size_t at = end; at > n_in_group;) {
    at -= n_in_group;
    digits.insert(at, 1, separator);
  }
  return digits;
}

NumberText integer_text(std::int64_t number, const Spec& spec, char type) {
  const std::uint64_t magnitude =
      number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
  NumberText text;
  text.head = sign_text(number < 0, spec.sign);
  if (spec.alternate && (type == 'x' || type == 'X' || type == 'o' || type == 'b'))
    text.head += std::string("0") + type;
  text.digits = type == 'x'   ? fmt::format("{:x}", magnitude)
                : type == 'X' ? fmt::format("{:X}", magnitude)
                : type == 'o' ? fmt::format("{:o}", magnitude)
                : type == 'b' ? fmt::format("{:b}", magnitude)
                              : fmt::format("{}", magnitude);
  return text;
}

// fmt and not printf, because the latter writes the decimal point of the user's language.
NumberText float_text(double number, const Spec& spec, char type) {
  const bool is_upper = type >= 'A' && type <= 'Z';
  const double magnitude = std::fabs(number);
  NumberText text;
  text.head = sign_text(std::signbit(number) && !std::isnan(number), spec.sign);
  if (std::isnan(number) || std::isinf(number)) {
    text.digits = std::isnan(number) ? (is_upper ? "NAN" : "nan") : (is_upper ? "INF" : "inf");
    return text;
  }
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  text.digits =
      fmt::format(fmt::runtime(fmt::format("{{:{}.{}{}}}", spec.alternate ? "#" : "", precision, type)), magnitude);
  return text;
}

TracedText padded(const TracedText& text, const Spec& spec, char default_align, TextOrigin origin) {
  const std::size_t n_characters = count_characters(text.bytes());
  const std::size_t n_fill = spec.width > n_characters ? spec.width - n_characters : 0;
  const char align = spec.align != '\0' ? spec.align : default_align;
  const std::size_t n_left = align == '<' ? 0 : align == '^' ? n_fill / 2 : n_fill;
  TracedText out;
  for (std::size_t i = 0; i < n_left; ++i) out.append(spec.fill, origin);
  out.append(text);
  for (std::size_t i = n_left; i < n_fill; ++i) out.append(spec.fill, origin);
  return out;
}

TracedText padded_number(NumberText number, const Spec& spec, TextOrigin origin) {
  if (spec.align == '=') {
    const std::size_t n_bytes = number.head.size() + number.digits.size();
    std::string filled = number.head;
    for (std::size_t i = n_bytes; i < spec.width; ++i) filled += spec.fill;
    return {filled + number.digits, origin};
  }
  return padded({number.head + number.digits, origin}, spec, '>', origin);
}

TracedText first_characters(const TracedText& text, int n_characters) {
  if (n_characters < 0) return text;
  const std::string_view bytes = text.bytes();
  return text.part(bytes.substr(0, bytes_of_characters(bytes, static_cast<std::size_t>(n_characters))));
}

TracedText converted(Runtime& runtime, const Value& value, char conversion) {
  if (conversion == 's') return runtime.to_text(value);
  const TracedText repr = to_repr(value, runtime.bytes_left());
  return conversion == 'a' ? ascii_repr(repr) : repr;
}

TracedText code_point_text(std::int64_t number, TextOrigin origin) {
  if (number < 0 || number > 0x10FFFF) fail("%c arg not in range(0x110000)");
  std::string bytes;
  append_code_point(bytes, static_cast<char32_t>(number));
  return {bytes, origin};
}

int bounded_number(std::string_view digits) {
  std::size_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc() || number > kMaxWidth)
    fail(fmt::format("a format with a width or precision of more than {}", kMaxWidth));
  return static_cast<int>(number);
}

}  // namespace headroom::jinja
