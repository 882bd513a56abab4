#include "ui/calculator/device_row.h"

#include <QGridLayout>
#include <QLabel>
#include <QToolButton>
#include <algorithm>
#include <iterator>

#include "ui/calculator/device_picker.h"
#include "ui/calculator/headroom_edit.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

DeviceRow::DeviceRow(QWidget* parent)
    : QWidget(parent), m_label(new QLabel(this)), m_picker(new DevicePicker(this)), m_line(new QHBoxLayout) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(kGrid);
  grid->setVerticalSpacing(kGrid / 2);
  grid->setColumnStretch(1, 1);
  grid->setColumnMinimumWidth(0, HeadroomEdit::labelWidth(this));
  grid->setColumnMinimumWidth(2, HeadroomEdit::fieldWidth(this));
  m_label->setObjectName(QStringLiteral("deviceLabel"));
  m_label->setBuddy(m_picker);
  m_line->setSpacing(2);
  m_line->addWidget(m_picker, 1);
  grid->addWidget(m_label, 0, 0);
  grid->addLayout(m_line, 0, 1, 1, 2);
  m_headroom = new HeadroomEdit(*grid, 1, this);
}

QToolButton* DeviceRow::addButton(const char* name) {
  auto* button = new QToolButton(this);
  button->setObjectName(QLatin1String(name));
  button->setFocusPolicy(Qt::StrongFocus);
  button->setIconSize(QSize(16, 16));
  setRole(button, "quiet");
  m_line->addWidget(button);
  return button;
}

void DeviceRow::showRow(const DeviceChoices& choices, std::size_t row) {
  const auto device = choices.deviceOf(row);
  if (!device) return;
  const QString id = QString::fromStdString(device->id);
  const auto offered = [&](const std::vector<DeviceInfo>& all) {
    std::vector<DeviceInfo> some;
    for (const DeviceInfo& listed : all) {
      if (!choices.isOffered(listed, row)) continue;
      // In the place of the card whose copy stands here.
      const bool isCopied = id.startsWith(QString::fromStdString(listed.id) + QStringLiteral(" #"));
      some.push_back(isCopied ? *device : listed);
    }
    return some;
  };
  m_picker->setDevices(offered(choices.present()), offered(choices.catalogue()));
  m_picker->setCurrentDevice(id);
  m_headroom->show(*device, choices.rows()[row].headroom);
}

void DeviceRow::showPlanPreview(const std::vector<DevicePlanPreview>& preview) { m_picker->setPlanPreview(preview); }

}  // namespace headroom::ui
