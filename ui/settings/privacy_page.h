// Settings: what is kept of the user's doings, where, and how it is forgotten.
#pragma once

#include <QWidget>

namespace headroom::ui {

class SettingsModel;

class PrivacyPage : public QWidget {
  Q_OBJECT
 public:
  PrivacyPage(SettingsModel& settings, const QString& dataFolder, QWidget* parent = nullptr);  // settings outlive it
};

}  // namespace headroom::ui
