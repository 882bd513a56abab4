#include "ui/calculator/device_list.h"

#include <QLabel>
#include <QMenu>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/calculator/device_picker.h"
#include "ui/calculator/device_row.h"
#include "ui/calculator/headroom_edit.h"
#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"
#include "ui/format/literal_text.h"
#include "ui/format/message_words.h"
#include "ui/theme/roles.h"

namespace headroom::ui {
namespace {

QString shownName(const DeviceInfo& device) { return shortDeviceName(QString::fromStdString(device.name)); }

}  // namespace

DeviceList::DeviceList(const Theme& theme, CalculatorState& calculator, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_calculator(calculator), m_column(new QVBoxLayout(this)) {
  setObjectName(QStringLiteral("deviceList"));
  m_column->setContentsMargins(0, 0, 0, 0);
  m_column->setSpacing(kGrid);
  makeHostRow();
  makeRefused();
  paintIcons();
  connect(&m_calculator, &CalculatorState::devicesChanged, this, &DeviceList::refresh);
  connect(&m_calculator, &CalculatorState::optionsChanged, this, &DeviceList::refresh);
  connect(&m_calculator, &CalculatorState::planned, this, &DeviceList::refresh);
  connect(&m_calculator, &CalculatorState::devicePlanPreviewFound, this, &DeviceList::showPlanPreview);
  connect(&m_theme, &Theme::changed, this, &DeviceList::paintIcons);
  refresh();
}

void DeviceList::makeHostRow() {
  m_host = new DeviceRow(this);
  m_host->setObjectName(QStringLiteral("hostRow"));
  m_add = m_host->addButton("addDevice");
  m_add->setAccessibleName(tr("Add a device"));
  m_add->setToolTip(tr("Plan with one more GPU: one of this machine, or one that you think of buying"));
  m_add->setPopupMode(QToolButton::InstantPopup);
  m_addMenu = new QMenu(m_add);
  m_add->setMenu(m_addMenu);
  connect(m_addMenu, &QMenu::aboutToShow, this, [this] {
    refreshAddMenu();
    m_calculator.findDevicePlanPreview(m_calculator.devices().rows().size());
  });
  connectRow(m_host);
  m_column->addWidget(m_host);
}

// Who sees no GPU asks why; beside one, only who looks for more does.
void DeviceList::makeRefused() {
  QString sentences;
  for (const Message& refused : m_calculator.refusedDevices())
    sentences += (sentences.isEmpty() ? QString() : QStringLiteral("\n")) + wordsOf(refused) + QLatin1Char('.');
  const auto addNote = [this](const char* name, const QString& text) {
    auto* note = new QLabel(text, this);
    note->setObjectName(QLatin1String(name));
    setRole(note, "muted");
    note->setWordWrap(true);
    note->setTextFormat(Qt::PlainText);
    note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_column->addWidget(note);
    return note;
  };
  m_failed = addNote("failedCards", {});
  m_refused = addNote("refusedDevices", sentences);
  m_refused->setAccessibleName(tr("Not used in this machine: %1").arg(sentences));
  if (!sentences.isEmpty()) m_add->setToolTip(m_add->toolTip() + QStringLiteral("\n\n") + sentences);
}

void DeviceList::refreshRefused() {
  const std::vector<DeviceInfo>& present = m_calculator.devices().present();
  const bool hasGpu = std::any_of(present.begin(), present.end(), [](const DeviceInfo& device) {
    return device.kind != DeviceKind::kCpu && !device.is_software;
  });
  m_refused->setVisible(!hasGpu && !m_refused->text().isEmpty());
  m_failed->setText(failedCards());
  m_failed->setVisible(!m_failed->text().isEmpty());
}

// Told once in the window, and here as long as it is so. A card that was chosen all the same says so in its row.
QString DeviceList::failedCards() const {
  QStringList sentences;
  for (const DeviceInfo& device : m_calculator.devices().present()) {
    const auto isDevice = [&](const ChosenDevice& row) { return row.id == QString::fromStdString(device.id); };
    if (device.proof != Proof::kFailed || std::ranges::any_of(m_calculator.devices().rows(), isDevice)) continue;
    sentences << failedCheckSentence(device);
  }
  return sentences.join(QLatin1Char('\n'));
}

std::size_t DeviceList::indexOf(const DeviceRow* row) const {
  std::size_t index = 0;
  while (index < m_gpus.size() && m_gpus[index].row != row) ++index;
  return index;
}

void DeviceList::connectRow(DeviceRow* row) {
  connect(row->picker(), &DevicePicker::deviceChosen, this, [this, row](const QString& id) {
    const std::size_t at = indexOf(row);
    m_calculator.useDevice(at, id);
    // A GPU that was chosen in the host's row has got a row of its own there.
    if (indexOf(row) != at) focusRow(at);
  });
  connect(row->picker(), &DevicePicker::listWanted, this,
          [this, row] { m_calculator.findDevicePlanPreview(indexOf(row)); });
  connect(row->headroom(), &HeadroomEdit::ruleChosen, this,
          [this, row](const HeadroomRule& rule) { m_calculator.setHeadroom(indexOf(row), rule); });
}

DeviceList::GpuRow DeviceList::makeGpuRow(std::size_t index) {
  GpuRow made;
  made.row = new DeviceRow(this);
  made.up = made.row->addButton("moveDeviceUp");
  made.remove = made.row->addButton("removeDevice");
  connectRow(made.row);
  connect(made.up, &QToolButton::clicked, this, [this, row = made.row] {
    const std::size_t at = indexOf(row);
    m_calculator.moveDeviceUp(at);
    focusRow(at - 1);
  });
  connect(made.remove, &QToolButton::clicked, this, [this, row = made.row] {
    const std::size_t at = indexOf(row);
    m_calculator.removeDevice(at);
    focusRow(at);
  });
  made.row->setObjectName(QStringLiteral("device%1").arg(index));
  m_column->insertWidget(static_cast<int>(index), made.row);
  made.row->show();  // else it waits for a pass of the event loop, and cannot take the keyboard before
  return made;
}

void DeviceList::focusRow(std::size_t index) {
  DeviceRow* row = index < m_gpus.size() ? m_gpus[index].row : m_host;
  const bool canMoveOn = index > 0 && index < m_gpus.size() && m_gpus[index].up->isVisible();
  if (canMoveOn) {
    m_gpus[index].up->setFocus(Qt::OtherFocusReason);
  } else {
    row->picker()->setFocus(Qt::OtherFocusReason);
  }
}

void DeviceList::refresh() {
  const DeviceChoices& choices = m_calculator.devices();
  while (m_gpus.size() > choices.gpuCount()) {
    // One of its buttons may be the sender of what led here.
    m_gpus.back().row->hide();
    m_gpus.back().row->deleteLater();
    m_gpus.pop_back();
  }
  const bool isLonger = m_gpus.size() < choices.gpuCount();
  while (m_gpus.size() < choices.gpuCount()) m_gpus.push_back(makeGpuRow(m_gpus.size()));
  for (std::size_t i = 0; i < m_gpus.size(); ++i) m_gpus[i].row->showRow(choices, i);
  m_host->showRow(choices, m_gpus.size());
  // Without a GPU the host's own list has them all.
  m_add->setVisible(!m_gpus.empty());
  refreshRefused();
  refreshLabels();
  if (!isLonger) return;
  paintIcons();
  orderTabs();
}

void DeviceList::refreshLabels() {
  const bool several = m_gpus.size() > 1;
  for (std::size_t i = 0; i < m_gpus.size(); ++i) {
    const auto& [row, up, remove] = m_gpus[i];
    const QString name = row->picker()->currentText();
    row->label()->setText(i == 0 ? (several ? tr("&Device 1") : tr("&Device")) : tr("Device %1").arg(i + 1));
    row->picker()->setAccessibleName(several ? tr("Device %1").arg(i + 1) : tr("Device"));
    up->setVisible(i > 0);
    up->setToolTip(tr("Give layers to %1 before the one above").arg(name));
    up->setAccessibleName(up->toolTip());
    remove->setToolTip(tr("Plan without %1").arg(name));
    remove->setAccessibleName(remove->toolTip());
  }
  m_host->label()->setText(m_gpus.empty() ? tr("&Device") : tr("Host"));
  m_host->label()->setToolTip(m_gpus.empty() ? QString() : tr("Has what is on no device above"));
  m_host->picker()->setAccessibleName(m_gpus.empty() ? tr("Device") : tr("Host"));
}

// For a dock that floats, where Qt goes through the widgets in the order in which they were made; in the window
// tab_order.h does. In a pass of the event loop of its own: new widgets are not in the chain of their window before.
void DeviceList::orderTabs() {
  QTimer::singleShot(0, this, [this] {
    QWidget* before = nullptr;
    const auto next = [&before](DeviceRow* row) {
      for (QWidget* widget : row->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (widget->focusPolicy() == Qt::NoFocus) continue;
        if (before != nullptr) setTabOrder(before, widget);
        before = widget;
      }
    };
    for (const GpuRow& gpu : m_gpus) next(gpu.row);
    next(m_host);
  });
}

void DeviceList::refreshAddMenu() {
  m_addMenu->clear();
  qDeleteAll(m_addMenu->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
  const DeviceChoices& choices = m_calculator.devices();
  const std::size_t behind = choices.rows().size();
  const auto addTo = [&](QMenu* menu, const DeviceInfo& device) {
    QAction* action = menu->addAction(literalText(
        //: A device and its memory in a list: "RTX 4090 - 24.0 GiB"
        tr("%1 \u2013 %2").arg(shownName(device), formatBytes(device.total_bytes))));
    action->setData(QString::fromStdString(device.id));
    connect(action, &QAction::triggered, this, [this, id = QString::fromStdString(device.id)] {
      m_calculator.addDevice(id);
      focusRow(m_gpus.size() - 1);
    });
  };
  for (const DeviceInfo& device : choices.present()) {
    if (device.kind != DeviceKind::kCpu && choices.isOffered(device, behind)) addTo(m_addMenu, device);
  }
  if (!m_addMenu->isEmpty()) m_addMenu->addSeparator();
  for (const DeviceGroup& group : catalogueGroups()) {
    if (group.kind == DeviceKind::kCpu) continue;
    QMenu* menu = nullptr;
    for (const DeviceInfo& device : choices.catalogue()) {
      if (device.kind != group.kind) continue;
      if (menu == nullptr) menu = m_addMenu->addMenu(literalText(group.name));
      addTo(menu, device);
    }
  }
}

void DeviceList::showPlanPreview(std::size_t index, const std::vector<DevicePlanPreview>& preview) {
  if (index < m_gpus.size()) return m_gpus[index].row->showPlanPreview(preview);
  if (index == m_gpus.size()) return m_host->showPlanPreview(preview);
  // What stands behind a tab is written at the right of a menu.
  for (QAction* action : m_addMenu->findChildren<QAction*>()) {
    for (const DevicePlanPreview& one : preview) {
      if (one.id != action->data().toString()) continue;
      action->setText(action->text().section(QLatin1Char('\t'), 0, 0) + QLatin1Char('\t') + previewText(one.preview));
    }
  }
}

void DeviceList::paintIcons() {
  const QColor color = m_theme.tokens().muted;
  m_add->setIcon(m_theme.icon(QStringLiteral("plus"), color));
  for (const GpuRow& gpu : m_gpus) {
    gpu.up->setIcon(m_theme.icon(QStringLiteral("arrow-up"), color));
    gpu.remove->setIcon(m_theme.icon(QStringLiteral("close"), color));
  }
}

}  // namespace headroom::ui
