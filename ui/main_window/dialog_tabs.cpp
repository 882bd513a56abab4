#include "ui/main_window/dialog_tabs.h"

#include <QApplication>
#include <QDialog>
#include <QFileDialog>
#include <QKeyEvent>

#include "ui/keys/view_keys.h"
#include "ui/main_window/tab_order.h"

namespace headroom::ui {

DialogTabs::DialogTabs(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool DialogTabs::eventFilter(QObject* object, QEvent* event) {
  if (event->type() != QEvent::KeyPress || object != QApplication::focusWidget())
    return QObject::eventFilter(object, event);
  auto* dialog = qobject_cast<QDialog*>(QApplication::focusWidget()->window());
  if (dialog == nullptr || qobject_cast<QFileDialog*>(dialog) != nullptr) return QObject::eventFilter(object, event);
  const auto& press = *static_cast<QKeyEvent*>(event);
  if (isViewKey(press, ViewKey::NextControl)) return focusNextInOrder(*dialog, true);
  if (isViewKey(press, ViewKey::PreviousControl)) return focusNextInOrder(*dialog, false);
  return QObject::eventFilter(object, event);
}

}  // namespace headroom::ui
