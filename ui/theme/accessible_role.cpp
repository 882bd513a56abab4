#include "ui/theme/accessible_role.h"

#include <QAccessibleWidget>

namespace headroom::ui {
namespace {

constexpr const char* kProperty = "accessibleRole";

// Qt asks once for each class that the object has; where it gets none, for the role that it knows itself.
QAccessibleInterface* interfaceOf(const QString&, QObject* object) {
  auto* widget = qobject_cast<QWidget*>(object);
  if (widget == nullptr || !widget->property(kProperty).isValid()) return nullptr;
  return new QAccessibleWidget(widget, static_cast<QAccessible::Role>(widget->property(kProperty).toInt()));
}

}  // namespace

void setAccessibleRole(QWidget* widget, QAccessible::Role role) {
  [[maybe_unused]] static const bool kIsInstalled = [] {
    QAccessible::installFactory(interfaceOf);
    return true;
  }();
  widget->setProperty(kProperty, static_cast<int>(role));
}

}  // namespace headroom::ui
