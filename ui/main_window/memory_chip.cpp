#include "ui/main_window/memory_chip.h"

#include <QCoreApplication>
#include <algorithm>

#include "plan/plan_text.h"
#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"
#include "ui/theme/roles.h"

namespace headroom::ui {
namespace {

struct MemoryChipWords {
  Q_DECLARE_TR_FUNCTIONS(MemoryChip)
};

// "6.31 of 8.00 GiB": as the verdict counts it.
QString usedText(const MemoryPlan& plan, const DeviceBudget& budget) {
  return formatPart(budget.peak(), verdict_whole(plan, budget));
}

QString linesOf(const MemoryPlan& plan) {
  QStringList lines;
  for (const DeviceBudget& budget : plan.budgets)
    lines << QStringLiteral("%1: %2").arg(deviceLabel(plan.devices[budget.device]), usedText(plan, budget));
  return lines.join(QLatin1Char('\n'));
}

// The device that is fullest, of which there is least to spare.
const DeviceBudget& fullest(const MemoryPlan& plan) {
  return *std::ranges::max_element(plan.budgets, {}, [&plan](const DeviceBudget& budget) {
    return static_cast<double>(budget.peak()) / static_cast<double>(std::max<Bytes>(verdict_whole(plan, budget), 1));
  });
}

// `plan` is the one that was loaded, for the memory that there is now.
ChipText loadedText(const LoadedModel& loaded, const MemoryPlan& plan) {
  if (plan.budgets.empty()) return {};
  const QString used = usedText(plan, fullest(plan));
  const bool isExact = std::ranges::all_of(
      loaded.arenas, [](const ArenaFigures& arena) { return arena.mappedBytes == arena.plannedBytes; });
  return {Tone::Good, isExact ? MemoryChipWords::tr("%1, exact").arg(used) : used, linesOf(plan)};
}

}  // namespace

ChipText chipTextOf(const CalculatorState& calculator, const LoadState& load, const QString& openPath) {
  if (load.phase() == LoadPhase::Loading) {
    const Bytes total = load.bytesTotal();
    const int percent =
        total == 0 ? 0 : static_cast<int>(100.0 * static_cast<double>(load.bytesDone()) / static_cast<double>(total));
    return {Tone::Neutral, MemoryChipWords::tr("Loading: %1 %").arg(percent), {}};
  }
  if (load.isLost()) return {Tone::Bad, MemoryChipWords::tr("Device lost"), {}};
  const LoadedModel* loaded = load.loaded();
  const auto& plan = calculator.plan();
  if (loaded != nullptr && loaded->plan && (openPath.isEmpty() || loaded->path == openPath)) {
    const bool isSame = plan && load.needs(openPath, *plan) == ReloadNeed::kNothing;
    return loadedText(*loaded, isSame ? *plan : *loaded->plan);
  }
  if (!calculator.model()) return {};
  if (!plan) return {Tone::Warning, MemoryChipWords::tr("No plan"), calculator.planProblem()};
  if (plan->budgets.empty()) return {};
  if (plan->fits())
    return {Tone::Good, MemoryChipWords::tr("Fits: %1").arg(usedText(*plan, fullest(*plan))), linesOf(*plan)};
  const auto missing = std::ranges::max_element(plan->budgets, {}, &DeviceBudget::missing);
  return {Tone::Bad, MemoryChipWords::tr("Does not fit by %1").arg(formatBytes(missing->missing())), linesOf(*plan)};
}

MemoryChip::MemoryChip(const Theme& theme, ModelController& models, QWidget* parent)
    : QToolButton(parent), m_theme(theme), m_models(models) {
  setObjectName(QStringLiteral("memoryChip"));
  setRole(this, "verdictChip");
  setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  connect(&models.calculator(), &CalculatorState::planned, this, &MemoryChip::refresh);
  connect(&models.calculator(), &CalculatorState::modelChanged, this, &MemoryChip::refresh);
  connect(&models.load(), &LoadState::changed, this, &MemoryChip::refresh);
  connect(&theme, &Theme::changed, this, &MemoryChip::refresh);
}

// Once a second or more often: what is not written anew is not laid out anew.
void MemoryChip::refresh() {
  const ChipText chip = chipTextOf(m_models.calculator(), m_models.load(), m_models.path());
  emit wanted(!chip.text.isEmpty());
  setTone(this, chip.tone);
  setIcon(m_theme.icon(Theme::toneIconName(chip.tone), m_theme.tokens().tone(chip.tone).text));
  if (text() != chip.text) setText(chip.text);
  const QString tip = chip.details.isEmpty() ? tr("Show or hide the Memory pane")
                                             : chip.details + QLatin1Char('\n') + tr("Show or hide the Memory pane");
  if (toolTip() != tip) setToolTip(tip);
  setAccessibleName(tr("Memory: %1").arg(chip.text));
  setAccessibleDescription(tip);
}

}  // namespace headroom::ui
