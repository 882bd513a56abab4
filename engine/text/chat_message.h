// A conversation as the engine and the window pass it around.
#pragma once

#include <string>
#include <vector>

namespace headroom {

struct ChatMessage {
  std::string role;        // "system", "user", "assistant"
  std::string content;     // UTF-8
  std::string thinking{};  // what the assistant thought before it, without marks
  bool operator==(const ChatMessage&) const = default;
};

}  // namespace headroom
