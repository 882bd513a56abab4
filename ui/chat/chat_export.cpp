#include "ui/chat/chat_export.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "ui/chat/chat_import.h"
#include "ui/chat/chat_request.h"
#include "ui/chat/markdown_segments.h"
#include "ui/chat/thinking_row.h"

namespace headroom::ui {

namespace {

QString isoTime(qint64 ms) { return QDateTime::fromMSecsSinceEpoch(ms).toUTC().toString(Qt::ISODate); }

QJsonObject turnAsJson(const Turn& turn) {
  QJsonObject object{{"id", turn.id},
                     {"role", turn.role == Role::User ? "user" : "assistant"},
                     {"text", turn.text},
                     {"active", turn.active},
                     {"created", isoTime(turn.createdMs)}};
  object.insert("parent", turn.parentId.isEmpty() ? QJsonValue() : QJsonValue(turn.parentId));
  if (turn.cutBefore) object.insert("earlier_turns_left_out", true);
  if (!turn.summary.isEmpty()) object.insert("summary_of_earlier_turns", turn.summary);
  QJsonArray attachments;
  for (const Attachment& attachment : turn.attachments)
    attachments.append(QJsonObject{{"name", attachment.name}, {"text", attachment.text}});
  if (!attachments.isEmpty()) object.insert("attachments", attachments);
  if (turn.role == Role::User) return object;
  if (!turn.thinking.isEmpty()) {
    object.insert("thinking", turn.thinking);
    object.insert("thinking_seconds", static_cast<double>(turn.thinkingMs) / 1000);
  }
  object.insert("state", QLatin1StringView(kTurnStateKeys[static_cast<std::size_t>(turn.state)]));
  object.insert("model", turn.modelName);
  object.insert("generated_tokens", static_cast<qint64>(turn.generatedTokens));
  object.insert("decode_seconds", turn.decodeSeconds);
  object.insert("seed", QString::number(turn.seed));  // 64 bits do not fit a JSON number
  return object;
}

// A text that ends inside a block of code, as a stopped answer may, would make code of all that follows.
QString withFenceClosed(const QString& text) {
  MarkdownSegments segments;
  segments.append(text + u'\n');
  const QString fence = segments.openFence();
  return fence.isEmpty() ? text : text + u'\n' + fence;
}

// Folded where Markdown is shown with its HTML. No thought can end the fold.
QString thinkingAsMarkdown(const Turn& turn) {
  if (turn.thinking.isEmpty()) return {};
  QString thought = withFenceClosed(turn.thinking);
  thought.replace(QStringLiteral("</details"), QStringLiteral("&lt;/details"), Qt::CaseInsensitive);
  return QStringLiteral("<details>\n<summary>%1</summary>\n\n%2\n\n</details>\n\n").arg(thinkingText(turn), thought);
}

}  // namespace

QString conversationAsMarkdown(const ConversationHead& head, const ChatTree& tree) {
  QString text = QStringLiteral("# %1\n").arg(head.title);
  if (!head.systemPrompt.isEmpty())
    text += QStringLiteral("\n**System**\n\n%1\n").arg(withFenceClosed(head.systemPrompt));
  for (const QString& id : tree.path()) {
    const Turn& turn = *tree.find(id);
    const QString who = turn.role == Role::User    ? QStringLiteral("You")
                        : turn.modelName.isEmpty() ? QStringLiteral("Assistant")
                                                   : turn.modelName;
    text += QStringLiteral("\n## %1\n\n%2%3\n").arg(who, thinkingAsMarkdown(turn), withFenceClosed(sentText(turn)));
  }
  return text;
}

QByteArray conversationAsJson(const ConversationHead& head, const ChatTree& tree) {
  QJsonArray turns;
  for (const Turn& turn : tree.turns()) turns.append(turnAsJson(turn));
  QJsonObject object{{"format", QLatin1StringView(kConversationFormat)},
                     {"version", kConversationVersion},
                     {"id", head.id},
                     {"title", head.title},
                     {"system_prompt", head.systemPrompt},
                     {"created", isoTime(head.createdMs)},
                     {"updated", isoTime(head.updatedMs)},
                     {"turns", turns}};
  if (head.options) object.insert("options", toJson(*head.options));
  return QJsonDocument(object).toJson();
}

}  // namespace headroom::ui
