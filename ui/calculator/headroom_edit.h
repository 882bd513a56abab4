// What one device is to be left with: a rule, a slider and an exact field. Shows a rule and asks for another; keeps
// none.
#pragma once

#include <QObject>

#include "plan/memory_plan.h"

class QComboBox;
class QGridLayout;
class QSlider;
class QWidget;

namespace headroom::ui {

class BytesEdit;

class HeadroomEdit : public QObject {
  Q_OBJECT
 public:
  // Its three widgets are children of `parent` and stand in one row of `grid`: columns 0, 1 and 2.
  HeadroomEdit(QGridLayout& grid, int row, QWidget* parent);

  void show(const DeviceInfo& device, const HeadroomRule& rule);

  // What column 0 and column 2 of other rows beside it need to line up.
  static int labelWidth(QWidget* beside);
  static int fieldWidth(QWidget* beside);

 signals:
  void ruleChosen(const headroom::HeadroomRule& rule);

 private:
  void chooseMeaning(int meaning);
  void chooseBytes(Bytes bytes);

  DeviceInfo m_device;
  HeadroomRule m_rule;
  QComboBox* m_meaning;
  QSlider* m_slider;
  BytesEdit* m_bytes;
};

}  // namespace headroom::ui
