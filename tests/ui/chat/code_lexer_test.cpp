#include "ui/chat/code_lexer.h"

#include <gtest/gtest.h>

#include <map>

namespace headroom::ui {
namespace {

// The tokens of a line by their text.
std::map<QString, CodeToken> tokensOf(const char* language, const QString& line, int state = 0, int* next = nullptr) {
  const CodeLanguage* found = findCodeLanguage(language);
  EXPECT_NE(found, nullptr) << language;
  std::map<QString, CodeToken> tokens;
  const int after = lexCodeLine(*found, line, state, [&](qsizetype start, qsizetype length, CodeToken token) {
    tokens[line.mid(start, length)] = token;
  });
  if (next) *next = after;
  return tokens;
}

TEST(CodeLexer, keywords_types_strings_numbers_and_comments_are_found) {
  auto tokens = tokensOf("cpp", "const int n = 0x1f; // \"why\"");
  EXPECT_EQ(tokens["const"], CodeToken::Keyword);
  EXPECT_EQ(tokens["int"], CodeToken::Type);
  EXPECT_EQ(tokens["0x1f"], CodeToken::Number);
  EXPECT_EQ(tokens["// \"why\""], CodeToken::Comment);
  EXPECT_EQ(tokens.count("n"), 0U);
  EXPECT_EQ(tokensOf("python", "print('it\\'s', 2)")["'it\\'s'"], CodeToken::String);
}

TEST(CodeLexer, comments_and_strings_go_on_over_lines) {
  int state = 0;
  tokensOf("c", "int a; /* open", 0, &state);
  EXPECT_NE(state, 0);
  auto tokens = tokensOf("c", "still */ return 1;", state, &state);
  EXPECT_EQ(tokens["still */"], CodeToken::Comment);
  EXPECT_EQ(tokens["return"], CodeToken::Keyword);
  EXPECT_EQ(state, 0);
  tokensOf("py", "x = '''one", 0, &state);
  EXPECT_EQ(tokensOf("py", "two''' + y", state)["two'''"], CodeToken::String);
}

TEST(CodeLexer, a_hash_inside_a_shell_word_is_no_comment) {
  EXPECT_EQ(tokensOf("sh", "echo a#b # real")["# real"], CodeToken::Comment);
  EXPECT_EQ(tokensOf("sh", "echo a#b").count("#b"), 0U);
}

TEST(CodeLexer, sql_words_are_found_in_any_case) {
  EXPECT_EQ(tokensOf("sql", "select * from t")["select"], tokensOf("sql", "SELECT 1")["SELECT"]);
}

TEST(CodeLexer, diffs_are_coloured_by_line) {
  EXPECT_EQ(tokensOf("diff", "+added")["+added"], CodeToken::Added);
  EXPECT_EQ(tokensOf("diff", "-gone")["-gone"], CodeToken::Removed);
}

TEST(CodeLexer, an_unknown_language_has_no_row) {
  EXPECT_EQ(findCodeLanguage("brainfuck"), nullptr);
  EXPECT_EQ(findCodeLanguage(""), nullptr);
}

TEST(CodeLexer, lines_that_end_inside_a_token_are_read_to_their_end) {
  for (const char* language : {"cpp", "python", "js", "rust", "go", "java", "cs", "sh", "json", "yaml", "cmake", "sql",
                               "html", "css", "lua", "ruby", "php"}) {
    for (const char* line : {"\"", "'\\", "/*", "<!--", "`", "#", "0x", "\"\"\"", "--[[", "\\"})
      tokensOf(language, line);
  }
}

}  // namespace
}  // namespace headroom::ui
