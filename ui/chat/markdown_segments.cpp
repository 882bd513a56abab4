#include "ui/chat/markdown_segments.h"

#include <algorithm>

#include "ui/chat/markdown_blocks.h"

namespace headroom::ui {

namespace {

qsizetype indentOf(QStringView line) {
  qsizetype n = 0;
  while (n < line.size() && (line[n] == u' ' || line[n] == u'\t')) ++n;
  return n;
}

qsizetype runLength(QStringView text, QChar c) {
  qsizetype n = 0;
  while (n < text.size() && text[n] == c) ++n;
  return n;
}

bool startsListItem(QStringView line) {
  const QStringView text = line.mid(indentOf(line));
  if (text.size() >= 2 && QStringView(u"-*+").contains(text[0]) && text[1].isSpace()) return true;
  qsizetype digits = 0;
  while (digits < text.size() && digits < 9 && text[digits].isDigit()) ++digits;
  return digits > 0 && digits + 1 < text.size() && QStringView(u".)").contains(text[digits]) &&
         text[digits + 1].isSpace();
}

// Where to cut a line that is too long for one view: after a space, never inside a surrogate pair.
qsizetype cutWithin(QStringView line, qsizetype limit) {
  const qsizetype space = line.left(limit).lastIndexOf(u' ');
  if (space > limit / 2) return space + 1;
  return line[limit - 1].isHighSurrogate() ? limit - 1 : limit;
}

}  // namespace

std::size_t MarkdownSegments::append(const QString& text) {
  takeBackPartialLine();
  const std::size_t first = m_segments.empty() ? 0 : m_segments.size() - 1;
  m_line += text;
  qsizetype start = 0;
  for (;;) {
    const qsizetype end = m_line.indexOf(u'\n', start);
    if (end < 0) break;
    QStringView line = QStringView(m_line).mid(start, end - start);
    if (line.endsWith(u'\r')) line.chop(1);
    addLine(line, true);
    start = end + 1;
  }
  m_line.remove(0, start);
  while (m_fenceLength == 0 && m_line.size() > 2 * kSegmentChars) {
    const qsizetype cut = cutWithin(m_line, kSegmentChars);
    addLine(QStringView(m_line).left(cut), true);
    m_line.remove(0, cut);
  }
  m_wholeSegments = m_segments.size();
  m_wholeChars = m_segments.empty() ? 0 : m_segments.back().text.size();
  if (!m_line.isEmpty()) addLine(m_line, false);
  return std::min(first, m_segments.empty() ? 0 : m_segments.size() - 1);
}

void MarkdownSegments::finish() {
  takeBackPartialLine();
  if (!m_line.isEmpty()) addLine(m_line, true);
  m_line.clear();
  m_isFinished = true;
  if (!m_segments.empty()) {
    m_segments.back().closed = true;
    m_segments.back().settled = m_segments.back().text.size();
  }
  m_wholeSegments = m_segments.size();
  m_wholeChars = m_segments.empty() ? 0 : m_segments.back().text.size();
}

void MarkdownSegments::takeBackPartialLine() {
  if (m_line.isEmpty()) return;
  if (m_segments.size() > m_wholeSegments) m_segments.resize(m_wholeSegments);
  if (!m_segments.empty()) m_segments.back().text.truncate(m_wholeChars);
}

void MarkdownSegments::addLine(QStringView line, bool whole) {
  if (m_fenceLength > 0) {
    addCodeLine(line, whole);
  } else if (!opensFence(line, whole)) {
    addProseLine(line, whole);
  }
}

// A line that may yet become a fence is held back until it is whole, so that backticks do not flicker.
bool MarkdownSegments::opensFence(QStringView line, bool whole) {
  const qsizetype indent = indentOf(line);
  const QStringView text = line.mid(indent);
  if (text.isEmpty() || (text[0] != u'`' && text[0] != u'~')) return false;
  const qsizetype length = runLength(text, text[0]);
  if (!whole) return length == text.size() || (length >= 3 && !text.mid(length).contains(u'`'));
  if (length < 3 || (text[0] == u'`' && text.mid(length).contains(u'`'))) return false;
  startSegment(true);
  m_segments.back().language = text.mid(length).trimmed().toString().section(u' ', 0, 0).section(u'{', 0, 0).toLower();
  m_fenceChar = text[0];
  m_fenceLength = length;
  m_fenceIndent = indent;
  m_codeLines = 0;
  return true;
}

bool MarkdownSegments::closesFence(QStringView line) const {
  const QStringView text = line.trimmed();
  return text.size() >= m_fenceLength && runLength(text, m_fenceChar) == text.size();
}

void MarkdownSegments::addCodeLine(QStringView line, bool whole) {
  MarkdownSegment& code = m_segments.back();
  if (closesFence(line) && whole) {
    if (code.text.endsWith(u'\n')) code.text.chop(1);
    code.closed = true;
    m_fenceLength = m_fenceIndent = 0;
    m_afterBlank = true;
    return;
  }
  if (!whole && !line.isEmpty() && runLength(line.trimmed(), m_fenceChar) == line.trimmed().size()) return;
  code.text += line.mid(std::min(indentOf(line), m_fenceIndent));
  if (!whole) return;
  code.text += u'\n';
  if (++m_codeLines < kSegmentLines) return;
  const QString language = code.language;
  startSegment(true);
  m_segments.back().language = language;
  m_segments.back().continuesCode = true;
  m_codeLines = 0;
}

QString MarkdownSegments::codeBlockFrom(std::size_t first) const {
  QString code = m_segments.at(first).text;
  for (std::size_t i = first + 1; i < m_segments.size() && m_segments[i].continuesCode; ++i) code += m_segments[i].text;
  return code;
}

void MarkdownSegments::addProseLine(QStringView line, bool whole) {
  const bool blank = line.trimmed().isEmpty();
  const bool hasProse = !m_segments.empty() && !m_segments.back().isCode && !m_segments.back().closed;
  if (blank && (!hasProse || !whole)) return;
  if (hasProse && whole && !blank) breakProse(line);
  MarkdownSegment& prose = proseSegment();
  prose.text += line;
  if (!whole) return;
  prose.text += u'\n';
  m_afterBlank = blank;
}

// Before a line: settles the blocks that end there, and starts a segment where the last one is long enough.
void MarkdownSegments::breakProse(QStringView line) {
  MarkdownSegment& prose = m_segments.back();
  const qsizetype unsettled = prose.text.size() - prose.settled;
  const QString withLine = prose.text.mid(prose.settled).append(line);
  const qsizetype chars = prose.text.size() + line.size();
  if (m_afterBlank) {
    const auto block = lastMarkdownBlock(withLine);
    if (block && block->start == unsettled) {
      prose.settled = prose.text.size();
      if (chars > kSegmentChars) startSegment(false);
      return;
    }
  }
  if (chars <= 2 * kSegmentChars) return;
  // Inside a block. A table goes on below its head, as on the next page of a book, also one that stands in a list; a
  // list at an item of its own.
  const QString head = openTableHead(withLine);
  if (head == withLine.right(head.size() - 1) + u'\n') return;  // the line is the head's second one
  const auto block = lastMarkdownBlock(withLine);
  const bool isItem = startsListItem(line) && indentOf(line) == 0;
  const bool waits = head.isEmpty() && !isItem && chars <= 4 * kSegmentChars;
  if (block && block->kind == MarkdownBlock::Kind::List && waits) return;
  startSegment(false);
  if (head.size() <= kSegmentChars) m_segments.back().text = head;
}

MarkdownSegment& MarkdownSegments::proseSegment() {
  if (m_segments.empty() || m_segments.back().isCode || m_segments.back().closed) startSegment(false);
  return m_segments.back();
}

void MarkdownSegments::startSegment(bool isCode) {
  if (!m_segments.empty()) {
    m_segments.back().closed = true;
    if (!m_segments.back().isCode) m_segments.back().settled = m_segments.back().text.size();
  }
  m_segments.emplace_back();
  m_segments.back().isCode = isCode;
}

}  // namespace headroom::ui
