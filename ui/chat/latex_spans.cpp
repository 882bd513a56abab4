// Where in Markdown a formula stands.
#include <QStringList>
#include <algorithm>

#include "ui/chat/latex_text.h"

namespace headroom::ui {

namespace {

class SpanFinder {
 public:
  explicit SpanFinder(const QString& text) : m_text(text) {}

  std::vector<LatexSpan> run() {
    while (m_at < m_text.size()) step();
    return std::move(m_spans);
  }

 private:
  QChar at(qsizetype i) const { return i >= 0 && i < m_text.size() ? m_text[i] : QChar(); }
  bool startsWith(QStringView what) const { return QStringView(m_text).mid(m_at).startsWith(what); }

  void step() {
    if (m_at >= m_paragraphEnd) findParagraphEnd();
    const QChar c = m_text[m_at];
    if (c == u'`') return skipCode();
    if (c == u'$') return startsWith(u"$$") ? takeUntil(2, u"$$") : takeDollar();
    if (c != u'\\') {
      ++m_at;
      return;
    }
    if (startsWith(u"\\[")) return takeUntil(2, u"\\]");
    if (startsWith(u"\\(")) return takeUntil(2, u"\\)");
    if (startsWith(u"\\begin{")) return takeEnvironment();
    m_at += 2;  // what is escaped begins nothing
  }

  // Before the next line that is empty.
  void findParagraphEnd() {
    qsizetype line = m_at;
    for (;;) {
      const qsizetype end = m_text.indexOf(u'\n', line);
      m_paragraphEnd = m_text.size();
      if (end < 0) return;
      qsizetype next = end + 1;
      while (next < m_text.size() && (m_text[next] == u' ' || m_text[next] == u'\t')) ++next;
      if (next < m_text.size() && m_text[next] == u'\n') {
        m_paragraphEnd = end;
        return;
      }
      line = end + 1;
    }
  }

  // A run of backticks, and all until the next one as long; without such a one they are text.
  void skipCode() {
    const qsizetype n = run(m_at);
    for (qsizetype i = m_at + n; i < m_paragraphEnd; ++i) {
      if (m_text[i] != u'`') continue;
      const qsizetype closing = run(i);
      if (closing == n) {
        m_at = i + n;
        return;
      }
      i += closing - 1;
    }
    m_at += n;
  }
  qsizetype run(qsizetype from) const {
    qsizetype end = from;
    while (at(end) == u'`') ++end;
    return end - from;
  }

  // The next `closing` that no backslash belongs to; -1: there is none in the paragraph.
  qsizetype find(qsizetype from, QStringView closing) const {
    for (qsizetype i = from; i + closing.size() <= m_paragraphEnd; ++i) {
      if (QStringView(m_text).mid(i, closing.size()) == closing) return i;
      if (m_text[i] == u'\\') ++i;
    }
    return -1;
  }

  void add(LatexSpan::Kind kind, qsizetype end, QString body = {}) {
    m_spans.push_back({kind, m_at, end - m_at, std::move(body)});
    m_at = end;
  }

  // Without the marks of a quote that the lines begin with.
  QString bodyOf(qsizetype from, qsizetype end) const {
    QString body = m_text.mid(from, end - from);
    const qsizetype lineStart = m_at == 0 ? 0 : m_text.lastIndexOf(u'\n', m_at - 1) + 1;
    if (at(lineStart) != u'>' || !body.contains(u'\n')) return body;
    QStringList lines = body.split(u'\n');
    for (QString& line : lines) {
      while (&line != &lines.front() && (line.startsWith(u'>') || line.startsWith(u' '))) line.remove(0, 1);
    }
    return lines.join(u'\n');
  }

  void takeUntil(qsizetype opening, QStringView closing) {
    const qsizetype end = find(m_at + opening, closing);
    if (end < 0) {
      // "$$" in the middle of a sentence is what a shell calls itself.
      const bool isWord = closing == QStringView(u"$$") && at(m_at - 1) == u' ' && at(m_at + 2) == u' ';
      if (!isWord) return add(LatexSpan::Kind::Open, m_paragraphEnd);
      m_at += 2;
      return;
    }
    QString body = bodyOf(m_at + opening, end);
    if (body.trimmed().isEmpty()) {
      m_at = end + closing.size();
      return;
    }
    const bool isInline = closing == QStringView(u"\\)");
    add(isInline ? LatexSpan::Kind::Inline : LatexSpan::Kind::Display, end + closing.size(), std::move(body));
  }

  // As pandoc has it: no space inside of either dollar, no digit behind the second one, and no third one between.
  void takeDollar() {
    const bool mayOpen = !at(m_at - 1).isLetterOrNumber() && !at(m_at + 1).isSpace() && !at(m_at + 1).isNull();
    const qsizetype end = mayOpen ? find(m_at + 1, u"$") : -1;
    const bool closes = end > m_at + 1 && !at(end - 1).isSpace() && !at(end + 1).isDigit() && at(end + 1) != u'$';
    QString body = closes ? bodyOf(m_at + 1, end) : QString();
    if (!closes || isMoney(body)) {
      ++m_at;
      return;
    }
    add(LatexSpan::Kind::Inline, end + 1, std::move(body));
  }

  // "5 or US" of "$5 or US$": words behind a number, and no sign of mathematics.
  static bool isMoney(const QString& body) {
    static const QString kSigns = QStringLiteral("\\^_=+*/<>|{}");
    if (!body.front().isDigit() || !body.contains(u' ')) return false;
    return std::none_of(body.begin(), body.end(), [](QChar c) { return kSigns.contains(c); });
  }

  void takeEnvironment() {
    static const QStringList kNames{QStringLiteral("equation"), QStringLiteral("align"),    QStringLiteral("aligned"),
                                    QStringLiteral("gather"),   QStringLiteral("gathered"), QStringLiteral("multline"),
                                    QStringLiteral("eqnarray"), QStringLiteral("alignat")};
    const qsizetype from = m_at + 7;
    const qsizetype brace = m_text.indexOf(u'}', from);
    const QString name = brace < 0 || brace - from > 20 ? QString() : m_text.mid(from, brace - from);
    const QString plain = name.endsWith(u'*') ? name.chopped(1) : name;
    if (!kNames.contains(plain)) {
      m_at = from;
      return;
    }
    const QString closing = QStringLiteral("\\end{%1}").arg(name);
    const qsizetype end = m_text.indexOf(closing, brace);
    if (end < 0 || end + closing.size() > m_paragraphEnd) return add(LatexSpan::Kind::Open, m_paragraphEnd);
    add(LatexSpan::Kind::Display, end + closing.size(), bodyOf(m_at, end + closing.size()));
  }

  const QString& m_text;
  qsizetype m_at = 0, m_paragraphEnd = 0;
  std::vector<LatexSpan> m_spans;
};

}  // namespace

std::vector<LatexSpan> findLatex(const QString& markdown) {
  if (!markdown.contains(u'$') && !markdown.contains(u'\\')) return {};
  return SpanFinder(markdown).run();
}

}  // namespace headroom::ui
