// The kept conversations: search, new, rename, pin, delete with undo, export.
#pragma once

#include <QDateTime>
#include <QTimer>
#include <QWidget>

#include "ui/chat/conversation_list_model.h"
#include "ui/theme/theme.h"

class QFrame;
class QLabel;
class QLineEdit;
class QListView;

namespace headroom::ui {

class ConversationList : public QWidget {
  Q_OBJECT
 public:
  ConversationList(const Theme& theme, ConversationPort& store, QWidget* parent = nullptr,
                   ConversationListModel::Clock clock = QDateTime::currentMSecsSinceEpoch);
  ~ConversationList() override;

  // The open one: marked, its title kept up to date, and moved to the top when it is used.
  void setCurrent(const ConversationHead& head);
  void setMarks(const ConversationMarks& marks);
  // The row that the keyboard is on, where its answer runs or waits; empty: none.
  QString chosenAnswer() const;
  void refresh();  // asks the store again

  struct Removal {
    QString id, title;
    bool wasOpen;
  };
  struct Kept {
    QString search;
    QVector<Removal> removals;
    Message notKept;  // why nothing is kept; no words: it is
    int scroll = 0;
  };
  // For a list that takes this one's place: what is searched, what can be undone, and what was told once.
  Kept kept() const;
  void takeOver(const Kept& kept);

 signals:
  void newChosen();
  void openChosen(const QString& id, const QString& search);  // what it was found by; empty: it was not searched for
  void importChosen();
  void renamed(const QString& id, const QString& title);
  void removed(const QString& id);
  void stopChosen(const QString& id);  // its answer, which runs or waits
  void exportChosen(const QString& id, const QString& title, bool asJson);

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  QWidget* makeTop();
  QFrame* makeUndoBar();
  void showListed(const QString& search, const QVector<ListedConversation>& conversations);
  bool hasAnswer(const QString& id) const;
  void showMenu(const QPoint& at);
  void setPinned(const QString& id, bool isPinned);
  void editTitle(const QString& id);
  void remove(const QString& id);
  bool isRemoved(const QString& id) const;  // and can be undone
  QString neighbourOf(const QModelIndex& row) const;
  void showUndo();
  void undoRemoval();
  void settleRemovals();
  void showNotKept(const Message& reason);
  QModelIndex selected() const;
  QString selectedId() const;
  QString searchText() const;

  ConversationPort& m_store;
  QLineEdit* m_search;
  ConversationListModel* m_model;
  QListView* m_list;
  QFrame* m_undoBar;
  QLabel* m_undoLabel;
  QLabel* m_empty;  // in the place of the list when that has no row
  QTimer m_undoTimer, m_searchTimer, m_dayTimer{this};
  QLabel* m_notKept;  // seen when this run keeps nothing
  Message m_whyNotKept;
  int m_keptScroll = 0;         // of the list before, until what it had is listed
  QVector<Removal> m_removals;  // that can be undone, newest last
  ConversationMarks m_marks;
  QString m_currentId;
};

}  // namespace headroom::ui
