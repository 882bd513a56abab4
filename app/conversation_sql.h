// SQL with bound values, and errors that say what failed in words.
#pragma once

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>
#include <functional>
#include <initializer_list>

#include "base/result.h"

namespace headroom::app {

// "The conversations could not be `doing`: ...". kResource when the machine refused and the same call may succeed later
// (disk full, file locked or not writable); kBadFile when SQLite calls the file damaged; else kUsage.
Error sqlError(const Message& doing, const QSqlError& error);

// Prepares `sql` and binds the values in order; an absent string is bound as an empty one, since no column is NULL.
Result<QSqlQuery> preparedQuery(const QSqlDatabase& database, const QString& sql,
                                std::initializer_list<QVariant> values, const Message& doing);
// The same, and runs it: the rows can be read.
Result<QSqlQuery> runQuery(const QSqlDatabase& database, const QString& sql, std::initializer_list<QVariant> values,
                           const Message& doing);
// One change; the answer is how many rows it touched.
Result<int> changeRows(const QSqlDatabase& database, const QString& sql, std::initializer_list<QVariant> values);

// All that `changes` does, or nothing of it.
Status inTransaction(const QSqlDatabase& database, const std::function<Status()>& changes);

}  // namespace headroom::app
