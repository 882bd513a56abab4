#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/jinja/error.h"
#include "text/jinja/field_text.h"
#include "text/jinja/format.h"
#include "text/jinja/print.h"
#include "text/utf8.h"

namespace headroom::jinja {

namespace {

bool is_align(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }

class SpecReader {
 public:
  explicit SpecReader(std::string_view text) : text_(text) {}

  Spec read() {
    Spec spec;
    read_align(spec);
    if (skip("+") || skip("-") || skip(" ")) spec.sign = text_[pos_ - 1];
    spec.alternate = skip("#");
    if (skip("0") && spec.align == '\0') {
      spec.align = '=';
      spec.fill = "0";
    }
    if (const std::string_view digits = read_digits(); !digits.empty())
      spec.width = static_cast<std::size_t>(bounded_number(digits));
    if (skip(",") || skip("_")) spec.grouping = text_[pos_ - 1];
    if (skip(".")) {
      const std::string_view digits = read_digits();
      if (digits.empty()) fail("Format specifier missing precision");
      spec.precision = bounded_number(digits);
    }
    if (pos_ < text_.size()) spec.type = text_[pos_++];
    if (pos_ < text_.size()) fail("Invalid format specifier");
    return spec;
  }

 private:
  void read_align(Spec& spec) {
    if (text_.empty()) return;
    const std::size_t n_fill = read_code_point(text_, 0).n_bytes;
    if (n_fill < text_.size() && is_align(text_[n_fill])) {
      spec.fill = text_.substr(0, n_fill);
      spec.align = text_[n_fill];
      pos_ = n_fill + 1;
    } else if (is_align(text_[0])) {
      spec.align = text_[0];
      pos_ = 1;
    }
  }
  bool skip(std::string_view expected) {
    if (!text_.substr(pos_).starts_with(expected)) return false;
    pos_ += expected.size();
    return true;
  }
  std::string_view read_digits() {
    const std::size_t from = pos_;
    while (pos_ < text_.size() && text_[pos_] >= '0' && text_[pos_] <= '9') ++pos_;
    return text_.substr(from, pos_ - from);
  }

  std::string_view text_;
  std::size_t pos_ = 0;
};

TracedText formatted_text(const TracedText& text, const Spec& spec, TextOrigin origin) {
  if (spec.type != '\0' && spec.type != 's')
    fail(fmt::format("Unknown format code '{}' for object of type 'str'", spec.type));
  if (spec.align == '=' && spec.fill != "0") fail("'=' alignment not allowed in string format specifier");
  if (spec.sign != '-') fail("Sign not allowed in string format specifier");
  Spec left = spec;
  if (spec.align == '=') left.align = '<';
  return padded(first_characters(text, spec.precision), left, '<', origin);
}

TracedText formatted_float(double number, const Spec& spec, TextOrigin origin) {
  Spec fixed = spec;
  std::string percent;
  char type = spec.type == 'n' ? 'g' : spec.type;
  if (type == '%') {
    number *= 100;
    type = 'f';
    percent = "%";
  }
  NumberText text;
  if (type == '\0' && spec.precision < 0) {
    const std::string shown = to_text(Value(std::fabs(number)), 64).bytes();
    text = {sign_text(std::signbit(number) && !std::isnan(number), spec.sign), shown};
  } else if (type == '\0') {
    text = float_text(number, fixed, 'g');
    if (text.digits.find_first_of(".en") == std::string::npos) text.digits += ".0";
  } else {
    text = float_text(number, fixed, type);
  }
  text.digits = grouped(text.digits + percent, spec.grouping, 3);
  return padded_number(std::move(text), spec, origin);
}

TracedText formatted(Runtime& runtime, const Value& value, const TracedText& spec_text, TextOrigin origin) {
  if (spec_text.empty()) return runtime.to_text(value);
  const Spec spec = SpecReader(spec_text.bytes()).read();
  const TextOrigin strictest = spec_text.has_message() ? TextOrigin::kMessage : origin;
  if (value.text()) return formatted_text(*value.text(), spec, strictest);
  if (value.undefined()) return formatted_text({}, spec, strictest);
  std::int64_t number = 0;
  const std::string_view integer_types = "dnxXob";
  if (as_integer(value, number)) {
    if (spec.type == 'c') return padded(code_point_text(number, strictest), spec, '>', strictest);
    if (spec.type == '\0' || integer_types.find(spec.type) != std::string_view::npos) {
      if (spec.precision >= 0) fail("Precision not allowed in integer format specifier");
      NumberText text = integer_text(number, spec, spec.type);
      const bool is_decimal = spec.type == '\0' || spec.type == 'd' || spec.type == 'n';
      text.digits = grouped(std::move(text.digits), spec.grouping, is_decimal ? 3 : 4);
      return padded_number(std::move(text), spec, strictest);
    }
  }
  if (!value.is_number()) fail(fmt::format("unsupported format string passed to {}.__format__", type_name(value)));
  if (spec.type != '\0' && std::string_view("eEfFgGn%").find(spec.type) == std::string_view::npos)
    fail(fmt::format("Unknown format code '{}' for object of type '{}'", spec.type, type_name(value)));
  return formatted_float(as_double(value), spec, strictest);
}

class FieldFormat {
 public:
  FieldFormat(Runtime& runtime, const CallValues& arguments) : runtime_(runtime), arguments_(arguments) {}

  TracedText run(const TracedText& traced, std::uint32_t level) {
    if (level > 1) fail("Max string recursion exceeded");
    const std::string_view format = traced.bytes();
    TracedText out;
    std::size_t pos = 0;
    while (pos < format.size()) {
      const std::size_t brace = std::min(format.find_first_of("{}", pos), format.size());
      add(out, traced.part(format.substr(pos, brace - pos)));
      if (brace == format.size()) break;
      const bool is_doubled = brace + 1 < format.size() && format[brace + 1] == format[brace];
      if (is_doubled) {
        add(out, traced.part(format.substr(brace, 1)));
        pos = brace + 2;
        continue;
      }
      if (format[brace] == '}') fail("Single '}' encountered in format string");
      const std::size_t end = end_of_field(format, brace);
      add(out, field(traced, format.substr(brace + 1, end - brace - 1), traced.origin_at(brace), level));
      pos = end + 1;
    }
    return out;
  }

 private:
  void add(TracedText& out, const TracedText& text) {
    runtime_.charge(text.n_bytes_held());
    out.append(text);
  }

  static std::size_t end_of_field(std::string_view format, std::size_t open) {
    std::size_t depth = 0;
    for (std::size_t at = open; at < format.size(); ++at) {
      if (format[at] == '{') ++depth;
      if (format[at] == '}' && --depth == 0) return at;
    }
    fail(open + 1 == format.size() ? "Single '{' encountered in format string" : "expected '}' before end of string");
  }

  TracedText field(const TracedText& traced, std::string_view text, TextOrigin origin, std::uint32_t level) {
    const std::size_t name_end = std::min(text.find_first_of("!:"), text.size());
    const Value value = find_value(text.substr(0, name_end));
    std::size_t pos = name_end;
    char conversion = '\0';
    if (pos < text.size() && text[pos] == '!') {
      if (pos + 1 >= text.size()) fail("end of string while looking for conversion specifier");
      conversion = text[pos + 1];
      if (conversion != 's' && conversion != 'r' && conversion != 'a')
        fail(fmt::format("Unknown conversion specifier {}", conversion));
      pos += 2;
      if (pos < text.size() && text[pos] != ':') fail("expected ':' after conversion specifier");
    }
    TracedText spec;
    if (pos < text.size()) spec = run(traced.part(text.substr(pos + 1)), level + 1);
    if (conversion == '\0') return formatted(runtime_, value, spec, origin);
    return formatted(runtime_, runtime_.text(converted(runtime_, value, conversion)), spec, origin);
  }

  // "0", "name", "" for the next one; then ".attribute" and "[element]".
  Value find_value(std::string_view path) {
    const std::size_t head_end = std::min(path.find_first_of(".["), path.size());
    Value value = find_argument(path.substr(0, head_end));
    for (std::size_t pos = head_end; pos < path.size();) {
      if (path[pos] == '.') {
        const std::size_t end = std::min(path.find_first_of(".[", pos + 1), path.size());
        value = get_attribute(runtime_, value, path.substr(pos + 1, end - pos - 1));
        pos = end;
        continue;
      }
      const std::size_t end = path.find(']', pos);
      if (path[pos] != '[' || end == std::string_view::npos) fail("expected ']' in format field");
      const std::string_view key = path.substr(pos + 1, end - pos - 1);
      const bool is_index = !key.empty() && key.find_first_not_of("0123456789") == std::string_view::npos;
      value = get_item(
          runtime_, value,
          is_index ? Value(std::int64_t{bounded_number(key)}) : Value(TracedText::of_template(std::string(key))));
      pos = end + 1;
    }
    return value;
  }

  Value find_argument(std::string_view name) {
    const bool is_automatic = name.empty();
    if (is_automatic || name.find_first_not_of("0123456789") == std::string_view::npos) {
      if (is_automatic ? used_manual_ : next_ > 0)
        fail(is_automatic ? "cannot switch from manual field specification to automatic field numbering"
                          : "cannot switch from automatic field numbering to manual field specification");
      used_manual_ = !is_automatic;
      const std::size_t index = is_automatic ? next_++ : static_cast<std::size_t>(bounded_number(name));
      if (index >= arguments_.positional.size())
        fail(fmt::format("Replacement index {} out of range for positional args tuple", index));
      return arguments_.positional[index];
    }
    const auto named = std::find_if(arguments_.named.begin(), arguments_.named.end(),
                                    [&](const auto& each) { return each.first.bytes() == name; });
    if (named == arguments_.named.end()) fail(fmt::format("'{}'", name));
    return named->second;
  }

  Runtime& runtime_;
  const CallValues& arguments_;
  std::size_t next_ = 0;
  bool used_manual_ = false;
};

}  // namespace

Value format_fields(Runtime& runtime, const TracedText& format, const CallValues& arguments) {
  return runtime.text(FieldFormat(runtime, arguments).run(format, 0));
}

}  // namespace headroom::jinja
