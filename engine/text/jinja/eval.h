// Runs a parsed template.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "text/jinja/ast.h"
#include "text/jinja/runtime.h"

namespace headroom::jinja {

// Variables of one scope; look-ups go on in the scope around it.
struct Frame {
  std::shared_ptr<Frame> parent;
  std::vector<std::pair<std::string, Value>> variables;

  Value* find_own(std::string_view name);
  void set(std::string_view name, Value value);
};

// The text that the template gives with these variables. Throws Failure.
TracedText render(const Block& block, std::vector<std::pair<std::string, Value>> variables, Runtime& runtime);

}  // namespace headroom::jinja
