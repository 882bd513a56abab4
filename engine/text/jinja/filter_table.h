// The rows that the two files of filters share.
#pragma once

#include <span>
#include <string_view>

#include "text/jinja/runtime.h"

namespace headroom::jinja {

struct FilterRow {
  std::string_view name;
  Value (*call)(Runtime&, const Value&, const CallValues&);
};

std::span<const FilterRow> sequence_filters();

}  // namespace headroom::jinja
