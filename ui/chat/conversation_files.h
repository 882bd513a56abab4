// Files that the chat writes and reads beside attachments: conversations that are exported and imported, and texts of
// attachments that are saved. They come to their end also when the pane that began them is built anew.
#pragma once

#include <QObject>
#include <QString>

#include "ui/chat/conversation_export.h"
#include "ui/format/sentence.h"

namespace headroom::ui {

class ChatSessions;

// GUI thread; other threads read and write. What runs goes with the object: an import then opens nothing.
class ConversationFiles : public QObject {
  Q_OBJECT
 public:
  ConversationFiles(ChatSessions& sessions, ConversationPort& store);  // both outlive it

  void exportTo(const ConversationExport::Wanted& wanted);  // as it is now
  void import(const QString& path);
  void saveText(const QString& path, const QString& text);

 signals:
  void imported();  // and opened
  void problemFound(const headroom::ui::Sentence& sentence);

 private:
  ChatSessions& m_sessions;
  ConversationPort& m_store;
};

}  // namespace headroom::ui
