// A conversation as the chat shows it and the store keeps it: plain values.
#pragma once

#include <QString>
#include <QVector>
#include <vector>

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

// One message of one side. Turns form a tree: those with the same parent are versions of each other, and one of them is
// active.
struct Turn {
  QString id, parentId;  // UUIDs; parentId is empty for the first turn
  Role role = Role::User;
  QString text;
  QVector<Attachment> attachments;
  TurnState state = TurnState::Done;
  bool active = true;
  bool cutBefore = false;  // turns before this one are no longer sent to the model
  QString summary;         // of those turns; sent in their place when not empty
  QString modelName;       // who answered
  quint32 generatedTokens = 0;
  double decodeSeconds = 0;
  quint64 seed = 0;
  qint64 createdMs = 0;  // since the epoch
};

struct ConversationHead {
  QString id, title, systemPrompt;
  qint64 createdMs = 0, updatedMs = 0;
};

struct Conversation {
  ConversationHead head;
  std::vector<Turn> turns;  // in order of creation: a parent stands before its children
};

}  // namespace headroom::ui
