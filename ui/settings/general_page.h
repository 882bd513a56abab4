// Settings: how the program behaves.
#pragma once

#include <QWidget>

namespace headroom::ui {

class SettingsModel;

class GeneralPage : public QWidget {
  Q_OBJECT
 public:
  explicit GeneralPage(SettingsModel& settings, QWidget* parent = nullptr);  // which outlive it
};

}  // namespace headroom::ui
