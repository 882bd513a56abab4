// What the list of conversations shows beside a title.
#pragma once

#include <QHash>
#include <QString>

namespace headroom::ui {

struct ConversationMark {
  enum class Kind : quint8 { Writing, Waiting, Unread, Trouble };
  Kind kind = Kind::Writing;
  int answersBefore = 0;  // Waiting: so many have to end before its answer begins
  bool operator==(const ConversationMark&) const = default;
};
using ConversationMarks = QHash<QString, ConversationMark>;  // by conversation; most have none

// Its answer runs, or waits for a slot: it can be stopped.
inline bool isAnswering(const ConversationMark& mark) {
  return mark.kind == ConversationMark::Kind::Writing || mark.kind == ConversationMark::Kind::Waiting;
}

}  // namespace headroom::ui
