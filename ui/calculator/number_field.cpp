#include "ui/calculator/number_field.h"

#include <QLineEdit>
#include <QSpinBox>

namespace headroom::ui {

QSpinBox* makeNumberField(int from, int to, QWidget* parent) {
  auto* field = new QSpinBox(parent);
  field->setRange(from, to);
  field->setGroupSeparatorShown(true);
  field->setAlignment(Qt::AlignRight);
  field->setKeyboardTracking(false);
  auto* text = field->findChild<QLineEdit*>();
  QObject::connect(field, &QSpinBox::editingFinished, text, [text] { text->setModified(false); });
  return field;
}

void showNumber(QSpinBox& field, int value) {
  if (field.hasFocus() && field.findChild<QLineEdit*>()->isModified()) return;
  field.setValue(value);
}

}  // namespace headroom::ui
