// A conversation from a JSON file.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "text/chat_message.h"

namespace headroom::cli {

struct MessagesFile {
  std::vector<ChatMessage> messages;
  bool addGenerationPrompt = true;
};

// A list of {"role", "content"}, or {"messages": [...], "add_generation_prompt": bool}. kBadFile names what is missing
// or of another type.
Result<MessagesFile> readMessagesFile(const std::string& path);

}  // namespace headroom::cli
