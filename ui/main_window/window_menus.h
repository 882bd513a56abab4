// The menu bar: actions with their shortcuts, and what was chosen as signals.
#pragma once

#include <QActionGroup>
#include <QMainWindow>
#include <QObject>

#include "ui/theme/appearance.h"

class QAction;
class QMenu;

namespace headroom::ui {

class WindowMenus : public QObject {
  Q_OBJECT
 public:
  WindowMenus(QMainWindow& window, const QList<QAction*>& panes);

  void setRecentFiles(const QStringList& files);
  void setModelOpen(bool open);
  void setAppearance(const AppearanceSettings& appearance);
  void setStarterAvailable(bool available);
  void setVerifyAvailable(bool available);

 signals:
  void openChosen();
  void recentChosen(const QString& path);
  void recentCleared();
  void closeChosen();
  void settingsChosen();
  void starterChosen();
  void themeChosen(headroom::ui::ThemeChoice choice);
  void textSizeChosen(int percent);
  void writeChosen();
  void docksResetChosen();
  void gpuCheckChosen();
  void helpOpening();  // what can be chosen there may have changed
  void verifyChosen();
  void reportChosen();
  void shortcutsChosen();
  void aboutChosen();
  void aboutStarterChosen();

 private:
  void buildFile(QMainWindow& window);
  void buildView(QMainWindow& window, const QList<QAction*>& panes);
  void buildTextSize(QMenu& menu);
  void buildHelp(QMainWindow& window);

  QMenu* m_recent = nullptr;
  QAction* m_close = nullptr;
  QAction* m_starter = nullptr;
  QAction* m_verify = nullptr;
  QActionGroup* m_themes = nullptr;
  QAction *m_larger = nullptr, *m_smaller = nullptr, *m_usual = nullptr;
  int m_textPercent = 100;
};

}  // namespace headroom::ui
