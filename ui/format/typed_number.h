// Numbers as people type them: in the form in which the window writes them, which is that of its language ("4,096",
// "1.5" in English), and in that of their own locale.
#pragma once

#include <QLocale>
#include <QString>
#include <QStringList>
#include <optional>

#include "base/bytes.h"
#include "ui/language/language.h"

namespace headroom::ui {

// The locale of the texts: of the United States or of Germany, whatever the user's own is. It rules every number on the
// screen, so that any two can be compared. Any thread.
const QLocale& textLocale();
void setTextLanguage(Language language);  // only TextLanguage does so, with the texts

// What a text can mean as a number, each as C writes it: "1500.5". One for most texts; none for what is no number; two
// for "1.500" in an English window, which is 1.5 there and 1500 in the German form, unless `user` writes as the window
// does.
QStringList readDecimal(const QString& text, const QLocale& user = QLocale());

// The same for whole numbers, of which a separator can only group the digits: "4,096", "4.096" and "4 096" are one.
std::optional<quint64> readCount(const QString& text);

struct TypedBytes {
  std::optional<Bytes> bytes;  // "1,5 GiB", "1.5 GiB", "512 MiB", "4096"
  QStringList readings;        // where it can mean two amounts: both in the window's form, so that one can be chosen;
                               // `bytes` is absent
};
TypedBytes readBytes(const QString& text, const QLocale& user = QLocale());

}  // namespace headroom::ui
