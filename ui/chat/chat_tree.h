// The turns of a conversation: which version of each is active, and the path that this makes.
#pragma once

#include <QHash>
#include <QStringList>

#include "ui/chat/conversation.h"

namespace headroom::ui {

class ChatTree {
 public:
  void reset(
      std::vector<Turn> turns);  // as the store has them; what was being written when the program ended is Interrupted

  bool isEmpty() const { return m_turns.empty(); }
  const std::vector<Turn>& turns() const { return m_turns; }
  const Turn* find(const QString& id) const;  // null when absent; valid until the next change
  Turn* find(const QString& id);

  // The active turns from the first to the newest.
  QStringList path() const;
  QString lastId() const;

  // Adds a turn below `parentId` as the active version there; gives it an id and the time `nowMs`.
  QString append(const QString& parentId, Role role, const QString& text, qint64 nowMs);

  // Takes back the append() made last: the version that was active before it is active again, unless another one was
  // chosen since.
  void removeLast();

  QStringList below(const QString& id) const;  // all that was said after it, in any version; not itself
  // Whether a turn can go and leave what was said after it: an answer, since one without its question could not be
  // written again; the only version; and something follows.
  bool canRemoveAlone(const QString& id) const;
  // An id by value: it may be the one of the turn that goes.
  void remove(QString id);       // and all below it; the newest other version is active then
  void removeAlone(QString id);  // what follows takes its place

  QStringList versions(const QString& id) const;  // with the same parent, oldest first; `id` is among them
  void choose(const QString& id);                 // makes it the active version

 private:
  QString nextOf(const QString& parentId) const;  // the active turn below; empty: there is none
  QStringList childrenOf(const QString& parentId) const { return m_children.value(parentId); }

  std::vector<Turn> m_turns;
  QString m_activeBefore;  // the version that the newest append() hid; empty: none
  QHash<QString, std::size_t> m_index;
  QHash<QString, QStringList> m_children;
};

}  // namespace headroom::ui
