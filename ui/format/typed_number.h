// Numbers as people type them: in the form in which the window writes them ("4,096", "1.5") and in that of their own
// locale ("4.096", "1,5").
#pragma once

#include <QLocale>
#include <QString>
#include <QStringList>
#include <optional>

#include "base/bytes.h"

namespace headroom::ui {

// The locale of the texts. It rules every number on the screen, since sentences of the engine, which have their numbers
// in them, stand beside those of the window.
const QLocale& textLocale();

// What a text can mean as a number, each as C writes it: "1500.5". One for most texts; none for what is no number; two
// for "1.500", which is 1.5 in the window's form and 1500 in the German one, unless `user` writes as the window does.
QStringList readDecimal(const QString& text, const QLocale& user = QLocale());

// The same for whole numbers, of which a separator can only group the digits: "4,096", "4.096" and "4 096" are one.
std::optional<quint64> readCount(const QString& text);

struct TypedBytes {
  std::optional<Bytes> bytes;  // "1,5 GiB", "1.5 GiB", "512 MiB", "4096"
  QStringList readings;        // where it can mean two amounts: both, so that one can be chosen; `bytes` is absent
};
TypedBytes readBytes(const QString& text, const QLocale& user = QLocale());

}  // namespace headroom::ui
