#include "app/conversation_database.h"

#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSqlError>
#include <QSqlQuery>
#include <QUuid>
#include <initializer_list>
#include <utility>

namespace headroom::app {

namespace {

constexpr int kSchemaVersion = 1;

// One entry per version: what brings a file from the version before to this one.
const QStringList kMigrations[kSchemaVersion] = {{
    QStringLiteral("CREATE TABLE conversations(id TEXT PRIMARY KEY, title TEXT NOT NULL, system_prompt TEXT NOT NULL, "
                   "created_ms INTEGER NOT NULL, "
                   "updated_ms INTEGER NOT NULL, removed INTEGER NOT NULL DEFAULT 0) STRICT"),
    QStringLiteral(
        "CREATE TABLE turns(id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE "
        "CASCADE, "
        "parent_id TEXT NOT NULL, role INTEGER NOT NULL, text TEXT NOT NULL, attachments TEXT NOT NULL, state INTEGER "
        "NOT NULL, "
        "active INTEGER NOT NULL, cut_before INTEGER NOT NULL, summary TEXT NOT NULL, model_name TEXT NOT NULL, "
        "generated_tokens INTEGER NOT NULL, decode_seconds REAL NOT NULL, seed INTEGER NOT NULL, created_ms INTEGER "
        "NOT NULL) STRICT"),
    QStringLiteral("CREATE INDEX turns_of ON turns(conversation_id, parent_id)"),
}};

Error sqlError(const QString& doing, const QSqlError& error) {
  return {ErrorCode::kResource,
          QStringLiteral("The conversations could not be %1: %2.").arg(doing, error.text()).toStdString()};
}

Status run(QSqlQuery& query, const QString& doing) {
  if (!query.exec()) return sqlError(doing, query.lastError());
  return ok_status();
}

// Prepares `sql` and binds the values in order.
Result<QSqlQuery> prepared(const QSqlDatabase& database, const QString& sql, std::initializer_list<QVariant> values,
                           const QString& doing) {
  QSqlQuery query(database);
  query.setForwardOnly(true);
  if (!query.prepare(sql)) return sqlError(doing, query.lastError());
  // An absent string is an empty one: no column is NULL.
  for (const QVariant& value : values) {
    const bool isAbsent = value.typeId() == QMetaType::QString && value.toString().isNull();
    query.addBindValue(isAbsent ? QVariant(QStringLiteral("")) : value);
  }
  return query;
}

Status change(const QSqlDatabase& database, const QString& sql, std::initializer_list<QVariant> values) {
  const QString doing = QStringLiteral("saved");
  Result<QSqlQuery> query = prepared(database, sql, values, doing);
  if (!query) return query.error();
  return run(*query, doing);
}

QString attachmentsAsText(const QVector<ui::Attachment>& attachments) {
  QJsonArray array;
  for (const ui::Attachment& attachment : attachments)
    array.append(QJsonObject{{"name", attachment.name}, {"text", attachment.text}});
  return QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact));
}

QVector<ui::Attachment> attachmentsFromText(const QString& text) {
  QVector<ui::Attachment> attachments;
  for (const QJsonValue& value : QJsonDocument::fromJson(text.toUtf8()).array()) {
    attachments.append({value.toObject().value("name").toString(), value.toObject().value("text").toString()});
  }
  return attachments;
}

ui::ConversationHead headFrom(const QSqlQuery& row) {
  return {row.value(0).toString(), row.value(1).toString(), row.value(2).toString(), row.value(3).toLongLong(),
          row.value(4).toLongLong()};
}

// Values that no version of ours wrote are read as the harmless one.
ui::TurnState stateFrom(int value) {
  const bool known = value >= 0 && value <= static_cast<int>(ui::TurnState::Interrupted);
  return known ? static_cast<ui::TurnState>(value) : ui::TurnState::Interrupted;
}

ui::Turn turnFrom(const QSqlQuery& row) {
  ui::Turn turn;
  turn.id = row.value(0).toString();
  turn.parentId = row.value(1).toString();
  turn.role = row.value(2).toInt() == 0 ? ui::Role::User : ui::Role::Assistant;
  turn.text = row.value(3).toString();
  turn.attachments = attachmentsFromText(row.value(4).toString());
  turn.state = stateFrom(row.value(5).toInt());
  turn.active = row.value(6).toBool();
  turn.cutBefore = row.value(7).toBool();
  turn.summary = row.value(8).toString();
  turn.modelName = row.value(9).toString();
  turn.generatedTokens = row.value(10).toUInt();
  turn.decodeSeconds = row.value(11).toDouble();
  turn.seed = static_cast<quint64>(row.value(12).toLongLong());
  turn.createdMs = row.value(13).toLongLong();
  return turn;
}

bool looksDamaged(const QSqlDatabase& database) {
  QSqlQuery query(database);
  if (!query.exec(QStringLiteral("PRAGMA quick_check(1)")) || !query.next()) return true;
  return query.value(0).toString() != QLatin1StringView("ok");
}

int schemaVersion(const QSqlDatabase& database) {
  QSqlQuery query(database);
  return query.exec(QStringLiteral("PRAGMA user_version")) && query.next() ? query.value(0).toInt() : -1;
}

// The file and what SQLite keeps beside it, under a name that is free.
QString moveAside(const QString& path) {
  const QString target = path + QStringLiteral(".damaged-") +
                         QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz"));
  if (!QFile::rename(path, target)) return {};
  for (const char* suffix : {"-wal", "-shm"})
    QFile::rename(path + QLatin1StringView(suffix), target + QLatin1StringView(suffix));
  return target;
}

}  // namespace

Result<std::unique_ptr<ConversationDatabase>> ConversationDatabase::open(const QString& path) {
  const QString connection = QUuid::createUuid().toString();
  QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection);
  std::unique_ptr<ConversationDatabase> self(new ConversationDatabase(connection));
  const Status ready = self->prepareFile(path);
  if (!ready) return ready.error();
  return self;
}

ConversationDatabase::~ConversationDatabase() {
  database().close();
  QSqlDatabase::removeDatabase(m_connection);
}

Status ConversationDatabase::prepareFile(const QString& path) {
  QSqlDatabase db = database();
  db.setDatabaseName(path);
  const bool existed = QFileInfo::exists(path);
  const bool opened = db.open();
  if (!opened && !existed) return sqlError(QStringLiteral("opened in %1").arg(path), db.lastError());
  if (existed && (!opened || looksDamaged(db) || schemaVersion(db) > kSchemaVersion)) {
    db.close();
    m_movedTo = moveAside(path);
    if (m_movedTo.isEmpty()) {
      return Error{
          ErrorCode::kResource,
          QStringLiteral("The file of conversations, %1, cannot be read and cannot be moved aside; nothing is saved.")
              .arg(path)
              .toStdString()};
    }
    if (!db.open()) return sqlError(QStringLiteral("opened in %1").arg(path), db.lastError());
  }
  for (const char* pragma : {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", "PRAGMA foreign_keys=ON",
                             "PRAGMA secure_delete=ON", "PRAGMA busy_timeout=3000"}) {
    QSqlQuery query(db);
    if (!query.exec(QLatin1StringView(pragma)))
      return sqlError(QStringLiteral("opened in %1").arg(path), query.lastError());
  }
  return migrate();
}

Status ConversationDatabase::migrate() {
  QSqlDatabase db = database();
  for (int version = schemaVersion(db); version < kSchemaVersion; ++version) {
    if (version < 0 || !db.transaction()) return sqlError(QStringLiteral("prepared"), db.lastError());
    QStringList statements = kMigrations[version];
    statements.append(QStringLiteral("PRAGMA user_version=%1").arg(version + 1));
    for (const QString& statement : statements) {
      QSqlQuery query(db);
      if (query.exec(statement)) continue;
      const Error error = sqlError(QStringLiteral("prepared"), query.lastError());
      db.rollback();
      return error;
    }
    if (!db.commit()) return sqlError(QStringLiteral("prepared"), db.lastError());
  }
  return ok_status();
}

Result<QVector<ui::ConversationHead>> ConversationDatabase::list(const QString& search) {
  const QString doing = QStringLiteral("listed");
  const QString needle = search.toLower();
  // instr, not LIKE: a search for "100 %" means the percent sign.
  const QString sql = QStringLiteral(
      "SELECT id, title, system_prompt, created_ms, updated_ms FROM conversations c WHERE removed = 0 AND (? = '' OR "
      "instr(lower(title), ?) > 0 OR "
      "EXISTS(SELECT 1 FROM turns t WHERE t.conversation_id = c.id AND instr(lower(t.text), ?) > 0)) ORDER BY "
      "updated_ms DESC");
  Result<QSqlQuery> query = prepared(database(), sql, {needle, needle, needle}, doing);
  if (!query) return query.error();
  const Status done = run(*query, doing);
  if (!done) return done.error();
  QVector<ui::ConversationHead> heads;
  while (query->next()) heads.append(headFrom(*query));
  return heads;
}

Result<ui::Conversation> ConversationDatabase::read(const QString& id) {
  const QString doing = QStringLiteral("read");
  Result<QSqlQuery> head = prepared(
      database(),
      QStringLiteral("SELECT id, title, system_prompt, created_ms, updated_ms FROM conversations WHERE id = ?"), {id},
      doing);
  if (!head) return head.error();
  const Status found = run(*head, doing);
  if (!found) return found.error();
  if (!head->next()) return Error{ErrorCode::kResource, "This conversation is no longer there."};
  ui::Conversation conversation;
  conversation.head = headFrom(*head);
  Result<QSqlQuery> turns =
      prepared(database(),
               QStringLiteral("SELECT id, parent_id, role, text, attachments, state, active, cut_before, summary, "
                              "model_name, generated_tokens, decode_seconds, "
                              "seed, created_ms FROM turns WHERE conversation_id = ? ORDER BY rowid"),
               {id}, doing);
  if (!turns) return turns.error();
  const Status done = run(*turns, doing);
  if (!done) return done.error();
  while (turns->next()) conversation.turns.push_back(turnFrom(*turns));
  return conversation;
}

Status ConversationDatabase::saveHead(const ui::ConversationHead& head) {
  return change(database(),
                QStringLiteral("INSERT INTO conversations(id, title, system_prompt, created_ms, updated_ms) VALUES(?, "
                               "?, ?, ?, ?) ON CONFLICT(id) DO "
                               "UPDATE SET title = excluded.title, system_prompt = excluded.system_prompt, updated_ms "
                               "= excluded.updated_ms"),
                {head.id, head.title, head.systemPrompt, head.createdMs, head.updatedMs});
}

Status ConversationDatabase::saveTurn(const QString& conversationId, const ui::Turn& turn) {
  const Status saved = change(
      database(),
      QStringLiteral("INSERT INTO turns(id, conversation_id, parent_id, role, text, attachments, state, active, "
                     "cut_before, summary, model_name, "
                     "generated_tokens, decode_seconds, seed, created_ms) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                     "?, ?, ?) ON CONFLICT(id) DO UPDATE SET "
                     "text = excluded.text, attachments = excluded.attachments, state = excluded.state, active = "
                     "excluded.active, cut_before = "
                     "excluded.cut_before, summary = excluded.summary, model_name = excluded.model_name, "
                     "generated_tokens = excluded.generated_tokens, "
                     "decode_seconds = excluded.decode_seconds, seed = excluded.seed"),
      {turn.id, conversationId, turn.parentId, static_cast<int>(turn.role), turn.text,
       attachmentsAsText(turn.attachments), static_cast<int>(turn.state), turn.active, turn.cutBefore, turn.summary,
       turn.modelName, turn.generatedTokens, turn.decodeSeconds, static_cast<qint64>(turn.seed), turn.createdMs});
  if (!saved || !turn.active) return saved;
  return chooseVersion(conversationId, turn.id);
}

Status ConversationDatabase::rename(const QString& id, const QString& title) {
  return change(database(), QStringLiteral("UPDATE conversations SET title = ? WHERE id = ?"), {title, id});
}

Status ConversationDatabase::chooseVersion(const QString& conversationId, const QString& turnId) {
  return change(database(),
                QStringLiteral("UPDATE turns SET active = (id = ?) WHERE conversation_id = ? AND parent_id = (SELECT "
                               "parent_id FROM turns WHERE id = ?)"),
                {turnId, conversationId, turnId});
}

Status ConversationDatabase::setRemoved(const QString& id, bool removed) {
  return change(database(), QStringLiteral("UPDATE conversations SET removed = ? WHERE id = ?"), {removed, id});
}

Status ConversationDatabase::purge(const QString& id) {
  return change(database(), QStringLiteral("DELETE FROM conversations WHERE id = ? AND removed = 1"), {id});
}

Status ConversationDatabase::purgeAllRemoved() {
  return change(database(), QStringLiteral("DELETE FROM conversations WHERE removed = 1"), {});
}

}  // namespace headroom::app
