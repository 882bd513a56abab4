// Finds texts that have less room on the screen than they need.
#pragma once

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QStringList>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QToolButton>

#include "ui/theme/elided_label.h"

namespace headroom::test {

inline bool is_cut(const QLabel& label) {
  if (label.text().isEmpty() || qobject_cast<const ui::ElidedLabel*>(&label) != nullptr) return false;
  if (label.wordWrap()) return label.height() < label.heightForWidth(label.width());
  return label.width() < label.sizeHint().width() || label.height() < label.sizeHint().height();
}

inline bool is_cut(const QAbstractButton& button) {
  if (button.text().isEmpty()) return false;
  if (const auto* tool = qobject_cast<const QToolButton*>(&button);
      tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull())
    return false;
  if (button.hasHeightForWidth()) return button.height() < button.heightForWidth(button.width());
  // One of a fixed width, as a round mark of help has, has room for its letter alone.
  if (button.minimumWidth() == button.maximumWidth())
    return button.width() < button.fontMetrics().size(Qt::TextShowMnemonic, button.text()).width();
  return button.width() < button.sizeHint().width();
}

// Of what is chosen: the others are seen in the list, which is as wide as they are. One that holds names from outside
// cuts them by itself.
inline bool is_cut(const QComboBox& combo) {
  if (combo.sizeAdjustPolicy() == QComboBox::AdjustToMinimumContentsLengthWithIcon) return false;
  QStyleOptionComboBox option;
  option.initFrom(&combo);
  option.editable = combo.isEditable();
  const QRect field = combo.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &combo);
  return field.width() < combo.fontMetrics().horizontalAdvance(combo.currentText());
}

// Of all that is seen in `window`: "name or class: text" of each that is cut.
inline QStringList cut_texts(const QWidget& window) {
  QStringList cut;
  const auto add = [&](const QWidget& widget, const QString& text) {
    const QString name =
        widget.objectName().isEmpty() ? QString::fromLatin1(widget.metaObject()->className()) : widget.objectName();
    cut << QStringLiteral("%1 (%2 px wide, needs %3): %4")
               .arg(name)
               .arg(widget.width())
               .arg(widget.sizeHint().width())
               .arg(text);
  };
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    const auto* label = qobject_cast<const QLabel*>(widget);
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    const auto* combo = qobject_cast<const QComboBox*>(widget);
    if (label != nullptr && is_cut(*label)) add(*widget, label->text());
    if (button != nullptr && is_cut(*button)) add(*widget, button->text());
    if (combo != nullptr && is_cut(*combo)) add(*widget, combo->currentText());
  }
  return cut;
}

}  // namespace headroom::test
