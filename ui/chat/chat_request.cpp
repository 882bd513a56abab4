#include "ui/chat/chat_request.h"

#include <algorithm>
#include <utility>

namespace headroom::ui {

namespace {

// One backtick more than the longest run in `text`, and at least three.
QString fenceFor(const QString& text) {
  qsizetype longest = 2, run = 0;
  for (const QChar c : text) {
    run = c == u'`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return QString(longest + 1, u'`');
}

ChatMessage message(const char* role, const QString& text) { return {role, text.toStdString(), {}}; }

ChatMessage turnMessage(const Turn& turn) {
  ChatMessage sent = message(turn.role == Role::User ? "user" : "assistant", sentText(turn));
  sent.thinking = turn.thinking.toStdString();
  return sent;
}

// Where a turn between two of one side was deleted they are one message: templates know no two in a row.
void addTurn(std::vector<ChatMessage>& messages, const Turn& turn) {
  ChatMessage next = turnMessage(turn);
  if (messages.empty() || messages.back().role != next.role) {
    messages.push_back(std::move(next));
    return;
  }
  ChatMessage& last = messages.back();
  last.content += (last.content.empty() || next.content.empty() ? "" : "\n\n") + next.content;
  last.thinking = std::move(next.thinking);
}

QString systemText(const QString& systemPrompt, const QString& summary) {
  if (summary.isEmpty()) return systemPrompt;
  const QString earlier = QStringLiteral("What was said earlier in this conversation, in short:\n%1").arg(summary);
  return systemPrompt.isEmpty() ? earlier : systemPrompt + QStringLiteral("\n\n") + earlier;
}

}  // namespace

QString fileText(const Attachment& attachment) {
  return QStringLiteral("File %1:\n%2\n%3\n%2").arg(attachment.name, fenceFor(attachment.text), attachment.text);
}

QString sentText(const Turn& turn) {
  QString text = turn.text;
  for (const Attachment& attachment : turn.attachments) {
    if (!text.isEmpty()) text += QStringLiteral("\n\n");
    text += fileText(attachment);
  }
  return text;
}

QStringList sentPath(const ChatTree& tree) {
  QStringList path = tree.path();
  for (qsizetype i = path.size() - 1; i > 0; --i) {
    if (tree.find(path[i])->cutBefore) return path.mid(i);
  }
  return path;
}

std::vector<ChatMessage> requestMessages(const ChatTree& tree, const QString& systemPrompt, const QString& lastId) {
  std::vector<ChatMessage> messages;
  const QStringList path = sentPath(tree);
  const QString system = systemText(systemPrompt, path.isEmpty() ? QString() : tree.find(path.first())->summary);
  if (!system.isEmpty()) messages.push_back(message("system", system));
  for (const QString& id : path) {
    addTurn(messages, *tree.find(id));
    if (id == lastId) break;
  }
  return messages;
}

QString cutPoint(const ChatTree& tree, double tokensPerChar, double targetTokens) {
  const QStringList path = sentPath(tree);
  double tokens = 0;
  QString cut;
  for (qsizetype i = path.size() - 1; i > 0; --i) {
    const Turn& turn = *tree.find(path[i]);
    tokens += tokensPerChar * static_cast<double>(sentText(turn).size());
    const bool isNewestQuestion = cut.isEmpty() && turn.role == Role::User;
    if (turn.role != Role::User) continue;
    if (!isNewestQuestion && tokens > targetTokens) break;
    cut = path[i];
  }
  return cut;
}

qsizetype charsOf(const std::vector<ChatMessage>& messages) {
  qsizetype chars = 0;
  for (const ChatMessage& message : messages) {
    // In UTF-16, which has two where UTF-8 takes four bytes, and none for bytes that go on with a character.
    for (const char c : message.content) {
      const auto byte = static_cast<unsigned char>(c);
      chars += (byte & 0xC0U) == 0x80U ? 0 : byte >= 0xF0U ? 2 : 1;
    }
  }
  return chars;
}

std::vector<ChatMessage> summaryMessages(const ChatTree& tree, const QString& cutId) {
  std::vector<ChatMessage> messages;
  const QStringList path = sentPath(tree);
  const QString earlier = path.isEmpty() ? QString() : tree.find(path.first())->summary;
  messages.push_back(
      message("system", systemText(QStringLiteral("You write short, exact summaries of conversations."), earlier)));
  for (const QString& id : path) {
    if (id == cutId) break;
    addTurn(messages, *tree.find(id));
  }
  const QString ask = QStringLiteral(
      "Summarise our conversation so far in at most 150 words, for someone who goes on with it: facts, names, numbers, "
      "decisions, open questions. "
      "Write only the summary.");
  messages.push_back(message("user", ask));
  return messages;
}

std::vector<ChatMessage> titleMessages(const ChatTree& tree, const QString& systemPrompt) {
  std::vector<ChatMessage> messages = requestMessages(tree, systemPrompt);
  messages.push_back(message("user", QStringLiteral("Give our conversation a title of at most six words, in its own "
                                                    "language. Write only the title.")));
  return messages;
}

}  // namespace headroom::ui
