// Tokens to trees. Nesting is bounded, so that no template can exhaust the stack, here or in evaluation.
#pragma once

#include <string_view>

#include "text/jinja/ast.h"

namespace headroom::jinja {

inline constexpr std::uint32_t kMaxNesting =
    200;  // of statements and expressions together; real templates stay below 30

// Throws Failure, which names the line and the construct.
Block parse(std::string_view source);

}  // namespace headroom::jinja
