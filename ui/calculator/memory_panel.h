// The Memory dock: model card, verdict, controls, and the plan in tables.
#pragma once

#include <QWidget>

#include "ui/calculator/calculator_state.h"
#include "ui/calculator/load_state.h"
#include "ui/theme/theme.h"

class QLabel;
class QTabWidget;

namespace headroom::ui {

class AdviceView;
class ArenaTableModel;
class DropArea;
class ModelCard;
class OptionsForm;
class SegmentTableModel;
class VerdictView;

class MemoryPanel : public QWidget {
  Q_OBJECT
 public:
  MemoryPanel(const Theme& theme, CalculatorState& calculator, LoadState& load, QWidget* parent = nullptr);

  void showModel(const QString& path, bool isStarter);  // of calculator.model(); null there: the invitation alone
  void setDropActive(bool active);
  void focusLoadButton();

 signals:
  void openRequested();
  void loadRequested();

 private:
  QWidget* buildTables();
  QWidget* buildLoadedPage();
  void refreshTables();
  void refreshLoaded();

  const Theme& m_theme;
  CalculatorState& m_calculator;
  LoadState& m_load;
  DropArea* m_drop;
  ModelCard* m_card;
  VerdictView* m_verdict;
  OptionsForm* m_options;
  AdviceView* m_advice;
  QTabWidget* m_tables = nullptr;
  SegmentTableModel* m_segments = nullptr;
  ArenaTableModel* m_arenas = nullptr;
  QLabel* m_loadedText = nullptr;
};

}  // namespace headroom::ui
