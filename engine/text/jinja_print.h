// Values as text: as {{ }} prints them, as Python's repr() and json.dumps() write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/jinja_value.h"

namespace headroom::jinja {

// Each throws Failure when the result would exceed `max_bytes`.
std::string to_text(const Value& value, std::size_t max_bytes);
std::string to_repr(const Value& value, std::size_t max_bytes);

struct JsonStyle {
  std::optional<std::string> indent;  // per level; absent: all on one line
  std::string item_separator = ", ", key_separator = ": ";
  bool ascii_only = false, sort_keys = false;
};
std::string to_json(const Value& value, const JsonStyle& style, std::size_t max_bytes);

// JSON text to a value; throws Failure that says where it is wrong.
Value from_json(std::string_view json);

}  // namespace headroom::jinja
