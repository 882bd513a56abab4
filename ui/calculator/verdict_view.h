// The verdict in a room whose height does not change with its figures, and loading: start, progress in bytes, cancel.
#pragma once

#include <QFrame>

#include "ui/calculator/calculator_state.h"
#include "ui/calculator/load_state.h"
#include "ui/theme/theme.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace headroom::ui {

class VerdictRows;

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
  void describe(const QString& sentence);
  void refreshVerdict();
  void refreshLoad();

  const Theme& m_theme;
  CalculatorState& m_calculator;
  LoadState& m_load;
  QString m_path;
  QFrame* m_banner = nullptr;
  QLabel* m_icon = nullptr;
  QLabel* m_heading = nullptr;
  QLabel* m_speed = nullptr;
  VerdictRows* m_rows = nullptr;
  QPushButton* m_loadButton = nullptr;
  QPushButton* m_cancel = nullptr;
  QProgressBar* m_progress = nullptr;
  QLabel* m_loadText = nullptr;
};

}  // namespace headroom::ui
