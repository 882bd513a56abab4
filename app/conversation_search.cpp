#include "app/conversation_search.h"

#include "app/conversation_sql.h"

namespace headroom::app {

namespace {

constexpr QChar kEndMark = QChar(0x1f);  // a control character: folding leaves none in a text
constexpr int kGram = 3;                 // letters that the index keeps together
constexpr int kPhraseLetters = 64;       // of a longer search only these go through the index, which narrows enough
// A short search that more entries of the index begin with than this, or that more messages contain, is so frequent
// that reading messages until each conversation has one is quicker.
constexpr int kMostTerms = 300, kMostMessages = 3000;

bool isAccent(QChar letter) { return letter.unicode() >= 0x300 && letter.unicode() <= 0x36f; }

bool isGap(QChar letter) {
  return letter.isSpace() || letter.category() == QChar::Other_Control || letter.category() == QChar::Separator_Line ||
         letter.category() == QChar::Separator_Paragraph;
}

QString quoted(const QString& phrase) {
  return QLatin1Char('"') + QString(phrase).replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

// The words of an FTS5 query for a search shorter than what the index holds: every entry that begins with it. Empty
// when they are too many.
Result<QString> entriesThatBegin(const QSqlDatabase& database, const QString& needle) {
  const QString last = QString::fromUcs4(U"\U0010ffff", 1);
  Result<QSqlQuery> entries = runQuery(
      database,
      QStringLiteral("SELECT term, doc FROM turn_terms WHERE term >= ? AND term < ? LIMIT %1").arg(kMostTerms + 1),
      {needle, needle + last}, Message::say("searched"));
  if (!entries) return entries.error();
  QStringList terms;
  qint64 messages = 0;
  // Counting costs as much as the entries are long: no further than the answer needs.
  while (entries->next()) {
    terms.append(quoted(entries->value(0).toString()));
    messages += entries->value(1).toLongLong();
    if (terms.size() > kMostTerms || messages > kMostMessages) return QString();
  }
  // No text can contain the end mark three times: this finds nothing.
  if (terms.isEmpty()) return quoted(QString(kGram, kEndMark));
  return terms.join(QStringLiteral(" OR "));
}

}  // namespace

QString foldedForSearch(const QString& text) {
  const QString apart = text.normalized(QString::NormalizationForm_D);
  QString folded;
  folded.reserve(apart.size());
  for (qsizetype i = 0; i < apart.size(); ++i) {
    const QChar letter = apart[i];
    if (isAccent(letter)) continue;
    if (isGap(letter)) {
      if (!folded.endsWith(QLatin1Char(' '))) folded.append(QLatin1Char(' '));
    } else if (letter.isHighSurrogate() && i + 1 < apart.size() && apart[i + 1].isLowSurrogate()) {
      folded.append(letter).append(apart[++i]);
    } else {
      folded.append(letter.isSurrogate() ? QChar(QChar::ReplacementCharacter) : letter);
    }
  }
  folded = folded.toCaseFolded();
  folded.replace(QChar(0xdf), QStringLiteral("ss"));  // Qt folds single letters only
  folded.replace(QChar(0x131), QStringLiteral("i"));  // Turkish: the small letter of I
  return folded;
}

QString textForIndex(const QString& text) { return foldedForSearch(text) + kEndMark + kEndMark; }

Result<SearchCondition> searchCondition(const QSqlDatabase& database, const QString& search) {
  const QString needle = foldedForSearch(search);
  const QString inTitle = QStringLiteral("(instr(c.folded_title, ?) > 0 OR ");
  // Accents alone: folding leaves nothing to look for, the texts themselves do contain them.
  if (needle.isEmpty()) {
    return SearchCondition{QStringLiteral("(instr(c.title, ?) > 0 OR EXISTS(SELECT 1 FROM turns t WHERE "
                                          "t.conversation_id = c.id AND instr(t.text, ?) > 0))"),
                           {search, search}};
  }
  const auto letters = needle.toUcs4();
  QString words;
  if (letters.size() >= kGram) {
    words = quoted(QString::fromUcs4(reinterpret_cast<const char32_t*>(letters.constData()),
                                     std::min<qsizetype>(letters.size(), kPhraseLetters)));
  } else {
    Result<QString> entries = entriesThatBegin(database, needle);
    if (!entries) return entries.error();
    words = *entries;
  }
  if (words.isEmpty()) {
    return SearchCondition{inTitle + QStringLiteral("EXISTS(SELECT 1 FROM turns t WHERE t.conversation_id = c.id AND "
                                                    "instr(t.folded, ?) > 0))"),
                           {needle, needle}};
  }
  // The index gives numbers of turns; turns_place leads to the conversation without reading the texts.
  QString inTurns = QStringLiteral(
      "c.id IN (SELECT t.conversation_id FROM turn_search CROSS JOIN turns t INDEXED BY turns_place ON t.number = "
      "turn_search.rowid WHERE turn_search MATCH ?))");
  if (letters.size() <= kPhraseLetters) return SearchCondition{inTitle + inTurns, {needle, words}};
  inTurns = QStringLiteral(
      "c.id IN (SELECT t.conversation_id FROM turn_search CROSS JOIN turns t ON t.number = turn_search.rowid WHERE "
      "turn_search MATCH ? AND instr(t.folded, ?) > 0))");
  return SearchCondition{inTitle + inTurns, {needle, words, needle}};
}

}  // namespace headroom::app
