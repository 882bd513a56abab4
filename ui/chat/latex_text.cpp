#include "ui/chat/latex_text.h"

#include <QStringList>
#include <algorithm>
#include <utility>

#include "ui/chat/latex_box.h"
#include "ui/chat/latex_row.h"
#include "ui/chat/latex_symbols.h"
#include "ui/chat/latex_words.h"

namespace headroom::ui {

namespace {

constexpr int kDeepest = 40;  // groups, or commands, in each other; what lies deeper stays as it was written

class FormulaReader {
 public:
  FormulaReader(QStringView text, bool isDisplay) : m_text(text), m_isDisplay(isDisplay) {}

  QString run() {
    Cells rows = readRows({}, false);
    return laidOut(rows, LatexColumns::Aligned).text();
  }

 private:
  using Cells = std::vector<std::vector<LatexBox>>;
  struct Atom {
    LatexBox box;
    LatexKind kind = LatexKind::Plain;
  };

  bool atEnd() const { return m_at >= m_text.size(); }
  QChar peek(qsizetype ahead = 0) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : QChar(); }
  bool looksAt(QStringView what) const { return m_text.mid(m_at).startsWith(what); }
  void skipSpaces() {
    while (!atEnd() && peek().isSpace()) ++m_at;
  }

  // "alpha" of "\alpha", "{" of "\{"; does not move.
  QStringView commandName() const {
    qsizetype end = m_at + 1;
    while (end < m_text.size() && m_text[end].isLetter() && m_text[end].unicode() < 128) ++end;
    if (end == m_at + 1 && end < m_text.size()) ++end;
    return m_text.mid(m_at + 1, end - m_at - 1);
  }
  bool looksAtCommand(QStringView name) const { return peek() == u'\\' && commandName() == name; }

  // Rows of cells until "\end{...}", or, without an environment, to the end.
  Cells readRows(QStringView environment, bool isTight) {
    Cells rows(1);
    rows.back().push_back(readRow(isTight));
    while (!atEnd()) {
      if (peek() == u'&') {
        ++m_at;
        rows.back().push_back(readRow(isTight));
      } else if (looksAtCommand(u"\\") || looksAtCommand(u"cr")) {
        m_at += 1 + commandName().size();
        skipRowOptions();
        rows.push_back({readRow(isTight)});
      } else if (looksAtCommand(u"end")) {
        m_at += 4;
        const QString name = rawGroup();
        if (!environment.isEmpty() || name.isEmpty()) break;
        rows.back().back().append(LatexBox(QStringLiteral("\\end{%1}").arg(name)));  // of nothing that was begun
        rows.back().back().append(readRow(isTight));
      } else {
        const qsizetype n = looksAtCommand(u"right") ? 6 : 1;  // it closes nothing, nor does a brace
        rows.back().back().append(LatexBox(m_text.mid(m_at, n).toString()));
        m_at += n;
        rows.back().back().append(readRow(isTight));
      }
    }
    if (rows.size() > 1 && rows.back().size() == 1 && rows.back()[0].isEmpty()) rows.pop_back();
    return rows;
  }

  // "*" and "[2pt]" behind "\\".
  void skipRowOptions() {
    if (peek() == u'*') ++m_at;
    const qsizetype close = peek() == u'[' ? m_text.indexOf(u']', m_at) : -1;
    if (close >= 0 && close - m_at < 12) m_at = close + 1;
  }

  bool atRowEnd() const {
    return atEnd() || peek() == u'&' || peek() == u'}' || looksAtCommand(u"\\") || looksAtCommand(u"cr") ||
           looksAtCommand(u"end") || looksAtCommand(u"right") || (m_closing == u']' && peek() == u']');
  }

  LatexBox readRow(bool isTight) {
    LatexRow row(isTight);
    for (skipSpaces(); !atRowEnd(); skipSpaces()) {
      Atom atom = readAtom(isTight);
      addScripts(atom);
      if (!atom.box.isEmpty() || atom.kind == LatexKind::Space) row.add(std::move(atom.box), atom.kind);
    }
    return row.take();
  }

  // Always moves on.
  Atom readAtom(bool isTight) {
    const QChar c = peek();
    if (c == u'\\') return readCommand(isTight);
    if (c == u'{') return {readGroup(isTight)};
    ++m_at;
    if (c == u'~') return {LatexBox(QStringLiteral(" ")), LatexKind::Space};
    if (c == u'-') return {LatexBox(QStringLiteral("−")), LatexKind::Binary};
    if (c == u'*') return {LatexBox(QStringLiteral("∗")), LatexKind::Binary};
    if (c == u'+') return {LatexBox(QString(c)), LatexKind::Binary};
    if (QStringView(u"=<>:").contains(c)) return {LatexBox(QString(c)), LatexKind::Relation};
    if (QStringView(u"([").contains(c)) return {LatexBox(QString(c)), LatexKind::Open};
    if (QStringView(u")]!").contains(c)) return {LatexBox(QString(c)), LatexKind::Close};
    if (QStringView(u",;").contains(c)) {
      const bool isInNumber = c == u',' && m_at >= 2 && m_text[m_at - 2].isDigit() && peek().isDigit();
      return {LatexBox(QString(c)), isInNumber ? LatexKind::Plain : LatexKind::Comma};
    }
    if (c == u'^' || c == u'_') {  // of nothing
      --m_at;
      return {};
    }
    QString sign(c);
    if (c.isHighSurrogate() && !atEnd()) {
      sign += peek();
      ++m_at;
    }
    return {LatexBox(sign)};
  }

  // "{...}" as mathematics; without a brace the next sign or command alone.
  LatexBox readGroup(bool isTight) {
    skipSpaces();
    if (atEnd()) return {};
    if (peek() != u'{') {
      if (peek() == u'}' || peek() == u'&') return {};
      if (peek() == u'^' || peek() == u'_') return {};
      return readAtom(isTight).box;
    }
    if (m_depth >= kDeepest) return LatexBox(u'{' + rawGroup() + u'}');
    ++m_depth;
    ++m_at;
    const QChar closing = std::exchange(m_closing, u'}');
    LatexBox box = readRow(isTight);
    while (!atEnd() && peek() != u'}') {  // what parts rows parts none here
      box.append(LatexBox(QString(peek())));
      ++m_at;
      box.append(readRow(isTight));
    }
    m_closing = closing;
    if (!atEnd()) ++m_at;
    --m_depth;
    return box;
  }
  QString readGroupText(bool isTight) { return readGroup(isTight).flat(); }

  // "{...}" as it was written, without the braces; empty where there is none.
  QString rawGroup() {
    qsizetype at = m_at;
    while (at < m_text.size() && m_text[at].isSpace()) ++at;
    if (at >= m_text.size() || m_text[at] != u'{') return {};
    int depth = 0;
    for (qsizetype i = at; i < m_text.size(); ++i) {
      if (m_text[i] == u'\\') {
        ++i;
      } else if (m_text[i] == u'{') {
        ++depth;
      } else if (m_text[i] == u'}' && --depth == 0) {
        m_at = i + 1;
        return m_text.mid(at + 1, i - at - 1).toString();
      }
    }
    m_at = m_text.size();
    return m_text.mid(at + 1).toString();
  }

  // Of \text{...}, in which $...$ is mathematics again.
  QString wordsOf(const QString& raw) {
    const QStringList parts = raw.split(u'$');
    if (parts.size() < 3 || m_depth >= kDeepest) return raw;
    QString words;
    for (qsizetype i = 0; i < parts.size(); ++i) words += i % 2 == 0 ? parts[i] : latexText(parts[i], false);
    return words;
  }

  void addScripts(Atom& atom) {
    QString above, below, primes;
    for (;;) {
      while (peek() == u'\'') {
        primes += u'′';
        ++m_at;
      }
      const qsizetype before = m_at;
      skipSpaces();
      if (looksAtCommand(u"limits") || looksAtCommand(u"nolimits")) {
        m_at += 1 + commandName().size();
        continue;
      }
      if (peek() != u'^' && peek() != u'_') {
        m_at = before;
        break;
      }
      const bool isAbove = peek() == u'^';
      ++m_at;
      const QString script = readGroupText(true);
      QString& place = isAbove ? above : below;
      place += script;
      if (script.isEmpty()) atom.box.append(LatexBox(QString(isAbove ? u'^' : u'_')));
    }
    if (!below.isEmpty()) atom.box.append(LatexBox(scriptText(below, false)));
    if (!primes.isEmpty()) atom.box.append(LatexBox(primes));
    if (!above.isEmpty()) atom.box.append(LatexBox(scriptText(above, true)));
  }

  static QString scriptText(const QString& text, bool isAbove) {
    QString script;
    for (const QChar c : text) {
      const std::optional<QChar> small = isAbove ? raised(c) : lowered(c);
      if (!small) {
        const bool isOne = text.size() == 1 || isEnclosed(text);
        return (isAbove ? u'^' : u'_') + (isOne ? text : inParentheses(text));
      }
      script += *small;
    }
    return script;
  }

  // A command may want another one, without a brace between: they go as deep as groups.
  Atom readCommand(bool isTight) {
    if (m_nCommands >= kDeepest) {
      ++m_at;
      return {LatexBox(QStringLiteral("\\"))};
    }
    ++m_nCommands;
    Atom atom = readCommandHere(isTight);
    --m_nCommands;
    return atom;
  }

  Atom readCommandHere(bool isTight) {
    const qsizetype start = m_at;
    const QStringView name = commandName();
    m_at += 1 + name.size();
    if (name.isEmpty()) return {LatexBox(QStringLiteral("\\"))};
    if (const LatexSymbol* symbol = findLatexSymbol(name)) return readSymbol(*symbol, isTight);
    if (const auto atom = readConstruct(name, isTight)) return *atom;
    return unknownCommand(start);
  }

  Atom readSymbol(const LatexSymbol& symbol, bool isTight) {
    switch (symbol.kind) {
      case LatexKind::Style: return {};
      case LatexKind::Mark: return {LatexBox(withLatexMark(readGroupText(isTight), symbol.text))};
      case LatexKind::Space:
        if (symbol.name == QStringView(u"hspace")) rawGroup();
        return {LatexBox(symbol.text.toString()), LatexKind::Space};
      default: return {LatexBox(symbol.text.toString()), symbol.kind};
    }
  }

  // With the groups behind it, as it was written.
  Atom unknownCommand(qsizetype start) {
    while (peek() == u'{') {
      const qsizetype before = m_at;
      rawGroup();
      if (m_at == before) break;
    }
    QString raw = m_text.mid(start, m_at - start).toString();
    if (peek().isSpace() && (peek(1).isLetterOrNumber() || peek(1) == u'\\')) raw += u' ';
    return {LatexBox(raw)};
  }

  std::optional<Atom> readConstruct(QStringView name, bool isTight) {
    const auto is = [&](std::initializer_list<QStringView> names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (is({u"frac", u"dfrac", u"tfrac", u"cfrac"})) return fraction(isTight);
    if (is({u"binom", u"dbinom", u"tbinom"})) {
      const QString above = readGroupText(true), below = readGroupText(true);
      return Atom{LatexBox(QStringLiteral("C(%1, %2)").arg(above, below))};
    }
    if (is({u"sqrt"})) return root(isTight);
    if (is({u"text", u"textrm", u"textbf", u"textit", u"textsf", u"texttt", u"textnormal", u"mbox", u"hbox", u"emph"}))
      return Atom{LatexBox(wordsOf(rawGroup()))};
    if (is({u"mathrm",   u"operatorname", u"mathsf",    u"mathtt",    u"mathit", u"mathbf",  u"boldsymbol",
            u"bm",       u"mathnormal",   u"pmb",       u"textstyle", u"mathop", u"mathbin", u"mathrel",
            u"mathord",  u"underbrace",   u"overbrace", u"cancel",    u"boxed",  u"fbox",    u"smash",
            u"vphantom", u"phantom",      u"hphantom",  u"color",     u"label",  u"tag"}))
      return dressed(name, isTight);
    if (is({u"mathbb"})) return Atom{LatexBox(mapped(readGroupText(true), blackboardLetter))};
    if (is({u"mathcal", u"mathscr", u"mathfrak"})) {
      const QString letters = readGroupText(true);
      return Atom{LatexBox(name == QStringView(u"mathfrak") ? letters : mapped(letters, scriptLetter))};
    }
    if (is({u"left"})) return between(isTight);
    if (is({u"begin"})) return environment(isTight);
    if (is({u"not"})) return negated(isTight);
    if (is({u"pmod"})) return Atom{LatexBox(QStringLiteral(" (mod %1)").arg(readGroupText(true)))};
    if (is({u"overset", u"stackrel"})) {
      const QString above = readGroupText(true);
      const Atom base = readBase(isTight);
      return Atom{LatexBox(base.box.flat() + scriptText(above, true)), base.kind};
    }
    if (is({u"underset"})) {
      const QString below = readGroupText(true);
      const Atom base = readBase(isTight);
      return Atom{LatexBox(base.box.flat() + scriptText(below, false)), base.kind};
    }
    if (is({u"xrightarrow", u"xleftarrow"})) {
      const QString arrow = name == QStringView(u"xrightarrow") ? QStringLiteral("→") : QStringLiteral("←");
      const QString above = readGroupText(true);
      return Atom{LatexBox(above.isEmpty() ? arrow : arrow + scriptText(above, true)), LatexKind::Relation};
    }
    return std::nullopt;
  }

  // The kind of "=" in {=} is kept.
  Atom readBase(bool isTight) {
    skipSpaces();
    if (peek() == u'{' && (peek(2) == u'}' || (peek(1) == u'\\' && m_text.indexOf(u'}', m_at) > 0))) {
      const qsizetype close = m_text.indexOf(u'}', m_at);
      const LatexSymbol* symbol = findLatexSymbol(m_text.mid(m_at + 2, close - m_at - 2));
      const bool isSign = close == m_at + 2 || (peek(1) == u'\\' && symbol != nullptr);
      if (isSign) {
        ++m_at;
        Atom atom = readAtom(isTight);
        m_at = std::max(m_at, close + 1);
        return atom;
      }
    }
    if (peek() == u'{' || atEnd() || peek() == u'}' || peek() == u'^' || peek() == u'_') return {readGroup(isTight)};
    return readAtom(isTight);
  }

  Atom dressed(QStringView name, bool isTight) {
    if (name == QStringView(u"textstyle")) return {};
    if (name == QStringView(u"label") || name == QStringView(u"color") || name == QStringView(u"vphantom")) {
      rawGroup();
      return {};
    }
    if (name == QStringView(u"tag")) return {LatexBox(QStringLiteral("   (%1)").arg(rawGroup())), LatexKind::Space};
    if (name == QStringView(u"operatorname")) {
      if (peek() == u'*') ++m_at;
      return {LatexBox(rawGroup()), LatexKind::Function};
    }
    LatexBox inner = readGroup(isTight);
    if (name.endsWith(QStringView(u"phantom"))) return {LatexBox(QString(inner.flat().size(), u' ')), LatexKind::Space};
    if (name == QStringView(u"boxed") || name == QStringView(u"fbox")) return {bracketed(inner, u"[", u"]")};
    if (name.endsWith(QStringView(u"brace")) && !isLatexFactor(inner.flat()))
      return {LatexBox(inParentheses(inner.flat()))};
    if (name == QStringView(u"mathrel")) return {inner, LatexKind::Relation};
    if (name == QStringView(u"mathop")) return {inner, LatexKind::Function};
    return {inner};
  }

  template <class Map>
  static QString mapped(QString text, Map map) {
    for (QChar& c : text) c = map(c);
    return text;
  }

  Atom fraction(bool isTight) {
    const QString above = readGroupText(isTight), below = readGroupText(isTight);
    const bool isPlainAbove = isLatexFactor(above), isPlainBelow = isLatexFactor(below);
    // Fonts set the slash of fractions so close that only short ones are legible with it.
    const bool isShort = isPlainAbove && isPlainBelow && above.size() <= 2 && below.size() <= 2;
    const QString bar = isShort ? QStringLiteral("⁄") : QStringLiteral("/");
    if (above.isEmpty() && below.isEmpty()) return {LatexBox(QStringLiteral("\\frac"))};
    return {LatexBox((isPlainAbove || isLatexProduct(above) ? above : inParentheses(above)) + bar +
                     (isPlainBelow ? below : inParentheses(below))),
            LatexKind::Fraction};
  }

  Atom root(bool isTight) {
    QString degree;
    skipSpaces();
    if (peek() == u'[') {
      ++m_at;
      const QChar closing = std::exchange(m_closing, u']');
      degree = readRow(true).flat();
      m_closing = closing;
      if (peek() == u']') ++m_at;
    }
    const QString inner = readGroupText(isTight);
    const QString sign = degree == QStringView(u"3")   ? QStringLiteral("∛")
                         : degree == QStringView(u"4") ? QStringLiteral("∜")
                         : degree.isEmpty()            ? QStringLiteral("√")
                                                       : rootDegree(degree) + u'√';
    return {LatexBox(sign + (isLatexFactor(inner) ? inner : inParentheses(inner)))};
  }
  static QString rootDegree(const QString& degree) {
    const QString script = scriptText(degree, true);
    return script.startsWith(u'^') ? inParentheses(degree) : script;
  }

  // "(" of "\left(", "⟨" of "\left\langle", nothing of "\left."
  QString delimiter() {
    skipSpaces();
    if (atEnd()) return {};
    if (peek() != u'\\') {
      const QChar c = peek();
      ++m_at;
      return c == u'.' ? QString() : QString(c);
    }
    const QStringView name = commandName();
    m_at += 1 + name.size();
    const LatexSymbol* symbol = findLatexSymbol(name);
    return symbol == nullptr ? u'\\' + name.toString() : symbol->text.toString();
  }

  Atom between(bool isTight) {
    const QString open = delimiter();
    if (m_depth >= kDeepest) return {LatexBox(open)};
    ++m_depth;
    const QChar closing = std::exchange(m_closing, QChar());
    LatexBox inner = readRow(isTight);
    while (!atEnd() && !looksAtCommand(u"right") && peek() != u'}' && !looksAtCommand(u"end")) {
      m_at += looksAtCommand(u"\\") ? 2 : looksAtCommand(u"cr") ? 3 : 1;
      inner.append(LatexBox(QStringLiteral(" ")));
      inner.append(readRow(isTight));
    }
    m_closing = closing;
    --m_depth;
    QString close;
    if (looksAtCommand(u"right")) {
      m_at += 6;
      close = delimiter();
    }
    return {bracketed(inner, open, close)};
  }

  Atom negated(bool isTight) {
    Atom atom = readBase(isTight);
    atom.box = LatexBox(atom.box.flat() + QChar(0x0338));
    return atom;
  }

  std::optional<Atom> environment(bool isTight) {
    const qsizetype start = m_at - 6;
    QString name = rawGroup();
    if (name.endsWith(u'*')) name.chop(1);
    struct Frame {
      QStringView name, open, close;
      LatexColumns columns;
    };
    static constexpr Frame kFrames[] = {
        {u"matrix", u"", u"", LatexColumns::Centred},    {u"smallmatrix", u"", u"", LatexColumns::Centred},
        {u"array", u"", u"", LatexColumns::Centred},     {u"pmatrix", u"(", u")", LatexColumns::Centred},
        {u"bmatrix", u"[", u"]", LatexColumns::Centred}, {u"Bmatrix", u"{", u"}", LatexColumns::Centred},
        {u"vmatrix", u"|", u"|", LatexColumns::Centred}, {u"Vmatrix", u"‖", u"‖", LatexColumns::Centred},
        {u"cases", u"{", u"", LatexColumns::Left},       {u"rcases", u"", u"}", LatexColumns::Left},
        {u"aligned", u"", u"", LatexColumns::Aligned},   {u"align", u"", u"", LatexColumns::Aligned},
        {u"alignat", u"", u"", LatexColumns::Aligned},   {u"alignedat", u"", u"", LatexColumns::Aligned},
        {u"split", u"", u"", LatexColumns::Aligned},     {u"eqnarray", u"", u"", LatexColumns::Aligned},
        {u"gather", u"", u"", LatexColumns::Left},       {u"gathered", u"", u"", LatexColumns::Left},
        {u"multline", u"", u"", LatexColumns::Left},     {u"equation", u"", u"", LatexColumns::Left}};
    const auto* frame = std::find_if(std::begin(kFrames), std::end(kFrames),
                                     [&](const Frame& each) { return each.name == QStringView(name); });
    if (frame == std::end(kFrames) || m_depth >= kDeepest) return rawEnvironment(start, name);
    if (name == QStringView(u"array") || name.startsWith(QStringView(u"alignat")) || name == QStringView(u"alignedat"))
      rawGroup();
    ++m_depth;
    const QChar closing = std::exchange(m_closing, QChar());
    Cells rows = readRows(name, isTight);
    m_closing = closing;
    --m_depth;
    return Atom{bracketed(laidOut(rows, frame->columns), frame->open, frame->close)};
  }

  Atom rawEnvironment(qsizetype start, const QString& name) {
    const QString closing = QStringLiteral("\\end{%1}").arg(name);
    const qsizetype end = m_text.indexOf(closing, m_at);
    m_at = end < 0 ? m_text.size() : end + closing.size();
    return {LatexBox(m_text.mid(start, m_at - start).toString())};
  }

  LatexBox laidOut(const Cells& rows, LatexColumns columns) const {
    return m_isDisplay ? LatexBox::ofCells(rows, columns)
                       : LatexBox(LatexBox::flatCells(rows, columns == LatexColumns::Left ? u", " : u" "));
  }

  QStringView m_text;
  bool m_isDisplay;
  qsizetype m_at = 0;
  QChar m_closing;      // what ends the row that is read, beside what always does
  int m_depth = 0;      // of groups that are read
  int m_nCommands = 0;  // that are read, one within the other
};

}  // namespace

QString latexText(QStringView latex, bool isDisplay) {
  if (latex.size() > kMostLatexChars) return latex.toString();
  return FormulaReader(latex, isDisplay).run();
}

}  // namespace headroom::ui
