// A conversation as the engine and the window pass it around.
#pragma once

#include <string>
#include <vector>

namespace headroom {

struct ChatMessage {
  std::string role;     // "system", "user", "assistant"
  std::string content;  // UTF-8
  bool operator==(const ChatMessage&) const = default;
};

}  // namespace headroom
