// Settings: how the window looks.
#pragma once

#include <QWidget>

namespace headroom::ui {

class SettingsModel;

class AppearancePage : public QWidget {
  Q_OBJECT
 public:
  explicit AppearancePage(SettingsModel& settings, QWidget* parent = nullptr);  // which outlive it
};

}  // namespace headroom::ui
