// A message of an error may go on behind its sentence (Message::with_details). The window shows such details smaller,
// below the sentence; a terminal has both on one line.
#pragma once

#include <string_view>

namespace headroom {

// Views of the message; details are empty where it is a sentence alone.
struct MessageParts {
  std::string_view sentence, details;
};

// Details begin behind the first full stop that ends a line. A path in the sentence may have a line end as well.
inline MessageParts message_parts(std::string_view message) {
  constexpr std::string_view kBorder = ".\n";
  const std::size_t at = message.find(kBorder);
  if (at == std::string_view::npos) return {message, {}};
  return {message.substr(0, at + 1), message.substr(at + kBorder.size())};
}

}  // namespace headroom
