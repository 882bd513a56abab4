// A row in the list of conversations: its title, bold where it is the open one, below it when it was used and which
// model answered, and at its end what its answer does and whether it is pinned.
#pragma once

#include <QStyledItemDelegate>

#include "ui/theme/theme.h"

namespace headroom::ui {

// Paints the roles of ConversationListModel. What heads a group stands in the item of the group's first row, above what
// is selected there.
class ConversationRowDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  explicit ConversationRowDelegate(const Theme& theme, QObject* parent = nullptr)
      : QStyledItemDelegate(parent), m_theme(theme) {}

  // How high the heading in the item is; 0: it has none.
  static int headingHeight(const QStyleOptionViewItem& option, const QModelIndex& index);

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const override;
  // Once for each editor: a mark that changes while a title is edited leaves what was typed.
  void setEditorData(QWidget* editor, const QModelIndex& index) const override;

 private:
  const Theme& m_theme;
};

}  // namespace headroom::ui
