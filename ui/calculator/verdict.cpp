#include "ui/calculator/verdict.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "plan/plan_text.h"
#include "plan/speed.h"
#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(Verdict)
};

QString detailOf(const ModelInfo& model, const MemoryPlan& plan) {
  QStringList sentences;
  if (const auto speed = estimate_tokens_per_s(model, plan))
    sentences << Words::tr("Answers come at %1.").arg(formatAboutSpeed(*speed));
  const auto nDrivers = std::count_if(plan.budgets.begin(), plan.budgets.end(),
                                      [](const DeviceBudget& budget) { return budget.driver > 0; });
  for (const DeviceBudget& budget : plan.budgets) {
    const DeviceInfo& device = plan.devices[budget.device];
    // The sentence of a plan that does not fit names them already.
    if (plan.fits() && device.is_present && budget.held_by_others > 0) {
      sentences << Words::tr("Other programs hold %1 of %2.")
                       .arg(formatBytes(budget.held_by_others), formatBytes(device.total_bytes));
    }
    // An assumed share is in the plan's own notes.
    if (budget.driver == 0 || !device.driver_measured) continue;
    const QString bytes = formatBytes(budget.driver);
    sentences << (nDrivers == 1 ? Words::tr("The driver takes %1 (measured).").arg(bytes)
                                : Words::tr("The driver of %1 takes %2 (measured).").arg(deviceLabel(device), bytes));
  }
  return sentences.join(QLatin1Char(' '));
}

}  // namespace

Verdict verdictOf(const ModelInfo& model, const MemoryPlan& plan) {
  return {plan.fits() ? Tone::Good : Tone::Bad, QString::fromStdString(verdict_text(plan)), detailOf(model, plan)};
}

}  // namespace headroom::ui
