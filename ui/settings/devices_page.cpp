#include "ui/settings/devices_page.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"
#include "ui/model/model_controller.h"
#include "ui/settings/page_parts.h"
#include "ui/theme/roles.h"

namespace headroom::ui {
namespace {

struct DevicesPageWords {
  Q_DECLARE_TR_FUNCTIONS(DevicesPage)
};

QString memoryText(const DeviceInfo& device) {
  QString text = DevicesPageWords::tr("%1 of memory").arg(formatBytes(device.total_bytes));
  if (device.has_unified_memory)
    text = DevicesPageWords::tr("%1 of memory, shared with the CPU").arg(formatBytes(device.total_bytes));
  if (device.speed.read_bytes_per_s > 0)
    text += DevicesPageWords::tr(" · reads %1 GB/s, as measured")
                .arg(formatCount(static_cast<quint64>(device.speed.read_bytes_per_s / 1e9)));
  return text;
}

QString stateText(const DeviceInfo& device) {
  switch (device.proof) {
    case Proof::kPassed: return DevicesPageWords::tr("Checked: it computes what the CPU computes.");
    case Proof::kFailed: return failedCheckSentence(device);
    case Proof::kMissing: return DevicesPageWords::tr("Not checked yet, so it is used only where you choose it.");
    case Proof::kRunning: return DevicesPageWords::tr("Is being checked now.");
    case Proof::kNotNeeded: break;
  }
  if (device.kernels.empty()) return {};
  return DevicesPageWords::tr("Kernels: %1").arg(QString::fromStdString(device.kernels));
}

Tone toneOf(const DeviceInfo& device) { return device.proof == Proof::kFailed ? Tone::Warning : Tone::Neutral; }

}  // namespace

DevicesPage::DevicesPage(ModelController& models, QWidget* parent) : QWidget(parent), m_models(models) {
  QVBoxLayout* layout = layOutPage(this);
  addHeading(layout, tr("In this machine"));
  m_list = new QVBoxLayout;
  m_list->setSpacing(kGrid);
  layout->addLayout(m_list);
  auto* check = new QPushButton(tr("&Check the graphics cards again"), this);
  check->setObjectName(QStringLiteral("checkCards"));
  check->setAutoDefault(false);
  layout->addWidget(check, 0, Qt::AlignLeft);
  addNote(layout, tr("Which of them a model uses, and what each is to be left with, is chosen under Memory, for each "
                     "model by itself."));
  layout->addStretch();
  connect(check, &QPushButton::clicked, this, &DevicesPage::checkWanted);
  CalculatorState& calculator = m_models.calculator();
  connect(&calculator, &CalculatorState::devicesChanged, this, &DevicesPage::refresh);
  connect(&m_models.watch(), &DeviceWatch::freeBytesChanged, this, &DevicesPage::refresh);
  refresh();
}

void DevicesPage::refresh() {
  while (QLayoutItem* item = m_list->takeAt(0)) {
    if (item->widget() != nullptr) item->widget()->deleteLater();
    delete item;
  }
  const auto addLine = [](QVBoxLayout* card, const QString& text, const char* role) {
    if (text.isEmpty()) return;
    auto* label = new QLabel(text, card->parentWidget());
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    setRole(label, role);
    card->addWidget(label);
  };
  for (const DeviceInfo& device : m_models.calculator().devices().present()) {
    auto* frame = new QFrame(this);
    frame->setObjectName(QStringLiteral("deviceCard"));
    setRole(frame, "banner");
    auto* card = new QVBoxLayout(frame);
    card->setContentsMargins(12, 8, 12, 8);
    card->setSpacing(2);
    addLine(
        card,
        device.kind == DeviceKind::kCpu ? shortDeviceName(QString::fromStdString(device.name)) : nameAndDriver(device),
        "sentence");
    addLine(card, memoryText(device), "muted");
    addLine(card, stateText(device), "muted");
    addLine(card,
            device.proof == Proof::kFailed ? QString::fromStdString(device.proof_note) : wordsOf(device.kernel_note),
            "muted");
    setTone(frame, toneOf(device));
    m_list->addWidget(frame);
  }
  for (const Message& refused : m_models.calculator().refusedDevices()) {
    auto* label = new QLabel(wordsOf(refused) + QLatin1Char('.'), this);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    setRole(label, "muted");
    m_list->addWidget(label);
  }
}

}  // namespace headroom::ui
