// Ends a text where a stop string begins, even when it arrives in pieces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headroom {

class StopStrings {
 public:
  explicit StopStrings(std::vector<std::string> strings);  // empty strings are ignored

  struct Released {
    std::string text;      // safe to show: no stop string begins in it
    bool stopped = false;  // a stop string was found; its text and what followed are dropped
  };
  // Text in which a stop string may begin waits for the next call.
  Released push(std::string_view text);
  // What still waits, when the answer ends for another reason.
  std::string finish();

 private:
  std::vector<std::string> strings_;
  std::string held_;
};

}  // namespace headroom
