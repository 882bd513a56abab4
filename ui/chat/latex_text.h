// LaTeX's mathematics as Unicode text that one can read: the common part of textbooks and answers.
#pragma once

#include <QString>
#include <QStringView>
#include <vector>

namespace headroom::ui {

// The body of a formula, without the dollars or brackets around it. Example: "\frac{a+b}{c} \le \sqrt{x_1}" becomes
// "(a + b)/c ≤ √x₁". A command that is not known stays as it was written, with its backslash. `isDisplay`: it stands on
// a line of its own, so that matrices may have rows, between which there is '\n', and columns, which spaces fill up for
// letters of one width; else rows are parted by ';'. Of more than kMostLatexChars nothing is changed.
QString latexText(QStringView latex, bool isDisplay);
inline constexpr qsizetype kMostLatexChars = 4000;

struct LatexSpan {
  enum class Kind : quint8 { Inline, Display, Open };  // Open: it has no end yet
  Kind kind = Kind::Inline;
  qsizetype start = 0, length = 0;  // with what stands around it
  QString body;                     // without; of Open empty
};

// The formulas of a Markdown text: $$...$$, \[...\], \(...\), environments such as \begin{align} and $...$, of which
// "$5 and $6" is none. None goes over an empty line, none is in code. In order, none in another.
std::vector<LatexSpan> findLatex(const QString& markdown);

}  // namespace headroom::ui
