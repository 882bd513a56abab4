// Reads the fixtures of chat templates: conversations, and per template the text or the error that Jinja2 gives.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "text/chat_template.h"

namespace headroom::testing_support {

inline const std::filesystem::path kTextFolder = std::filesystem::path(HEADROOM_SOURCE_DIR) / "tests/engine/text";

inline std::string read_whole_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct TemplateCase {
  std::string name;  // "qwen.jinja user/prompt"
  std::string source;
  ChatTemplateInputs inputs;
  std::string text, error;                    // one of them
  bool is_error = false, is_refusal = false;  // an error that the template itself raises, in these words
};

// "2026-01-02 03:04:05", with the day of the week that strftime may ask for.
inline std::tm parse_time(const std::string& text) {
  std::tm time{};
  std::istringstream stream(text);
  char separator = 0;
  stream >> time.tm_year >> separator >> time.tm_mon >> separator >> time.tm_mday >> time.tm_hour >> separator >>
      time.tm_min >> separator >> time.tm_sec;
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  const std::time_t seconds = timegm(&time);
  gmtime_r(&seconds, &time);
  return time;
}

inline std::vector<ChatMessage> read_messages(const nlohmann::json& conversation) {
  std::vector<ChatMessage> messages;
  for (const auto& message : conversation) messages.push_back({message.at("role"), message.at("content")});
  return messages;
}

// All cases of a folder with templates and an expected.json.
inline std::vector<TemplateCase> read_template_cases(const std::filesystem::path& folder) {
  const auto json = nlohmann::json::parse(read_whole_file(folder / "expected.json"));
  std::vector<TemplateCase> cases;
  for (const auto& [file, expected] : json.at("expected").items()) {
    for (const auto& [id, result] : expected.items()) {
      TemplateCase each;
      each.name = file + " " + id;
      each.source = read_whole_file(folder / file);
      // "user/prompt/no_thinking": the conversation, whether an answer is to follow, perhaps a setting.
      const std::size_t first = id.find('/'), second = id.find('/', first + 1);
      each.inputs.messages = read_messages(json.at("conversations").at(id.substr(0, first)));
      each.inputs.add_generation_prompt = std::string_view(id).substr(first).starts_with("/prompt");
      if (second != std::string::npos) {
        const auto& setting = json.at("settings").at(id.substr(second + 1));
        each.source.insert(0, setting.at("before").get<std::string>());
        each.inputs.tools_json = setting.at("tools_json");
      }
      each.inputs.bos_token = json.at("bos_token");
      each.inputs.eos_token = json.at("eos_token");
      each.inputs.now = parse_time(json.at("now"));
      each.is_error = result.contains("error");
      each.is_refusal = each.is_error && result.value("raised", true);
      (each.is_error ? each.error : each.text) = result.at(each.is_error ? "error" : "text");
      cases.push_back(std::move(each));
    }
  }
  return cases;
}

}  // namespace headroom::testing_support
