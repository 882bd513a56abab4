#include "ui/verify/verify_result.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/format/format_bytes.h"
#include "ui/theme/roles.h"
#include "ui/verify/verify_words.h"

namespace headroom::ui {
namespace {

const QString kUnknown = QStringLiteral("\u2013");

QString speedText(const std::optional<double>& tokensPerS) { return tokensPerS ? formatSpeed(*tokensPerS) : kUnknown; }

// Name first, figures to the right.
void addRow(QGridLayout* table, const QStringList& cells, const char* role) {
  const int row = table->rowCount();
  for (int column = 0; column < cells.size(); ++column) {
    auto* label = new QLabel(cells[column], table->parentWidget());
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != nullptr) setRole(label, role);
    table->addWidget(label, row, column);
  }
}

QString driverText(const VerifiedDevice& device) {
  if (device.planned_driver_bytes == 0 && !device.most_driver_bytes) return kUnknown;
  const QString planned = formatBytes(device.planned_driver_bytes);
  if (!device.most_driver_bytes) return VerifyResult::tr("%1 planned").arg(planned);
  return VerifyResult::tr("%1 of %2 planned").arg(formatBytes(*device.most_driver_bytes), planned);
}

}  // namespace

VerifyResult::VerifyResult(const Verification& found, QWidget* parent)
    : QWidget(parent), m_layout(new QVBoxLayout(this)) {
  m_layout->setContentsMargins(0, 0, 0, 0);
  m_layout->setSpacing(kGrid);
  addDevices(found);
  addSpeeds(found);
  addGrowth(found);
  m_layout->addStretch(1);
}

QGridLayout* VerifyResult::addTable(const QString& heading, const QStringList& columns) {
  auto* title = new QLabel(heading, this);
  title->setContentsMargins(0, m_layout->count() == 0 ? 0 : kGrid, 0, 0);
  setRole(title, "heading");
  m_layout->addWidget(title);
  auto* holder = new QWidget(this);
  auto* table = new QGridLayout(holder);
  table->setContentsMargins(0, 0, 0, 0);
  table->setHorizontalSpacing(3 * kGrid);
  table->setVerticalSpacing(kGrid / 2);
  table->setColumnStretch(0, 1);
  m_layout->addWidget(holder);
  addRow(table, columns, "muted");
  return table;
}

void VerifyResult::addDevices(const Verification& found) {
  QGridLayout* table = addTable(tr("Memory"), {tr("Device"), tr("Planned"), tr("Mapped"), tr("Driver, at most"),
                                               tr("This program, at most"), tr("Free, at least")});
  for (const VerifiedDevice& device : found.devices) {
    addRow(table,
           {QString::fromStdString(device.device), formatBytes(device.planned_bytes), formatBytes(device.mapped_bytes),
            driverText(device), formatBytes(device.most_ours_bytes), formatBytes(device.least_free_bytes)},
           nullptr);
  }
}

void VerifyResult::addSpeeds(const Verification& found) {
  if (found.speeds.empty()) return;
  QGridLayout* table = addTable(tr("Speed"), {QString(), tr("Measured"), tr("Predicted")});
  if (found.prompt) {
    addRow(table,
           {tr("Prompt of %1 tokens").arg(formatCount(found.prompt->n_tokens)), formatSpeed(found.prompt->tokens_per_s),
            speedText(found.prompt->predicted_tokens_per_s)},
           nullptr);
  }
  for (const DepthSpeed& speed : found.speeds) {
    addRow(table,
           {tr("Answer behind %1 positions").arg(formatCount(speed.depth)), formatSpeed(speed.tokens_per_s),
            speedText(speed.predicted_tokens_per_s)},
           nullptr);
  }
}

void VerifyResult::addGrowth(const Verification& found) {
  QGridLayout* table = addTable(tr("Growth"), {QString(), tr("Drivers"), tr("Heap"), tr("Mappings"), tr("Arenas")});
  const auto add = [&](const QString& name, const MemoryGrowth& grown) {
    addRow(table,
           {name, formatBytes(grown.driver), formatBytes(grown.heap), formatBytes(grown.mapped),
            formatCount(grown.n_arenas)},
           nullptr);
  };
  add(tr("Over %1 answers").arg(formatCount(found.n_answers)), found.grown_by_answers);
  add(tr("Since load"), found.grown);
  auto* note = new QLabel(tr("Heap and mappings are of the whole program: this window is in them."), this);
  note->setTextFormat(Qt::PlainText);
  note->setWordWrap(true);
  setRole(note, "muted");
  m_layout->addWidget(note);
}

}  // namespace headroom::ui
