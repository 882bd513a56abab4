// The verdict, with what makes a plan fit or faster as buttons, and loading: start, progress in bytes, cancel.
#pragma once

#include <QFrame>

#include "ui/calculator/calculator_state.h"
#include "ui/calculator/load_state.h"
#include "ui/theme/theme.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace headroom::ui {

class VerdictView : public QWidget {
  Q_OBJECT
 public:
  VerdictView(const Theme& theme, CalculatorState& calculator, LoadState& load, QWidget* parent = nullptr);

  void setModelPath(const QString& path);

 signals:
  void loadRequested();

 private:
  QFrame* buildBanner();
  QLayout* buildLoadRow();
  void refreshVerdict();
  void refreshFixes();
  QPushButton* makeFix(const Fix& fix);
  void refreshLoad();

  const Theme& m_theme;
  CalculatorState& m_calculator;
  LoadState& m_load;
  QString m_path;
  QFrame* m_banner = nullptr;
  QLabel* m_icon = nullptr;
  QLabel* m_sentence = nullptr;
  QLabel* m_detail = nullptr;
  QLabel* m_remarks = nullptr;
  QWidget* m_fixes = nullptr;
  QVBoxLayout* m_fixColumn = nullptr;
  QPushButton* m_loadButton = nullptr;
  QPushButton* m_cancel = nullptr;
  QProgressBar* m_progress = nullptr;
  QLabel* m_loadText = nullptr;
};

}  // namespace headroom::ui
