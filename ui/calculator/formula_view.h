// How each number of the plan came to be: arithmetic that a reader can redo.
#pragma once

#include <QTextBrowser>

#include "ui/calculator/calculator_state.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

class FormulaView : public QTextBrowser {
  Q_OBJECT
 public:
  FormulaView(const Theme& theme, const CalculatorState& calculator, QWidget* parent = nullptr);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void refresh();

  const Theme& m_theme;
  const CalculatorState& m_calculator;
};

}  // namespace headroom::ui
