// What a plan asks of each device, a row each: its name, its figures, and a bar of them.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/calculator/verdict.h"
#include "ui/theme/theme.h"

class QLabel;
class QVBoxLayout;

namespace headroom::ui {

class ElidedLabel;

// What is asked for, what is kept free, and the rest; what does not fit stands beyond the mark of what there is.
class VerdictBar : public QWidget {
  Q_OBJECT
 public:
  VerdictBar(const Theme& theme, QWidget* parent);
  void setDevice(const DeviceVerdict& device);
  QSize sizeHint() const override { return {120, 8}; }
  QSize minimumSizeHint() const override { return {60, 8}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
  DeviceVerdict m_device;
};

class VerdictRows : public QWidget {
  Q_OBJECT
 public:
  VerdictRows(const Theme& theme, QWidget* parent);
  // Rows keep their places and their height while figures change.
  void setDevices(const std::vector<DeviceVerdict>& devices);

 private:
  struct Row {
    QWidget* box;
    ElidedLabel* name;
    QLabel *figures, *left;
    VerdictBar* bar;
  };
  Row makeRow();

  const Theme& m_theme;
  QVBoxLayout* m_column;
  std::vector<Row> m_rows;
};

// "2.62 of 3.00 GiB", and below it "384 MiB kept free, 2.00 MiB to spare" or "757 MiB too much, with 1.00 GiB to keep
// free".
QString figuresText(const DeviceVerdict& device);
QString leftText(const DeviceVerdict& device);

}  // namespace headroom::ui
