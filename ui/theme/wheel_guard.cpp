#include "ui/theme/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QSlider>

namespace headroom::ui {

namespace {

// A field whose value the wheel changes; a scroll bar is none.
QWidget* asField(QObject* object) {
  const bool isField = qobject_cast<QAbstractSpinBox*>(object) != nullptr ||
                       qobject_cast<QComboBox*>(object) != nullptr || qobject_cast<QSlider*>(object) != nullptr;
  return isField ? static_cast<QWidget*>(object) : nullptr;
}

}  // namespace

WheelGuard::WheelGuard(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool WheelGuard::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::Polish) {
    if (QWidget* field = asField(object); field != nullptr && field->focusPolicy() == Qt::WheelFocus)
      field->setFocusPolicy(Qt::StrongFocus);
  } else if (event->type() == QEvent::Wheel) {
    const QWidget* field = asField(object);
    if (field != nullptr && !field->hasFocus()) {
      event->ignore();  // so that it goes on to the parent
      return true;
    }
  }
  return QObject::eventFilter(object, event);
}

}  // namespace headroom::ui
