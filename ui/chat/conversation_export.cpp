#include "ui/chat/conversation_export.h"

#include <utility>

#include "ui/background/background.h"
#include "ui/background/write_file.h"
#include "ui/chat/chat_export.h"
#include "ui/format/message_words.h"

namespace headroom::ui {

namespace {

QByteArray asBytes(bool asJson, const ConversationHead& head, const ChatTree& tree) {
  return asJson ? conversationAsJson(head, tree) : conversationAsMarkdown(head, tree).toUtf8();
}

}  // namespace

ConversationExport::ConversationExport(const Wanted& wanted, ConversationPort& store, QObject* parent)
    : QObject(parent), m_wanted(wanted), m_state(Reading{}) {
  connect(&store, &ConversationPort::opened, this, [this](const Conversation& conversation) {
    if (!std::holds_alternative<Reading>(m_state) || conversation.head.id != m_wanted.id) return;
    write([conversation, asJson = m_wanted.asJson] {
      ChatTree tree;
      tree.reset(conversation.turns);
      return asBytes(asJson, conversation.head, tree);
    });
  });
  connect(&store, &ConversationPort::openFailed, this, [this](const QString& id) {
    if (!std::holds_alternative<Reading>(m_state) || id != m_wanted.id) return;
    finish([title = m_wanted.title] {
      return tr("\u201c%1\u201d was not exported: the conversation could not be read.").arg(title);
    });
  });
  store.open(wanted.id);
}

ConversationExport::ConversationExport(const Wanted& wanted, const ConversationHead& head, const ChatTree& tree,
                                       QObject* parent)
    : QObject(parent), m_wanted(wanted), m_state(Writing{}) {
  write([head, tree, asJson = wanted.asJson] { return asBytes(asJson, head, tree); });
}

void ConversationExport::write(std::function<QByteArray()> makeBytes) {
  m_state = Writing{};
  runInBackground(
      writingThreads(), this,
      [path = m_wanted.path, makeBytes = std::move(makeBytes)] { return writeWholeFile(path, makeBytes()); },
      [this](const Message& why) {
        if (why.empty()) return finish({});
        finish([path = m_wanted.path, why] {
          return tr("The conversation could not be written to %1: %2.").arg(path, wordsOf(why));
        });
      });
}

void ConversationExport::finish(const Sentence& problem) {
  m_state = Finished{};
  // Behind the constructor, in which nobody can listen yet.
  QMetaObject::invokeMethod(
      this,
      [this, problem] {
        emit finished(problem);
        deleteLater();
      },
      Qt::QueuedConnection);
}

}  // namespace headroom::ui
