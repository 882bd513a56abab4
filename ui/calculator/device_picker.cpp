#include "ui/calculator/device_picker.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFocusEvent>
#include <QLineEdit>
#include <QStandardItemModel>
#include <QTimer>

#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

constexpr int kIdRole = Qt::UserRole;

}  // namespace

DevicePicker::DevicePicker(QWidget* parent) : QComboBox(parent) {
  setObjectName(QStringLiteral("devicePicker"));
  setEditable(true);
  setInsertPolicy(QComboBox::NoInsert);
  setModel(new QStandardItemModel(this));
  setMinimumContentsLength(14);
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  setMaxVisibleItems(18);
  lineEdit()->setPlaceholderText(tr("Type to find a device"));
  auto* completer = new QCompleter(model(), this);
  completer->setFilterMode(Qt::MatchContains);
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  completer->setCompletionMode(QCompleter::PopupCompletion);
  setCompleter(completer);
  connect(this, &QComboBox::activated, this, &DevicePicker::choose);
  connect(completer, qOverload<const QString&>(&QCompleter::activated), this,
          [this](const QString& text) { choose(findText(text)); });
  connect(lineEdit(), &QLineEdit::returnPressed, this, [this] { choose(firstDeviceWith(lineEdit()->text())); });
}

void DevicePicker::addHeading(const QString& text) {
  addItem(text);
  auto* item = static_cast<QStandardItemModel*>(model())->item(count() - 1);
  item->setFlags(Qt::NoItemFlags);
  QFont font = item->font();
  font.setBold(true);
  item->setFont(font);
}

void DevicePicker::addDevice(const DeviceInfo& device) {
  //: A device and its memory in a list: "RTX 4090 - 24.0 GiB"
  addItem(tr("%1 \u2013 %2").arg(shortDeviceName(QString::fromStdString(device.name)), formatBytes(device.total_bytes)),
          QString::fromStdString(device.id));
}

void DevicePicker::setDevices(const std::vector<DeviceInfo>& present, const std::vector<DeviceInfo>& catalogue) {
  const QSignalBlocker quiet(this);
  clear();
  addHeading(tr("In this machine"));
  for (const DeviceInfo& device : present) addDevice(device);
  struct Group {
    DeviceKind kind;
    QString name;
  };
  const Group groups[] = {{DeviceKind::kCuda, tr("Would it fit: NVIDIA")},
                          {DeviceKind::kVulkan, tr("Would it fit: AMD, Intel and others")},
                          {DeviceKind::kMetal, tr("Would it fit: Apple")},
                          {DeviceKind::kCpu, tr("Would it fit: host memory")}};
  for (const Group& group : groups) {
    bool hasHeading = false;
    for (const DeviceInfo& device : catalogue) {
      if (device.kind != group.kind) continue;
      if (!hasHeading) addHeading(group.name);
      hasHeading = true;
      addDevice(device);
    }
  }
  showCurrent();
}

void DevicePicker::setCurrentDevice(const QString& id) {
  // Told again with every plan: what is being typed stays.
  if (id == m_currentId && lineEdit()->hasFocus() && lineEdit()->isModified()) return;
  m_currentId = id;
  showCurrent();
}

// The headings are in the list too, and "NVIDIA" is in one of them. -1: none.
int DevicePicker::firstDeviceWith(const QString& text) const {
  for (int row = 0; !text.trimmed().isEmpty() && row < count(); ++row) {
    const bool isDevice = !itemData(row, kIdRole).toString().isEmpty();
    if (isDevice && itemText(row).contains(text.trimmed(), Qt::CaseInsensitive)) return row;
  }
  return -1;
}

void DevicePicker::choose(int row) {
  const QString id = row < 0 ? QString() : itemData(row, kIdRole).toString();
  if (id.isEmpty() || id == m_currentId) {
    showCurrent();
    return;
  }
  m_currentId = id;
  showCurrent();
  emit deviceChosen(id);
}

void DevicePicker::showCurrent() {
  const QSignalBlocker quiet(this);
  const int row = findData(m_currentId, kIdRole);
  setCurrentIndex(row);
  if (row >= 0) {
    lineEdit()->setText(itemText(row));
    lineEdit()->setCursorPosition(0);
  }
}

// A click selects the name, as Tab does: what is typed next takes its place. Later, because the press that gives the
// focus puts the cursor.
void DevicePicker::focusInEvent(QFocusEvent* event) {
  QComboBox::focusInEvent(event);
  if (event->reason() == Qt::MouseFocusReason) QTimer::singleShot(0, lineEdit(), &QLineEdit::selectAll);
}

void DevicePicker::focusOutEvent(QFocusEvent* event) {
  QComboBox::focusOutEvent(event);
  // A half-typed name must not look like a choice.
  if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason) showCurrent();
}

}  // namespace headroom::ui
