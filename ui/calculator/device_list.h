// The devices of the plan: GPUs in the order in which layers are given to them, and the host, each with its headroom;
// and why others cannot be used.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/calculator/calculator_state.h"
#include "ui/theme/theme.h"

class QLabel;
class QMenu;
class QToolButton;
class QVBoxLayout;

namespace headroom::ui {

class DeviceRow;

class DeviceList : public QWidget {
  Q_OBJECT
 public:
  DeviceList(const Theme& theme, CalculatorState& calculator, QWidget* parent = nullptr);

 private:
  struct GpuRow {
    DeviceRow* row = nullptr;
    QToolButton* up = nullptr;
    QToolButton* remove = nullptr;
  };
  GpuRow makeGpuRow(std::size_t index);
  void makeHostRow();
  void makeRefused();
  void connectRow(DeviceRow* row);
  std::size_t indexOf(const DeviceRow* row) const;
  void refresh();
  void refreshLabels();
  void refreshAddMenu();
  void refreshRefused();
  QString failedCards() const;
  void orderTabs();
  void showPlanPreview(std::size_t index, const std::vector<DevicePlanPreview>& preview);
  void paintIcons();
  // The keyboard stays with what was done, though its button may be gone.
  void focusRow(std::size_t index);

  const Theme& m_theme;
  CalculatorState& m_calculator;
  QVBoxLayout* m_column;
  std::vector<GpuRow> m_gpus;
  DeviceRow* m_host = nullptr;
  QToolButton* m_add = nullptr;
  QMenu* m_addMenu = nullptr;
  QLabel* m_refused = nullptr;
  QLabel* m_failed = nullptr;
};

}  // namespace headroom::ui
