// The kept conversations: search, new, rename, delete with undo, export.
#pragma once

#include <QTimer>
#include <QWidget>

#include "ui/chat/conversation_mark.h"
#include "ui/chat/conversation_port.h"
#include "ui/theme/theme.h"

class QFrame;
class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;

namespace headroom::ui {

class ConversationList : public QWidget {
  Q_OBJECT
 public:
  ConversationList(const Theme& theme, ConversationPort& store, QWidget* parent = nullptr);
  ~ConversationList() override;

  // The open one: marked, its title kept up to date, and moved to the top when it is used.
  void setCurrent(const ConversationHead& head);
  void setMarks(const ConversationMarks& marks);
  // The row that the keyboard is on, where its answer runs or waits; empty: none.
  QString chosenAnswer() const;
  void refresh();  // asks the store again

 signals:
  void newChosen();
  void openChosen(const QString& id, const QString& search);  // what it was found by; empty: it was not searched for
  void renamed(const QString& id, const QString& title);
  void removed(const QString& id);
  void stopChosen(const QString& id);  // its answer, which runs or waits
  void exportChosen(const QString& id, const QString& title, bool asJson);

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  QWidget* makeTop();
  QFrame* makeUndoBar();
  void show(const QString& search, const QVector<ConversationHead>& heads);
  void showMarkOf(QListWidgetItem& item);
  bool hasAnswer(const QListWidgetItem& item) const;
  void moveToTop(QListWidgetItem& item);
  void showMenu(const QPoint& at);
  void finishRename(QListWidgetItem* item);
  void removeSelected();
  void showUndo();
  void undoRemoval();
  void settleRemovals();
  void showNotKept(const QString& reason);
  QListWidgetItem* selected() const;
  QString searchText() const;

  const Theme& m_theme;
  ConversationPort& m_store;
  QLineEdit* m_search;
  QListWidget* m_list;
  QFrame* m_undoBar;
  QLabel* m_undoLabel;
  QLabel* m_empty;  // in the place of the list when that has no row
  QTimer m_undoTimer, m_searchTimer;
  QLabel* m_notKept;  // seen when this run keeps nothing
  struct Removal {
    QString id, title;
    bool wasOpen;
  };
  QVector<Removal> m_removals;  // that can be undone, newest last
  ConversationMarks m_marks;
  QString m_currentId;
  qint64 m_currentUpdatedMs = 0;
  bool m_isFilling = false;
};

}  // namespace headroom::ui
