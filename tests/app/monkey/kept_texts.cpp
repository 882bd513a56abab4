#include "tests/app/monkey/kept_texts.h"

#include <utility>

namespace headroom::test {
namespace {

// The model's texts come in parts; what it has not begun is nothing that could be lost.
bool isWorthKeeping(const ui::Turn& turn) { return turn.role == ui::Role::User || !turn.text.isEmpty(); }

bool isSameDraft(const ui::Draft& a, const ui::Draft& b) {
  return a.message.text == b.message.text && a.aside.text == b.aside.text && a.editedTurn == b.editedTurn;
}

QString inWords(const ui::Draft& draft) {
  return QStringLiteral("\"%1\" (aside \"%2\", edits \"%3\")")
      .arg(draft.message.text, draft.aside.text, draft.editedTurn);
}

}  // namespace

WatchedStore::WatchedStore(ui::ConversationPort& store) : m_store(store) {
  using Port = ui::ConversationPort;
  connect(&store, &Port::listed, this, &Port::listed);
  connect(&store, &Port::opened, this, &Port::opened);
  connect(&store, &Port::newDraftOpened, this, &Port::newDraftOpened);
  connect(&store, &Port::openFailed, this, &Port::openFailed);
  connect(&store, &Port::notKept, this, &Port::notKept);
  connect(&store, &Port::problemFound, this, &Port::problemFound);
}

void WatchedStore::saveDraft(const QString& id, const ui::Draft& draft) {
  emit draftSaved(id, draft);
  m_store.saveDraft(id, draft);
}

void WatchedStore::removeTurn(const QString& id, const QString& turnId, bool isAlone) {
  emit turnRemoved(turnId, isAlone);
  m_store.removeTurn(id, turnId, isAlone);
}

void WatchedStore::remove(const QString& id) {
  emit conversationRemoved(id);
  m_store.remove(id);
}

void WatchedStore::restore(const QString& id) {
  emit conversationRestored(id);
  m_store.restore(id);
}

QString KeptTexts::see(const ui::ChatSessions& sessions) {
  for (const ui::ChatSession* session : sessions.sessions()) {
    const QString id = session->head().id;
    if (m_removed.contains(id)) continue;
    for (auto seen = m_turns.cbegin(); seen != m_turns.cend(); ++seen) {
      if (seen->conversation == id && session->tree().find(seen.key()) == nullptr)
        return QStringLiteral("a message went without being deleted: \"%1\"").arg(seen->text);
    }
    for (const ui::Turn& turn : session->tree().turns()) {
      m_parents.insert(turn.id, turn.parentId);
      if (!isWorthKeeping(turn)) continue;
      if (const auto seen = m_turns.constFind(turn.id);
          seen != m_turns.cend() && !turn.text.startsWith(seen->text))  // texts only grow; an edit is another turn
        return QStringLiteral("a message changed: \"%1\" was \"%2\"").arg(turn.text, seen->text);
      m_turns.insert(turn.id, {id, turn.text});
    }
    if (session->isStored() && id == m_newId) {  // its draft went with its first message
      m_newId.clear();
      m_drafts.remove(QString());
    }
    if (!session->isStored()) m_newId = id;
    m_drafts.insert(session->isStored() ? id : QString(), session->draft().draft());
  }
  return {};
}

void KeptTexts::takeLonger(const QString& id, const ui::Draft& draft) {
  if (draft.message.text.startsWith(m_drafts.value(id).message.text)) m_drafts.insert(id, draft);
}

void KeptTexts::forgetTurn(const QString& turnId, bool isAlone) {
  QStringList gone{turnId};
  for (qsizetype i = 0; !isAlone && i < gone.size(); ++i) gone += m_parents.keys(gone[i]);
  const QString parent = m_parents.take(turnId);
  for (QString& above : m_parents) {
    if (above == turnId) above = parent;  // what stays stands below what was above it
  }
  for (const QString& each : gone) m_turns.remove(each);
}

QString KeptTexts::check(const QMap<QString, ui::Conversation>& stored, const ui::Draft& newDraft) const {
  QHash<QString, QString> texts;
  for (const ui::Conversation& conversation : stored) {
    for (const ui::Turn& turn : conversation.turns) texts.insert(turn.id, turn.text);
  }
  for (auto seen = m_turns.cbegin(); seen != m_turns.cend(); ++seen) {
    if (m_removed.contains(seen->conversation)) continue;
    if (!texts.contains(seen.key())) return QStringLiteral("a message is not in the store: \"%1\"").arg(seen->text);
    if (!texts[seen.key()].startsWith(seen->text))  // what came behind the last look is there too
      return QStringLiteral("the store has \"%1\" of \"%2\"").arg(texts[seen.key()], seen->text);
  }
  for (auto draft = m_drafts.cbegin(); draft != m_drafts.cend(); ++draft) {
    if (m_removed.contains(draft.key())) continue;
    const ui::Draft kept = draft.key().isEmpty() ? newDraft : stored.value(draft.key()).draft;
    if (!isSameDraft(kept, *draft))
      return QStringLiteral("the draft %1 is kept as %2").arg(inWords(*draft), inWords(kept));
  }
  return {};
}

}  // namespace headroom::test
