// What the operators of expressions do. All throw Failure in Python's words.
#pragma once

#include <string_view>

#include "text/jinja/runtime.h"

namespace headroom::jinja {

Value binary(Runtime& runtime, std::string_view op, const Value& a, const Value& b);  // + - * / // % **
Value negative(const Value& value);
Value positive(const Value& value);
bool compare_by(Runtime& runtime, std::string_view op, const Value& a, const Value& b);  // == != < <= > >= in, not in

}  // namespace headroom::jinja
