// A conversation as the chat shows it and the store keeps it: plain values.
#pragma once

#include <QString>
#include <QVector>
#include <optional>
#include <vector>

#include "ui/chat/answer_options.h"
#include "ui/engine_port.h"

namespace headroom::ui {

enum class Role : quint8 { User, Assistant };

enum class TurnState : quint8 {
  Done,
  Writing,      // text still arrives; found in the store only after a crash, and then read as Interrupted
  Stopped,      // by the user
  LimitHit,     // the answer reached the length that the user set
  ContextFull,  // the answer reached the end of the context
  Interrupted,  // failed, or the program ended
};
inline bool canContinue(TurnState state) { return state != TurnState::Done && state != TurnState::Writing; }

struct Attachment {  // a text file that goes to the model with its turn
  QString name, text;
  bool operator==(const Attachment&) const = default;
};

// Why clearly less of a prompt was reused than the cache held of its conversation.
struct PrefixBreak {
  enum class Kind : quint8 {
    None,
    OtherConversation,  // has taken its place in the cache
    SystemPrompt,       // is another one
    Message,            // the first that differs is `number`
    Thinking,           // likewise: the template leaves out what was thought before it
    Unknown,            // the texts differ behind `number` tokens
    Checkpoint,         // they are the same for `number` tokens, but the cache can be taken up only earlier
  };
  Kind kind = Kind::None;
  quint32 number = 0;  // of messages: counted from 1, without the system prompt
  bool operator==(const PrefixBreak&) const = default;
};

// One message of one side. Turns form a tree: those with the same parent are versions of each other, and one of them is
// active.
struct Turn {
  QString id, parentId;  // UUIDs; parentId is empty for the first turn
  Role role = Role::User;
  QString text;
  QString thinking;       // of the model, before its text
  qint64 thinkingMs = 0;  // how long that took, of all its parts; 0: nobody measured it
  QVector<Attachment> attachments;
  TurnState state = TurnState::Done;
  bool active = true;
  bool cutBefore = false;       // turns before this one are no longer sent to the model
  QString summary;              // of those turns; sent in their place when not empty
  QString modelName;            // who answered
  quint32 generatedTokens = 0;  // of all its parts, when it was continued; 0: they were not counted
  double decodeSeconds = 0;     // likewise
  quint64 seed = 0;             // 0: no one seed made this text
  // Of the prompt of its last part, since this program started: the store does not keep them. 0: they were not counted.
  quint32 promptTokens = 0, reusedTokens = 0;
  PrefixBreak prefixBreak;
  qint64 createdMs = 0;  // since the epoch
};

// What arrives now is a thought.
inline bool isThinking(const Turn& turn) {
  return turn.state == TurnState::Writing && turn.text.isEmpty() && !turn.thinking.isEmpty();
}

// A message that was not sent yet.
struct DraftFile {
  Attachment attachment;
  quint64 readId =
      0;  // not 0: it is still being read under this id, and has a name alone; the store keeps no such file
  bool operator==(const DraftFile&) const = default;
};
struct DraftMessage {
  QString text;
  QVector<DraftFile> files;
  bool isEmpty() const { return text.isEmpty() && files.isEmpty(); }
  bool operator==(const DraftMessage&) const = default;
};

// What somebody is writing in a conversation: a new message, or another version of one that was sent.
struct Draft {
  DraftMessage message;
  QString editedTurn;  // the turn that `message` is another version of; empty: it is a new message
  DraftMessage aside;  // while a turn is edited: the new message that was being written when the editing began
  bool isEmpty() const { return message.isEmpty() && editedTurn.isEmpty() && aside.isEmpty(); }
  bool operator==(const Draft&) const = default;
};

struct ConversationHead {
  QString id, title, systemPrompt;
  qint64 createdMs = 0, updatedMs = 0;
  std::optional<AnswerOptions> options{};  // its own; absent: those of ChatSettings
  bool operator==(const ConversationHead&) const = default;
};

// As the list shows it. What a session knows of itself is the head alone, so saving that leaves the rest as it is.
struct ListedConversation : ConversationHead {
  QString modelName{};    // who answered last; empty: nobody yet, or it was not noted
  bool isPinned = false;  // stands before the others
  bool operator==(const ListedConversation&) const = default;
};

struct Conversation {
  ConversationHead head;
  std::vector<Turn> turns;  // in order of creation: a parent stands before its children
  Draft draft{};
};

}  // namespace headroom::ui
