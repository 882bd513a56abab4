// How the parts of the template interpreter tell each other that a template cannot go on. It is thrown inside the
// interpreter only: ChatTemplate catches it and returns an Error.
#pragma once

#include <cstdint>
#include <string>

namespace headroom::jinja {

struct Failure {
  std::string message;
  std::uint32_t line = 0;           // 0: not known yet; the statement or expression that is being worked on fills it in
  bool raised_by_template = false;  // by raise_exception(): `message` is the template's own
  bool is_stopped = false;          // whoever waits for the text asked for it
  bool is_too_much = false;         // a limit that grows with the conversation: a shorter one may be rendered
};

[[noreturn]] void fail(std::string message, std::uint32_t line = 0);
[[noreturn]] void fail_too_much(std::string message);

}  // namespace headroom::jinja
