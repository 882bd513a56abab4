// Python's two ways to put values into a text.
#pragma once

#include "text/jinja/runtime.h"

namespace headroom::jinja {

// `format % values`: all conversions of Python, with flags, width and precision. Throws Failure, in Python's words.
Value format_percent(Runtime& runtime, const TracedText& format, const Value& values);

// `format.format(...)`: fields with attributes, elements, conversions and format specifications. Throws Failure.
Value format_fields(Runtime& runtime, const TracedText& format, const CallValues& arguments);

}  // namespace headroom::jinja
