// Splits Markdown that is still arriving into pieces that each get a view of their own, so that what is finished is
// never laid out again.
#pragma once

#include <QString>
#include <vector>

namespace headroom::ui {

// A run of prose, or one fenced code block.
struct MarkdownSegment {
  bool isCode = false;
  bool continuesCode = false;  // the same code block goes on from the segment before
  QString language;            // of code, as the fence says it
  QString text;                // Markdown, or the code without its fences
  qsizetype settled = 0;       // of prose: text before this is made of finished blocks and will not change
  bool closed = false;         // nothing more comes
};

// Text only grows. Cost of append(): its own length and that of the last unfinished block.
class MarkdownSegments {
 public:
  // A prose segment ends at the first block border after this many characters, and inside a block at twice as many (in
  // a list at its next item, at most at four times as many), so that laying one out is cheap.
  static constexpr qsizetype kSegmentChars = 3000;
  static constexpr int kSegmentLines = 120;  // of code

  // Returns the index of the first segment that differs from before.
  std::size_t append(const QString& text);
  void finish();  // the last line is whole; nothing is appended any more
  bool isFinished() const { return m_isFinished; }

  const std::vector<MarkdownSegment>& segments() const { return m_segments; }
  // What would close the block of code that the text ends in; empty where it ends in none.
  QString openFence() const { return QString(m_fenceIndent, u' ') + QString(m_fenceLength, m_fenceChar); }

  QString codeBlockFrom(std::size_t first) const;  // the whole code block that starts at this segment

 private:
  void takeBackPartialLine();
  void addLine(QStringView line, bool whole);
  void addProseLine(QStringView line, bool whole);
  void breakProse(QStringView line);
  void addCodeLine(QStringView line, bool whole);
  bool opensFence(QStringView line, bool whole);
  bool closesFence(QStringView line) const;
  MarkdownSegment& proseSegment();
  void startSegment(bool isCode);

  std::vector<MarkdownSegment> m_segments;
  QString m_line;  // the last line, not ended yet
  // What to go back to when the partial line is read again.
  std::size_t m_wholeSegments = 0;
  qsizetype m_wholeChars = 0;

  QChar m_fenceChar;
  qsizetype m_fenceLength = 0, m_fenceIndent = 0;  // length 0: not in a fence
  int m_codeLines = 0;                             // whole ones in the last segment
  bool m_afterBlank = true, m_isFinished = false;
};

}  // namespace headroom::ui
