#include "ui/chat/chat_tree.h"

#include <QUuid>
#include <algorithm>
#include <utility>

namespace headroom::ui {

void ChatTree::reset(std::vector<Turn> turns) {
  m_turns.clear();
  m_index.clear();
  m_children.clear();
  m_activeBefore.clear();
  const auto n = static_cast<qsizetype>(turns.size());
  m_turns.reserve(turns.size());
  m_index.reserve(n);
  m_children.reserve(n);
  for (Turn& turn : turns) {
    // A turn without its parent would be unreachable, and a repeated id ambiguous: neither is written by us, so a store
    // that has one is left as is.
    if (m_index.contains(turn.id) || (!turn.parentId.isEmpty() && !m_index.contains(turn.parentId))) continue;
    m_children[turn.parentId].append(turn.id);
    m_index.insert(turn.id, m_turns.size());
    if (turn.state == TurnState::Writing) turn.state = TurnState::Interrupted;
    m_turns.push_back(std::move(turn));
  }
}

const Turn* ChatTree::find(const QString& id) const {
  const auto found = m_index.constFind(id);
  return found == m_index.cend() ? nullptr : &m_turns[*found];
}

Turn* ChatTree::find(const QString& id) { return const_cast<Turn*>(std::as_const(*this).find(id)); }

QString ChatTree::nextOf(const QString& parentId) const {
  const auto found = m_children.constFind(parentId);
  if (found == m_children.cend() || found->isEmpty()) return {};
  const QStringList& versions = *found;
  if (versions.size() == 1) return versions.first();
  const auto active =
      std::find_if(versions.rbegin(), versions.rend(), [this](const QString& id) { return find(id)->active; });
  return active == versions.rend() ? versions.last() : *active;
}

QStringList ChatTree::path() const {
  QStringList path;
  for (QString next = nextOf({}); !next.isEmpty(); next = nextOf(next)) path.append(next);
  return path;
}

QString ChatTree::lastId() const {
  QString last;
  for (QString next = nextOf({}); !next.isEmpty(); next = nextOf(next)) last = next;
  return last;
}

QString ChatTree::append(const QString& parentId, Role role, const QString& text, qint64 nowMs) {
  Turn turn;
  turn.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
  turn.parentId = parentId;
  turn.role = role;
  turn.text = text;
  turn.createdMs = nowMs;
  const QString id = turn.id;
  m_activeBefore = nextOf(parentId);
  m_index.insert(id, m_turns.size());
  m_children[parentId].append(id);
  m_turns.push_back(std::move(turn));
  choose(id);
  return id;
}

void ChatTree::removeLast() {
  const Turn last = m_turns.back();
  m_turns.pop_back();
  m_index.remove(last.id);
  QStringList& siblings = m_children[last.parentId];
  siblings.removeLast();
  if (last.active && !siblings.isEmpty()) choose(siblings.contains(m_activeBefore) ? m_activeBefore : siblings.last());
}

QStringList ChatTree::below(const QString& id) const {
  QStringList all = childrenOf(id);
  for (qsizetype i = 0; i < all.size(); ++i) all += childrenOf(all[i]);
  return all;
}

bool ChatTree::canRemoveAlone(const QString& id) const {
  const Turn* turn = find(id);
  return turn != nullptr && turn->role == Role::Assistant && versions(id).size() == 1 && !childrenOf(id).isEmpty() &&
         !turn->parentId.isEmpty() && !turn->cutBefore;
}

void ChatTree::remove(QString id) {
  if (find(id) == nullptr) return;
  const bool wasActive = find(id)->active;
  QStringList others = versions(id);
  others.removeAll(id);
  const QStringList gone = below(id) << id;
  std::vector<Turn> kept = std::move(m_turns);
  std::erase_if(kept, [&gone](const Turn& turn) { return gone.contains(turn.id); });
  reset(std::move(kept));
  if (wasActive && !others.isEmpty()) choose(others.last());
}

void ChatTree::removeAlone(QString id) {
  if (!canRemoveAlone(id)) return;
  const QString parentId = find(id)->parentId;
  std::vector<Turn> kept = std::move(m_turns);
  std::erase_if(kept, [&id](const Turn& turn) { return turn.id == id; });
  for (Turn& turn : kept) {
    if (turn.parentId == id) turn.parentId = parentId;
  }
  reset(std::move(kept));
}

QStringList ChatTree::versions(const QString& id) const {
  const Turn* turn = find(id);
  return turn ? childrenOf(turn->parentId) : QStringList();
}

void ChatTree::choose(const QString& id) {
  for (const QString& version : versions(id)) find(version)->active = version == id;
}

}  // namespace headroom::ui
