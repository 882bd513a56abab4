// Turns the bytes of tokens into text that never ends inside a code point.
#pragma once

#include <string>
#include <string_view>

namespace headroom {

class Utf8Stream {
 public:
  // Whole code points only; bytes that can never become one are replaced by U+FFFD, an unfinished tail waits for the
  // next call.
  std::string push(std::string_view bytes);
  // What still waits, as U+FFFD; the stream is then empty.
  std::string finish();

 private:
  std::string pending_;
};

}  // namespace headroom
