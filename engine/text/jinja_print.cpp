#include "text/jinja_print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "text/jinja_error.h"
#include "text/utf8.h"

namespace headroom::jinja {

namespace {

// Python's repr of a float: the shortest digits that read back the same, with an exponent from 1e16 on and below 1e-4.
std::string float_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer{};
  const double magnitude = std::fabs(number);
  const bool plain = number == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format);
  std::string text(buffer.data(), written.ptr);
  if (plain && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string string_repr(std::string_view text) {
  const char quote = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out(1, quote);
  for (std::size_t pos = 0; pos < text.size();) {
    const CodePoint point = read_code_point(text, pos);
    const char c = text[pos];
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (point.valid &&
               (point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA1) || point.value == 0xAD)) {
      out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(point.value));
    } else {
      out.append(text.substr(pos, point.n_bytes));
    }
    pos += point.n_bytes;
  }
  return out + quote;
}

// Appends to one string and watches its size. Recursion is bounded by kMaxValueDepth and, for namespaces, which may
// hold each other, by kMaxRepr.
class Printer {
 public:
  explicit Printer(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  std::string take() { return std::move(out_); }

  void repr(const Value& value, std::uint32_t level) {
    if (level > kMaxRepr) fail(fmt::format("a value of more than {} levels", kMaxRepr));
    if (const std::string* text = value.text()) {
      add(string_repr(*text));
    } else if (const List* list = value.list()) {
      repr_list(*list, level);
    } else if (const Dict* dict = value.dict()) {
      repr_dict(*dict, level);
    } else if (const Namespace* names = value.names()) {
      add("<Namespace {");
      for (std::size_t i = 0; i < names->members.size(); ++i) {
        add(fmt::format("{}{}: ", i ? ", " : "", string_repr(names->members[i].first)));
        repr(names->members[i].second, level + 1);
      }
      add("}>");
    } else {
      add(scalar(value));
    }
  }

  void json(const Value& value, const JsonStyle& style, std::uint32_t level) {
    if (const std::string* text = value.text()) {
      add_json_string(*text, style.ascii_only);
    } else if (const List* list = value.list(); list && list->kind <= ListKind::kTuple) {
      json_list(*list, style, level);
    } else if (const Dict* dict = value.dict()) {
      json_dict(*dict, style, level);
    } else if (value.is_none()) {
      add("null");
    } else if (const bool* boolean = value.boolean()) {
      add(*boolean ? "true" : "false");
    } else if (const double* number = value.floating()) {
      add(std::isnan(*number)   ? "NaN"
          : std::isinf(*number) ? (*number < 0 ? "-Infinity" : "Infinity")
                                : float_text(*number));
    } else if (const std::int64_t* integer = value.integer()) {
      add(fmt::format("{}", *integer));
    } else {
      fail(fmt::format("Object of type {} is not JSON serializable", type_name(value)));
    }
  }

  static std::string scalar(const Value& value) {
    if (value.is_none()) return "None";
    if (value.undefined()) return "Undefined";
    if (const bool* boolean = value.boolean()) return *boolean ? "True" : "False";
    if (const std::int64_t* integer = value.integer()) return fmt::format("{}", *integer);
    if (const double* number = value.floating()) return float_text(*number);
    return fmt::format("<{}>", type_name(value));
  }

 private:
  static constexpr std::uint32_t kMaxRepr = 2 * kMaxValueDepth;

  void add(std::string_view text) {
    if (out_.size() + text.size() > max_bytes_) fail(fmt::format("a text of more than {} bytes", max_bytes_));
    out_.append(text);
  }

  void repr_items(const List& list, std::uint32_t level) {
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (i) add(", ");
      repr(list.items[i], level + 1);
    }
  }

  void repr_list(const List& list, std::uint32_t level) {
    if (list.kind == ListKind::kGenerator) {
      add("<generator object>");
    } else if (list.kind == ListKind::kTuple) {
      add("(");
      repr_items(list, level);
      add(list.items.size() == 1 ? ",)" : ")");
    } else {
      const bool is_view = list.kind != ListKind::kList;
      if (is_view) add(fmt::format("{}(", type_name(Value::list({}, list.kind))));
      add("[");
      repr_items(list, level);
      add(is_view ? "])" : "]");
    }
  }

  void repr_dict(const Dict& dict, std::uint32_t level) {
    add("{");
    for (std::size_t i = 0; i < dict.items.size(); ++i) {
      if (i) add(", ");
      repr(dict.items[i].first, level + 1);
      add(": ");
      repr(dict.items[i].second, level + 1);
    }
    add("}");
  }

  void new_line(const JsonStyle& style, std::uint32_t level) {
    if (!style.indent) return;
    add("\n");
    for (std::uint32_t i = 0; i < level; ++i) add(*style.indent);
  }

  void json_list(const List& list, const JsonStyle& style, std::uint32_t level) {
    if (list.items.empty()) return add("[]");
    add("[");
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (i) add(style.item_separator);
      new_line(style, level + 1);
      json(list.items[i], style, level + 1);
    }
    new_line(style, level);
    add("]");
  }

  static std::string json_key(const Value& key) {
    if (const std::string* text = key.text()) return *text;
    if (key.is_none()) return "null";
    if (const bool* boolean = key.boolean()) return *boolean ? "true" : "false";
    if (key.is_number()) return scalar(key);
    fail(fmt::format("keys must be str, int, float, bool or None, not {}", type_name(key)));
  }

  void json_dict(const Dict& dict, const JsonStyle& style, std::uint32_t level) {
    if (dict.items.empty()) return add("{}");
    std::vector<const std::pair<Value, Value>*> items;
    items.reserve(dict.items.size());
    for (const auto& item : dict.items) items.push_back(&item);
    if (style.sort_keys)
      std::stable_sort(items.begin(), items.end(),
                       [](const auto* a, const auto* b) { return compare(a->first, b->first, "<") < 0; });
    add("{");
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i) add(style.item_separator);
      new_line(style, level + 1);
      add_json_string(json_key(items[i]->first), style.ascii_only);
      add(style.key_separator);
      json(items[i]->second, style, level + 1);
    }
    new_line(style, level);
    add("}");
  }

  static std::string ascii_escape(char32_t value) {
    const auto number = static_cast<std::uint32_t>(value);
    if (number < 0x10000) return fmt::format("\\u{:04x}", number);
    return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((number - 0x10000) >> 10),
                       0xDC00 + ((number - 0x10000) & 0x3FF));
  }

  void add_json_string(std::string_view text, bool ascii_only) {
    static constexpr std::string_view kSpecial = "\"\\\n\r\t\b\f", kEscapes = "\"\\nrtbf";
    std::string escaped = "\"";
    for (std::size_t pos = 0; pos < text.size();) {
      const CodePoint point = read_code_point(text, pos);
      const std::size_t special = kSpecial.find(text[pos]);
      if (special != std::string_view::npos) {
        escaped += '\\';
        escaped += kEscapes[special];
      } else if (point.value < 0x20 || (ascii_only && point.value >= 0x80)) {
        escaped += ascii_escape(point.value);
      } else {
        escaped.append(text.substr(pos, point.n_bytes));
      }
      pos += point.n_bytes;
    }
    add(escaped + '"');
  }

  std::string out_;
  std::size_t max_bytes_;
};

Value from_parsed(const nlohmann::ordered_json& json, std::uint32_t level) {
  if (level > kMaxValueDepth) fail(fmt::format("JSON of more than {} levels", kMaxValueDepth));
  if (json.is_null()) return Value(None{});
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_number_integer()) return Value(json.get<std::int64_t>());
  if (json.is_number()) return Value(json.get<double>());
  if (json.is_string()) return Value(json.get_ref<const std::string&>());
  if (json.is_array()) {
    std::vector<Value> items;
    items.reserve(json.size());
    for (const auto& item : json) items.push_back(from_parsed(item, level + 1));
    return Value::list(std::move(items));
  }
  std::vector<std::pair<Value, Value>> items;
  for (const auto& [key, item] : json.items()) items.emplace_back(Value(key), from_parsed(item, level + 1));
  return Value::dict(std::move(items));
}

}  // namespace

std::string to_repr(const Value& value, std::size_t max_bytes) {
  Printer printer(max_bytes);
  printer.repr(value, 0);
  return printer.take();
}

std::string to_text(const Value& value, std::size_t max_bytes) {
  if (const std::string* text = value.text()) return *text;
  if (value.undefined()) return {};
  return to_repr(value, max_bytes);
}

std::string to_json(const Value& value, const JsonStyle& style, std::size_t max_bytes) {
  Printer printer(max_bytes);
  printer.json(value, style, 0);
  return printer.take();
}

Value from_json(std::string_view json) {
  const auto parsed = nlohmann::ordered_json::parse(json.begin(), json.end(), nullptr, false);
  if (parsed.is_discarded()) fail("not valid JSON");
  return from_parsed(parsed, 0);
}

}  // namespace headroom::jinja
