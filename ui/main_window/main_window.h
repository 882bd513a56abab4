// The one window: Memory and VRAM docks around the chat. It wires; the docks know.
#pragma once

#include <QMainWindow>

#include "ui/calculator/calculator_state.h"
#include "ui/calculator/load_state.h"
#include "ui/chart/chart_state.h"
#include "ui/main_window/device_watch.h"
#include "ui/main_window/model_opener.h"
#include "ui/main_window/window_services.h"
#include "ui/main_window/window_settings.h"
#include "ui/theme/plain_text_guard.h"
#include "ui/theme/wheel_guard.h"

class QDockWidget;
class QLabel;
class QVBoxLayout;

namespace headroom::ui {

class MemoryPanel;
class MessageBar;
class VramPanel;
class WindowMenus;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  MainWindow(WindowServices services, WindowSettings settings, QWidget* parent = nullptr);
  ~MainWindow() override;

  // The centre; takes ownership and replaces what was there.
  void setChatWidget(QWidget* chat);
  const WindowSettings& settings() const { return m_settings; }

 public slots:
  // Reads the header and shows card and verdict; weights are read only on `Load` (and then only when the plan fits) or
  // when the user presses Load.
  void openModel(const QString& path, headroom::ui::AfterOpen then = headroom::ui::AfterOpen::ShowPlan);
  void closeModel();  // the open one and the loaded one, and what is on its way
  // Plans the loaded model (the open one, when none is loaded) for this context and shows the Memory dock; the user
  // reads the verdict and presses Reload. Asks first where the model was trained with less.
  void planForContext(quint32 nCtx);
  void loadAgain();                           // the loaded model as it was loaded: its device was lost
  void loadWithout(const QString& deviceId);  // the loaded model, with what takes the place of a device that failed
  // Whether the loaded model is not on this device and would be if it were loaded again as it is planned now.
  bool reloadBringsTo(const QString& deviceId);
  // One whole sentence; stays until it is dismissed. `details` as MessageBar::show().
  void showMessage(headroom::ui::Tone tone, const QString& sentence, const QString& details = {});
  void showStatus(const QString& text);  // of what goes on beside the user's work; empty: nothing does any more

 signals:
  void settingsChanged(const headroom::ui::WindowSettings& settings);
  void devicesRead(const std::vector<headroom::DeviceInfo>& devices);  // others, or other figures of them
  void gpuCheckWanted();
  void openModelChanged(const QString& name, bool isLoading);  // the one whose plan is shown; empty: none

 protected:
  bool focusNextPrevChild(bool next) override;
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;  // also from the task bar
  void hideEvent(QHideEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void buildCentre();
  void buildDocks();
  void buildMenus();
  void chooseFile();
  void resetDocks();
  void connectStates();
  void showOpened(const OpenedModel& model);
  void showClosed();
  void showLoadedModel();
  void setPlannedContext(quint32 nCtx);
  void load();
  void tellOpenModel();
  void showLoad();
  void takeMeasuredHeap();
  void refreshStatus();

  PlainTextGuard m_plainText;
  WheelGuard m_wheel;
  WindowServices m_services;
  WindowSettings m_settings;
  ModelOpener m_opener;
  CalculatorState m_calculator;
  LoadState m_load;
  ChartState m_chart;
  DeviceWatch m_watch;
  QString m_path;  // of the open model
  QVBoxLayout* m_centre = nullptr;
  QWidget* m_chat = nullptr;
  MessageBar* m_messages = nullptr;
  QDockWidget* m_memoryDock = nullptr;
  QDockWidget* m_vramDock = nullptr;
  MemoryPanel* m_memory = nullptr;
  VramPanel* m_vram = nullptr;
  WindowMenus* m_menus = nullptr;
  QLabel* m_loadedLabel = nullptr;
  QLabel* m_allocationsLabel = nullptr;
};

}  // namespace headroom::ui
