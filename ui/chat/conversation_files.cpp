#include "ui/chat/conversation_files.h"

#include <QFile>
#include <QFileInfo>

#include "ui/background/background.h"
#include "ui/background/write_file.h"
#include "ui/chat/chat_import.h"
#include "ui/chat/chat_sessions.h"
#include "ui/format/message_words.h"

namespace headroom::ui {
namespace {

constexpr qint64 kMostImportBytes = 256 * 1024 * 1024;

// On another thread.
Result<Conversation> readConversation(const QString& path) {
  if (const QFileInfo info(path); info.exists() && (!info.isFile() || info.size() > kMostImportBytes)) {
    return Error{ErrorCode::kBadFile,
                 Message::say("A file of at most {} was expected.", amount(static_cast<Bytes>(kMostImportBytes)))};
  }
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly))
    return Error{ErrorCode::kBadFile, Message::plain(file.errorString().toStdString() + '.')};
  return conversationFromJson(file.read(kMostImportBytes));
}

}  // namespace

ConversationFiles::ConversationFiles(ChatSessions& sessions, ConversationPort& store)
    : m_sessions(sessions), m_store(store) {}

void ConversationFiles::exportTo(const ConversationExport::Wanted& wanted) {
  const ChatSession* alive = m_sessions.find(wanted.id);
  auto* started = alive != nullptr ? new ConversationExport(wanted, alive->head(), alive->tree(), this)
                                   : new ConversationExport(wanted, m_store, this);
  connect(started, &ConversationExport::finished, this, [this](const Sentence& problem) {
    if (!problem.isEmpty()) emit problemFound(problem);
  });
}

void ConversationFiles::import(const QString& path) {
  runInBackground(
      readingThreads(), this, [path] { return readConversation(path); },
      [this, name = QFileInfo(path).fileName()](const Result<Conversation>& conversation) {
        if (!conversation) {
          emit problemFound([name, why = conversation.error().message] {
            return tr("%1 was not imported. %2").arg(name, wordsOf(why));
          });
          return;
        }
        m_sessions.importConversation(*conversation);
        emit imported();
      });
}

void ConversationFiles::saveText(const QString& path, const QString& text) {
  runInBackground(
      writingThreads(), this, [path, text] { return writeWholeFile(path, text.toUtf8()); },
      [this, path](const Message& why) {
        if (why.empty()) return;
        emit problemFound(
            [path, why] { return tr("The text could not be written to %1: %2.").arg(path, wordsOf(why)); });
      });
}

}  // namespace headroom::ui
