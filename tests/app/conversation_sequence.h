// A random sequence of what a chat asks of its store, the same in every process that is given the same seed.
#pragma once

#include <QMap>
#include <vector>

#include "ui/chat/conversation_port.h"

namespace headroom::test {

struct Step {
  enum class Kind { SaveHead, SaveTurn, Rename, SetPinned, ChooseVersion, Remove, Restore, Purge };
  Kind kind = Kind::SaveHead;
  ui::ConversationHead head;  // its id says which conversation, for every kind
  ui::Turn turn;              // of SaveTurn; its id alone of ChooseVersion
  bool isPinned = false;      // of SetPinned
};

// New conversations, questions, answers that are saved again and again while they grow and then finish, other versions,
// renamed, pinned and deleted conversations, some of them undone.
std::vector<Step> sequenceOf(unsigned seed);

void play(const Step& step, ui::ConversationPort& port);

// What a store holds after the first `n` steps and a restart, in words that can be compared: one entry per
// conversation, with each of its turns in order.
QMap<QString, QString> heldAfter(const std::vector<Step>& steps, std::size_t n);
QString inWords(const ui::Conversation& conversation, bool isPinned);

}  // namespace headroom::test
