// What a piece of a formula is, by its Unicode text alone: where parentheses are wanted, and what is a word.
#pragma once

#include <QString>
#include <QStringView>

namespace headroom::ui {

// Whether it can stand beside the bar of a fraction, or below a root, without parentheses: "x₁²", "0.5", "P(B)".
bool isLatexFactor(QStringView text);

// Above the bar products may stand as well: "2ab", "n(n + 1)".
bool isLatexProduct(QStringView text);

// "(a + b)", but not "(a) + (b)".
bool isEnclosed(QStringView text);
QString inParentheses(const QString& text);

// With a combining character: lines go over every letter, other marks over the first.
QString withLatexMark(const QString& text, QStringView mark);

// Whether letters that follow each other in such a text are a word, "sin" or "even", and not a product as "ac" is.
bool isLatexWord(QStringView letters);

}  // namespace headroom::ui
