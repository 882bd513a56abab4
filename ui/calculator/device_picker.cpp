#include "ui/calculator/device_picker.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFocusEvent>
#include <QLineEdit>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTimer>
#include <algorithm>

#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"
#include "ui/theme/theme.h"

namespace headroom::ui {
namespace {

constexpr int kIdRole = Qt::UserRole, kPlanPreviewRole = Qt::UserRole + 1;
constexpr int kPlanPreviewGapPx = 16;

// The device at the left, how fast it would be at the right.
class PlanPreviewDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    painter->save();
    painter->setPen(option.palette.color(QPalette::PlaceholderText));
    painter->drawText(option.rect.adjusted(0, 0, -kGrid, 0), Qt::AlignRight | Qt::AlignVCenter, textOf(index));
    painter->restore();
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QSize size = QStyledItemDelegate::sizeHint(option, index);
    return {size.width() + option.fontMetrics.horizontalAdvance(textOf(index)) + kPlanPreviewGapPx, size.height()};
  }

 private:
  static QString textOf(const QModelIndex& index) { return index.data(kPlanPreviewRole).toString(); }
};

// A line each: what it is called, its driver, and which kernels of ours it runs.
QString factsOf(const DeviceInfo& device, const QString& item) {
  QStringList lines{item};
  if (device.is_software)
    lines << DevicePicker::tr("Computes on the CPU, slower than the CPU by itself: used only when you choose it");
  if (device.proof == Proof::kFailed) {
    lines << DevicePicker::tr("Failed its check, and is used only where you choose it: %1")
                 .arg(QString::fromStdString(device.proof_note));
  } else if (!device.is_proved() && !device.is_software) {
    lines << DevicePicker::tr("Not checked yet: used only where you choose it");
  }
  for (const std::string& fact : {device.driver, device.kernels}) {
    if (!fact.empty()) lines << QString::fromStdString(fact);
  }
  if (!device.kernel_note.empty()) lines << wordsOf(device.kernel_note);
  return lines.join(QLatin1Char('\n'));
}

// Why it is not used unasked.
QString withState(const DeviceInfo& device, const QString& item) {
  if (device.is_software) return DevicePicker::tr("%1, computes on the CPU").arg(item);
  if (device.proof == Proof::kFailed) return DevicePicker::tr("%1, failed its check").arg(item);
  return device.is_proved() ? item : DevicePicker::tr("%1, not checked yet").arg(item);
}

}  // namespace

std::vector<DeviceGroup> catalogueGroups() {
  return {{DeviceKind::kCuda, DevicePicker::tr("Would it fit: NVIDIA")},
          {DeviceKind::kVulkan, DevicePicker::tr("Would it fit: AMD, Intel and others")},
          {DeviceKind::kMetal, DevicePicker::tr("Would it fit: Apple")},
          {DeviceKind::kCpu, DevicePicker::tr("Would it fit: host memory")}};
}

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
  setItemDelegate(new PlanPreviewDelegate(this));
  completer->popup()->setItemDelegate(new PlanPreviewDelegate(this));
  connect(lineEdit(), &QLineEdit::textEdited, this, [this, completer] {
    if (!completer->popup()->isVisible()) emit listWanted();
  });
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

void DevicePicker::addDevice(const DeviceInfo& device, bool hasNamesake) {
  const QString id = QString::fromStdString(device.id);
  QString name = shortDeviceName(QString::fromStdString(device.name));
  if (hasNamesake) name = QStringLiteral("%1 (%2)").arg(name, id);
  //: A device and its memory in a list: "RTX 4090 - 24.0 GiB"
  const QString item = tr("%1 \u2013 %2").arg(name, formatBytes(device.total_bytes));
  addItem(withState(device, item), id);
  setItemData(count() - 1, factsOf(device, itemText(count() - 1)), Qt::ToolTipRole);
}

void DevicePicker::setDevices(const std::vector<DeviceInfo>& present, const std::vector<DeviceInfo>& catalogue) {
  QStringList ids;
  for (const auto* devices : {&present, &catalogue}) {
    for (const DeviceInfo& device : *devices)
      ids << QStringLiteral("%1\n%2\n%3")
                 .arg(QString::fromStdString(device.id), QString::fromStdString(device.name))
                 .arg(static_cast<int>(device.proof));
  }
  if (count() > 0 && ids == m_ids) return;
  m_ids = ids;
  const QSignalBlocker quiet(this);
  clear();
  if (!present.empty() || catalogue.empty()) addHeading(tr("In this machine"));
  // Two cards of one name, or one that CUDA and Vulkan both show.
  const auto hasNamesake = [&](const DeviceInfo& device) {
    return std::ranges::count(present, device.name, &DeviceInfo::name) > 1;
  };
  for (const DeviceInfo& device : present) addDevice(device, hasNamesake(device));
  for (const DeviceGroup& group : catalogueGroups()) {
    bool hasHeading = false;
    for (const DeviceInfo& device : catalogue) {
      if (device.kind != group.kind) continue;
      if (!hasHeading) addHeading(group.name);
      hasHeading = true;
      addDevice(device, false);
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

void DevicePicker::showPopup() {
  emit listWanted();
  QComboBox::showPopup();
}

void DevicePicker::setPlanPreview(const std::vector<DevicePlanPreview>& preview) {
  for (int row = 0; row < count(); ++row) {
    const QString id = itemData(row, kIdRole).toString();
    for (const DevicePlanPreview& one : preview) {
      // A further card of one name is as fast as the first.
      if (id != one.id && !id.startsWith(one.id + QStringLiteral(" #"))) continue;
      const QString text = previewText(one.preview);
      setItemData(row, text, kPlanPreviewRole);
      setItemData(row, text.isEmpty() ? itemText(row) : tr("%1, %2").arg(itemText(row), text), Qt::AccessibleTextRole);
    }
  }
  // Wide enough for both, which were not known when the list came up.
  if (view()->isVisible()) view()->setMinimumWidth(view()->sizeHintForColumn(0) + 2 * kPlanPreviewGapPx);
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
    setToolTip(itemData(row, Qt::ToolTipRole).toString());
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
