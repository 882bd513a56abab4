// Axis marks at whole binary units: 0, 2 GiB, 4 GiB; never 2.147.483.648.
#pragma once

#include <qcustomplot.h>

namespace headroom::ui {

class BytesTicker : public QCPAxisTicker {
 protected:
  double getTickStep(const QCPRange& range) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar formatChar, int precision) override;
  int getSubTickCount(double tickStep) override;
};

}  // namespace headroom::ui
