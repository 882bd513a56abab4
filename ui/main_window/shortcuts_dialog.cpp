#include "ui/main_window/shortcuts_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/theme/clear_button.h"
#include "ui/theme/text_scale.h"
#include "ui/theme/theme.h"

namespace headroom::ui {
namespace {

constexpr QSize kShortcutsSize{620, 640};

}  // namespace

ShortcutsDialog::ShortcutsDialog(const std::vector<ShortcutGroup>& groups, QWidget* parent) : QDialog(parent) {
  setObjectName(QStringLiteral("shortcutsDialog"));
  setWindowTitle(tr("Keyboard shortcuts"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* filter = new QLineEdit(this);
  filter->setObjectName(QStringLiteral("shortcutFilter"));
  filter->setPlaceholderText(tr("Filter by what it does or by its keys"));
  filter->setAccessibleName(filter->placeholderText());
  addClearButton(filter);
  m_list = new QTreeWidget(this);
  m_list->setObjectName(QStringLiteral("shortcutList"));
  m_list->setAccessibleName(tr("Keyboard shortcuts"));
  m_list->setHeaderLabels({tr("What it does"), tr("Keys")});
  m_list->setRootIsDecorated(false);
  m_list->setItemsExpandable(false);
  m_list->setStyleSheet(QStringLiteral("QTreeView::item { padding: 3px 2px; }"));
  m_list->header()->setStretchLastSection(false);
  m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  m_list->header()->setSectionsMovable(false);
  for (const ShortcutGroup& group : groups) {
    auto* heading = new QTreeWidgetItem(m_list, {group.name});
    heading->setFirstColumnSpanned(true);
    QFont bold = m_list->font();
    bold.setBold(true);
    heading->setFont(0, bold);
    for (const Shortcut& shortcut : group.shortcuts) new QTreeWidgetItem(heading, {shortcut.text, shortcut.keys});
  }
  m_list->expandAll();
  m_list->setCurrentItem(m_list->topLevelItem(0));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);

  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
  page->setSpacing(kGrid);
  page->addWidget(filter);
  page->addWidget(m_list, 1);
  page->addWidget(buttons);
  connect(filter, &QLineEdit::textChanged, this, &ShortcutsDialog::showMatches);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  resizeToText(*this, kShortcutsSize);
}

void ShortcutsDialog::showMatches(const QString& text) {
  for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
    QTreeWidgetItem* heading = m_list->topLevelItem(i);
    bool isEmpty = true;
    for (int j = 0; j < heading->childCount(); ++j) {
      QTreeWidgetItem* item = heading->child(j);
      const bool matches =
          item->text(0).contains(text, Qt::CaseInsensitive) || item->text(1).contains(text, Qt::CaseInsensitive);
      item->setHidden(!matches);
      isEmpty = isEmpty && !matches;
    }
    heading->setHidden(isEmpty);
  }
}

}  // namespace headroom::ui
