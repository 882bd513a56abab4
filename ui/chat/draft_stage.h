// What somebody is writing in a conversation, as values: a new message, a change of one that was sent, or a
// change that he is asked about before it is thrown away. No widget and no store: tested for every event in every
// stage.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "ui/chat/conversation.h"

namespace headroom::ui {

namespace draft_event {
struct Typed {  // the text of the field is this now
  QString text;
};
struct FileAdded {  // it is being read under this id
  quint64 readId = 0;
  QString name;
};
struct FileRead {
  quint64 readId = 0;
  Attachment attachment;
};
struct FileGone {  // it cannot be read
  quint64 readId = 0;
};
struct FileRemoved {  // by the user
  qsizetype index = 0;
};
struct EditAsked {  // of a turn, whose message is `original`
  QString turnId;
  DraftMessage original;
};
struct EscapePressed {};
struct DiscardAgreed {};
struct KeepChosen {};
struct Sent {};
struct Replaced {  // another conversation is open, with this draft
  Draft draft;
  std::optional<DraftMessage> original;  // of the turn that the draft edits; absent: the conversation has no such turn
};
struct OlderFound {  // the store had this draft of the conversation that has no message yet
  Draft draft;
};
}  // namespace draft_event
using DraftEvent = std::variant<draft_event::Typed, draft_event::FileAdded, draft_event::FileRead,
                                draft_event::FileGone, draft_event::FileRemoved, draft_event::EditAsked,
                                draft_event::EscapePressed, draft_event::DiscardAgreed, draft_event::KeepChosen,
                                draft_event::Sent, draft_event::Replaced, draft_event::OlderFound>;

namespace draft_stage {
struct Writing {  // a new message
  DraftMessage message;
};
struct Editing {  // another version of a turn
  QString turnId;
  DraftMessage original, message;
  DraftMessage aside;  // the new message, which waits
};
struct Asking {  // whether the change may be thrown away
  Editing edit;
  std::optional<draft_event::EditAsked> next;  // the turn to edit then; absent: none, the new message comes back
};
}  // namespace draft_stage
using DraftStage = std::variant<draft_stage::Writing, draft_stage::Editing, draft_stage::Asking>;

namespace draft_effect {
struct ShowMessage {};  // the field shows another one than before
struct Keep {};         // what the store has is out of date
struct CancelRead {     // no message has this file any longer
  quint64 readId = 0;
};
}  // namespace draft_effect
using DraftEffect = std::variant<draft_effect::ShowMessage, draft_effect::Keep, draft_effect::CancelRead>;

// Changes `stage` by one event; returns what is to be done. A message is never thrown away without Sent, Replaced
// (whose caller keeps the draft that was there) or DiscardAgreed.
std::vector<DraftEffect> react(DraftStage& stage, const DraftEvent& event);

const DraftMessage& shownMessage(const DraftStage& stage);
Draft draftOf(const DraftStage& stage);

}  // namespace headroom::ui
