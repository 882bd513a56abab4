// Draws one model of the library: its name and how it fits; below, smaller, what is known of its file.
#pragma once

#include <QStyledItemDelegate>

#include "ui/theme/theme.h"

namespace headroom::ui {

// Paints the roles of LibraryModel.
class LibraryRowDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  explicit LibraryRowDelegate(const Theme& theme, QObject* parent = nullptr)
      : QStyledItemDelegate(parent), m_theme(theme) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  const Theme& m_theme;
};

}  // namespace headroom::ui
