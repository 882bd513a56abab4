// Lines of text that stand below each other, as a matrix does, to be put beside other such boxes.
#pragma once

#include <QString>
#include <QStringList>
#include <QStringView>
#include <vector>

namespace headroom::ui {

enum class LatexColumns : quint8 { Left, Centred, Aligned };  // Aligned: by turns to the right and to the left

class LatexBox {
 public:
  LatexBox() = default;
  explicit LatexBox(const QString& line) : m_lines{line} {}

  // Columns are filled up with spaces. Where that would be more than kMostCells characters, rows are only parted.
  static LatexBox ofCells(const std::vector<std::vector<LatexBox>>& rows, LatexColumns columns);
  static QString flatCells(const std::vector<std::vector<LatexBox>>& rows, QStringView between = u" ");  // "1 2; 3 4"
  static constexpr qsizetype kMostCells = 20'000;

  bool isEmpty() const { return m_lines.isEmpty() || (m_lines.size() == 1 && m_lines[0].isEmpty()); }
  qsizetype nLines() const { return m_lines.size(); }
  const QStringList& lines() const { return m_lines; }
  qsizetype width() const;             // in letters
  void append(const LatexBox& right);  // beside it, middle by middle
  QString flat() const;                // in one line
  QString text() const;                // without spaces at the ends of lines

 private:
  friend LatexBox bracketed(const LatexBox& inner, QStringView open, QStringView close);
  QStringList m_lines;
};

// Brackets that are as high as what stands in them.
LatexBox bracketed(const LatexBox& inner, QStringView open, QStringView close);

}  // namespace headroom::ui
