// Keeps conversations in memory and answers at once, or when it is told to.
#pragma once

#include <QMap>
#include <QSet>
#include <QStringList>
#include <algorithm>
#include <utility>

#include "ui/chat/chat_tree.h"
#include "ui/chat/conversation_port.h"

namespace headroom::test {

class FakeConversationPort : public ui::ConversationPort {
  Q_OBJECT
 public:
  void list(const QString& search) override {
    if (isHoldingLists) return;
    QVector<ui::ListedConversation> found;
    for (const ui::Conversation& kept : conversations) {
      if (removed.contains(kept.head.id) || !kept.head.title.contains(search, Qt::CaseInsensitive)) continue;
      found.append({kept.head, {}, pinned.contains(kept.head.id)});
      for (const ui::Turn& turn : kept.turns) {
        if (!turn.modelName.isEmpty()) found.back().modelName = turn.modelName;
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.updatedMs > b.updatedMs; });
    emit listed(search, found);
  }
  void open(const QString& conversationId) override {
    if (isHolding) return m_held.append(conversationId);
    if (!conversations.contains(conversationId)) return emit openFailed(conversationId);
    emit opened(conversations.value(conversationId));
  }
  void saveConversation(const ui::Conversation& conversation) override {
    saveHead(conversation.head);
    for (const ui::Turn& turn : conversation.turns) saveTurn(conversation.head.id, turn);
  }
  void saveHead(const ui::ConversationHead& head) override {
    ++nHeadsSaved;
    conversations[head.id].head = head;
  }
  void saveTurn(const QString& conversationId, const ui::Turn& turn) override {
    std::vector<ui::Turn>& turns = conversations[conversationId].turns;
    for (ui::Turn& kept : turns) {
      if (kept.parentId == turn.parentId && kept.id != turn.id && turn.active) kept.active = false;
    }
    for (ui::Turn& kept : turns) {
      if (kept.id == turn.id) {
        kept = turn;
        return;
      }
    }
    turns.push_back(turn);
  }
  void saveDraft(const QString& conversationId, const ui::Draft& draft) override {
    if (conversationId.isEmpty()) {
      newDraft = draft;
    } else {
      conversations[conversationId].draft = draft;
    }
  }
  void openNewDraft() override { emit newDraftOpened(newDraft); }
  void rename(const QString& conversationId, const QString& title) override {
    if (conversations.contains(conversationId)) conversations[conversationId].head.title = title;
  }
  void setPinned(const QString& conversationId, bool isPinned) override {
    isPinned ? static_cast<void>(pinned.insert(conversationId)) : static_cast<void>(pinned.remove(conversationId));
  }
  void chooseVersion(const QString& conversationId, const QString& id) override {
    chosen = id;
    std::vector<ui::Turn>& turns = conversations[conversationId].turns;
    const auto at = std::find_if(turns.begin(), turns.end(), [&](const ui::Turn& turn) { return turn.id == id; });
    if (at == turns.end()) return;
    for (ui::Turn& turn : turns) {
      if (turn.parentId == at->parentId) turn.active = turn.id == id;
    }
  }
  void removeTurn(const QString& conversationId, const QString& id, bool isAlone) override {
    ui::ChatTree tree;
    tree.reset(conversations[conversationId].turns);
    isAlone ? tree.removeAlone(id) : tree.remove(id);
    conversations[conversationId].turns = tree.turns();
  }
  void remove(const QString& conversationId) override { removed.insert(conversationId); }
  void restore(const QString& conversationId) override { removed.remove(conversationId); }
  void purge(const QString& conversationId) override {
    if (removed.remove(conversationId)) conversations.remove(conversationId);
  }

  // Answers the open()s that were held back.
  void release() {
    isHolding = false;
    for (const QString& id : std::exchange(m_held, {})) open(id);
  }

  bool isHolding = false;
  bool isHoldingLists = false;  // whoever asks for a list waits for good
  int nHeadsSaved = 0;
  QMap<QString, ui::Conversation> conversations;
  QSet<QString> removed, pinned;
  QString chosen;
  ui::Draft newDraft;

 private:
  QStringList m_held;
};

}  // namespace headroom::test
