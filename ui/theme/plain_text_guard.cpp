#include "ui/theme/plain_text_guard.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>

namespace headroom::ui {

PlainTextGuard::PlainTextGuard(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool PlainTextGuard::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::Polish) {
    auto* label = qobject_cast<QLabel*>(object);
    if (label != nullptr && label->textFormat() == Qt::AutoText) label->setTextFormat(Qt::PlainText);
  }
  return QObject::eventFilter(object, event);
}

}  // namespace headroom::ui
