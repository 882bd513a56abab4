#include "app/conversation_schema.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>
#include <QUrl>
#include <QUuid>
#include <optional>

#include "app/conversation_search.h"
#include "app/conversation_sql.h"
#include "text/thinking_splitter.h"
#include "ui/chat/conversation.h"

namespace headroom::app {

namespace {

Message preparing() { return Message::say("prepared"); }

Status runAll(const QSqlDatabase& database, const QStringList& statements) {
  for (const QString& statement : statements) {
    QSqlQuery query(database);
    if (!query.exec(statement)) return sqlError(preparing(), query.lastError());
  }
  return ok_status();
}

Status toVersion1(const QSqlDatabase& database) {
  return runAll(
      database,
      {QStringLiteral("CREATE TABLE conversations(id TEXT PRIMARY KEY, title TEXT NOT NULL, system_prompt TEXT NOT "
                      "NULL, created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, removed INTEGER NOT NULL "
                      "DEFAULT 0) STRICT"),
       QStringLiteral("CREATE TABLE turns(id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL REFERENCES "
                      "conversations(id) ON DELETE CASCADE, parent_id TEXT NOT NULL, role INTEGER NOT NULL, text TEXT "
                      "NOT NULL, attachments TEXT NOT NULL, state INTEGER NOT NULL, active INTEGER NOT NULL, "
                      "cut_before INTEGER NOT NULL, summary TEXT NOT NULL, model_name TEXT NOT NULL, generated_tokens "
                      "INTEGER NOT NULL, decode_seconds REAL NOT NULL, seed INTEGER NOT NULL, created_ms INTEGER NOT "
                      "NULL) STRICT"),
       QStringLiteral("CREATE INDEX turns_of ON turns(conversation_id, parent_id)")});
}

// Fills `column` of each row of `table` with what `fold` makes of its `source`.
Status fillFolded(const QSqlDatabase& database, const QString& read, const QString& write,
                  QString (*fold)(const QString&)) {
  Result<QSqlQuery> rows = runQuery(database, read, {}, preparing());
  if (!rows) return rows.error();
  QSqlQuery update(database);
  if (!update.prepare(write)) return sqlError(preparing(), update.lastError());
  while (rows->next()) {
    update.bindValue(0, fold(rows->value(1).toString()));
    update.bindValue(1, rows->value(0));
    if (!update.exec()) return sqlError(preparing(), update.lastError());
  }
  if (rows->lastError().isValid()) return sqlError(preparing(), rows->lastError());
  return ok_status();
}

// Searching by an index. Turns get numbers that VACUUM keeps, which SQLite's hidden ones are not; three triggers, and
// nothing else, keep the index equal to the column `folded`.
Status toVersion2(const QSqlDatabase& database) {
  Status done = runAll(
      database,
      {QStringLiteral("CREATE TABLE writer(version TEXT NOT NULL) STRICT"),
       QStringLiteral("ALTER TABLE conversations ADD COLUMN folded_title TEXT NOT NULL DEFAULT ''"),
       QStringLiteral("ALTER TABLE turns RENAME TO turns_1"), QStringLiteral("DROP INDEX turns_of"),
       QStringLiteral("CREATE TABLE turns(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, conversation_id TEXT "
                      "NOT NULL REFERENCES conversations(id) ON DELETE CASCADE, parent_id TEXT NOT NULL, role INTEGER "
                      "NOT NULL, text TEXT NOT NULL, attachments TEXT NOT NULL, state INTEGER NOT NULL, active INTEGER "
                      "NOT NULL, cut_before INTEGER NOT NULL, summary TEXT NOT NULL, model_name TEXT NOT NULL, "
                      "generated_tokens INTEGER NOT NULL, decode_seconds REAL NOT NULL, seed INTEGER NOT NULL, "
                      "created_ms INTEGER NOT NULL, folded TEXT NOT NULL) STRICT"),
       QStringLiteral("INSERT INTO turns SELECT rowid, id, conversation_id, parent_id, role, text, attachments, state, "
                      "active, cut_before, summary, model_name, generated_tokens, decode_seconds, seed, created_ms, '' "
                      "FROM turns_1"),
       QStringLiteral("CREATE INDEX turns_of ON turns(conversation_id, parent_id)"),
       QStringLiteral("CREATE INDEX turns_place ON turns(number, conversation_id)")});
  if (!done) return done;
  done = fillFolded(database, QStringLiteral("SELECT rowid, text FROM turns_1"),
                    QStringLiteral("UPDATE turns SET folded = ? WHERE number = ?"), textForIndex);
  if (!done) return done;
  done = fillFolded(database, QStringLiteral("SELECT id, title FROM conversations ORDER BY id"),
                    QStringLiteral("UPDATE conversations SET folded_title = ? WHERE id = ?"), foldedForSearch);
  if (!done) return done;
  return runAll(
      database,
      {QStringLiteral("DROP TABLE turns_1"),
       // The text is folded already, so the index takes its letters as they are.
       QStringLiteral("CREATE VIRTUAL TABLE turn_search USING fts5(folded, content='turns', content_rowid='number', "
                      "tokenize='trigram case_sensitive 1')"),
       QStringLiteral("CREATE VIRTUAL TABLE turn_terms USING fts5vocab('turn_search', 'row')"),
       QStringLiteral("INSERT INTO turn_search(turn_search) VALUES('rebuild')"),
       QStringLiteral("CREATE TRIGGER turns_inserted AFTER INSERT ON turns BEGIN INSERT INTO turn_search(rowid, "
                      "folded) VALUES(new.number, new.folded); END"),
       QStringLiteral("CREATE TRIGGER turns_deleted AFTER DELETE ON turns BEGIN INSERT INTO turn_search(turn_search, "
                      "rowid, folded) VALUES('delete', old.number, old.folded); END"),
       QStringLiteral("CREATE TRIGGER turns_changed AFTER UPDATE OF folded ON turns WHEN old.folded <> new.folded "
                      "BEGIN INSERT INTO turn_search(turn_search, rowid, folded) VALUES('delete', old.number, "
                      "old.folded); INSERT INTO turn_search(rowid, folded) VALUES(new.number, new.folded); END")});
}

// An index of the few turns that were being written when the program ended, which the next start finishes; and drafts,
// of which one has an empty id, of no conversation: so a trigger, and no foreign key, makes them go with theirs.
Status toVersion3(const QSqlDatabase& database) {
  return runAll(database,
                {QStringLiteral("CREATE INDEX turns_unfinished ON turns(number) WHERE state = 1"),
                 QStringLiteral("CREATE TABLE drafts(conversation_id TEXT PRIMARY KEY, text TEXT NOT NULL, attachments "
                                "TEXT NOT NULL, edited_turn TEXT NOT NULL, aside_text TEXT NOT NULL, "
                                "aside_attachments TEXT NOT NULL) STRICT"),
                 QStringLiteral("CREATE TRIGGER conversations_deleted AFTER DELETE ON conversations BEGIN DELETE FROM "
                                "drafts WHERE conversation_id = old.id; END")});
}

// Thoughts stand apart from answers. Older texts have them in tags; the one that opens a thought may have stood in the
// prompt, and then the other is a line of its own, before any code.
struct ThoughtAndAnswer {
  QString thought, answer;
};
std::optional<ThoughtAndAnswer> takenApart(const QString& text) {
  static const QRegularExpression kClosingLine(QStringLiteral("^[ \\t]*</think>[ \\t]*$"),
                                               QRegularExpression::MultilineOption);
  const bool isOpened = QStringView(text).trimmed().startsWith(QLatin1StringView("<think>"));
  const qsizetype closed = text.indexOf(kClosingLine);
  if (!isOpened && (closed < 0 || text.left(closed).contains(QLatin1StringView("```")))) return std::nullopt;
  ThinkingMarks marks;
  marks.kind = ThinkingMarks::Kind::kTags;
  marks.open = "<think>";
  marks.close = "</think>";
  ThinkingSplitter splitter(marks, isOpened ? AnswerStart::kNew : AnswerStart::kThinking);
  ThoughtAndAnswer apart;
  const auto add = [&](const std::vector<TextSpan>& spans) {
    for (const TextSpan& span : spans)
      (span.kind == TextKind::kThinking ? apart.thought : apart.answer) += QString::fromStdString(span.text);
  };
  add(splitter.push(text.toStdString(), false));
  add(splitter.finish());
  return apart;
}

Status toVersion4(const QSqlDatabase& database) {
  Status done =
      runAll(database, {QStringLiteral("ALTER TABLE turns ADD COLUMN thinking TEXT NOT NULL DEFAULT ''"),
                        QStringLiteral("ALTER TABLE turns ADD COLUMN thinking_ms INTEGER NOT NULL DEFAULT 0")});
  if (!done) return done;
  Result<QSqlQuery> rows =
      runQuery(database,
               QStringLiteral("SELECT number FROM turns WHERE role = 1 AND (instr(text, '<think>') "
                              "> 0 OR instr(text, '</think>') > 0)"),
               {}, preparing());
  if (!rows) return rows.error();
  QVector<qint64> numbers;
  while (rows->next()) numbers.append(rows->value(0).toLongLong());
  if (rows->lastError().isValid()) return sqlError(preparing(), rows->lastError());
  for (const qint64 number : numbers) {
    Result<QSqlQuery> row =
        runQuery(database, QStringLiteral("SELECT text, state FROM turns WHERE number = ?"), {number}, preparing());
    if (!row) return row.error();
    if (!row->next()) return sqlError(preparing(), row->lastError());
    const std::optional<ThoughtAndAnswer> apart = takenApart(row->value(0).toString());
    const bool isWriting = row->value(1).toInt() == static_cast<int>(ui::TurnState::Writing);
    row->finish();
    if (!apart) continue;
    const Result<int> changed =
        changeRows(database, QStringLiteral("UPDATE turns SET text = ?, thinking = ?, folded = ? WHERE number = ?"),
                   {apart->answer, apart->thought, isWriting ? QString() : textForIndex(apart->answer), number});
    if (!changed) return changed.error();
  }
  return ok_status();
}

// Pins; and the model that answered last, which two triggers and nothing else keep. To find it among the turns of 5,000
// conversations took four times as long as to read their rows.
Status toVersion5(const QSqlDatabase& database) {
  return runAll(
      database,
      {QStringLiteral("ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0"),
       QStringLiteral("ALTER TABLE conversations ADD COLUMN model_name TEXT NOT NULL DEFAULT ''"),
       QStringLiteral("UPDATE conversations SET model_name = t.model_name FROM (SELECT conversation_id, model_name, "
                      "max(number) FROM turns WHERE model_name <> '' GROUP BY conversation_id) t WHERE id = "
                      "t.conversation_id"),
       QStringLiteral("CREATE TRIGGER turns_answered AFTER INSERT ON turns WHEN new.model_name <> '' BEGIN UPDATE "
                      "conversations SET model_name = new.model_name WHERE id = new.conversation_id; END"),
       QStringLiteral("CREATE TRIGGER turns_answered_again AFTER UPDATE OF model_name ON turns WHEN new.model_name <> "
                      "'' AND new.model_name <> old.model_name BEGIN UPDATE conversations SET model_name = "
                      "new.model_name WHERE id = new.conversation_id; END")});
}

// Options of one conversation, in JSON; empty: those of all.
Status toVersion6(const QSqlDatabase& database) {
  return runAll(database, {QStringLiteral("ALTER TABLE conversations ADD COLUMN options TEXT NOT NULL DEFAULT ''")});
}

// One entry per version: what brings a file from the version before to this one.
Status (*const kMigrations[kSchemaVersion])(const QSqlDatabase&) = {toVersion1, toVersion2, toVersion3,
                                                                    toVersion4, toVersion5, toVersion6};

Result<int> schemaVersion(const QSqlDatabase& database) {
  Result<QSqlQuery> query = runQuery(database, QStringLiteral("PRAGMA user_version"), {}, preparing());
  if (!query) return query.error();
  return query->next() ? query->value(0).toInt() : 0;
}

QString writerOf(const QSqlDatabase& database) {
  QSqlQuery query(database);
  return query.exec(QStringLiteral("SELECT version FROM writer")) && query.next() ? query.value(0).toString()
                                                                                  : QString();
}

Result<FileFacts> factsOf(const QSqlDatabase& database) {
  const Result<int> version = schemaVersion(database);
  if (!version) return version.error();
  return FileFacts{*version, writerOf(database)};
}

}  // namespace

Result<FileFacts> readFileFacts(const QString& path) {
  const QString connection = QUuid::createUuid().toString();
  Result<FileFacts> facts = FileFacts{};
  {
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection);
    database.setConnectOptions(QStringLiteral("QSQLITE_OPEN_READONLY;QSQLITE_OPEN_URI"));
    // With a log the newest facts may stand there; without one SQLite need not make one beside the file to read it.
    const bool hasLog = QFileInfo(path + QLatin1StringView("-wal")).size() > 0;
    database.setDatabaseName(QStringLiteral("file:%1?%2")
                                 .arg(QString::fromLatin1(QUrl::toPercentEncoding(path, QByteArrayLiteral("/"))),
                                      hasLog ? QStringLiteral("mode=ro") : QStringLiteral("immutable=1")));
    if (database.open()) {
      facts = factsOf(database);
    } else {
      facts = sqlError(Message::say("opened in {}", path.toStdString()), database.lastError());
    }
    database.close();
  }
  QSqlDatabase::removeDatabase(connection);
  return facts;
}

Status migrateSchema(const QSqlDatabase& database, const QString& writer) {
  const Result<int> found = schemaVersion(database);
  if (!found) return found.error();
  if (*found < kSchemaVersion) {
    const Status done = inTransaction(database, [&]() -> Status {
      for (int version = *found; version < kSchemaVersion; ++version) {
        const Status step = kMigrations[version](database);
        if (!step) return step;
      }
      return runAll(database, {QStringLiteral("PRAGMA user_version=%1").arg(kSchemaVersion)});
    });
    if (!done) return done;
  }
  if (writer.isEmpty() || writerOf(database) == writer) return ok_status();
  const Status noted = inTransaction(database, [&]() -> Status {
    const Status cleared = runAll(database, {QStringLiteral("DELETE FROM writer")});
    if (!cleared) return cleared;
    const Result<int> changed = changeRows(database, QStringLiteral("INSERT INTO writer VALUES(?)"), {writer});
    if (!changed) return changed.error();
    return ok_status();
  });
  // Without room for the note the conversations are still there to be read; the next start notes it.
  return noted || noted.error().code == ErrorCode::kResource ? ok_status() : noted;
}

}  // namespace headroom::app
