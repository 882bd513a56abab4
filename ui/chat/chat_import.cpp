#include "ui/chat/chat_import.h"

#include <QDateTime>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>
#include <cmath>
#include <optional>

namespace headroom::ui {
namespace {

Error bad(const Message& sentence) { return {ErrorCode::kBadFile, sentence}; }

QString newId() { return QUuid::createUuid().toString(QUuid::WithoutBraces); }

qint64 timeFrom(const QJsonValue& value) {
  const QDateTime time = QDateTime::fromString(value.toString(), Qt::ISODate);
  return time.isValid() ? time.toMSecsSinceEpoch() : QDateTime::currentMSecsSinceEpoch();
}

double secondsFrom(const QJsonValue& value) {
  const double seconds = value.toDouble();
  return std::isfinite(seconds) && seconds > 0 && seconds < 1e9 ? seconds : 0;
}

quint32 countFrom(const QJsonValue& value) {
  const double count = value.toDouble();
  return count > 0 && count < 4e9 ? static_cast<quint32>(count) : 0;
}

// What was being written when it was exported is what a program that ended leaves.
TurnState stateFrom(const QString& key) {
  for (std::size_t i = 0; i < kTurnStateKeys.size(); ++i) {
    if (key == QLatin1StringView(kTurnStateKeys[i]))
      return static_cast<TurnState>(i) == TurnState::Writing ? TurnState::Interrupted : static_cast<TurnState>(i);
  }
  return TurnState::Done;
}

std::optional<Role> roleFrom(const QString& key) {
  if (key == QLatin1StringView("user")) return Role::User;
  if (key == QLatin1StringView("assistant")) return Role::Assistant;
  return std::nullopt;
}

Result<Turn> turnFrom(const QJsonObject& object, qsizetype number, QHash<QString, QString>& newIds) {
  const QString id = object.value(QStringLiteral("id")).toString();
  const QJsonValue parent = object.value(QStringLiteral("parent"));
  const std::optional<Role> role = roleFrom(object.value(QStringLiteral("role")).toString());
  if (id.isEmpty() || newIds.contains(id))
    return bad(Message::say("Message {} of the file has no id of its own.", number));
  if (!role) {
    return bad(
        Message::say("Message {} of the file is of neither side: its role is \u201c{}\u201d, and "
                     "\u201cuser\u201d or “assistant\u201d was expected.",
                     number, object.value(QStringLiteral("role")).toString().toStdString()));
  }
  if (parent.isString() && !newIds.contains(parent.toString()))
    return bad(Message::say("Message {} of the file answers one that does not stand before it.", number));
  Turn turn;
  turn.id = newIds[id] = newId();
  turn.parentId = parent.isString() ? newIds.value(parent.toString()) : QString();
  turn.role = *role;
  turn.text = object.value(QStringLiteral("text")).toString();
  turn.active = object.value(QStringLiteral("active")).toBool(true);
  turn.createdMs = timeFrom(object.value(QStringLiteral("created")));
  turn.cutBefore = object.value(QStringLiteral("earlier_turns_left_out")).toBool();
  turn.summary = object.value(QStringLiteral("summary_of_earlier_turns")).toString();
  for (const QJsonValue& each : object.value(QStringLiteral("attachments")).toArray()) {
    const QJsonObject file = each.toObject();
    turn.attachments.append(
        {file.value(QStringLiteral("name")).toString(), file.value(QStringLiteral("text")).toString()});
  }
  if (turn.role == Role::User) return turn;
  turn.thinking = object.value(QStringLiteral("thinking")).toString();
  turn.thinkingMs = static_cast<qint64>(secondsFrom(object.value(QStringLiteral("thinking_seconds"))) * 1000);
  turn.state = stateFrom(object.value(QStringLiteral("state")).toString());
  turn.modelName = object.value(QStringLiteral("model")).toString();
  turn.generatedTokens = countFrom(object.value(QStringLiteral("generated_tokens")));
  turn.decodeSeconds = secondsFrom(object.value(QStringLiteral("decode_seconds")));
  turn.seed = object.value(QStringLiteral("seed")).toString().toULongLong();
  return turn;
}

}  // namespace

Result<Conversation> conversationFromJson(const QByteArray& json) {
  QJsonParseError problem;
  const QJsonDocument document = QJsonDocument::fromJson(json, &problem);
  if (problem.error != QJsonParseError::NoError) {
    return bad(Message::say("It is no JSON: {} at byte {}. A conversation that Headroom exported as JSON was expected.",
                            problem.errorString().toStdString(), problem.offset));
  }
  const QJsonObject object = document.object();
  if (object.value(QStringLiteral("format")).toString() != QLatin1StringView(kConversationFormat))
    return bad(Message::say("It is JSON, but no conversation that Headroom exported."));
  if (const int version = object.value(QStringLiteral("version")).toInt(); version != kConversationVersion) {
    return bad(Message::say("It is a conversation of version {}, and this Headroom reads version {}.", version,
                            kConversationVersion));
  }
  Conversation conversation;
  conversation.head.id = newId();
  conversation.head.title = object.value(QStringLiteral("title")).toString();
  conversation.head.systemPrompt = object.value(QStringLiteral("system_prompt")).toString();
  conversation.head.createdMs = timeFrom(object.value(QStringLiteral("created")));
  conversation.head.updatedMs = timeFrom(object.value(QStringLiteral("updated")));
  if (const QJsonValue options = object.value(QStringLiteral("options")); options.isObject())
    conversation.head.options = answerOptionsFrom(options.toObject());
  QHash<QString, QString> newIds;
  for (const QJsonValue& each : object.value(QStringLiteral("turns")).toArray()) {
    Result<Turn> turn = turnFrom(each.toObject(), static_cast<qsizetype>(conversation.turns.size()) + 1, newIds);
    if (!turn) return turn.error();
    conversation.turns.push_back(std::move(*turn));
  }
  if (conversation.turns.empty()) return bad(Message::say("It holds no message."));
  return conversation;
}

}  // namespace headroom::ui
