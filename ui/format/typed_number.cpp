#include "ui/format/typed_number.h"

#include <algorithm>
#include <atomic>

namespace headroom::ui {
namespace {

struct Form {
  QChar decimal, group;
};
constexpr Form kEnglishForm{u'.', u','}, kGermanForm{u',', u'.'};

std::atomic<Language> textLanguage{Language::English};

// Those of the window's language and of the other one.
Form textForm() { return textLanguage == Language::German ? kGermanForm : kEnglishForm; }
Form otherForm() { return textLanguage == Language::German ? kEnglishForm : kGermanForm; }

// Spaces of every width and apostrophes group digits and mean nothing else.
constexpr QChar kPlainGroup = u' ';
bool isPlainGroup(QChar c) { return c.isSpace() || c == u'\'' || c == u'\u2019'; }

Form formOf(const QLocale& locale) {
  const QString decimal = locale.decimalPoint(), group = locale.groupSeparator();
  const QChar point = decimal.isEmpty() ? kEnglishForm.decimal : decimal.front();
  return {point, group.isEmpty() || isPlainGroup(group.front()) ? kPlainGroup : group.front()};
}

// With digits of every script as ASCII and plain groups as one character.
QString plain(const QString& text) {
  QString out = text.trimmed();
  for (QChar& c : out) {
    if (c.digitValue() >= 0) c = QChar(u'0' + c.digitValue());
    if (isPlainGroup(c)) c = kPlainGroup;
  }
  return out;
}

bool isDigits(const QString& text) {
  return !text.isEmpty() && std::all_of(text.begin(), text.end(), [](QChar c) { return c >= u'0' && c <= u'9'; });
}

// "1500" of "1,500": groups of three behind a first one that does not begin with 0. Empty: it is none.
QString wholePart(const QString& text, QChar group) {
  const QStringList groups = text.split(group);
  if (groups.size() == 1) return isDigits(text) ? text : QString();
  if (groups.first().size() > 3 || groups.first().startsWith(u'0')) return {};
  for (const QString& part : groups) {
    if (!isDigits(part) || (&part != &groups.first() && part.size() != 3)) return {};
  }
  return groups.join(QString());
}

std::optional<QString> readAs(const QString& text, const Form& form) {
  const bool isNegative = text.startsWith(u'-') || text.startsWith(u'\u2212');
  const QString amount = isNegative ? text.mid(1) : text;
  const qsizetype point = amount.indexOf(form.decimal);
  const QString before = point < 0 ? amount : amount.left(point);
  const QString behind = point < 0 ? QString() : amount.mid(point + 1);
  if (!behind.isEmpty() && !isDigits(behind)) return std::nullopt;
  QString whole = wholePart(before, form.group);
  if (whole.isEmpty()) whole = wholePart(before, kPlainGroup);
  if (whole.isEmpty() && before.isEmpty() && !behind.isEmpty()) whole = QStringLiteral("0");  // ".5"
  if (whole.isEmpty()) return std::nullopt;
  return (isNegative ? QStringLiteral("-") : QString()) + whole + (behind.isEmpty() ? QString() : u'.' + behind);
}

}  // namespace

const QLocale& textLocale() {
  static const QLocale kEnglish(QLocale::English, QLocale::UnitedStates), kGerman(QLocale::German, QLocale::Germany);
  return textLanguage == Language::German ? kGerman : kEnglish;
}

void setTextLanguage(Language language) { textLanguage = language; }

QStringList readDecimal(const QString& text, const QLocale& user) {
  const QString typed = plain(text);
  QStringList readings;
  const auto add = [&](const Form& form) {
    const std::optional<QString> reading = readAs(typed, form);
    const auto isKnown = [&](const QString& known) { return known.toDouble() == reading->toDouble(); };
    if (reading && std::none_of(readings.begin(), readings.end(), isKnown)) readings << *reading;
  };
  add(textForm());
  add(formOf(user));
  // "1,5" in an English window of somebody whose locale writes 1.5: there is nothing else that it could mean.
  if (readings.isEmpty()) add(otherForm());
  return readings;
}

std::optional<quint64> readCount(const QString& text) {
  const QString typed = plain(text);
  for (const QChar group : {kEnglishForm.group, kGermanForm.group, kPlainGroup}) {
    const QString whole = wholePart(typed, group);
    bool ok = false;
    const quint64 count = whole.toULongLong(&ok);
    if (ok) return count;
  }
  return std::nullopt;
}

TypedBytes readBytes(const QString& text, const QLocale& user) {
  const QString typed = text.trimmed();
  const auto isLetter = [](QChar c) { return c.isLetter(); };
  const qsizetype unitAt = std::find_if(typed.begin(), typed.end(), isLetter) - typed.begin();
  const QString unit = typed.mid(unitAt);
  TypedBytes read;
  for (const QString& number : readDecimal(typed.left(unitAt), user)) {
    const std::optional<Bytes> bytes = parse_bytes((number + unit).toStdString());
    if (!bytes) continue;
    read.bytes = bytes;
    // "1.5" of "1.500": with fewer decimals nobody reads a group of digits.
    QString shortest = QString::number(number.toDouble(), 'g', QLocale::FloatingPointShortest);
    shortest.replace(kEnglishForm.decimal, textForm().decimal);
    read.readings << (unit.isEmpty() ? shortest : shortest + u' ' + unit);
  }
  if (read.readings.size() < 2) read.readings.clear();
  if (!read.readings.isEmpty()) read.bytes.reset();
  return read;
}

}  // namespace headroom::ui
