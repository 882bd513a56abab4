// The rows of the list of conversations: pinned ones first, then newest first, in groups by the day of their last use.
#pragma once

#include <QAbstractListModel>
#include <QDate>
#include <functional>

#include "ui/chat/conversation_mark.h"
#include "ui/chat/conversation_port.h"

namespace headroom::ui {

// "Waiting: 2 before it"
QString waitingText(int answersBefore);
QString markText(const ConversationMark& mark);

class ConversationListModel : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role {
    IdRole = Qt::UserRole,
    UpdatedRole,    // when it was used last, in milliseconds since the epoch
    WhenRole,       // the same as the row writes it: "18:05", "Yesterday", "24 Nov"
    ModelNameRole,  // who answered last; empty: not known
    MarkRole,       // a ConversationMark; invalid: none
    PinnedRole,
    OpenRole,   // the conversation that stands beside the list
    GroupRole,  // what stands above the row: "Today"; empty below the first row of a group
  };
  using Clock = std::function<qint64()>;  // milliseconds since the epoch

  explicit ConversationListModel(Clock clock, QObject* parent = nullptr);

  void setConversations(const QVector<ListedConversation>& newestFirst);
  // A new title or time of one of them, which then stands where that belongs. False: it is not in the list.
  bool setHead(const ConversationHead& head);
  void setPinned(const QString& id, bool isPinned);
  void setMarks(const ConversationMarks& marks);
  void setOpen(const QString& id);  // which one is; empty: none
  void followClock();  // to be called now and then: groups and times are those of another day after midnight

  QModelIndex indexOf(const QString& id) const;  // invalid: it is not in the list

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 signals:
  void renamed(const QString& id, const QString& title);  // by the user, in the list

 private:
  enum class Group : quint8 { Pinned, Today, Yesterday, LastDays, Older };
  struct Row {
    ListedConversation conversation;
    Group group = Group::Older;
  };
  static QString groupText(Group group);
  Group groupOf(const ListedConversation& conversation) const;
  QString titleOf(const Row& row) const;
  QString toolTipOf(const Row& row) const;
  QString spokenTextOf(const Row& row) const;
  void moveToPlace(int from);
  void tellAllChanged();

  Clock m_clock;
  QDate m_today;  // that the groups are of
  QVector<Row> m_rows;
  ConversationMarks m_marks;
  QString m_openId;
};

}  // namespace headroom::ui

Q_DECLARE_METATYPE(headroom::ui::ConversationMark)
