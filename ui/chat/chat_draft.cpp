#include "ui/chat/chat_draft.h"

#include <algorithm>
#include <utility>

#include "base/overloaded.h"

namespace headroom::ui {

namespace {

DraftMessage messageOf(const Turn& turn) {
  DraftMessage message{turn.text, {}};
  for (const Attachment& attachment : turn.attachments) message.files.append({attachment, 0});
  return message;
}

// As the store keeps it.
Draft withReadFilesAlone(Draft draft) {
  for (DraftMessage* message : {&draft.message, &draft.aside})
    message->files.removeIf([](const DraftFile& file) { return file.readId != 0; });
  return draft;
}

}  // namespace

ChatDraft::ChatDraft(ConversationPort& store, QObject* parent, const QString& conversationId)
    : QObject(parent), m_store(store), m_conversationId(conversationId) {
  m_pause.setSingleShot(true);
  m_pause.setInterval(kKeepMs);
  connect(&m_pause, &QTimer::timeout, this, [this] { save(m_conversationId, draftOf(m_stage)); });
}

bool ChatDraft::canSend() const {
  const DraftMessage& shown = message();
  const bool isReading =
      std::any_of(shown.files.begin(), shown.files.end(), [](const DraftFile& file) { return file.readId != 0; });
  return !isReading && (!shown.text.trimmed().isEmpty() || !shown.files.isEmpty());
}

void ChatDraft::handleEvent(const DraftEvent& event) {
  for (const DraftEffect& effect : react(m_stage, event)) {
    std::visit(Overloaded{[this](const draft_effect::ShowMessage&) { emit messageShown(); },
                          [this](const draft_effect::Keep&) {
                            if (!m_pause.isActive()) m_pause.start();
                          },
                          [this](const draft_effect::CancelRead& cancel) { emit readCancelled(cancel.readId); }},
               effect);
  }
  emit changed();
}

void ChatDraft::edit(const Turn& turn) { handleEvent(draft_event::EditAsked{turn.id, messageOf(turn)}); }

void ChatDraft::keep() {
  if (!m_pause.isActive()) return;
  m_pause.stop();
  save(m_conversationId, draftOf(m_stage));
}

void ChatDraft::open(const Draft& draft, const ChatTree& tree) {
  const Turn* edited = tree.find(draft.editedTurn);
  const auto original = edited == nullptr ? std::nullopt : std::optional(messageOf(*edited));
  handleEvent(draft_event::Replaced{draft, original});
}

void ChatDraft::turnsRemoved(const ChatTree& tree) {
  if (editedTurn().isEmpty() || tree.find(editedTurn()) != nullptr) return;
  open(draft(), tree);
  if (!m_pause.isActive()) m_pause.start();
}

// Kept under the new id before it goes from the old one: it is in the store at every moment.
void ChatDraft::moveTo(const QString& conversationId) {
  if (m_conversationId == conversationId) return;
  m_pause.stop();
  const QString before = std::exchange(m_conversationId, conversationId);
  save(conversationId, draftOf(m_stage));
  save(before, {});
}

void ChatDraft::save(const QString& conversationId, const Draft& draft) {
  m_store.saveDraft(conversationId, withReadFilesAlone(draft));
}

}  // namespace headroom::ui
