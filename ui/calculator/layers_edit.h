// How many layers stand on the GPUs and how many of their FFNs on the CPU, how fast that is, and where each layer is.
#pragma once

#include <QWidget>

#include "ui/calculator/calculator_state.h"
#include "ui/theme/theme.h"

class QLabel;

namespace headroom::ui {

class LayerCountEdit;
class LayerStrip;

class LayersEdit : public QWidget {
  Q_OBJECT
 public:
  LayersEdit(const Theme& theme, CalculatorState& calculator, QWidget* parent = nullptr);

 private:
  void refresh();
  void refreshMeanings();

  CalculatorState& m_calculator;
  LayerCountEdit* m_layers;
  LayerCountEdit* m_ffn;
  LayerStrip* m_strip;
  QLabel* m_speed;
};

}  // namespace headroom::ui
