// The methods of strings that templates may call.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/jinja/error.h"
#include "text/jinja/format.h"
#include "text/jinja/method_table.h"
#include "text/jinja/print.h"
#include "text/jinja/text.h"
#include "text/utf8.h"

namespace headroom::jinja {

namespace {

// The parts of a text that a split gives, each with the origins of its bytes; charged one by one.
template <class Split>
Value as_list(Runtime& runtime, const TracedText& text, bool is_reversed, Split split) {
  std::vector<Value> items;
  split([&](std::string_view part) {
    runtime.step();
    runtime.charge(sizeof(Value));
    items.push_back(runtime.text(text.part(part)));
  });
  if (is_reversed) std::reverse(items.begin(), items.end());
  return Value::list(std::move(items));
}

Value strip(Runtime& runtime, const Value& self, const CallValues& arguments, std::string_view name, bool left,
            bool right) {
  const Parameters parameters(name, arguments, {"chars"});
  const std::string set = parameters.bytes(0, "");
  return runtime.text(self.text()->part(strip_text(runtime, *self.bytes(), set, left, right)));
}
Value str_strip(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return strip(runtime, self, arguments, "strip", true, true);
}
Value str_lstrip(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return strip(runtime, self, arguments, "lstrip", true, false);
}
Value str_rstrip(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return strip(runtime, self, arguments, "rstrip", false, true);
}

Value split(Runtime& runtime, const Value& self, const CallValues& arguments, bool from_right) {
  const Parameters parameters(from_right ? "rsplit" : "split", arguments, {"sep", "maxsplit"});
  const std::int64_t max_splits = parameters.integer(1, -1);
  if (!parameters.find(0) || parameters.find(0)->is_none()) {
    runtime.scan(self.bytes()->size());
    return as_list(runtime, *self.text(), from_right,
                   [&](const TakePart& take) { split_words(*self.bytes(), max_splits, from_right, take); });
  }
  const std::string separator = parameters.bytes(0, "");
  if (separator.empty()) fail("empty separator");
  runtime.search(self.bytes()->size(), separator.size());
  return as_list(runtime, *self.text(), from_right,
                 [&](const TakePart& take) { split_at(*self.bytes(), separator, max_splits, from_right, take); });
}
Value str_split(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return split(runtime, self, arguments, false);
}
Value str_rsplit(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return split(runtime, self, arguments, true);
}

Value str_splitlines(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("splitlines", arguments, {"keepends"});
  runtime.scan(self.bytes()->size());
  return as_list(runtime, *self.text(), false,
                 [&](const TakePart& take) { split_lines(*self.bytes(), parameters.flag(0, false), take); });
}

Value partition(Runtime& runtime, const Value& self, const CallValues& arguments, bool from_right) {
  const Parameters parameters(from_right ? "rpartition" : "partition", arguments, {"sep"});
  parameters.at(0);
  const std::string separator = parameters.bytes(0, "");
  if (separator.empty()) fail("empty separator");
  const std::string_view text = *self.bytes();
  runtime.search(text.size(), separator.size());
  const std::size_t at = from_right ? text.rfind(separator) : text.find(separator);
  const bool found = at != std::string_view::npos;
  const std::size_t before = found ? at : from_right ? 0 : text.size(), after = found ? at + separator.size() : before;
  std::vector<Value> parts;  // the separator is the text's own, not the argument
  for (const std::string_view part : {text.substr(0, before), text.substr(before, after - before), text.substr(after)})
    parts.push_back(runtime.text(self.text()->part(part)));
  return runtime.list(std::move(parts), ListKind::kTuple);
}
Value str_partition(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return partition(runtime, self, arguments, false);
}
Value str_rpartition(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return partition(runtime, self, arguments, true);
}

// The text between the optional bounds `start` and `end`, which are parameters 1 and 2; counts the characters left out
// before it.
std::string_view bounded(Runtime& runtime, const Value& self, const Parameters& parameters, std::size_t& n_before) {
  const std::string_view text = *self.bytes();
  n_before = 0;
  if (!parameters.find(1) && !parameters.find(2)) return text;
  runtime.scan(text.size());
  const auto length = static_cast<std::int64_t>(count_characters(text));
  const auto bound = [&](std::size_t index, std::int64_t otherwise) {
    const bool given = parameters.find(index) && !parameters.find(index)->is_none();
    std::int64_t number = given ? parameters.integer(index, otherwise) : otherwise;
    if (number < 0) number = number < -length ? 0 : number + length;
    return std::min(number, length);
  };
  const std::int64_t from = bound(1, 0), to = std::max(bound(2, length), from);
  n_before = static_cast<std::size_t>(from);
  const std::string_view rest = text.substr(bytes_of_characters(text, n_before));
  return rest.substr(0, bytes_of_characters(rest, static_cast<std::size_t>(to - from)));
}

Value starts_or_ends(Runtime& runtime, const Value& self, const CallValues& arguments, bool starts) {
  const Parameters parameters(starts ? "startswith" : "endswith", arguments, {"prefix", "start", "end"});
  std::size_t n_before = 0;
  const std::string_view text = bounded(runtime, self, parameters, n_before);
  const auto matches = [&](const Value& affix) {
    const std::string* part = affix.bytes();
    if (!part)
      fail(fmt::format("{} first arg must be str or a tuple of str, not {}", starts ? "startswith" : "endswith",
                       type_name(affix)));
    runtime.scan(std::min(part->size(), text.size()));
    return starts ? text.starts_with(*part) : text.ends_with(*part);
  };
  const Value& affix = parameters.at(0);
  if (const List* list = affix.list(); list && list->kind == ListKind::kTuple) {
    runtime.step(list->items.size());
    return Value(std::any_of(list->items.begin(), list->items.end(), matches));
  }
  return Value(matches(affix));
}
Value str_startswith(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return starts_or_ends(runtime, self, arguments, true);
}
Value str_endswith(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return starts_or_ends(runtime, self, arguments, false);
}

// The position of a part in characters, or -1.
std::int64_t find_position(Runtime& runtime, const Value& self, const Parameters& parameters, bool last) {
  std::size_t n_before = 0;
  const std::string_view text = bounded(runtime, self, parameters, n_before);
  parameters.at(0);
  const std::string part = parameters.bytes(0, "");
  runtime.search(text.size(), part.size());
  const std::size_t at = last ? text.rfind(part) : text.find(part);
  if (at == std::string_view::npos) return -1;
  return static_cast<std::int64_t>(n_before + count_characters(text.substr(0, at)));
}
Value str_find(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return Value(find_position(runtime, self, Parameters("find", arguments, {"sub", "start", "end"}), false));
}
Value str_rfind(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return Value(find_position(runtime, self, Parameters("rfind", arguments, {"sub", "start", "end"}), true));
}
Value str_index(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const std::int64_t position =
      find_position(runtime, self, Parameters("index", arguments, {"sub", "start", "end"}), false);
  if (position < 0) fail("substring not found");
  return Value(position);
}
Value str_rindex(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const std::int64_t position =
      find_position(runtime, self, Parameters("rindex", arguments, {"sub", "start", "end"}), true);
  if (position < 0) fail("substring not found");
  return Value(position);
}
Value str_count(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("count", arguments, {"sub", "start", "end"});
  std::size_t n_before = 0;
  const std::string_view text = bounded(runtime, self, parameters, n_before);
  parameters.at(0);
  const std::string part = parameters.bytes(0, "");
  runtime.search(text.size(), part.size());
  if (part.empty()) return Value(static_cast<std::int64_t>(count_characters(text)) + 1);
  std::int64_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return Value(count);
}

Value str_replace(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("replace", arguments, {"old", "new", "count"});
  parameters.at(0);
  parameters.at(1);
  const std::string from = parameters.bytes(0, "");
  runtime.search(self.bytes()->size(), from.size());
  return runtime.text(
      replaced(*self.text(), from, parameters.text(1, ""), parameters.integer(2, -1), runtime.bytes_left()));
}

Value str_join(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("join", arguments, {"iterable"});
  TracedText out;
  std::int64_t position = 0;
  for (const Value& item : runtime.iterate(parameters.at(0))) {
    if (!item.text()) fail(fmt::format("sequence item {}: expected str instance, {} found", position, type_name(item)));
    runtime.charge(item.text()->n_bytes_held() + self.text()->n_bytes_held());
    if (position++ > 0) out.append(*self.text());
    out.append(*item.text());
  }
  return runtime.text(std::move(out));
}

template <TracedText (*map)(const TracedText&)>
Value str_mapped(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("this method", arguments, {});
  return runtime.text(map(*self.text()));
}

template <bool (*test)(char32_t)>
Value str_all(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("this method", arguments, {});
  runtime.scan(self.bytes()->size());
  const Characters all = characters(*self.bytes());
  return Value(!self.bytes()->empty() && std::all_of(all.begin(), all.end(), [](std::string_view each) {
    return test(read_code_point(each, 0).value);
  }));
}
bool is_letter_or_number(char32_t value) { return is_letter(value) || is_number(value); }

Value str_isupper(Runtime& runtime, const Value& self, const CallValues&) {
  runtime.scan(self.bytes()->size());
  return Value(is_upper(*self.bytes()));
}
Value str_islower(Runtime& runtime, const Value& self, const CallValues&) {
  runtime.scan(self.bytes()->size());
  return Value(is_lower(*self.bytes()));
}

Value str_removeprefix(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("removeprefix", arguments, {"prefix"});
  const std::string prefix = parameters.bytes(0, "");
  runtime.scan(prefix.size());
  const std::string_view text = *self.bytes();
  return text.starts_with(prefix) ? runtime.text(self.text()->part(text.substr(prefix.size()))) : self;
}
Value str_removesuffix(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("removesuffix", arguments, {"suffix"});
  const std::string suffix = parameters.bytes(0, "");
  runtime.scan(suffix.size());
  const std::string_view text = *self.bytes();
  return text.ends_with(suffix) ? runtime.text(self.text()->part(text.substr(0, text.size() - suffix.size()))) : self;
}

// Blanks (or another character) on either side, up to a width.
Value justify(Runtime& runtime, const Value& self, const CallValues& arguments, std::string_view name, bool left,
              bool right) {
  const Parameters parameters(name, arguments, {"width", "fillchar"});
  parameters.at(0);
  const TracedText fill = parameters.text(1, " ");
  runtime.scan(self.bytes()->size());
  if (count_characters(fill.bytes()) != 1) fail("The fill character must be exactly one character long");
  const std::int64_t missing = parameters.integer(0, 0) - static_cast<std::int64_t>(count_characters(*self.bytes()));
  if (missing <= 0) return self;
  const auto n_fill = static_cast<std::size_t>(missing);
  const std::size_t unit = fill.n_bytes_held();
  if (n_fill > runtime.bytes_left() / unit) runtime.charge(runtime.bytes_left() + 1);
  runtime.charge(n_fill * unit);
  const std::size_t n_left = left && right ? n_fill / 2 : left ? n_fill : 0;
  TracedText out;
  for (std::size_t i = 0; i < n_left; ++i) out.append(fill);
  out.append(*self.text());
  for (std::size_t i = n_left; i < n_fill; ++i) out.append(fill);
  return runtime.text(std::move(out));
}
Value str_ljust(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return justify(runtime, self, arguments, "ljust", false, true);
}
Value str_rjust(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return justify(runtime, self, arguments, "rjust", true, false);
}
Value str_center(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return justify(runtime, self, arguments, "center", true, true);
}

Value str_format(Runtime& runtime, const Value& self, const CallValues& arguments) {
  return format_fields(runtime, *self.text(), arguments);
}
Value str_format_map(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("format_map", arguments, {"mapping"});
  if (!parameters.at(0).dict()) fail("format_map() takes a mapping");
  CallValues fields;
  for (const auto& [key, value] : parameters.at(0).dict()->items)
    if (key.text()) fields.named.emplace_back(*key.text(), value);
  return format_fields(runtime, *self.text(), fields);
}

// Zeros on the left, behind the sign.
Value str_zfill(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("zfill", arguments, {"width"});
  parameters.at(0);
  const std::string_view text = *self.bytes();
  runtime.scan(text.size());
  const std::int64_t missing = parameters.integer(0, 0) - static_cast<std::int64_t>(count_characters(text));
  if (missing <= 0) return self;
  if (static_cast<std::size_t>(missing) > runtime.bytes_left()) runtime.charge(runtime.bytes_left() + 1);
  const std::size_t n_sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  TracedText out = self.text()->part(text.substr(0, n_sign));
  out.append(std::string(static_cast<std::size_t>(missing), '0'), TextOrigin::kTemplate);
  out.append_part(*self.text(), text.substr(n_sign));
  return runtime.text(std::move(out));
}

Value str_expandtabs(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("expandtabs", arguments, {"tabsize"});
  const std::int64_t width = std::max<std::int64_t>(parameters.integer(0, 8), 0);
  if (width > 1000) fail("expandtabs(): a tab of more than 1000");
  runtime.charge(self.text()->n_bytes_held());
  TracedText out;
  std::int64_t column = 0;
  for (const std::string_view each : characters(*self.bytes())) {
    const std::size_t at = static_cast<std::size_t>(each.data() - self.bytes()->data());
    if (each == "\t") {
      const std::int64_t n_blanks = width > 0 ? width - column % width : 0;
      runtime.charge(static_cast<std::size_t>(n_blanks));
      out.append(std::string(static_cast<std::size_t>(n_blanks), ' '), self.text()->origin_at(at));
      column += n_blanks;
      continue;
    }
    out.append_part(*self.text(), each);
    column = each == "\n" || each == "\r" ? 0 : column + 1;
  }
  return runtime.text(std::move(out));
}

constexpr std::array kStringMethods = {
    MethodRow{"strip", str_strip},
    MethodRow{"lstrip", str_lstrip},
    MethodRow{"rstrip", str_rstrip},
    MethodRow{"split", str_split},
    MethodRow{"rsplit", str_rsplit},
    MethodRow{"splitlines", str_splitlines},
    MethodRow{"partition", str_partition},
    MethodRow{"rpartition", str_rpartition},
    MethodRow{"startswith", str_startswith},
    MethodRow{"endswith", str_endswith},
    MethodRow{"find", str_find},
    MethodRow{"rfind", str_rfind},
    MethodRow{"index", str_index},
    MethodRow{"rindex", str_rindex},
    MethodRow{"count", str_count},
    MethodRow{"replace", str_replace},
    MethodRow{"join", str_join},
    MethodRow{"upper", str_mapped<to_upper>},
    MethodRow{"lower", str_mapped<to_lower>},
    MethodRow{"title", str_mapped<title_case>},
    MethodRow{"capitalize", str_mapped<capitalized>},
    MethodRow{"swapcase", str_mapped<swapped_case>},
    MethodRow{"casefold", str_mapped<case_folded>},
    MethodRow{"isspace", str_all<is_white_space>},
    MethodRow{"isalpha", str_all<is_letter>},
    MethodRow{"isdigit", str_all<is_number>},
    MethodRow{"isdecimal", str_all<is_number>},
    MethodRow{"isnumeric", str_all<is_number>},
    MethodRow{"isalnum", str_all<is_letter_or_number>},
    MethodRow{"isupper", str_isupper},
    MethodRow{"islower", str_islower},
    MethodRow{"removeprefix", str_removeprefix},
    MethodRow{"removesuffix", str_removesuffix},
    MethodRow{"ljust", str_ljust},
    MethodRow{"rjust", str_rjust},
    MethodRow{"center", str_center},
    MethodRow{"zfill", str_zfill},
    MethodRow{"expandtabs", str_expandtabs},
    MethodRow{"format", str_format},
    MethodRow{"format_map", str_format_map},
};

}  // namespace

std::span<const MethodRow> text_methods() { return kStringMethods; }

}  // namespace headroom::jinja
