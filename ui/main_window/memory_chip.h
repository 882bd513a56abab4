// The button in the header that says in a few words what the model takes, and opens the Memory pane.
#pragma once

#include <QToolButton>

#include "ui/model/model_controller.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

struct ChipText {
  Tone tone = Tone::Neutral;
  QString text;     // "6.31 of 8.00 GiB, exact"; empty: no model is open
  QString details;  // a line for each device
};

// What is on its way, else of what is open: what is loaded of it, or the verdict on its plan.
ChipText chipTextOf(const CalculatorState& calculator, const LoadState& load, const QString& openPath);

class MemoryChip : public QToolButton {
  Q_OBJECT
 public:
  // All outlive it.
  MemoryChip(const Theme& theme, ModelController& models, QWidget* parent);

  void refresh();

 signals:
  void wanted(bool isWanted);  // there is something to say

 private:
  const Theme& m_theme;
  ModelController& m_models;
};

}  // namespace headroom::ui
