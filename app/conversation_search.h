// How a search sees texts: without capitals, accents and line ends. What is stored for the index and what a user types
// go through the same folding, so that one is found in the other.
#pragma once

#include <QSqlDatabase>
#include <QStringList>

#include "base/result.h"

namespace headroom::app {

// "Ärger", "ÄRGER" and "arger" are one, as are "Straße" and "STRASSE", "σ" and "ς"; a run of white space and control
// characters is one space. Only the accents of Latin, Greek and Cyrillic go: the marks of other scripts are letters.
QString foldedForSearch(const QString& text);

// `foldedForSearch` with two end marks, which no search can contain. The index holds every three neighbours of a text;
// with the marks even the last letter begins one, so that searches for one or two letters find it by its beginning.
QString textForIndex(const QString& text);

// A condition of SQL on conversations `c` and the values that it binds: a title or a text contains `search`.
struct SearchCondition {
  QString sql;
  QStringList values;
};
// `search` is text: nothing in it is syntax. Reads how frequent short ones are in `database`.
Result<SearchCondition> searchCondition(const QSqlDatabase& database, const QString& search);

}  // namespace headroom::app
