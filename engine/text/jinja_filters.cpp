// What may follow "|", except the filters over sequences (jinja_sequence_filters.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "text/jinja_error.h"
#include "text/jinja_filter_table.h"
#include "text/jinja_print.h"
#include "text/jinja_text.h"
#include "text/utf8.h"

namespace headroom::jinja {

namespace {

Value filter_default(Runtime&, const Value& input, const CallValues& arguments) {
  const Parameters parameters("default", arguments, {"default_value", "boolean"});
  const bool replaces = input.undefined() || (parameters.flag(1, false) && !is_true(input));
  if (!replaces) return input;
  return parameters.find(0) ? *parameters.find(0) : Value("");
}

template <std::string (*map)(std::string_view)>
Value filter_mapped(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("this filter", arguments, {});
  return runtime.text(map(runtime.to_text(input)));
}

Value filter_trim(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("trim", arguments, {"chars"});
  return runtime.text(std::string(stripped(runtime.to_text(input), parameters.text(0, ""), true, true)));
}

Value filter_string(Runtime& runtime, const Value& input, const CallValues&) {
  return input.text() ? input : runtime.text(runtime.to_text(input));
}
Value filter_safe(Runtime& runtime, const Value& input, const CallValues& arguments) {
  return filter_string(runtime, input, arguments);
}

Value filter_replace(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("replace", arguments, {"old", "new", "count"});
  const std::string from = runtime.to_text(parameters.at(0)), to = runtime.to_text(parameters.at(1));
  const Value* count = parameters.find(2);
  return runtime.text(replaced(runtime.to_text(input), from, to,
                               count && count->is_none() ? -1 : parameters.integer(2, -1), runtime.bytes_left()));
}

Value filter_length(Runtime& runtime, const Value& input, const CallValues&) {
  if (input.text()) runtime.step(input.text()->size() / 16);
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
      style.indent = std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' ');
    }
    style.item_separator = ",";
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
  std::string text(stripped(*input.text(), {}, true, true));
  std::erase(text, '_');
  const std::int64_t base = parameters.integer(1, 10);
  if (base != 0 && (base < 2 || base > 36)) fail("int(): the base is to be 2 to 36");
  const std::string_view digits = std::string_view(text).substr(text.starts_with('+') || text.starts_with('-') ? 1 : 0);
  if (digits.empty() || !std::isalnum(static_cast<unsigned char>(digits[0]))) return otherwise;
  char* end = nullptr;
  errno = 0;
  number = std::strtoll(text.c_str(), &end, static_cast<int>(base));
  if (end == text.c_str() + text.size() && errno == 0) return Value(number);
  const double floating = std::strtod(text.c_str(), &end);
  const bool is_number = end == text.c_str() + text.size() && text.find_first_of("xXpPnN") == std::string::npos;
  return is_number && fits_integer(floating) ? Value(static_cast<std::int64_t>(floating)) : otherwise;
}

Value filter_float(Runtime&, const Value& input, const CallValues& arguments) {
  const Parameters parameters("float", arguments, {"default"});
  const Value otherwise = parameters.find(0) ? *parameters.find(0) : Value(0.0);
  if (input.is_number()) return Value(as_double(input));
  if (!input.text()) return otherwise;
  const std::string text(stripped(*input.text(), {}, true, true));
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
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
  const std::string method = parameters.text(1, "common");
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
  return Value(std::strtod(fmt::format("{:.{}f}", number, static_cast<int>(precision)).c_str(),
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
  std::string indent;
  if (const Value* width = parameters.find(0); width && width->text()) {
    indent = *width->text();
  } else {
    const std::int64_t n_blanks = parameters.integer(0, 4);
    if (n_blanks > 1000) fail("indent(): a width of more than 1000");
    indent.assign(static_cast<std::size_t>(std::max<std::int64_t>(n_blanks, 0)), ' ');
  }
  const bool first = parameters.flag(1, false), blank = parameters.flag(2, false);
  const std::string text = runtime.to_text(input) + "\n";  // so that a line end at the end stays
  std::string out;
  bool is_first = true;
  for (const std::string_view line : split_lines(text, false)) {
    if (!is_first) out += '\n';
    if (is_first ? first : blank || !line.empty()) {
      runtime.charge(indent.size());
      out += indent;
    }
    out += line;
    is_first = false;
  }
  return runtime.text(std::move(out));
}

Value filter_escape(Runtime& runtime, const Value& input, const CallValues&) {
  std::string out;
  for (const char c : runtime.to_text(input)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '\'': out += "&#39;"; break;
      case '"': out += "&#34;"; break;
      default: out += c;
    }
  }
  return runtime.text(std::move(out));
}

bool is_word_character(char32_t value) { return is_letter(value) || is_number(value) || value == '_'; }

Value filter_wordcount(Runtime& runtime, const Value& input, const CallValues&) {
  const std::string text = runtime.to_text(input);
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
  const std::string end = parameters.text(2, "..."), text = runtime.to_text(input);
  const std::int64_t length = parameters.integer(0, 255), leeway = parameters.integer(3, 5);
  const auto n_end = static_cast<std::int64_t>(count_characters(end));
  if (length < n_end) fail(fmt::format("expected length >= {}, got {}", n_end, length));
  const auto all = characters(text);
  if (length > INT64_MAX - std::max<std::int64_t>(leeway, 0) ||
      static_cast<std::int64_t>(all.size()) <= length + leeway)
    return runtime.text(text);
  const auto n_kept = static_cast<std::size_t>(length - n_end);
  std::string_view kept =
      n_kept < all.size() ? std::string_view(text).substr(0, static_cast<std::size_t>(all[n_kept].data() - text.data()))
                          : text;
  if (!parameters.flag(1, false)) kept = split_at(kept, " ", 1, true).front();
  return runtime.text(std::string(kept) + end);
}

Value filter_center(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("center", arguments, {"width"});
  return call_method(runtime, runtime.text(runtime.to_text(input)), "center", {{Value(parameters.integer(0, 80))}, {}});
}

Value filter_format(Runtime& runtime, const Value& input, const CallValues& arguments) {
  return format_percent(runtime, runtime.to_text(input), Value::list(arguments.positional, ListKind::kTuple));
}

Value filter_attr(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("attr", arguments, {"name"});
  return get_attribute(runtime, input, parameters.text(0, ""));
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
    FilterRow{"wordcount", filter_wordcount},
    FilterRow{"truncate", filter_truncate},
    FilterRow{"center", filter_center},
    FilterRow{"format", filter_format},
    FilterRow{"attr", filter_attr},
};

}  // namespace

Value format_percent(Runtime& runtime, std::string_view format, const Value& values) {
  const List* tuple = values.list() && values.list()->kind == ListKind::kTuple ? values.list() : nullptr;
  std::size_t n_used = 0;
  std::string out;
  for (std::size_t pos = 0; pos < format.size(); ++pos) {
    if (format[pos] != '%') {
      out += format[pos];
      continue;
    }
    const char kind = pos + 1 < format.size() ? format[pos + 1] : '\0';
    ++pos;
    if (kind == '%') {
      out += '%';
      continue;
    }
    const std::size_t n_values = tuple ? tuple->items.size() : 1;
    if (n_used >= n_values) fail("not enough arguments for format string");
    const Value& value = tuple ? tuple->items[n_used] : values;
    ++n_used;
    std::int64_t number = 0;
    if (kind == 's') {
      out += runtime.to_text(value);
    } else if ((kind == 'd' || kind == 'i') && as_integer(value, number)) {
      out += fmt::format("{}", number);
    } else if (kind == 'f' && value.is_number()) {
      out += fmt::format("{:f}", as_double(value));
    } else {
      fail(fmt::format("the format '%{}' of a {} is not supported", kind, type_name(value)));
    }
  }
  if (tuple && n_used < tuple->items.size()) fail("not all arguments converted during string formatting");
  return runtime.text(std::move(out));
}

Value apply_filter(Runtime& runtime, std::string_view name, const Value& input, const CallValues& arguments) {
  runtime.step();
  const std::span<const FilterRow> tables[] = {kFilters, sequence_filters()};
  for (const auto table : tables)
    for (const FilterRow& row : table)
      if (row.name == name) return row.call(runtime, input, arguments);
  fail(fmt::format("No filter named '{}'.", name));
}

}  // namespace headroom::jinja
