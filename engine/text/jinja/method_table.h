// The rows that the two files of methods share.
#pragma once

#include <span>
#include <string_view>

#include "text/jinja/runtime.h"

namespace headroom::jinja {

using MethodCall = Value (*)(Runtime&, const Value&, const CallValues&);
struct MethodRow {
  std::string_view name;
  MethodCall call;
};

std::span<const MethodRow> text_methods();

}  // namespace headroom::jinja
