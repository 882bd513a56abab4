// Values as text: as {{ }} prints them, as Python's repr() and json.dumps() write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/jinja/value.h"

namespace headroom::jinja {

// Each throws Failure when the result would exceed `max_bytes`.
TracedText to_text(const Value& value, std::size_t max_bytes);
TracedText to_repr(const Value& value, std::size_t max_bytes);

struct JsonStyle {
  std::optional<TracedText> indent;  // per level; absent: all on one line
  TracedText item_separator = TracedText::of_template(", "), key_separator = TracedText::of_template(": ");
  bool ascii_only = false, sort_keys = false;
};
TracedText to_json(const Value& value, const JsonStyle& style, std::size_t max_bytes);

// JSON text to a value, whose strings are of the given origin; throws Failure that says where it is wrong.
Value from_json(std::string_view json, TextOrigin origin);

}  // namespace headroom::jinja
