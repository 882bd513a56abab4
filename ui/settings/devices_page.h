// Settings: what this machine computes with, and what is known of each device.
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace headroom::ui {

class ModelController;

class DevicesPage : public QWidget {
  Q_OBJECT
 public:
  explicit DevicesPage(ModelController& models, QWidget* parent = nullptr);  // which outlive it

 signals:
  void checkWanted();

 private:
  void refresh();

  ModelController& m_models;
  QVBoxLayout* m_list;
};

}  // namespace headroom::ui
