// Settings: where models are looked for, and where they are fetched from.
#pragma once

#include <QWidget>

namespace headroom::ui {

class SettingsModel;

class ModelsPage : public QWidget {
  Q_OBJECT
 public:
  explicit ModelsPage(SettingsModel& settings, QWidget* parent = nullptr);  // which outlive it

 signals:
  void foldersWanted();  // the dialog of the library
};

}  // namespace headroom::ui
