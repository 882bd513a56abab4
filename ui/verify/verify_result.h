// The figures of a verification: devices, speeds and growth, as tables.
#pragma once

#include <QWidget>

#include "plan/verification.h"

class QGridLayout;
class QVBoxLayout;

namespace headroom::ui {

class VerifyResult : public QWidget {
  Q_OBJECT
 public:
  explicit VerifyResult(const Verification& found, QWidget* parent = nullptr);

 private:
  QGridLayout* addTable(const QString& heading, const QStringList& columns);
  void addDevices(const Verification& found);
  void addSpeeds(const Verification& found);
  void addGrowth(const Verification& found);

  QVBoxLayout* m_layout;
};

}  // namespace headroom::ui
