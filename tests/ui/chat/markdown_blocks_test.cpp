#include "ui/chat/markdown_blocks.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

using Kind = MarkdownBlock::Kind;

struct Row {
  const char* name;
  QString text;
  Kind kind;
  QString lastBlock;  // from its first text's line on
};

TEST(MarkdownBlocks, the_last_block_is_the_one_that_the_text_ends_in) {
  const std::vector<Row> rows{{"a paragraph", "one\n\ntwo\nlines\n", Kind::Other, "two\nlines\n"},
                              {"only one", "one", Kind::Other, "one"},
                              {"a loose list", "text\n\n- a\n\n- b\n\n  more\n", Kind::List, "- a\n\n- b\n\n  more\n"},
                              {"text below a list", "- a\n\ntext\n", Kind::Other, "text\n"},
                              {"a table", "text\n\n| a |\n|---|\n| 1 |\n", Kind::Table, "| a |\n|---|\n| 1 |\n"},
                              {"letters of several bytes", "ä\n\n- ö € 𝄞\n- b\n", Kind::List, "- ö € 𝄞\n- b\n"},
                              {"a quote", "> a\n\n> b\n> c\n", Kind::Other, "> b\n> c\n"},
                              {"a heading above a table", "# T\n| a |\n|---|\n", Kind::Table, "| a |\n|---|\n"}};
  for (const Row& row : rows) {
    const auto block = lastMarkdownBlock(row.text);
    ASSERT_TRUE(block.has_value()) << row.name;
    EXPECT_EQ(block->kind, row.kind) << row.name;
    EXPECT_EQ(row.text.mid(block->start).toStdString(), row.lastBlock.toStdString()) << row.name;
  }
  EXPECT_FALSE(lastMarkdownBlock("").has_value());
  EXPECT_FALSE(lastMarkdownBlock("\n---\n").has_value()) << "a rule has no text";
}

TEST(MarkdownBlocks, the_head_of_a_table_is_its_first_two_lines) {
  EXPECT_EQ(openTableHead("text\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n"), "| a | b |\n|---|--:|\n");
  EXPECT_EQ(openTableHead("| | |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"), "| | |\n|---|---|\n");
  EXPECT_EQ(openTableHead("| a |\n|---|\n\nno table any more\n"), "");
  EXPECT_EQ(openTableHead("no table"), "");
  EXPECT_EQ(openTableHead("1. one:\n\n   | a |\n   |---|\n   | 1 |"), "   | a |\n   |---|\n") << "inside a list";
  EXPECT_EQ(openTableHead("- x\n\n  | a |\n  |---|\n  | 1 |\n- y"), "") << "the list goes on below it";
}

}  // namespace
}  // namespace headroom::ui
