// One download in the list: how far it is, how it goes, and what can be done about it.
#pragma once

#include <QFrame>

#include "ui/library/download.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace headroom::ui {

class ElidedLabel;

// "3.10 of 5.00 GiB · 42.0 MiB/s · 45 s left"
QString progressText(const Download& download);

class DownloadRow : public QFrame {
  Q_OBJECT
 public:
  explicit DownloadRow(QWidget* parent = nullptr);

  void show(const Download& download);

 signals:
  void pauseWanted();
  void resumeWanted();
  void removeWanted();
  void loadWanted();

 private:
  ElidedLabel* m_name;
  QProgressBar* m_bar;
  QLabel *m_figures, *m_state;
  QPushButton *m_pause, *m_resume, *m_remove, *m_load;
};

}  // namespace headroom::ui
