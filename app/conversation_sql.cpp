#include "app/conversation_sql.h"

namespace headroom::app {

namespace {

// SQLite's own numbers (sqlite.org/rescode.html); the lower byte is the kind.
constexpr int kPermission = 3, kBusy = 5, kLocked = 6, kNoMemory = 7, kReadOnly = 8, kInOut = 10, kCorrupt = 11,
              kFull = 13, kCannotOpen = 14, kNotADatabase = 26;

ErrorCode codeOf(const QSqlError& error) {
  bool isNumber = false;
  const int native = error.nativeErrorCode().toInt(&isNumber) & 0xff;
  if (!isNumber) return ErrorCode::kUsage;
  switch (native) {
    case kCorrupt:
    case kNotADatabase: return ErrorCode::kBadFile;
    case kPermission:
    case kBusy:
    case kLocked:
    case kNoMemory:
    case kReadOnly:
    case kInOut:
    case kFull:
    case kCannotOpen: return ErrorCode::kResource;
    default: return ErrorCode::kUsage;
  }
}

}  // namespace

Error sqlError(const Message& doing, const QSqlError& error) {
  // Qt puts its own words before SQLite's, which say the same.
  const QString why = error.databaseText().isEmpty() ? error.driverText() : error.databaseText();
  return {codeOf(error), Message::say("The conversations could not be {}: {}.", doing, why.toStdString())};
}

Result<QSqlQuery> preparedQuery(const QSqlDatabase& database, const QString& sql,
                                std::initializer_list<QVariant> values, const Message& doing) {
  QSqlQuery query(database);
  query.setForwardOnly(true);
  if (!query.prepare(sql)) return sqlError(doing, query.lastError());
  for (const QVariant& value : values) {
    const bool isAbsent = value.typeId() == QMetaType::QString && value.toString().isNull();
    query.addBindValue(isAbsent ? QVariant(QStringLiteral("")) : value);
  }
  return query;
}

Result<QSqlQuery> runQuery(const QSqlDatabase& database, const QString& sql, std::initializer_list<QVariant> values,
                           const Message& doing) {
  Result<QSqlQuery> query = preparedQuery(database, sql, values, doing);
  if (query && !query->exec()) return sqlError(doing, query->lastError());
  return query;
}

Result<int> changeRows(const QSqlDatabase& database, const QString& sql, std::initializer_list<QVariant> values) {
  const Result<QSqlQuery> query = runQuery(database, sql, values, Message::say("saved"));
  if (!query) return query.error();
  return query->numRowsAffected();
}

// Qt's own transaction() and commit() drop SQLite's number of an error.
Status inTransaction(const QSqlDatabase& database, const std::function<Status()>& changes) {
  const auto run = [&](const char* sql) -> Status {
    const Result<int> done = changeRows(database, QLatin1StringView(sql), {});
    if (!done) return done.error();
    return ok_status();
  };
  const Status begun = run("BEGIN IMMEDIATE");
  if (!begun) return begun;
  Status done = changes();
  if (done) done = run("COMMIT");
  if (!done) static_cast<void>(run("ROLLBACK"));  // some errors have undone it already
  return done;
}

}  // namespace headroom::app
