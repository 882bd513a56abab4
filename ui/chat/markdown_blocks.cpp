#include "ui/chat/markdown_blocks.h"

#include <md4c.h>

#include <algorithm>

namespace headroom::ui {

namespace {

// One parse: md4c tells of blocks, and of texts by pointers into what it reads.
struct BlockReader {
  const char *begin = nullptr, *end = nullptr;
  int depth = 0;
  MD_BLOCKTYPE type = MD_BLOCK_DOC;
  const char* firstText = nullptr;  // of the block of `type`; null: it has none yet
  bool endsInTable = false;         // no other block began since the last table, at whatever depth
  const char* tableText = nullptr;  // the first of that table

  void enter(MD_BLOCKTYPE entered) {
    const bool isPartOfTable = entered == MD_BLOCK_THEAD || entered == MD_BLOCK_TBODY || entered == MD_BLOCK_TR ||
                               entered == MD_BLOCK_TH || entered == MD_BLOCK_TD;
    if (!isPartOfTable) {
      endsInTable = entered == MD_BLOCK_TABLE;
      tableText = nullptr;
    }
    if (++depth != 2) return;  // the document is the first
    type = entered;
    firstText = nullptr;
  }
  void write(const char* text) {
    const bool isSource = text >= begin && text < end;  // line breaks are words of md4c's own
    if (firstText == nullptr && isSource) firstText = text;
    if (tableText == nullptr && isSource) tableText = text;
  }
};

MarkdownBlock::Kind kindOf(MD_BLOCKTYPE type) {
  if (type == MD_BLOCK_TABLE) return MarkdownBlock::Kind::Table;
  return type == MD_BLOCK_UL || type == MD_BLOCK_OL ? MarkdownBlock::Kind::List : MarkdownBlock::Kind::Other;
}

// A position in UTF-8 as that of its line in `text`: the lines behind it are few.
qsizetype lineStart(const QString& text, const char* at, const char* end) {
  qsizetype start = text.size();
  for (auto behind = std::count(at, end, '\n'); behind > 0; --behind) start = text.lastIndexOf(u'\n', start - 1);
  return start == 0 ? 0 : text.lastIndexOf(u'\n', start - 1) + 1;
}

BlockReader readBlocks(const QByteArray& utf8) {
  BlockReader reader{utf8.constData(), utf8.constData() + utf8.size()};
  MD_PARSER parser{};
  parser.flags = markdownFlags();
  parser.enter_block = [](MD_BLOCKTYPE type, void*, void* self) {
    static_cast<BlockReader*>(self)->enter(type);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE, void*, void* self) {
    --static_cast<BlockReader*>(self)->depth;
    return 0;
  };
  parser.enter_span = parser.leave_span = [](MD_SPANTYPE, void*, void*) { return 0; };
  parser.text = [](MD_TEXTTYPE, const MD_CHAR* text, MD_SIZE, void* self) {
    static_cast<BlockReader*>(self)->write(text);
    return 0;
  };
  md_parse(reader.begin, static_cast<MD_SIZE>(utf8.size()), &parser, &reader);
  return reader;
}

QStringView lineAt(const QString& text, qsizetype start) {
  const qsizetype end = text.indexOf(u'\n', start);
  return QStringView(text).mid(start, end < 0 ? -1 : end - start);
}

// "|---|--:|"
bool isDelimiterRow(QStringView line) {
  const auto belongs = [](QChar c) { return c == u'|' || c == u'-' || c == u':' || c.isSpace(); };
  return line.contains(u'-') && std::all_of(line.begin(), line.end(), belongs);
}

}  // namespace

unsigned markdownFlags() {
  return MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS | MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH |
         MD_FLAG_PERMISSIVEURLAUTOLINKS | MD_FLAG_TASKLISTS;
}

std::optional<MarkdownBlock> lastMarkdownBlock(const QString& markdown) {
  const QByteArray utf8 = markdown.toUtf8();
  const BlockReader reader = readBlocks(utf8);
  if (reader.firstText == nullptr) return std::nullopt;
  return MarkdownBlock{kindOf(reader.type), lineStart(markdown, reader.firstText, reader.end)};
}

QString openTableHead(const QString& markdown) {
  const QByteArray utf8 = markdown.toUtf8();
  const BlockReader reader = readBlocks(utf8);
  if (!reader.endsInTable || reader.tableText == nullptr) return {};
  // A head whose cells are empty has no text: then the first text is in a row below.
  qsizetype head = lineStart(markdown, reader.tableText, reader.end);
  for (int above = 0; above < 3; ++above) {
    const qsizetype delimiters = markdown.indexOf(u'\n', head) + 1;
    const QStringView row = lineAt(markdown, delimiters);
    if (delimiters > 0 && isDelimiterRow(row)) return markdown.mid(head, delimiters + row.size() - head) + u'\n';
    if (head == 0) break;
    head = head < 2 ? 0 : markdown.lastIndexOf(u'\n', head - 2) + 1;
  }
  return {};
}

}  // namespace headroom::ui
