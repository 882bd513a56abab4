// One device of the plan: which, and what it is to be left with.
#pragma once

#include <QWidget>

#include "ui/calculator/device_choices.h"
#include "ui/calculator/plan_preview.h"
#include "ui/theme/theme.h"

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace headroom::ui {

class DevicePicker;
class HeadroomEdit;

class DeviceRow : public QWidget {
  Q_OBJECT
 public:
  explicit DeviceRow(QWidget* parent);

  // What stands in row `row` of the choices.
  void showRow(const DeviceChoices& choices, std::size_t row);
  void showPlanPreview(const std::vector<DevicePlanPreview>& preview);
  QLabel* label() const { return m_label; }
  DevicePicker* picker() const { return m_picker; }
  HeadroomEdit* headroom() const { return m_headroom; }
  // At the end of the first line, from left to right; `icon` is painted by who owns the theme.
  QToolButton* addButton(const char* name);

 private:
  QLabel* m_label;
  DevicePicker* m_picker;
  QHBoxLayout* m_line;
  HeadroomEdit* m_headroom;
};

}  // namespace headroom::ui
