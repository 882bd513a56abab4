// The controls of a plan. They show CalculatorState and set it; no number lives here.
#pragma once

#include <QFrame>

#include "ui/calculator/calculator_state.h"
#include "ui/calculator/context_scale.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QSlider;
class QSpinBox;

namespace headroom::ui {

class BytesEdit;
class DevicePicker;

class OptionsForm : public QFrame {
  Q_OBJECT
 public:
  explicit OptionsForm(CalculatorState& calculator, QWidget* parent = nullptr);

 private:
  void buildDevice(QGridLayout& grid);
  void buildContext(QGridLayout& grid);
  void buildCounts(QGridLayout& grid);
  void buildCache(QGridLayout& grid);
  void buildLayers(QGridLayout& grid);
  void buildHeadroom(QGridLayout& grid);
  void buildSolvers(QGridLayout& grid);
  QLabel* addLabel(QGridLayout& grid, const QString& text, QWidget* buddy);

  void refresh();
  void refreshDevices();
  void refreshModel();
  void refreshHeadroom();
  void setHeadroomBytes(Bytes bytes);

  CalculatorState& m_calculator;
  ContextScale m_scale{1};
  DevicePicker* m_device = nullptr;
  QSlider* m_contextSlider = nullptr;
  QSpinBox* m_context = nullptr;
  QSpinBox* m_slots = nullptr;
  QSpinBox* m_batch = nullptr;
  QComboBox* m_keyType = nullptr;
  QComboBox* m_valueType = nullptr;
  QLabel* m_layersLabel = nullptr;
  QSlider* m_layersSlider = nullptr;
  QSpinBox* m_layers = nullptr;
  QCheckBox* m_autoLayers = nullptr;
  QComboBox* m_headroomRule = nullptr;
  QSlider* m_headroomSlider = nullptr;
  BytesEdit* m_headroom = nullptr;
  QPushButton* m_longest = nullptr;
  QPushButton* m_most = nullptr;
  QPushButton* m_lowest = nullptr;
};

}  // namespace headroom::ui
