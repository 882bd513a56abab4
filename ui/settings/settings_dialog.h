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

  void writeAnew();  // in the language of now: the page that is shown stays, and what has the keyboard

 signals:
  void gpuCheckWanted();
  void modelFoldersWanted();

 private:
  void build();
  void addPage(const QString& name, QWidget* page);

  SettingsModel& m_settings;
  ModelController& m_models;
  const QString m_dataFolder;
  QListWidget* m_names;
  QStackedWidget* m_pages;
};

}  // namespace headroom::ui
