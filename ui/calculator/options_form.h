// The controls of a plan. They show CalculatorState and set it; no number lives here.
#pragma once

#include <QFrame>

#include "ui/calculator/calculator_state.h"
#include "ui/calculator/context_scale.h"
#include "ui/theme/theme.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QSlider;
class QSpinBox;
class QToolButton;

namespace headroom::ui {

class OptionsForm : public QFrame {
  Q_OBJECT
 public:
  OptionsForm(const Theme& theme, CalculatorState& calculator, QWidget* parent = nullptr);

 private:
  void buildContext(QGridLayout& grid);
  void buildBatch(QGridLayout& grid);
  void buildCache(QGridLayout& grid);
  void buildSlots(QGridLayout& grid);
  void buildCheckpoints(QGridLayout& grid);
  void buildSolvers(QGridLayout& grid);
  void addWide(QGridLayout& grid, QWidget* widget);
  QWidget* addLabel(QGridLayout& grid, const QString& text, const QString& help, QWidget* field);

  void refresh();
  void showBatch();
  void showSlots();
  void showCheckpoints();
  void refreshModel();

  CalculatorState& m_calculator;
  ContextScale m_scale{1};
  QSlider* m_contextSlider = nullptr;
  QSpinBox* m_context = nullptr;
  QSpinBox* m_batch = nullptr;
  QCheckBox* m_autoBatch = nullptr;
  QLabel* m_batchTakes = nullptr;
  QSpinBox* m_slots = nullptr;
  QLabel* m_slotsTake = nullptr;
  // Hidden where the model can go back by itself.
  QWidget* m_checkpointsLabel = nullptr;
  QSpinBox* m_checkpoints = nullptr;
  QCheckBox* m_autoCheckpoints = nullptr;
  QLabel* m_checkpointsTake = nullptr;
  QComboBox* m_keyType = nullptr;
  QComboBox* m_valueType = nullptr;
  QPushButton* m_longest = nullptr;
  QPushButton* m_most = nullptr;
  QPushButton* m_lowest = nullptr;
  QToolButton* m_reset = nullptr;
};

}  // namespace headroom::ui
