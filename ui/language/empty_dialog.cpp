#include "ui/language/empty_dialog.h"

#include <QDialog>
#include <QLayout>

namespace headroom::ui {

void emptyDialog(QDialog& dialog) {
  delete dialog.layout();
  for (QWidget* widget : dialog.findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
    if (!widget->isWindow()) delete widget;
  }
}

}  // namespace headroom::ui
