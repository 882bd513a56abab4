// All settings on a few pages. What is changed holds at once: there is nothing to agree to.
#pragma once

#include <QDialog>

class QListWidget;
class QStackedWidget;

namespace headroom::ui {

class ModelController;
class SettingsModel;

class SettingsDialog : public QDialog {
  Q_OBJECT
 public:
  // Settings and models outlive it. `dataFolder`: where conversations and settings are kept.
  SettingsDialog(SettingsModel& settings, ModelController& models, const QString& dataFolder,
                 QWidget* parent = nullptr);

 signals:
  void gpuCheckWanted();
  void modelFoldersWanted();

 private:
  void addPage(const QString& name, QWidget* page);

  QListWidget* m_names;
  QStackedWidget* m_pages;
};

}  // namespace headroom::ui
