#include "ui/chat/latex_box.h"

#include <algorithm>

namespace headroom::ui {

namespace {

qsizetype lettersOf(QStringView line) {
  return std::count_if(line.begin(), line.end(), [](QChar c) { return !c.isMark() && !c.isLowSurrogate(); });
}

QString filled(const QString& line, qsizetype before, qsizetype after) {
  return QString(std::max<qsizetype>(before, 0), u' ') + line + QString(std::max<qsizetype>(after, 0), u' ');
}

// The pieces of a high bracket, from top to bottom, with what stands at half its height; others have one line alone.
struct Tall {
  QChar top, rest, middle, bottom;
};
Tall tallOf(QStringView bracket) {
  switch (bracket.isEmpty() ? 0 : bracket.front().unicode()) {
    case u'(': return {u'⎛', u'⎜', u'⎜', u'⎝'};
    case u')': return {u'⎞', u'⎟', u'⎟', u'⎠'};
    case u'[': return {u'⎡', u'⎢', u'⎢', u'⎣'};
    case u']': return {u'⎤', u'⎥', u'⎥', u'⎦'};
    case u'{': return {u'⎧', u'⎪', u'⎨', u'⎩'};
    case u'}': return {u'⎫', u'⎪', u'⎬', u'⎭'};
    case u'|': return {u'│', u'│', u'│', u'│'};
    case u'‖': return {u'║', u'║', u'║', u'║'};
    default: return {};
  }
}

LatexBox column(QStringView bracket, qsizetype nLines) {
  const Tall tall = tallOf(bracket);
  if (nLines < 2 || tall.top.isNull()) return LatexBox(bracket.toString());
  std::vector<std::vector<LatexBox>> rows;
  for (qsizetype i = 0; i < nLines; ++i) {
    const QChar piece = i == 0                               ? tall.top
                        : i == nLines - 1                    ? tall.bottom
                        : nLines % 2 == 1 && i == nLines / 2 ? tall.middle
                                                             : tall.rest;
    rows.push_back({LatexBox(QString(piece))});
  }
  return LatexBox::ofCells(rows, LatexColumns::Left);
}

}  // namespace

qsizetype LatexBox::width() const {
  qsizetype widest = 0;
  for (const QString& line : m_lines) widest = std::max(widest, lettersOf(line));
  return widest;
}

QString LatexBox::flat() const {
  if (m_lines.size() < 2) return m_lines.value(0);
  QStringList lines;
  for (const QString& line : m_lines) lines.append(line.simplified());
  return lines.join(QStringLiteral("; "));
}

QString LatexBox::text() const {
  QStringList lines = m_lines;
  for (QString& line : lines) {
    while (lines.size() > 1 && line.endsWith(u' ')) line.chop(1);
  }
  return lines.join(u'\n');
}

void LatexBox::append(const LatexBox& right) {
  if (right.m_lines.isEmpty()) return;
  if (m_lines.isEmpty()) {
    m_lines = right.m_lines;
    return;
  }
  if (m_lines.size() == 1 && right.m_lines.size() == 1) {
    m_lines[0] += right.m_lines[0];
    return;
  }
  const qsizetype nLines = std::max(m_lines.size(), right.m_lines.size());
  const qsizetype width = this->width(), rightWidth = right.width();
  if (nLines * (width + rightWidth) > kMostCells) {
    m_lines = {flat() + right.flat()};
    return;
  }
  const qsizetype above = (nLines - m_lines.size()) / 2, rightAbove = (nLines - right.m_lines.size()) / 2;
  QStringList lines;
  for (qsizetype i = 0; i < nLines; ++i) {
    const QString line = m_lines.value(i - above);
    const QString rest = right.m_lines.value(i - rightAbove);
    lines.append(filled(line, 0, width - lettersOf(line)) + filled(rest, 0, rightWidth - lettersOf(rest)));
  }
  m_lines = lines;
}

QString LatexBox::flatCells(const std::vector<std::vector<LatexBox>>& rows, QStringView between) {
  QStringList lines;
  for (const std::vector<LatexBox>& row : rows) {
    QStringList cells;
    for (const LatexBox& cell : row) {
      if (!cell.isEmpty()) cells.append(cell.flat());
    }
    lines.append(cells.join(between));
  }
  return lines.join(QStringLiteral("; "));
}

LatexBox LatexBox::ofCells(const std::vector<std::vector<LatexBox>>& rows, LatexColumns columns) {
  std::vector<qsizetype> widths;
  for (const std::vector<LatexBox>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], lettersOf(row[i].flat()));
  }
  qsizetype width = 0;
  for (const qsizetype each : widths) width += each + 2;
  LatexBox box;
  if (rows.size() == 1 && rows[0].size() == 1) return rows[0][0];  // with the lines that it has
  const bool isTooLarge = static_cast<qsizetype>(rows.size()) * width > kMostCells;
  if (isTooLarge) return LatexBox(flatCells(rows));
  for (const std::vector<LatexBox>& row : rows) {
    QString line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const QString cell = row[i].flat();
      const qsizetype rest = widths[i] - lettersOf(cell);
      const bool isRight = columns == LatexColumns::Aligned && i % 2 == 0;
      const qsizetype before = columns == LatexColumns::Centred ? rest / 2 : isRight ? rest : 0;
      const bool isPair = columns == LatexColumns::Aligned && i % 2 == 1;
      if (i > 0) line += isPair ? QStringLiteral(" ") : QStringLiteral("  ");
      line += filled(cell, before, rest - before);
    }
    box.m_lines.append(line);
  }
  return box;
}

LatexBox bracketed(const LatexBox& inner, QStringView open, QStringView close) {
  LatexBox box = column(open, inner.nLines());
  if (inner.nLines() > 1 && open.isEmpty()) box = LatexBox();
  if (open == QStringView(u"{") && close.isEmpty()) box.append(LatexBox(QStringLiteral(" ")));  // cases
  box.append(inner);
  if (!close.isEmpty()) box.append(column(close, inner.nLines()));
  return box;
}

}  // namespace headroom::ui
