#include "app/conversation_database.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>
#include <utility>

#include "app/conversation_search.h"
#include "app/conversation_sql.h"

namespace headroom::app {

namespace {

// How long a call waits for another program that holds the file.
constexpr int kBusyMs = 3000;

Status asStatus(const Result<int>& changed) {
  if (!changed) return changed.error();
  return ok_status();
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

QString filesAsText(const QVector<ui::DraftFile>& files) {
  QVector<ui::Attachment> attachments;
  for (const ui::DraftFile& file : files) attachments.append(file.attachment);
  return attachmentsAsText(attachments);
}

ui::DraftMessage draftMessageFrom(const QString& text, const QString& files) {
  ui::DraftMessage message{text, {}};
  for (const ui::Attachment& attachment : attachmentsFromText(files)) message.files.append({attachment, 0});
  return message;
}

ui::ConversationHead headFrom(const QSqlQuery& row) {
  return {row.value(0).toString(),   row.value(1).toString(),   row.value(2).toString(),
          row.value(3).toLongLong(), row.value(4).toLongLong(), ui::answerOptionsFrom(row.value(5).toString())};
}

// SQL writes it as a number.
static_assert(static_cast<int>(ui::TurnState::Writing) == 1);

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
  turn.thinking = row.value(14).toString();
  turn.thinkingMs = row.value(15).toLongLong();
  return turn;
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

std::unique_ptr<ConversationDatabase> ConversationDatabase::unopened() {
  const QString connection = QUuid::createUuid().toString();
  QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection);
  return std::unique_ptr<ConversationDatabase>(new ConversationDatabase(connection));
}

Result<std::unique_ptr<ConversationDatabase>> ConversationDatabase::open(const QString& path) {
  std::unique_ptr<ConversationDatabase> self = unopened();
  const Status ready = self->prepareFile(path);
  if (!ready) return ready.error();
  return self;
}

Result<std::unique_ptr<ConversationDatabase>> ConversationDatabase::openInMemory() {
  std::unique_ptr<ConversationDatabase> self = unopened();
  const Status ready = self->prepare(QStringLiteral(":memory:"));
  if (!ready) return ready.error();
  return self;
}

// Without a transaction, which would ask for the right to write the file too; and without the index of texts, which
// takes many times as long to make as their rows.
Result<std::unique_ptr<ConversationDatabase>> ConversationDatabase::copyInMemory() const {
  Result<std::unique_ptr<ConversationDatabase>> copy = openInMemory();
  if (!copy) return copy;
  const QSqlDatabase to = (*copy)->database();
  const Message doing = Message::say("read");
  const Result<QSqlQuery> attached =
      runQuery(to, QStringLiteral("ATTACH DATABASE ? AS disk"), {database().databaseName()}, doing);
  if (!attached) return attached.error();
  for (const char* sql : {"INSERT INTO main.conversations SELECT * FROM disk.conversations",
                          "INSERT INTO main.turns(number, id, conversation_id, parent_id, role, text, attachments, "
                          "state, active, cut_before, summary, model_name, generated_tokens, decode_seconds, seed, "
                          "created_ms, thinking, thinking_ms, folded) SELECT number, id, conversation_id, parent_id, "
                          "role, text, attachments, state, active, cut_before, summary, model_name, generated_tokens, "
                          "decode_seconds, seed, created_ms, thinking, thinking_ms, '' FROM disk.turns ORDER BY number",
                          "INSERT INTO main.drafts SELECT * FROM disk.drafts", "DETACH DATABASE disk"}) {
    const Result<QSqlQuery> done = runQuery(to, QLatin1StringView(sql), {}, doing);
    if (!done) return done.error();
  }
  return copy;
}

ConversationDatabase::~ConversationDatabase() {
  database().close();
  QSqlDatabase::removeDatabase(m_connection);
}

Status ConversationDatabase::prepareFile(const QString& path) {
  const bool existed = QFileInfo::exists(path);
  if (existed) {
    const Result<FileFacts> facts = readFileFacts(path);
    if (facts && facts->schemaVersion > kSchemaVersion) return newerFile(path, *facts);
  }
  const Status ready = prepare(path);
  if (ready || !existed || ready.error().code != ErrorCode::kBadFile) return ready;
  database().close();
  m_movedTo = moveAside(path);
  if (!m_movedTo.isEmpty()) return prepare(path);
  return Error{ErrorCode::kBadFile, Message::say("The file of conversations, {}, is damaged and cannot be moved aside.",
                                                 path.toStdString())};
}

Error ConversationDatabase::newerFile(const QString& path, const FileFacts& facts) {
  const Message writer = facts.writer.isEmpty() ? Message::say("a newer Headroom")
                                                : Message::say("Headroom {}", facts.writer.toStdString());
  return {ErrorCode::kUnsupported,
          Message::say("The conversations in {} were written by {} in a newer form ({}; this version reads up to {}). "
                       "That file is left as it is.",
                       path.toStdString(), writer, facts.schemaVersion, kSchemaVersion)};
}

Status ConversationDatabase::prepare(const QString& path) {
  const Message doing = Message::say("opened in {}", path.toStdString());
  QSqlDatabase db = database();
  db.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=%1").arg(kBusyMs));
  db.setDatabaseName(path);
  if (!db.open()) return sqlError(doing, db.lastError());
  Result<QSqlQuery> check = runQuery(db, QStringLiteral("PRAGMA quick_check(1)"), {}, doing);
  if (!check) return check.error();
  if (!check->next() || check->value(0).toString() != QLatin1StringView("ok")) {
    return Error{ErrorCode::kBadFile, Message::say("The file of conversations, {}, is damaged: {}.", path.toStdString(),
                                                   check->value(0).toString().toStdString())};
  }
  check->finish();
  // BEGIN IMMEDIATE asks for the right to write and needs no room on the disk.
  for (const char* sql : {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON",
                          "PRAGMA secure_delete=ON", "BEGIN IMMEDIATE", "ROLLBACK"}) {
    const Result<QSqlQuery> done = runQuery(db, QLatin1StringView(sql), {}, doing);
    if (!done) return done.error();
  }
  return migrateSchema(db, QCoreApplication::applicationVersion());
}

Result<QVector<ui::ListedConversation>> ConversationDatabase::list(const QString& search) {
  SearchCondition found{QStringLiteral("TRUE"), {}};
  if (!search.isEmpty()) {
    Result<SearchCondition> condition = searchCondition(database(), search);
    if (!condition) return condition.error();
    found = std::move(*condition);
  }
  const Message doing = Message::say("listed");
  Result<QSqlQuery> query = preparedQuery(
      database(),
      QStringLiteral("SELECT id, title, system_prompt, created_ms, updated_ms, options, model_name, pinned FROM "
                     "conversations c WHERE removed = 0 AND %1 ORDER BY updated_ms DESC")
          .arg(found.sql),
      {}, doing);
  if (!query) return query.error();
  for (const QString& value : found.values) query->addBindValue(value);
  if (!query->exec()) return sqlError(doing, query->lastError());
  QVector<ui::ListedConversation> conversations;
  while (query->next()) conversations.append({headFrom(*query), query->value(6).toString(), query->value(7).toBool()});
  if (query->lastError().isValid()) return sqlError(doing, query->lastError());
  return conversations;
}

Result<ui::Conversation> ConversationDatabase::read(const QString& id) {
  const Message doing = Message::say("read");
  Result<QSqlQuery> head =
      runQuery(database(),
               QStringLiteral(
                   "SELECT id, title, system_prompt, created_ms, updated_ms, options FROM conversations WHERE id = ?"),
               {id}, doing);
  if (!head) return head.error();
  if (!head->next()) return Error{ErrorCode::kResource, Message::say("This conversation is no longer there.")};
  ui::Conversation conversation;
  conversation.head = headFrom(*head);
  Result<QSqlQuery> turns =
      runQuery(database(),
               QStringLiteral("SELECT id, parent_id, role, text, attachments, state, active, cut_before, summary, "
                              "model_name, generated_tokens, decode_seconds, seed, created_ms, thinking, "
                              "thinking_ms FROM turns WHERE "
                              "conversation_id = ? ORDER BY number"),
               {id}, doing);
  if (!turns) return turns.error();
  while (turns->next()) conversation.turns.push_back(turnFrom(*turns));
  if (turns->lastError().isValid()) return sqlError(doing, turns->lastError());
  Result<ui::Draft> draft = readDraft(id);
  if (!draft) return draft.error();
  conversation.draft = std::move(*draft);
  return conversation;
}

Status ConversationDatabase::saveDraft(const QString& conversationId, const ui::Draft& draft) {
  if (draft.isEmpty())
    return asStatus(
        changeRows(database(), QStringLiteral("DELETE FROM drafts WHERE conversation_id = ?"), {conversationId}));
  return asStatus(changeRows(
      database(),
      QStringLiteral("INSERT OR REPLACE INTO drafts(conversation_id, text, attachments, edited_turn, aside_text, "
                     "aside_attachments) VALUES(?, ?, ?, ?, ?, ?)"),
      {conversationId, draft.message.text, filesAsText(draft.message.files), draft.editedTurn, draft.aside.text,
       filesAsText(draft.aside.files)}));
}

Result<ui::Draft> ConversationDatabase::readDraft(const QString& conversationId) {
  Result<QSqlQuery> row = runQuery(database(),
                                   QStringLiteral("SELECT text, attachments, edited_turn, aside_text, "
                                                  "aside_attachments FROM drafts WHERE conversation_id = ?"),
                                   {conversationId}, Message::say("read"));
  if (!row) return row.error();
  if (!row->next()) return ui::Draft();
  return ui::Draft{draftMessageFrom(row->value(0).toString(), row->value(1).toString()), row->value(2).toString(),
                   draftMessageFrom(row->value(3).toString(), row->value(4).toString())};
}

Status ConversationDatabase::saveConversation(const ui::Conversation& conversation) {
  return inTransaction(database(), [&]() -> Status {
    Status done = saveHead(conversation.head);
    for (const ui::Turn& turn : conversation.turns) {
      if (!done) return done;
      done = writeTurn(conversation.head.id, turn);
    }
    return done;
  });
}

Status ConversationDatabase::saveHead(const ui::ConversationHead& head) {
  return asStatus(changeRows(
      database(),
      QStringLiteral(
          "INSERT INTO conversations(id, title, system_prompt, created_ms, updated_ms, folded_title, options) "
          "VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET title = excluded.title, system_prompt = "
          "excluded.system_prompt, updated_ms = excluded.updated_ms, folded_title = excluded.folded_title, "
          "options = excluded.options"),
      {head.id, head.title, head.systemPrompt, head.createdMs, head.updatedMs, foldedForSearch(head.title),
       ui::toText(head.options)}));
}

Status ConversationDatabase::saveTurn(const QString& conversationId, const ui::Turn& turn) {
  return inTransaction(database(), [&] { return writeTurn(conversationId, turn); });
}

Status ConversationDatabase::writeTurn(const QString& conversationId, const ui::Turn& turn) {
  // Five times a second while it is written: an index of 20,000 characters costs 60 times what the row costs.
  // What a model thought is not searched: who looks for something remembers what was said.
  const bool isWriting = turn.state == ui::TurnState::Writing;
  const QString searched = isWriting ? QString() : textForIndex(turn.text);
  const Result<int> saved = changeRows(
      database(),
      QStringLiteral(
          "INSERT INTO turns(id, conversation_id, parent_id, role, text, attachments, state, active, cut_before, "
          "summary, model_name, generated_tokens, decode_seconds, seed, created_ms, thinking, thinking_ms, folded) "
          "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET text = "
          "excluded.text, attachments = "
          "excluded.attachments, state = excluded.state, active = excluded.active, cut_before = "
          "excluded.cut_before, summary = excluded.summary, model_name = excluded.model_name, generated_tokens = "
          "excluded.generated_tokens, decode_seconds = excluded.decode_seconds, seed = excluded.seed, thinking = "
          "excluded.thinking, thinking_ms = excluded.thinking_ms, folded = "
          "CASE WHEN excluded.state = 1 THEN turns.folded ELSE excluded.folded END"),
      {turn.id, conversationId, turn.parentId, static_cast<int>(turn.role), turn.text,
       attachmentsAsText(turn.attachments), static_cast<int>(turn.state), turn.active, turn.cutBefore, turn.summary,
       turn.modelName, turn.generatedTokens, turn.decodeSeconds, static_cast<qint64>(turn.seed), turn.createdMs,
       turn.thinking, turn.thinkingMs, searched});
  if (!saved || !turn.active) return asStatus(saved);
  return chooseVersion(conversationId, turn.id);
}

Status ConversationDatabase::finishInterrupted() {
  return inTransaction(database(), [&]() -> Status {
    Result<QSqlQuery> rows = runQuery(database(), QStringLiteral("SELECT number, text FROM turns WHERE state = 1"), {},
                                      Message::say("read"));
    if (!rows) return rows.error();
    QVector<std::pair<qint64, QString>> unfinished;
    while (rows->next()) unfinished.emplaceBack(rows->value(0).toLongLong(), rows->value(1).toString());
    if (rows->lastError().isValid()) return sqlError(Message::say("read"), rows->lastError());
    for (const auto& [number, text] : unfinished) {
      const Result<int> done =
          changeRows(database(), QStringLiteral("UPDATE turns SET state = ?, folded = ? WHERE number = ?"),
                     {static_cast<int>(ui::TurnState::Interrupted), textForIndex(text), number});
      if (!done) return done.error();
    }
    return ok_status();
  });
}

Status ConversationDatabase::rename(const QString& id, const QString& title) {
  return asStatus(changeRows(database(),
                             QStringLiteral("UPDATE conversations SET title = ?, folded_title = ? WHERE id = ?"),
                             {title, foldedForSearch(title), id}));
}

Status ConversationDatabase::setPinned(const QString& id, bool isPinned) {
  return asStatus(
      changeRows(database(), QStringLiteral("UPDATE conversations SET pinned = ? WHERE id = ?"), {isPinned, id}));
}

Status ConversationDatabase::chooseVersion(const QString& conversationId, const QString& turnId) {
  return asStatus(changeRows(database(),
                             QStringLiteral("UPDATE turns SET active = (id = ?) WHERE conversation_id = ? AND "
                                            "parent_id = (SELECT parent_id FROM turns WHERE id = ?) AND active <> (id "
                                            "= ?)"),
                             {turnId, conversationId, turnId, turnId}));
}

Status ConversationDatabase::setRemoved(const QString& id, bool removed) {
  return asStatus(
      changeRows(database(), QStringLiteral("UPDATE conversations SET removed = ? WHERE id = ?"), {removed, id}));
}

Status ConversationDatabase::removeTurn(const QString& conversationId, const QString& turnId, bool isAlone) {
  Result<int> removed = 0;
  const Status done = inTransaction(database(), [&]() -> Status {
    if (isAlone) {
      const Result<int> moved =
          changeRows(database(),
                     QStringLiteral("UPDATE turns SET parent_id = (SELECT parent_id FROM turns WHERE id = ? AND "
                                    "conversation_id = ?) WHERE parent_id = ? AND conversation_id = ?"),
                     {turnId, conversationId, turnId, conversationId});
      if (!moved) return moved.error();
    }
    // Nothing is below it any longer where it goes alone.
    removed = changeRows(database(),
                         QStringLiteral("WITH RECURSIVE gone(id) AS (SELECT id FROM turns WHERE id = ? AND "
                                        "conversation_id = ? UNION SELECT t.id FROM turns t JOIN gone ON t.parent_id = "
                                        "gone.id WHERE t.conversation_id = ?) DELETE FROM turns WHERE id IN (SELECT id "
                                        "FROM gone)"),
                         {turnId, conversationId, conversationId});
    return asStatus(removed);
  });
  return done ? erased(removed) : done;
}

Status ConversationDatabase::purge(const QString& id) {
  return erased(changeRows(database(), QStringLiteral("DELETE FROM conversations WHERE id = ? AND removed = 1"), {id}));
}

Status ConversationDatabase::purgeAllRemoved() {
  return erased(changeRows(database(), QStringLiteral("DELETE FROM conversations WHERE removed = 1"), {}));
}

// The index keeps deleted words until its parts are merged, and the log keeps the pages from before.
Status ConversationDatabase::erased(const Result<int>& rows) {
  if (!rows || *rows == 0) return asStatus(rows);
  for (const char* sql :
       {"INSERT INTO turn_search(turn_search) VALUES('optimize')", "PRAGMA wal_checkpoint(TRUNCATE)"}) {
    const Result<QSqlQuery> done = runQuery(database(), QLatin1StringView(sql), {}, Message::say("erased"));
    if (!done) return done.error();
  }
  return ok_status();
}

}  // namespace headroom::app
