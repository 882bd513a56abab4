#include "ui/theme/clear_button.h"

#include <QCoreApplication>
#include <QLineEdit>
#include <QToolButton>

namespace headroom::ui {

void addClearButton(QLineEdit* field) {
  field->setClearButtonEnabled(true);
  const QString name = QCoreApplication::translate("ClearButton", "Clear this field");
  for (auto* button : field->findChildren<QToolButton*>()) button->setAccessibleName(name);
}

}  // namespace headroom::ui
