#include "ui/calculator/headroom_edit.h"

#include <QComboBox>
#include <QGridLayout>
#include <QSlider>
#include <algorithm>

#include "ui/calculator/bytes_edit.h"
#include "ui/calculator/help_label.h"
#include "ui/format/device_name.h"

namespace headroom::ui {
namespace {

constexpr Bytes kSmallestStep = kMiB, kLargestStep = 64 * kMiB;
enum HeadroomMeaning { KeepFreeIndex, AtMostIndex };

Bytes bytesOf(const HeadroomRule& rule) {
  return std::visit([](const auto& value) { return value.bytes; }, rule);
}

// Fine enough that a small device has a slider, too.
Bytes stepOn(const DeviceInfo& device) {
  Bytes step = kLargestStep;
  while (step > kSmallestStep && device.total_bytes / step < 128) step /= 2;
  return step;
}

}  // namespace

HeadroomEdit::HeadroomEdit(QGridLayout& grid, int row, QWidget* parent)
    : QObject(parent),
      m_meaning(new QComboBox(parent)),
      m_slider(new QSlider(Qt::Horizontal, parent)),
      m_bytes(new BytesEdit(parent)) {
  m_meaning->setObjectName(QStringLiteral("headroomRule"));
  m_meaning->addItem(tr("Keep free"));
  m_meaning->addItem(tr("Use at most"));
  m_meaning->setToolTip(tr("Keep this much of the device free, or never use more than this much of it"));
  m_slider->setObjectName(QStringLiteral("headroomSlider"));
  m_bytes->setObjectName(QStringLiteral("headroomEdit"));
  grid.addWidget(m_meaning, row, 0);
  grid.addWidget(m_slider, row, 1);
  grid.addWidget(m_bytes, row, 2);
  connect(m_meaning, &QComboBox::activated, this, &HeadroomEdit::chooseMeaning);
  connect(m_slider, &QSlider::valueChanged, this,
          [this](int step) { chooseBytes(static_cast<Bytes>(step) * stepOn(m_device)); });
  connect(m_bytes, &BytesEdit::bytesEdited, this, &HeadroomEdit::chooseBytes);
}

int HeadroomEdit::labelWidth(QWidget* beside) {
  QComboBox example(beside);
  example.addItem(tr("Keep free"));
  example.addItem(tr("Use at most"));
  return std::max(example.sizeHint().width(),
                  HelpLabel(tr("Answers at once"), {}, &example, beside).sizeHint().width());
}

int HeadroomEdit::fieldWidth(QWidget* beside) { return BytesEdit(beside).sizeHint().width(); }

void HeadroomEdit::show(const DeviceInfo& device, const HeadroomRule& rule) {
  m_device = device;
  m_rule = rule;
  const QString name = deviceLabel(device);
  m_meaning->setAccessibleName(tr("What headroom means on %1").arg(name));
  m_slider->setAccessibleName(tr("Headroom on %1").arg(name));
  m_bytes->setAccessibleName(tr("Headroom on %1, exact, in GiB or MiB").arg(name));
  const QSignalBlocker quietMeaning(m_meaning), quietSlider(m_slider);
  m_meaning->setCurrentIndex(std::holds_alternative<KeepFree>(rule) ? KeepFreeIndex : AtMostIndex);
  const Bytes step = stepOn(device);
  m_slider->setRange(0, static_cast<int>(device.total_bytes / step));
  m_slider->setPageStep(std::max(1, m_slider->maximum() / 16));
  m_slider->setValue(static_cast<int>(bytesOf(rule) / step));
  m_bytes->setBytes(bytesOf(rule));
}

void HeadroomEdit::chooseMeaning(int meaning) {
  if (std::holds_alternative<KeepFree>(m_rule) == (meaning == KeepFreeIndex)) return;
  // The other reading of the same limit, so that the verdict does not jump.
  chooseBytes(m_device.free_bytes - std::min(m_device.free_bytes, bytesOf(m_rule)));
}

void HeadroomEdit::chooseBytes(Bytes bytes) {
  emit ruleChosen(m_meaning->currentIndex() == KeepFreeIndex ? HeadroomRule(KeepFree{bytes})
                                                             : HeadroomRule(AtMost{bytes}));
}

}  // namespace headroom::ui
