// Every command of README.md works as it stands there, with a small model in the place of model.gguf.
#include <sstream>

#include "app/cli/cli_fixture.h"

namespace headroom::test {
namespace {

// The words of a line as a shell reads them: spaces divide, quotes keep together, # ends.
std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  char quote = 0;
  bool in_word = false;
  for (const char c : line) {
    if (quote == 0 && !in_word && c == '#') break;
    if (quote == 0 && c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  EXPECT_EQ(quote, 0) << "an open quote: " << line;
  return words;
}

// The lines of the code blocks (indented by four, or fenced) that begin with headroom-cli, without that word.
std::vector<std::vector<std::string>> commands_of(std::istream& document) {
  std::vector<std::vector<std::string>> commands;
  bool is_fenced = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("```")) is_fenced = !is_fenced;
    if (!is_fenced && !line.starts_with("    ")) continue;
    std::vector<std::string> words = shell_words(line);
    if (words.empty() || words.front() != "headroom-cli") continue;
    words.erase(words.begin());
    commands.push_back(std::move(words));
  }
  return commands;
}

TEST(Readme, commands_are_read_as_a_shell_reads_them) {
  std::istringstream document(
      "text headroom-cli no\n    headroom-cli a \"b c\" 'd'  # e\n    other\n```\nheadroom-cli f\n```\n");
  const std::vector<std::vector<std::string>> expected{{"a", "b c", "d"}, {"f"}};
  EXPECT_EQ(commands_of(document), expected);
}

TEST_F(Cli, every_command_of_readme_works) {
  std::ifstream readme(HEADROOM_SOURCE_DIR "/README.md");
  const std::vector<std::vector<std::string>> commands = commands_of(readme);
  ASSERT_GE(commands.size(), 4U);
  for (std::vector<std::string> words : commands) {
    std::replace(words.begin(), words.end(), std::string("model.gguf"), model);
    const TempFolder here;
    const CliResult result = runCli(words, CliStreams{.folder = here.path()});
    EXPECT_EQ(result.exitCode, 0) << testing::PrintToString(words) << "\n" << result.err;
    EXPECT_FALSE(result.out.empty()) << testing::PrintToString(words);
    const auto option = std::find(words.begin(), words.end(), "--report");
    EXPECT_TRUE(option == words.end() || std::filesystem::exists(here.path() / *std::next(option)));
  }
}

}  // namespace
}  // namespace headroom::test
