// What the commands of LaTeX's mathematics mean in Unicode: the tables that latex_text.h reads.
#pragma once

#include <QString>
#include <QStringView>
#include <optional>
#include <span>

namespace headroom::ui {

enum class LatexKind : quint8 {
  Plain,     // a letter or a sign that stands for itself
  Binary,    // between two operands: "a + b"
  Relation,  // "a = b"
  Big,       // has limits: a sum, an integral
  Function,  // a word: "sin x"
  Open,
  Close,
  Comma,
  Fraction,  // parted from its neighbours, else "2½" would be read as 21/2
  Space,     // `text` is what it leaves between its neighbours
  Mark,      // a combining character for what follows in braces
  Style,     // says how something looks and means nothing: it is left out
};

struct LatexSymbol {
  QStringView name;  // without its backslash
  QStringView text;
  LatexKind kind = LatexKind::Plain;
};

const LatexSymbol* findLatexSymbol(QStringView name);  // null: not in the table
std::span<const LatexSymbol> latexSymbols();           // ascending in name

// A character as Unicode raises or lowers it; absent: it cannot.
std::optional<QChar> raised(QChar c);
std::optional<QChar> lowered(QChar c);

// As \mathbb and \mathcal write a letter; itself where there is no such sign that fonts commonly have.
QChar blackboardLetter(QChar c);
QChar scriptLetter(QChar c);

}  // namespace headroom::ui
