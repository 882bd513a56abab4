// What makes a plan fit or faster, as buttons, and what else is to be said of it. It stands below the controls, so that
// these do not jump while a plan changes.
#pragma once

#include <QWidget>

#include "ui/calculator/calculator_state.h"
#include "ui/theme/theme.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace headroom::ui {

class AdviceView : public QWidget {
  Q_OBJECT
 public:
  AdviceView(const Theme& theme, CalculatorState& calculator, QWidget* parent = nullptr);  // both outlive it

 private:
  void refreshFixes();
  void refreshRemarks();
  void refreshDetail();
  QPushButton* makeFix(const Fix& fix);

  const Theme& m_theme;
  CalculatorState& m_calculator;
  QLabel* m_heading;
  QWidget* m_fixes;
  QVBoxLayout* m_fixColumn;
  QLabel* m_remarks;
  QLabel* m_detail;
};

}  // namespace headroom::ui
