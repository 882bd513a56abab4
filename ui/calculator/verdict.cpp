#include "ui/calculator/verdict.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <numeric>

#include "plan/plan_text.h"
#include "plan/speed.h"
#include "ui/format/account_text.h"
#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"

namespace headroom::ui {
namespace {

struct VerdictWords {
  Q_DECLARE_TR_FUNCTIONS(Verdict)
};

HeldByOthers heldBy(const DeviceBudget& budget, const DeviceInfo& device, const OthersNow& othersNow) {
  const auto read = othersNow.find(device.id);
  return read != othersNow.end() ? read->second : HeldByOthers{budget.held_by_others, device.account};
}

QString detailOf(const MemoryPlan& plan, const OthersNow& othersNow) {
  QStringList sentences;
  const auto nDrivers = std::count_if(plan.budgets.begin(), plan.budgets.end(),
                                      [](const DeviceBudget& budget) { return budget.driver > 0; });
  for (const DeviceBudget& budget : plan.budgets) {
    const DeviceInfo& device = plan.devices[budget.device];
    // The sentence of a plan that does not fit names them already.
    const HeldByOthers others = heldBy(budget, device, othersNow);
    const bool isKnown = others.account.confidence != MemoryConfidence::kAssumed;
    if (plan.fits() && device.is_present && others.bytes > 0 && isKnown) {
      sentences << VerdictWords::tr("Other programs hold %1 of %2.")
                       .arg(othersSpokenText(others.bytes, others.account), formatBytes(device.total_bytes));
    }
    // An assumed share is in the plan's own notes.
    if (budget.driver == 0 || !device.driver_measured) continue;
    const QString bytes = formatBytes(budget.driver);
    sentences << (nDrivers == 1
                      ? VerdictWords::tr("The driver takes %1 (measured).").arg(bytes)
                      : VerdictWords::tr("The driver of %1 takes %2 (measured).").arg(deviceLabel(device), bytes));
  }
  return sentences.join(QLatin1Char(' '));
}

// With what others hold now in the sentence of a plan that does not fit; all else is the plan's.
QString sentenceOf(const MemoryPlan& plan, const OthersNow& othersNow) {
  if (plan.fits() || othersNow.empty()) return wordsOf(verdict_words(plan));
  MemoryPlan told;
  told.devices = plan.devices;
  told.options = plan.options;
  told.budgets = plan.budgets;
  for (DeviceBudget& budget : told.budgets) {
    const HeldByOthers others = heldBy(budget, plan.devices[budget.device], othersNow);
    budget.held_by_others = others.account.confidence == MemoryConfidence::kAssumed ? 0 : others.bytes;
  }
  return wordsOf(verdict_words(told));
}

}  // namespace

Verdict verdictOf(const ModelInfo& model, const MemoryPlan& plan, const OthersNow& othersNow) {
  Verdict verdict;
  verdict.tone = plan.fits() ? Tone::Good : Tone::Bad;
  Bytes missing = 0;
  for (const DeviceBudget& budget : plan.budgets) {
    const Bytes whole = verdict_whole(plan, budget);
    verdict.devices.push_back({deviceLabel(plan.devices[budget.device]), budget.peak(), whole,
                               saturating_sub(whole, budget.limit), budget.missing()});
    missing = std::max(missing, budget.missing());
  }
  verdict.heading =
      plan.fits() ? VerdictWords::tr("Fits") : VerdictWords::tr("Does not fit by %1").arg(formatBytes(missing));
  if (const auto speed = estimate_tokens_per_s(model, plan)) verdict.speed = formatAboutSpeed(*speed);
  verdict.sentence = sentenceOf(plan, othersNow);
  verdict.detail = detailOf(plan, othersNow);
  return verdict;
}

Bytes reservedBytes(const MemoryPlan& plan) {
  return std::accumulate(plan.budgets.begin(), plan.budgets.end(), Bytes{0},
                         [](Bytes sum, const DeviceBudget& budget) { return sum + budget.planned; });
}

QString takesText(const MemoryPlan& plan) {
  const Bytes reserved = reservedBytes(plan);
  Bytes whole = 0, heap = 0, drivers = 0;
  for (const DeviceBudget& budget : plan.budgets) {
    whole += budget.peak();
    heap += budget.heap;
    drivers += budget.driver;
  }
  if (whole == reserved) return VerdictWords::tr("Takes exactly %1.").arg(formatBytes(reserved));
  QStringList parts{VerdictWords::tr("%1 reserved exactly").arg(formatBytes(reserved))};
  if (heap > 0) parts << VerdictWords::tr("%1 for tokenizer and tables").arg(formatBytes(heap));
  if (drivers > 0) parts << VerdictWords::tr("%1 for drivers").arg(formatBytes(drivers));
  if (const Bytes loading = whole - reserved - heap - drivers; loading > 0)
    parts << VerdictWords::tr("%1 while it loads").arg(formatBytes(loading));
  //: All that a plan takes, and its parts: "Takes 72.0 MiB: 71.8 MiB reserved exactly, 212 KiB for tokenizer and
  //: tables"
  return VerdictWords::tr("Takes %1: %2.").arg(formatBytes(whole), parts.join(QStringLiteral(", ")));
}

}  // namespace headroom::ui
