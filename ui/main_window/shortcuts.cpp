#include "ui/main_window/shortcuts.h"

#include <QAction>
#include <QCoreApplication>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <algorithm>

#include "ui/keys/view_keys.h"

namespace headroom::ui {
namespace {

struct ShortcutsWords {
  Q_DECLARE_TR_FUNCTIONS(Shortcuts)
};

QString joined(const QList<QKeySequence>& keys) {
  QStringList names;
  for (const QKeySequence& each : keys) names.append(each.toString(QKeySequence::NativeText));
  names.removeDuplicates();  // some have two names
  //: Between keys that do the same
  return names.join(ShortcutsWords::tr(" or "));
}

// Without the mark of a mnemonic and the dots of a dialog.
QString plainText(const QString& text) {
  QString plain = text;
  plain.replace(QStringLiteral("&&"), QStringLiteral("\x01"));
  plain.remove(QLatin1Char('&')).remove(QChar(0x2026));
  return plain.replace(QLatin1Char('\x01'), QLatin1Char('&')).trimmed();  // a blank may stand before the ellipsis
}

// Of a menu in a menu, each with the name of that menu before it.
void addActions(ShortcutGroup& group, const QMenu& menu, const QString& before) {
  for (const QAction* action : menu.actions()) {
    if (action->menu() != nullptr) {
      addActions(group, *action->menu(), plainText(action->text()) + QStringLiteral(": "));
    } else if (!action->shortcuts().isEmpty()) {
      group.shortcuts.push_back({before + plainText(action->text()), joined(action->shortcuts())});
    }
  }
}

}  // namespace

std::vector<ShortcutGroup> shortcutsOf(const QMainWindow& window) {
  std::vector<ShortcutGroup> groups;
  for (const QAction* action : window.menuBar()->actions()) {
    ShortcutGroup group{plainText(action->text()), {}};
    addActions(group, *action->menu(), {});
    if (!group.shortcuts.empty()) groups.push_back(std::move(group));
  }
  for (const ViewKeyRow& row : viewKeyRows()) {
    if (groups.back().name != row.place) groups.push_back({row.place, {}});
    groups.back().shortcuts.push_back({row.text, joined(row.keys)});
  }
  return groups;
}

}  // namespace headroom::ui
