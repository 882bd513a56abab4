// What md4c takes the end of a piece of Markdown for: the one source of where blocks begin, so that text is never cut
// where the writer sees one block.
#pragma once

#include <QString>
#include <optional>

namespace headroom::ui {

// How Markdown of answers is read, by everybody who reads it (md4c's MD_FLAG_...).
unsigned markdownFlags();

// A block that stands in no other one.
struct MarkdownBlock {
  enum class Kind : quint8 { List, Table, Other };
  Kind kind = Kind::Other;
  qsizetype start = 0;  // of the line that has its first text
};

// The last block of the text; absent where no block has a text yet.
std::optional<MarkdownBlock> lastMarkdownBlock(const QString& markdown);

// The two lines above the rows of the table that the text ends with, which may stand in a list; empty where it ends
// with none.
QString openTableHead(const QString& markdown);

}  // namespace headroom::ui
