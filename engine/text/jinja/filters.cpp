// What may follow "|", except the filters over sequences (sequence_filters.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/c_locale.h"
#include "text/jinja/error.h"
#include "text/jinja/filter_table.h"
#include "text/jinja/format.h"
#include "text/jinja/print.h"
#include "text/jinja/text.h"
#include "text/utf8.h"

namespace headroom::jinja {

namespace {

Value filter_default(Runtime&, const Value& input, const CallValues& arguments) {
  const Parameters parameters("default", arguments, {"default_value", "boolean"});
  const bool replaces = input.undefined() || (parameters.flag(1, false) && !is_true(input));
  if (!replaces) return input;
  return parameters.find(0) ? *parameters.find(0) : Value("");
}

template <TracedText (*map)(const TracedText&)>
Value filter_mapped(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("this filter", arguments, {});
  return runtime.text(map(runtime.to_text(input)));
}

Value filter_trim(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("trim", arguments, {"chars"});
  const TracedText text = runtime.to_text(input);
  return runtime.text(text.part(strip_text(runtime, text.bytes(), parameters.bytes(0, ""), true, true)));
}

Value filter_string(Runtime& runtime, const Value& input, const CallValues&) {
  return input.text() ? input : runtime.text(runtime.to_text(input));
}
Value filter_safe(Runtime& runtime, const Value& input, const CallValues& arguments) {
  return filter_string(runtime, input, arguments);
}

Value filter_replace(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("replace", arguments, {"old", "new", "count"});
  const TracedText from = runtime.to_text(parameters.at(0)), to = runtime.to_text(parameters.at(1));
  const Value* count = parameters.find(2);
  if (input.text()) runtime.search(input.bytes()->size(), from.bytes().size());
  return runtime.text(replaced(runtime.to_text(input), from.bytes(), to,
                               count && count->is_none() ? -1 : parameters.integer(2, -1), runtime.bytes_left()));
}

Value filter_length(Runtime& runtime, const Value& input, const CallValues&) {
  if (input.text()) runtime.step(input.bytes()->size() / 16);
  return Value(length_of(input));
}

Value filter_tojson(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("tojson", arguments, {"indent", "ensure_ascii", "separators", "sort_keys"});
  JsonStyle style;
  if (const Value* indent = parameters.find(0); indent && !indent->is_none()) {
    if (indent->text()) {
      style.indent = *indent->text();
    } else {
      const std::int64_t width = parameters.integer(0, 0);
      if (width > 1000) fail("tojson(): an indent of more than 1000");
      style.indent =
          TracedText::of_template(std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' '));
    }
    style.item_separator = TracedText::of_template(",");
  }
  style.ascii_only = parameters.flag(1, false);
  if (const Value* separators = parameters.find(2); separators && !separators->is_none()) {
    const List* pair = separators->list();
    if (!pair || pair->items.size() != 2 || !pair->items[0].text() || !pair->items[1].text())
      fail("tojson(): 'separators' is to be two strings");
    style.item_separator = *pair->items[0].text();
    style.key_separator = *pair->items[1].text();
  }
  style.sort_keys = parameters.flag(3, false);
  runtime.step(input.weight());
  return runtime.text(to_json(input, style, runtime.bytes_left()));
}

// ---- numbers ----

bool fits_integer(double number) { return number >= -9223372036854775808.0 && number < 9223372036854775808.0; }

Value filter_int(Runtime&, const Value& input, const CallValues& arguments) {
  const Parameters parameters("int", arguments, {"default", "base"});
  const Value otherwise = parameters.find(0) ? *parameters.find(0) : Value(std::int64_t{0});
  std::int64_t number = 0;
  if (as_integer(input, number)) return Value(number);
  if (const double* floating = input.floating())
    return fits_integer(*floating) ? Value(static_cast<std::int64_t>(*floating)) : otherwise;
  if (!input.text()) return otherwise;
  std::string text(stripped(*input.bytes(), {}, true, true));
  std::erase(text, '_');
  const std::int64_t base = parameters.integer(1, 10);
  if (base != 0 && (base < 2 || base > 36)) fail("int(): the base is to be 2 to 36");
  const std::string_view digits = std::string_view(text).substr(text.starts_with('+') || text.starts_with('-') ? 1 : 0);
  if (digits.empty() || !std::isalnum(static_cast<unsigned char>(digits[0]))) return otherwise;
  char* end = nullptr;
  errno = 0;
  number = std::strtoll(text.c_str(), &end, static_cast<int>(base));
  if (end == text.c_str() + text.size() && errno == 0) return Value(number);
  const double floating = c_strtod(text.c_str(), &end);
  const bool is_number = end == text.c_str() + text.size() && text.find_first_of("xXpPnN") == std::string::npos;
  return is_number && fits_integer(floating) ? Value(static_cast<std::int64_t>(floating)) : otherwise;
}

Value filter_float(Runtime&, const Value& input, const CallValues& arguments) {
  const Parameters parameters("float", arguments, {"default"});
  const Value otherwise = parameters.find(0) ? *parameters.find(0) : Value(0.0);
  if (input.is_number()) return Value(as_double(input));
  if (!input.text()) return otherwise;
  const std::string text(stripped(*input.bytes(), {}, true, true));
  char* end = nullptr;
  const double number = c_strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size() && text.find_first_of("xXpP") == std::string::npos
             ? Value(number)
             : otherwise;
}

Value filter_round(Runtime&, const Value& input, const CallValues& arguments) {
  const Parameters parameters("round", arguments, {"precision", "method"});
  if (!input.is_number())
    fail(input.undefined() ? input.undefined()->message
                           : fmt::format("type {} doesn't define __round__ method", type_name(input)));
  const std::int64_t precision = std::clamp<std::int64_t>(parameters.integer(0, 0), -300, 300);
  const std::string method = parameters.bytes(1, "common");
  const double number = as_double(input);
  if (method == "ceil" || method == "floor") {
    const double scale = std::pow(10.0, static_cast<double>(precision));
    return Value((method == "ceil" ? std::ceil(number * scale) : std::floor(number * scale)) / scale);
  }
  if (method != "common") fail("method must be common, ceil or floor");
  if (!input.floating() && precision >= 0) return input;  // Python rounds an integer to an integer
  if (precision < 0) {
    const double scale = std::pow(10.0, static_cast<double>(-precision));
    const double rounded = std::nearbyint(number / scale) * scale;
    return input.floating() || !fits_integer(rounded) ? Value(rounded) : Value(static_cast<std::int64_t>(rounded));
  }
  return Value(c_strtod(fmt::format("{:.{}f}", number, static_cast<int>(precision)).c_str(),
                        nullptr));  // correctly rounded, halves to even
}

Value filter_abs(Runtime&, const Value& input, const CallValues&) {
  std::int64_t number = 0;
  if (as_integer(input, number)) {
    if (number == INT64_MIN) fail("an integer larger than 64 bits");
    return Value(number < 0 ? -number : number);
  }
  if (!input.floating())
    fail(input.undefined() ? input.undefined()->message
                           : fmt::format("bad operand type for abs(): '{}'", type_name(input)));
  return Value(std::fabs(*input.floating()));
}

// ---- layout ----

Value filter_indent(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("indent", arguments, {"width", "first", "blank"});
  TracedText indent;
  if (const Value* width = parameters.find(0); width && width->text()) {
    indent = *width->text();
  } else {
    const std::int64_t n_blanks = parameters.integer(0, 4);
    if (n_blanks > 1000) fail("indent(): a width of more than 1000");
    indent.append(std::string(static_cast<std::size_t>(std::max<std::int64_t>(n_blanks, 0)), ' '),
                  TextOrigin::kTemplate);
  }
  const bool first = parameters.flag(1, false), blank = parameters.flag(2, false);
  TracedText text = runtime.to_text(input);
  text.append("\n", TextOrigin::kTemplate);  // so that a line end at the end stays
  TracedText out;
  bool is_first = true;
  split_lines(text.bytes(), false, [&](std::string_view line) {
    if (!is_first) out.append("\n", TextOrigin::kTemplate);
    if (is_first ? first : blank || !line.empty()) {
      runtime.charge(indent.n_bytes_held());
      out.append(indent);
    }
    out.append_part(text, line);
    is_first = false;
  });
  return runtime.text(std::move(out));
}

// What each byte becomes has the origin of that byte.
template <class Map>
TracedText mapped_bytes(const TracedText& text, Map map) {
  TracedText out;
  for (std::size_t i = 0; i < text.bytes().size(); ++i) out.append(map(text.bytes()[i]), text.origin_at(i));
  return out;
}

Value filter_escape(Runtime& runtime, const Value& input, const CallValues&) {
  const TracedText text = runtime.to_text(input);
  return runtime.text(mapped_bytes(text, [](char c) -> std::string {
    switch (c) {
      case '&': return "&amp;";
      case '<': return "&lt;";
      case '>': return "&gt;";
      case '\'': return "&#39;";
      case '"': return "&#34;";
      default: return {c};
    }
  }));
}

// Percent signs for all bytes but letters, digits and "_.-~/"; a mapping or pairs make a query.
TracedText url_quoted(const TracedText& text, bool in_query) {
  return mapped_bytes(text, [&](char c) -> std::string {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) || std::string_view("_.-~").find(c) != std::string_view::npos)) return {c};
    if (c == '/' && !in_query) return {c};
    if (c == ' ' && in_query) return "+";
    return fmt::format("%{:02X}", byte);
  });
}

Value filter_urlencode(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("urlencode", arguments, {});
  if (input.text() || (!input.dict() && !input.list())) return runtime.text(url_quoted(runtime.to_text(input), false));
  const Value pairs = input.dict() ? call_method(runtime, input, "items", {}) : input;
  TracedText out;
  for (const Value& pair : runtime.iterate(pairs)) {
    const std::vector<Value> both = runtime.iterate(pair);
    if (both.size() != 2) fail(fmt::format("urlencode: an entry of {} values; 2 are required", both.size()));
    if (!out.empty()) out.append("&", TextOrigin::kTemplate);
    out.append(url_quoted(runtime.to_text(both[0]), true));
    out.append("=", TextOrigin::kTemplate);
    out.append(url_quoted(runtime.to_text(both[1]), true));
  }
  return runtime.text(std::move(out));
}

Value filter_filesizeformat(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("filesizeformat", arguments, {"binary"});
  const bool is_binary = parameters.flag(0, false);
  const double bytes = as_double(filter_float(runtime, input, {})), base = is_binary ? 1024 : 1000;
  if (bytes == 1) return Value("1 Byte");
  if (bytes < base) return Value(TracedText::of_template(fmt::format("{} Bytes", static_cast<std::int64_t>(bytes))));
  const std::string_view prefixes = "kMGTPEZY";
  double unit = base;
  std::size_t i = 0;
  while (i + 1 < prefixes.size() && bytes >= unit * base) {
    unit *= base;
    ++i;
  }
  const std::string prefix =
      is_binary ? fmt::format("{}iB", i == 0 ? 'K' : prefixes[i]) : fmt::format("{}B", prefixes[i]);
  return Value(TracedText::of_template(fmt::format("{:.1f} {}", bytes / unit, prefix)));
}

bool is_word_character(char32_t value) { return is_letter(value) || is_number(value) || value == '_'; }

Value filter_wordcount(Runtime& runtime, const Value& input, const CallValues&) {
  const std::string text = runtime.to_text(input).bytes();
  std::int64_t count = 0;
  bool in_word = false;
  for (const std::string_view character : characters(text)) {
    const bool is_word = is_word_character(read_code_point(character, 0).value);
    if (is_word && !in_word) ++count;
    in_word = is_word;
  }
  return Value(count);
}

Value filter_truncate(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("truncate", arguments, {"length", "killwords", "end", "leeway"});
  const TracedText end = parameters.text(2, "..."), traced = runtime.to_text(input);
  const std::string_view text = traced.bytes();
  const std::int64_t length = parameters.integer(0, 255), leeway = parameters.integer(3, 5);
  const auto n_end = static_cast<std::int64_t>(count_characters(end.bytes()));
  if (length < n_end) fail(fmt::format("expected length >= {}, got {}", n_end, length));
  if (length > INT64_MAX - std::max<std::int64_t>(leeway, 0) ||
      static_cast<std::int64_t>(count_characters(text)) <= length + leeway)
    return runtime.text(traced);
  std::string_view kept = text.substr(0, bytes_of_characters(text, static_cast<std::size_t>(length - n_end)));
  if (!parameters.flag(1, false)) kept = kept.substr(0, std::min(kept.rfind(' '), kept.size()));
  TracedText out = traced.part(kept);
  out.append(end);
  return runtime.text(std::move(out));
}

Value filter_center(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("center", arguments, {"width"});
  return call_method(runtime, runtime.text(runtime.to_text(input)), "center", {{Value(parameters.integer(0, 80))}, {}});
}

Value filter_format(Runtime& runtime, const Value& input, const CallValues& arguments) {
  if (!arguments.positional.empty() && !arguments.named.empty())
    fail("can't handle positional and keyword arguments at the same time");
  const TracedText format = runtime.to_text(input);
  if (arguments.named.empty())
    return format_percent(runtime, format, Value::list(arguments.positional, ListKind::kTuple));
  std::vector<std::pair<Value, Value>> named;
  for (const auto& [name, value] : arguments.named) named.emplace_back(Value(name), value);
  return format_percent(runtime, format, Value::dict(std::move(named)));
}

Value filter_attr(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("attr", arguments, {"name"});
  return get_attribute(runtime, input, parameters.bytes(0, ""));
}

constexpr std::array kFilters = {
    FilterRow{"default", filter_default},
    FilterRow{"d", filter_default},
    FilterRow{"trim", filter_trim},
    FilterRow{"upper", filter_mapped<to_upper>},
    FilterRow{"lower", filter_mapped<to_lower>},
    FilterRow{"title", filter_mapped<filter_title>},
    FilterRow{"capitalize", filter_mapped<capitalized>},
    FilterRow{"string", filter_string},
    FilterRow{"safe", filter_safe},
    FilterRow{"replace", filter_replace},
    FilterRow{"length", filter_length},
    FilterRow{"count", filter_length},
    FilterRow{"tojson", filter_tojson},
    FilterRow{"int", filter_int},
    FilterRow{"float", filter_float},
    FilterRow{"round", filter_round},
    FilterRow{"abs", filter_abs},
    FilterRow{"indent", filter_indent},
    FilterRow{"escape", filter_escape},
    FilterRow{"e", filter_escape},
    FilterRow{"forceescape", filter_escape},
    FilterRow{"urlencode", filter_urlencode},
    FilterRow{"filesizeformat", filter_filesizeformat},
    FilterRow{"wordcount", filter_wordcount},
    FilterRow{"truncate", filter_truncate},
    FilterRow{"center", filter_center},
    FilterRow{"format", filter_format},
    FilterRow{"attr", filter_attr},
};

}  // namespace

Value apply_filter(Runtime& runtime, std::string_view name, const Value& input, const CallValues& arguments) {
  runtime.step();
  const std::span<const FilterRow> tables[] = {kFilters, sequence_filters()};
  for (const auto table : tables)
    for (const FilterRow& row : table)
      if (row.name == name) return row.call(runtime, input, arguments);
  fail(fmt::format("No filter named '{}'.", name));
}

}  // namespace headroom::jinja
