// A row in the list of conversations: its title, and at its end what its answer does.
#pragma once

#include <QStyledItemDelegate>

#include "ui/chat/conversation_mark.h"
#include "ui/chat/conversation_port.h"
#include "ui/theme/theme.h"

class QListWidgetItem;

namespace headroom::ui {

inline constexpr int kConversationIdRole = Qt::UserRole;
inline constexpr int kConversationTitleRole = Qt::UserRole + 1;  // as it is kept; the row's text is edited
inline constexpr int kConversationUsedRole = Qt::UserRole + 2;   // when it was used last, in milliseconds

// "Waiting: 2 before it"
QString waitingText(int answersBefore);
QString markText(const ConversationMark& mark);

void showHead(QListWidgetItem& item, const ConversationHead& head);
// Its icon, and in words for the tool tip and for screen readers; null: none.
void showMark(QListWidgetItem& item, const ConversationMark* mark, const Theme& theme);

// Paints the mark behind the title, so that titles stand in one line with and without it.
class ConversationRowDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  // Once for each editor: a mark that changes while a title is edited leaves what was typed.
  void setEditorData(QWidget* editor, const QModelIndex& index) const override;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace headroom::ui
