#include "text/jinja/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "text/jinja/error.h"
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

TracedText string_repr(const TracedText& traced) {
  const std::string_view text = traced.bytes();
  const char quote = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
  TracedText out = TracedText::of_template({quote});
  for (std::size_t pos = 0; pos < text.size();) {
    const CodePoint point = read_code_point(text, pos);
    const TextOrigin origin = traced.origin_at(pos);
    const char c = text[pos];
    if (c == quote || c == '\\') {
      out.append(std::string{'\\', c}, origin);
    } else if (c == '\n') {
      out.append("\\n", origin);
    } else if (c == '\r') {
      out.append("\\r", origin);
    } else if (c == '\t') {
      out.append("\\t", origin);
    } else if (point.valid &&
               (point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA1) || point.value == 0xAD)) {
      out.append(fmt::format("\\x{:02x}", static_cast<std::uint32_t>(point.value)), origin);
    } else {
      out.append_part(traced, text.substr(pos, point.n_bytes));
    }
    pos += point.n_bytes;
  }
  out.append({&quote, 1}, TextOrigin::kTemplate);
  return out;
}

// Appends to one string and watches its size. Recursion is bounded by kMaxValueDepth and, for namespaces, which may
// hold each other, by kMaxRepr.
class Printer {
 public:
  explicit Printer(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  TracedText take() { return std::move(out_); }

  void repr(const Value& value, std::uint32_t level) {
    if (level > kMaxRepr) fail(fmt::format("a value of more than {} levels", kMaxRepr));
    if (const TracedText* text = value.text()) {
      add(string_repr(*text));
    } else if (const List* list = value.list()) {
      repr_list(*list, level);
    } else if (const Dict* dict = value.dict()) {
      repr_dict(*dict, level);
    } else if (const Namespace* names = value.names()) {
      add("<Namespace {");
      for (std::size_t i = 0; i < names->members.size(); ++i) {
        if (i) add(", ");
        add(string_repr(names->members[i].first));
        add(": ");
        repr(names->members[i].second, level + 1);
      }
      add("}>");
    } else {
      add(scalar(value));
    }
  }

  void json(const Value& value, const JsonStyle& style, std::uint32_t level) {
    if (const TracedText* text = value.text()) {
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

  void check_size(std::size_t n_more) const {
    if (out_.bytes().size() + n_more > max_bytes_)
      fail_too_much(fmt::format("a text of more than {} bytes", max_bytes_));
  }
  void add(std::string_view text) {  // what this program writes
    check_size(text.size());
    out_.append(text, TextOrigin::kTemplate);
  }
  void add(const TracedText& text) {
    check_size(text.bytes().size());
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

  static TracedText json_key(const Value& key) {
    if (const TracedText* text = key.text()) return *text;
    if (key.is_none()) return TracedText::of_template("null");
    if (const bool* boolean = key.boolean()) return TracedText::of_template(*boolean ? "true" : "false");
    if (key.is_number()) return TracedText::of_template(scalar(key));
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

  void add_json_string(const TracedText& traced, bool ascii_only) {
    static constexpr std::string_view kSpecial = "\"\\\n\r\t\b\f", kEscapes = "\"\\nrtbf";
    const std::string_view text = traced.bytes();
    TracedText escaped = TracedText::of_template("\"");
    for (std::size_t pos = 0; pos < text.size();) {
      const CodePoint point = read_code_point(text, pos);
      const std::size_t special = kSpecial.find(text[pos]);
      if (special != std::string_view::npos) {
        escaped.append(std::string{'\\', kEscapes[special]}, traced.origin_at(pos));
      } else if (point.value < 0x20 || (ascii_only && point.value >= 0x80)) {
        escaped.append(ascii_escape(point.value), traced.origin_at(pos));
      } else {
        escaped.append_part(traced, text.substr(pos, point.n_bytes));
      }
      pos += point.n_bytes;
    }
    escaped.append("\"", TextOrigin::kTemplate);
    add(escaped);
  }

  TracedText out_;
  std::size_t max_bytes_;
};

Value from_parsed(const nlohmann::ordered_json& json, TextOrigin origin, std::uint32_t level) {
  if (level > kMaxValueDepth) fail(fmt::format("JSON of more than {} levels", kMaxValueDepth));
  if (json.is_null()) return Value(None{});
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_number_integer()) return Value(json.get<std::int64_t>());
  if (json.is_number()) return Value(json.get<double>());
  if (json.is_string()) return Value(TracedText(json.get_ref<const std::string&>(), origin));
  if (json.is_array()) {
    std::vector<Value> items;
    items.reserve(json.size());
    for (const auto& item : json) items.push_back(from_parsed(item, origin, level + 1));
    return Value::list(std::move(items));
  }
  std::vector<std::pair<Value, Value>> items;
  for (const auto& [key, item] : json.items())
    items.emplace_back(Value(TracedText(key, origin)), from_parsed(item, origin, level + 1));
  return Value::dict(std::move(items));
}

}  // namespace

TracedText to_repr(const Value& value, std::size_t max_bytes) {
  Printer printer(max_bytes);
  printer.repr(value, 0);
  return printer.take();
}

TracedText to_text(const Value& value, std::size_t max_bytes) {
  if (const TracedText* text = value.text()) return *text;
  if (value.undefined()) return {};
  return to_repr(value, max_bytes);
}

TracedText to_json(const Value& value, const JsonStyle& style, std::size_t max_bytes) {
  Printer printer(max_bytes);
  printer.json(value, style, 0);
  return printer.take();
}

Value from_json(std::string_view json, TextOrigin origin) {
  const auto parsed = nlohmann::ordered_json::parse(json.begin(), json.end(), nullptr, false);
  if (parsed.is_discarded()) fail("not valid JSON");
  return from_parsed(parsed, origin, 0);
}

}  // namespace headroom::jinja
