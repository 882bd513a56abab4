// One export of a conversation, from the choice of a file until that is written or refused.
#pragma once

#include <QObject>
#include <functional>
#include <variant>

#include "ui/chat/chat_tree.h"
#include "ui/chat/conversation_port.h"
#include "ui/format/sentence.h"

namespace headroom::ui {

class ConversationExport : public QObject {
  Q_OBJECT
 public:
  struct Wanted {
    QString id, title, path;
    bool asJson = false;
  };

  // Of a conversation that the store has: asks for it at once, and takes its first answer, whoever asked.
  ConversationExport(const Wanted& wanted, ConversationPort& store, QObject* parent);
  // Of the open one, which is newer in memory.
  ConversationExport(const Wanted& wanted, const ConversationHead& head, const ChatTree& tree, QObject* parent);

 signals:
  // Once, and not before the event loop comes round: the store may answer within the constructor. No words: the file is
  // whole. Then the object deletes itself.
  void finished(const headroom::ui::Sentence& problem);

 private:
  struct Reading {};  // waits for the store
  struct Writing {};  // a worker makes the text and the file
  struct Finished {};
  using State = std::variant<Reading, Writing, Finished>;

  void write(std::function<QByteArray()> makeBytes);  // called on another thread
  void finish(const Sentence& problem);

  Wanted m_wanted;
  State m_state;
};

}  // namespace headroom::ui
