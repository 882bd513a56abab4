#include "ui/chat/latex_words.h"

#include <QStringList>
#include <algorithm>

#include "ui/chat/latex_symbols.h"

namespace headroom::ui {

namespace {

// What may follow a letter as a part of it.
bool isScriptSign(QChar c) {
  static constexpr QStringView kSigns = u"⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎′°†ⁿⁱ∗*!";
  return c.isMark() || kSigns.contains(c) || c.category() == QChar::Letter_Modifier;
}

}  // namespace

bool isLatexFactor(QStringView text) {
  if (text.isEmpty()) return true;
  if (std::all_of(text.begin(), text.end(), [](QChar c) { return c.isDigit() || c == u'.'; })) return true;
  if (isEnclosed(text)) return true;
  if (text.front() == u'√') return isLatexFactor(text.mid(1));
  const qsizetype open = text.indexOf(u'(');
  if (open > 0 && isEnclosed(text.mid(open)))  // "P(B)"
    return std::all_of(text.begin(), text.begin() + open, [](QChar c) { return c.isLetter() || c.isMark(); });
  if ((text.front() == u'd' || text.front() == u'∂') && text.size() > 1 && text[1].isLetter()) text = text.mid(1);
  const qsizetype first = text.front().isHighSurrogate() && text.size() > 1 ? 2 : 1;
  return std::all_of(text.begin() + first, text.end(), isScriptSign);
}

bool isLatexProduct(QStringView text) {
  int depth = 0;
  for (const QChar c : text) {
    depth += c == u'(' ? 1 : c == u')' ? -1 : 0;
    const bool belongs = c.isLetterOrNumber() || isScriptSign(c) || QStringView(u"()∂√^_").contains(c);
    if (depth == 0 && !belongs) return false;
  }
  return true;
}

QString inParentheses(const QString& text) { return u'(' + text + u')'; }

QString withLatexMark(const QString& text, QStringView mark) {
  const bool isLine =
      mark == QStringView(u"\u0305") || mark == QStringView(u"\u0332") || mark == QStringView(u"\u0304");
  QString marked;
  for (qsizetype i = 0; i < text.size(); ++i) {
    marked += text[i];
    if (text[i].isHighSurrogate() && i + 1 < text.size()) marked += text[++i];
    const bool isLast = isLine ? !text[i].isSpace() : i == 0 || (i == 1 && text[0].isHighSurrogate());
    if (isLast) marked += mark;
  }
  return marked;
}

bool isEnclosed(QStringView text) {
  if (text.size() < 2 || text.front() != u'(' || text.back() != u')') return false;
  int depth = 0;
  for (qsizetype i = 0; i < text.size(); ++i) {
    depth += text[i] == u'(' ? 1 : text[i] == u')' ? -1 : 0;
    if (depth == 0 && i + 1 < text.size()) return false;
  }
  return true;
}

bool isLatexWord(QStringView letters) {
  static const QStringList kShortWords{
      QStringLiteral("if"),  QStringLiteral("or"),  QStringLiteral("of"),  QStringLiteral("is"),  QStringLiteral("in"),
      QStringLiteral("to"),  QStringLiteral("for"), QStringLiteral("and"), QStringLiteral("all"), QStringLiteral("odd"),
      QStringLiteral("the"), QStringLiteral("not"), QStringLiteral("mod"), QStringLiteral("any")};
  const LatexSymbol* symbol = findLatexSymbol(letters);
  const bool isFunction = symbol != nullptr && symbol->kind == LatexKind::Function;
  return letters.size() > 3 || isFunction || kShortWords.contains(letters);
}

}  // namespace headroom::ui
