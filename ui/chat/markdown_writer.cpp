#include "ui/chat/markdown_writer.h"

#include <md4c.h>

#include <QFontDatabase>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextTable>
#include <algorithm>
#include <vector>

#include "ui/chat/latex_text.h"
#include "ui/chat/latex_words.h"
#include "ui/chat/markdown_blocks.h"

namespace headroom::ui {

namespace {

constexpr qreal kListIndentPx = 24;
constexpr qreal kItemSpacePx = 4;  // above an item of a list; above all else of prose there is more
constexpr qreal kFormulaIndentPx = 28;
constexpr qreal kFormulaScale = 1.2;  // of one in a line of its own: raised signs of it are small

// In the place of each formula md4c reads its number between two characters that no text has (Unicode's
// noncharacters): so it takes no backslash away, and sees no emphasis in "a_1 + b_1".
constexpr char16_t kFormulaStart = 0xFDD0, kFormulaEnd = 0xFDD1, kFormulaDigit = 0xFDD2;

QString formulaMark(std::size_t number) {
  QString mark(1, QChar(kFormulaStart));
  for (; number > 0; number /= 16) mark += QChar(static_cast<char16_t>(kFormulaDigit + number % 16));
  return mark + QChar(kFormulaEnd);
}

struct ListLevel {
  bool ordered = false;
  unsigned next = 1;
  QChar delimiter = u'.';
};

// One parse: md4c calls back, this writes.
class Writer {
 public:
  Writer(QTextDocument& document, const ProseStyle& style) : m_style(style), m_cursor(&document) {
    m_cursor.movePosition(QTextCursor::End);
    // An empty last block is either that of an empty document or the one that Qt keeps behind a table: it is used up
    // first.
    m_blockIsFree = m_cursor.block().length() == 1 &&
                    !m_cursor.blockFormat().hasProperty(QTextFormat::BlockTrailingHorizontalRulerWidth);
    m_isFirst = m_cursor.position() == 0;
    m_char.setFont(style.font);
    m_char.setForeground(style.text);
  }

  void run(const QString& markdown) {
    MD_PARSER parser{};
    parser.flags = markdownFlags();
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<Writer*>(self)->enterBlock(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<Writer*>(self)->leaveBlock(type);
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<Writer*>(self)->enterSpan(type, detail);
    };
    parser.leave_span = [](MD_SPANTYPE, void*, void* self) { return static_cast<Writer*>(self)->leaveSpan(); };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<Writer*>(self)->write(type, QString::fromUtf8(text, static_cast<qsizetype>(size)));
    };
    const QByteArray utf8 = withFormulaMarks(markdown).toUtf8();
    m_cursor.beginEditBlock();
    md_parse(utf8.constData(), static_cast<MD_SIZE>(utf8.size()), &parser, this);
    m_cursor.endEditBlock();
  }

 private:
  QString withFormulaMarks(const QString& markdown) {
    m_source = markdown;
    for (const char16_t c : {kFormulaStart, kFormulaEnd})
      m_source.replace(QChar(c), QChar(QChar::ReplacementCharacter));
    m_formulas = findLatex(m_source);
    QString marked;
    qsizetype at = 0;
    for (std::size_t i = 0; i < m_formulas.size(); ++i) {
      marked += QStringView(m_source).mid(at, m_formulas[i].start - at);
      marked += formulaMark(i);
      at = m_formulas[i].start + m_formulas[i].length;
    }
    return marked += QStringView(m_source).mid(at);
  }

  // Calls `plain` with each text between formulas, and `formula` with each of them.
  template <class Plain, class Formula>
  void eachPart(const QString& text, Plain plain, Formula formula) const {
    qsizetype at = 0;
    for (;;) {
      const qsizetype start = text.indexOf(QChar(kFormulaStart), at);
      const qsizetype end = start < 0 ? -1 : text.indexOf(QChar(kFormulaEnd), start);
      if (end < 0) return plain(text.mid(at));
      if (start > at) plain(text.mid(at, start - at));
      std::size_t number = 0;
      for (qsizetype i = end - 1; i > start; --i)
        number = 16 * number + static_cast<std::size_t>(text[i].unicode() - kFormulaDigit);
      if (number < m_formulas.size()) formula(m_formulas[number]);
      at = end + 1;
    }
  }
  QString sourceOf(const LatexSpan& formula) const { return m_source.mid(formula.start, formula.length); }
  // Where md4c takes for code or an address what has a formula in it.
  QString withSources(const QString& text) const {
    QString whole;
    eachPart(
        text, [&](const QString& plain) { whole += plain; },
        [&](const LatexSpan& formula) { whole += sourceOf(formula); });
    return whole;
  }

  int enterBlock(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_QUOTE: ++m_quoteDepth; break;
      case MD_BLOCK_UL: m_lists.push_back({}); break;
      case MD_BLOCK_OL: {
        const auto* list = static_cast<MD_BLOCK_OL_DETAIL*>(detail);
        m_lists.push_back({true, list->start, QChar::fromLatin1(list->mark_delimiter)});
        break;
      }
      case MD_BLOCK_LI: enterItem(*static_cast<MD_BLOCK_LI_DETAIL*>(detail)); break;
      case MD_BLOCK_P: enterParagraph(); break;
      case MD_BLOCK_H: enterHeading(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level); break;
      case MD_BLOCK_HR: enterRule(); break;
      case MD_BLOCK_CODE: enterCode(); break;
      case MD_BLOCK_TABLE: enterTable(*static_cast<MD_BLOCK_TABLE_DETAIL*>(detail)); break;
      case MD_BLOCK_TR:
        ++m_row;
        m_column = -1;
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD: enterCell(type == MD_BLOCK_TH, static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align); break;
      default: break;
    }
    return 0;
  }

  int leaveBlock(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_QUOTE: --m_quoteDepth; break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
        if (!m_lists.empty()) m_lists.pop_back();
        break;
      case MD_BLOCK_LI: m_itemIsOpen = false; break;
      case MD_BLOCK_P: m_isBehindFormula = false; break;
      case MD_BLOCK_H:
      case MD_BLOCK_CODE:
      case MD_BLOCK_TH:
      case MD_BLOCK_TD: m_spans.clear(); break;
      case MD_BLOCK_TABLE: leaveTable(); break;
      default: break;
    }
    return 0;
  }

  // `space` is what stands above, in pixels.
  void startBlock(qreal space, qreal extraIndent = 0, qreal hanging = 0) {
    QTextBlockFormat block;
    block.setTopMargin(m_isFirst ? 0 : space);
    block.setLineHeight(125, QTextBlockFormat::ProportionalHeight);
    block.setLeftMargin(m_quoteDepth * kQuoteIndentPx + static_cast<qreal>(m_lists.size()) * kListIndentPx +
                        extraIndent);
    block.setTextIndent(-hanging);
    if (m_quoteDepth > 0) block.setProperty(kQuoteDepthProperty, m_quoteDepth);
    if (hanging > 0) block.setTabPositions({QTextOption::Tab(hanging, QTextOption::LeftTab)});
    if (m_blockIsFree) {
      m_cursor.setBlockFormat(block);
      m_cursor.setBlockCharFormat(m_char);
    } else {
      m_cursor.insertBlock(block, m_char);
    }
    m_blockIsFree = m_isFirst = m_isBehindFormula = false;
  }

  void enterParagraph() {
    if (m_itemIsOpen) {
      m_itemIsOpen = false;  // the item's own block takes its first paragraph
      return;
    }
    startBlock(9);
  }

  // The marker is text: Qt's lists cannot start at a number before 6.6, and so a copied list keeps its numbers.
  void enterItem(const MD_BLOCK_LI_DETAIL& item) {
    ListLevel& list = m_lists.back();
    QString marker = list.ordered              ? QString::number(list.next++) + list.delimiter
                     : m_lists.size() % 2 == 1 ? QStringLiteral("•")
                                               : QStringLiteral("◦");
    if (item.is_task) marker = item.task_mark == ' ' ? QStringLiteral("☐") : QStringLiteral("☑");
    startBlock(kItemSpacePx, 0, kListIndentPx - 4);
    QTextCharFormat format = m_char;
    format.setForeground(m_style.muted);
    m_cursor.insertText(marker + u'\t', format);
    m_itemIsOpen = true;
  }

  void enterHeading(unsigned level) {
    startBlock(level <= 2 ? 16 : 13);
    QTextCharFormat format = m_char;
    constexpr double kScale[] = {1.4, 1.25, 1.12, 1.0, 1.0, 1.0};
    format.setFontPointSize(m_style.font.pointSizeF() * kScale[std::min(level, 6U) - 1]);
    format.setFontWeight(QFont::DemiBold);
    m_spans.assign(1, format);
  }

  void enterRule() {
    startBlock(6);
    QTextBlockFormat block = m_cursor.blockFormat();
    block.setProperty(QTextFormat::BlockTrailingHorizontalRulerWidth, QTextLength(QTextLength::PercentageLength, 100));
    m_cursor.setBlockFormat(block);
  }

  void enterCode() {
    startBlock(9);
    m_spans.assign(1, codeFormat(m_char));
  }

  void enterTable(const MD_BLOCK_TABLE_DETAIL& detail) {
    if (!m_blockIsFree) startBlock(4);
    QTextTableFormat format;
    format.setBorder(1);
    format.setBorderBrush(m_style.line);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderCollapse(true);
    format.setCellPadding(6);
    format.setCellSpacing(0);
    format.setTopMargin(6);
    format.setBottomMargin(8);
    format.setLeftMargin(m_quoteDepth * kQuoteIndentPx);
    const int rows = static_cast<int>(detail.head_row_count + detail.body_row_count);
    m_table = m_cursor.insertTable(std::max(rows, 1), std::max(static_cast<int>(detail.col_count), 1), format);
    m_row = -1;
  }

  void enterCell(bool isHead, MD_ALIGN align) {
    ++m_column;
    if (m_table == nullptr || m_row >= m_table->rows() || m_column >= m_table->columns()) return;
    QTextTableCell cell = m_table->cellAt(m_row, m_column);
    m_cursor = cell.firstCursorPosition();
    QTextBlockFormat block;
    block.setAlignment(align == MD_ALIGN_RIGHT    ? Qt::AlignRight
                       : align == MD_ALIGN_CENTER ? Qt::AlignHCenter
                                                  : Qt::AlignLeft);
    m_cursor.setBlockFormat(block);
    m_cursor.setBlockCharFormat(m_char);
    QTextCharFormat format = m_char;
    if (isHead) {
      format.setFontWeight(QFont::DemiBold);
      QTextCharFormat background = cell.format();
      background.setBackground(m_style.codeBackground);
      cell.setFormat(background);
    }
    m_spans.assign(1, format);
  }

  void leaveTable() {
    m_table = nullptr;
    m_cursor.movePosition(QTextCursor::End);
    // Qt keeps a block behind a table: as thin as can be until something uses it.
    QTextBlockFormat thin;
    thin.setLineHeight(1, QTextBlockFormat::FixedHeight);
    m_cursor.setBlockFormat(thin);
    m_blockIsFree = true;
    m_isFirst = false;
  }

  QTextCharFormat codeFormat(QTextCharFormat format) const {
    format.setFontFamilies(m_style.codeFont.families());
    format.setFontFixedPitch(true);
    format.setBackground(m_style.codeBackground);
    return format;
  }

  QTextCharFormat linked(QTextCharFormat format, const MD_ATTRIBUTE& target) const {
    format.setAnchor(true);
    format.setAnchorHref(withSources(QString::fromUtf8(target.text, static_cast<qsizetype>(target.size))));
    format.setForeground(m_style.link);
    format.setFontUnderline(true);
    return format;
  }

  int enterSpan(MD_SPANTYPE type, void* detail) {
    QTextCharFormat format = current();
    switch (type) {
      case MD_SPAN_EM: format.setFontItalic(true); break;
      case MD_SPAN_STRONG: format.setFontWeight(QFont::Bold); break;
      case MD_SPAN_DEL: format.setFontStrikeOut(true); break;
      case MD_SPAN_CODE: format = codeFormat(format); break;
      case MD_SPAN_A: format = linked(format, static_cast<MD_SPAN_A_DETAIL*>(detail)->href); break;
      case MD_SPAN_IMG: format = linked(format, static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src); break;
      default: break;
    }
    m_spans.push_back(format);
    return 0;
  }

  int leaveSpan() {
    if (!m_spans.empty()) m_spans.pop_back();
    return 0;
  }

  int write(MD_TEXTTYPE type, QString text) {
    switch (type) {
      case MD_TEXT_NULLCHAR: text = QChar(QChar::ReplacementCharacter); break;
      case MD_TEXT_BR: text = QChar(QChar::LineSeparator); break;
      case MD_TEXT_SOFTBR: text = QStringLiteral(" "); break;
      case MD_TEXT_CODE: text = withSources(text).replace(u'\n', QChar(QChar::LineSeparator)); break;
      case MD_TEXT_ENTITY: text = entityText(text); break;
      default: break;
    }
    eachPart(
        text, [this](const QString& plain) { writePlain(plain); },
        [this](const LatexSpan& formula) { writeFormula(formula); });
    return 0;
  }

  void writePlain(QString text) {
    if (m_isBehindFormula) {  // of a line of its own, which what ends a sentence still belongs to
      const qsizetype n = text.isEmpty() || !QStringView(u".,;:").contains(text.front()) ? 0 : 1;
      m_cursor.insertText(text.left(n), current());
      text.remove(0, n);
      while (!text.isEmpty() && text.front().isSpace()) text.remove(0, 1);
      if (text.isEmpty()) return;
      startBlock(6);
    }
    if (m_blockIsFree && m_table == nullptr) startBlock(9);
    m_itemIsOpen = m_itemIsOpen && text.isEmpty();
    m_cursor.insertText(text, current());
  }

  void writeFormula(const LatexSpan& formula) {
    if (formula.kind == LatexSpan::Kind::Open) return writePlain(sourceOf(formula).replace(u'\n', u' '));
    const bool isDisplay = formula.kind == LatexSpan::Kind::Display && m_table == nullptr;
    const QString text = latexText(formula.body, isDisplay);
    if (!isDisplay) {
      if (m_isBehindFormula || (m_blockIsFree && m_table == nullptr)) startBlock(m_isBehindFormula ? 6 : 9);
      m_itemIsOpen = false;
      return insertFormula(text, false);
    }
    const bool isFirstInBlock = m_cursor.positionInBlock() == 0 && !m_blockIsFree;
    if (!isFirstInBlock || m_isBehindFormula) startBlock(6);
    m_itemIsOpen = false;
    const bool hasRows = text.contains(u'\n');
    QTextBlockFormat block = m_cursor.blockFormat();
    block.setLeftMargin(block.leftMargin() + kFormulaIndentPx);
    if (hasRows) block.setLineHeight(100, QTextBlockFormat::ProportionalHeight);  // else brackets have gaps
    m_cursor.setBlockFormat(block);
    insertFormula(text, hasRows, kFormulaScale);
    m_isBehindFormula = true;
  }

  // Quantities in italics. Rows are in letters of one width, so that columns are straight.
  void insertFormula(QString text, bool hasRows, qreal scale = 1) {
    QTextCharFormat upright = current();
    if (hasRows) {
      upright.setFontFamilies(m_style.codeFont.families());
      upright.setFontFixedPitch(true);
      m_cursor.insertText(text.replace(u'\n', QChar(QChar::LineSeparator)), upright);
      return;
    }
    upright.setFontFamilies({QStringLiteral("STIX Two Math"), QStringLiteral("Latin Modern Math"),
                             QStringLiteral("Cambria Math"), QStringLiteral("DejaVu Serif"), QStringLiteral("serif")});
    upright.setFontPointSize(upright.fontPointSize() * scale);
    QTextCharFormat italic = upright;
    italic.setFontItalic(true);
    for (qsizetype i = 0; i < text.size();) {
      qsizetype end = i;
      while (end < text.size() && text[end].isLetter() && text[end].category() != QChar::Letter_Modifier) ++end;
      if (end > i) {
        m_cursor.insertText(text.mid(i, end - i), isLatexWord(QStringView(text).mid(i, end - i)) ? upright : italic);
      } else {
        while (end < text.size() && (!text[end].isLetter() || text[end].category() == QChar::Letter_Modifier)) ++end;
        m_cursor.insertText(text.mid(i, end - i), upright);
      }
      i = end;
    }
  }

  // The few entities that models write; any other is shown as written.
  static QString entityText(const QString& entity) {
    static constexpr std::pair<const char16_t*, const char16_t*> kEntities[] = {
        {u"&amp;", u"&"},  {u"&lt;", u"<"},        {u"&gt;", u">"},         {u"&quot;", u"\""},
        {u"&apos;", u"'"}, {u"&nbsp;", u"\u00a0"}, {u"&ndash;", u"\u2013"}, {u"&mdash;", u"\u2014"}};
    for (const auto& [name, character] : kEntities) {
      if (entity == QStringView(name)) return QString::fromUtf16(character);
    }
    return entity;
  }

  QTextCharFormat current() const { return m_spans.empty() ? m_char : m_spans.back(); }

  const ProseStyle& m_style;
  QTextCursor m_cursor;
  QTextCharFormat m_char;
  std::vector<QTextCharFormat> m_spans;
  std::vector<ListLevel> m_lists;
  QTextTable* m_table = nullptr;
  int m_row = -1, m_column = -1, m_quoteDepth = 0;
  QString m_source;  // that the formulas stand in
  std::vector<LatexSpan> m_formulas;
  bool m_isBehindFormula = false;  // of a line of its own: what follows begins another one
  bool m_blockIsFree = true, m_isFirst = true, m_itemIsOpen = false;
};

// Qt has a block before and behind each table, whether anything is there or not.
bool isBorderOfTable(const QTextBlock& block) {
  const auto isInTable = [](const QTextBlock& each) {
    return each.isValid() && QTextCursor(each).currentTable() != nullptr;
  };
  return block.length() == 1 && !isInTable(block) && (isInTable(block.previous()) || isInTable(block.next()));
}

QString betweenBlocks(const QTextBlock& before, const QTextBlock& next) {
  const QTextTable* table = QTextCursor(before).currentTable();
  if (table != QTextCursor(next).currentTable()) return QStringLiteral("\n\n");
  if (table != nullptr) {
    const bool isRow = table->cellAt(before.position()).row() == table->cellAt(next.position()).row();
    return isRow ? QStringLiteral("\t") : QStringLiteral("\n");
  }
  return next.blockFormat().topMargin() > kItemSpacePx ? QStringLiteral("\n\n") : QStringLiteral("\n");
}

}  // namespace

ProseStyle ProseStyle::of(const ThemeTokens& tokens, const QFont& font) {
  QFont code = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  code.setPointSizeF(font.pointSizeF());
  return {font, code, tokens.text, tokens.muted, tokens.link, tokens.sunken, tokens.border};
}

void appendMarkdown(QTextDocument& document, const QString& markdown, const ProseStyle& style) {
  Writer(document, style).run(markdown);
}

QString plainTextOf(const QTextCursor& part) {
  QString text;
  const int from = part.selectionStart(), to = part.selectionEnd();
  QTextBlock before;
  for (QTextBlock block = part.document()->findBlock(from);
       block.isValid() && (block.position() < to || block.contains(from)); block = block.next()) {
    if (isBorderOfTable(block)) continue;
    const int start = std::max(from - block.position(), 0), end = std::min(to - block.position(), block.length() - 1);
    QString line = block.text().mid(start, end - start).replace(QChar(QChar::LineSeparator), u'\n');
    const bool hasMarker = start == 0 && block.blockFormat().textIndent() < 0;
    if (const qsizetype tab = line.indexOf(u'\t'); hasMarker && tab >= 0) line[tab] = u' ';
    if (before.isValid()) text += betweenBlocks(before, block);
    text += line;
    before = block;
  }
  return text;
}

}  // namespace headroom::ui
