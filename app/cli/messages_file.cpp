#include "messages_file.h"

#include <fmt/format.h>

#include "command.h"

namespace headroom::cli {

Result<MessagesFile> readMessagesFile(const std::string& path) {
  const auto bad = [&](const std::string& what) {
    return Error{ErrorCode::kBadFile, Message::plain(fmt::format("{}: {}", path, what))};
  };
  const Result<std::string> text = readTextFile(path);
  if (!text) return text.error();
  const Json json = Json::parse(*text, nullptr, false);
  if (json.is_discarded()) return bad("not valid JSON");
  MessagesFile read;
  const Json* list = &json;
  if (json.is_object()) {
    if (!json.contains("messages")) return bad("expected \"messages\", found an object without it");
    list = &json["messages"];
    if (const auto flag = json.find("add_generation_prompt"); flag != json.end()) {
      if (!flag->is_boolean())
        return bad(fmt::format("\"add_generation_prompt\" must be true or false, found {}", flag->type_name()));
      read.addGenerationPrompt = flag->get<bool>();
    }
  }
  if (!list->is_array()) return bad(fmt::format("expected a list of messages, found {}", list->type_name()));
  for (const Json& message : *list) {
    const bool isMessage = message.is_object() && message.contains("role") && message["role"].is_string() &&
                           message.contains("content") && message["content"].is_string();
    if (!isMessage)
      return bad(fmt::format("message {} must have \"role\" and \"content\" as strings", read.messages.size()));
    read.messages.push_back({message["role"].get<std::string>(), message["content"].get<std::string>()});
  }
  return read;
}

}  // namespace headroom::cli
