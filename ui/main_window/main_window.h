// The one window: Memory and VRAM docks around the chat, which has the room. It lays out; the models know.
#pragma once

#include <QMainWindow>
#include <functional>

#include "ui/chart/chart_state.h"
#include "ui/format/sentence.h"
#include "ui/main_window/dialog_tabs.h"
#include "ui/model/model_controller.h"
#include "ui/theme/plain_text_guard.h"
#include "ui/theme/wheel_guard.h"

class QDockWidget;
class QLabel;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace headroom::ui {

class LibraryPage;
class MemoryPanel;
class MessageBar;
class PaneLayout;
class Theme;
class VramPanel;
class WindowMenus;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  MainWindow(ModelController& models, SettingsModel& settings, Theme& theme,
             QWidget* parent = nullptr);  // all of them outlive it
  ~MainWindow() override;

  // The centre; takes ownership and replaces what was there.
  void setChatWidget(QWidget* chat);
  // What can be shown in the place of the chat; takes ownership. Until then nothing leads there.
  void setLibraryPage(LibraryPage* page);

  // Builds all that is in the window anew, in the language of now. The window itself stays, with its place, its size,
  // its panes as they stood, its messages and what is being loaded. The chat and the library are gone: whoever set them
  // sets others, which are shown as the ones before.
  void writeAnew();

  // Whether the loaded plan can be verified now.
  void setVerifyAvailable(bool available);
  // Writes the chart as it is now, "svg" or "csv"; to be called on any thread.
  std::function<QByteArray()> chartBytes(const QString& ending);

 public slots:
  // Plans the loaded model (the open one, when none is loaded) for this context and shows the Memory dock; the user
  // reads the verdict and presses Reload. Asks first where the model was trained with less.
  void planForContext(quint32 nCtx);
  // One whole sentence; stays until it is dismissed. `details` as in BarMessage.
  void showMessage(headroom::ui::Tone tone, const headroom::ui::Sentence& sentence,
                   const headroom::ui::Sentence& details = {});
  // Writes the chart as it is now, by the ending of `path` .png, .svg, .csv or .json; another thread does so, and
  // chartExported() or a message follows.
  void exportChart(const QString& path);
  void showLibrary(bool isShown);        // in the place of the chat
  void showStatus(const QString& text);  // of what goes on beside the user's work; empty: nothing does any more

 signals:
  void chartExported(const QString& path);
  void gpuCheckWanted();
  void settingsWanted();  // the dialog
  void helpOpening();     // the menu
  void verifyWanted();
  void reportWanted();

 protected:
  bool focusNextPrevChild(bool next) override;
  void keyPressEvent(QKeyEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;  // also from the task bar
  void hideEvent(QHideEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  QMenu* createPopupMenu() override;

 private:
  void build();
  void tearDown();
  void buildHeader();
  void placeInCentre(bool isLibrary);
  void buildCentre();
  void buildDocks();
  void buildMenus();
  void connectModels();
  void chooseFile();
  void showOpened();
  void showClosed();
  void setPlannedContext(quint32 nCtx);
  void showPlan();
  void showLoad();
  void makeRoomInStatus(const QString& text);
  void nameMemory();
  void refreshStatus();

  PlainTextGuard m_plainText;
  WheelGuard m_wheel;
  DialogTabs m_dialogTabs;
  ModelController& m_models;
  SettingsModel& m_settings;
  Theme& m_theme;
  ChartState m_chart;
  QVBoxLayout* m_centre = nullptr;
  QStackedWidget* m_places = nullptr;  // the chat and the library, one of which is shown
  QWidget* m_chat = nullptr;
  LibraryPage* m_library = nullptr;  // null: there is none
  QAction* m_libraryAction = nullptr;
  bool m_wasInLibrary = false;  // before all was built anew: the next library page is shown
  MessageBar* m_messages = nullptr;
  QDockWidget* m_memoryDock = nullptr;
  QDockWidget* m_vramDock = nullptr;
  PaneLayout* m_panes = nullptr;
  MemoryPanel* m_memory = nullptr;
  VramPanel* m_vram = nullptr;
  WindowMenus* m_menus = nullptr;
  QToolBar* m_header = nullptr;
  QToolButton* m_vramButton = nullptr;
  QLabel* m_loadedLabel = nullptr;   // in the status bar, as the next
  QWidget* m_allocations = nullptr;  // the room of the label below
  QLabel* m_allocationsLabel = nullptr;
};

}  // namespace headroom::ui
