#include "ui/calculator/calculator_state.h"

#include <algorithm>

#include "format/dtype_table.h"
#include "plan/solve.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

// A start that leaves the machine usable: 1 GiB, and on small devices an eighth.
Bytes defaultHeadroom(const DeviceInfo& device) { return std::min(kGiB, device.total_bytes / 8 / kMiB * kMiB); }

QString typeName(DType dtype) { return QString::fromStdString(std::string(dtype_row(dtype).name)); }

bool hasType(const DeviceInfo& device, DType dtype) {
  return std::find(device.kv_types.begin(), device.kv_types.end(), dtype) != device.kv_types.end();
}

const DeviceInfo* findById(const std::vector<DeviceInfo>& devices, const QString& id) {
  const auto at = std::find_if(devices.begin(), devices.end(),
                               [&](const DeviceInfo& device) { return QString::fromStdString(device.id) == id; });
  return at == devices.end() ? nullptr : &*at;
}

}  // namespace

CalculatorState::CalculatorState(std::vector<DeviceInfo> catalogue, QObject* parent)
    : QObject(parent), m_catalogue(std::move(catalogue)) {
  m_replan.setSingleShot(true);
  m_replan.setInterval(0);
  connect(&m_replan, &QTimer::timeout, this, &CalculatorState::planNow);
}

void CalculatorState::setPresentDevices(std::vector<DeviceInfo> devices) {
  const bool isFirst = m_present.empty();
  const bool isSame = devices.size() == m_present.size() &&
                      std::equal(devices.begin(), devices.end(), m_present.begin(),
                                 [](const DeviceInfo& a, const DeviceInfo& b) { return a.id == b.id; });
  m_present = std::move(devices);
  if (isFirst && !m_present.empty()) {
    // A GPU of this machine before its CPU.
    const auto gpu = std::find_if(m_present.begin(), m_present.end(),
                                  [](const DeviceInfo& device) { return device.kind != DeviceKind::kCpu; });
    const DeviceInfo& first = gpu == m_present.end() ? m_present.front() : *gpu;
    m_deviceId = QString::fromStdString(first.id);
    m_options.devices = {{0, KeepFree{defaultHeadroom(first)}}};
  }
  if (!isSame) emit devicesChanged();
  m_replan.start();
}

const DeviceInfo* CalculatorState::device() const {
  const DeviceInfo* present = findById(m_present, m_deviceId);
  return present ? present : findById(m_catalogue, m_deviceId);
}

std::vector<DeviceInfo> CalculatorState::planningDevices() const {
  std::vector<DeviceInfo> devices = m_present;
  if (const DeviceInfo* chosen = device(); chosen != nullptr && findById(m_present, m_deviceId) == nullptr)
    devices.push_back(*chosen);
  return devices;
}

std::uint32_t CalculatorState::longestContext() const { return m_model ? m_model->n_ctx_trained : 0; }

void CalculatorState::takeModel(std::shared_ptr<const ModelInfo> model) {
  m_model = std::move(model);
  m_plan.reset();
  m_fixes.clear();
  m_planProblem.clear();
  m_chosenForUser.clear();
  emit modelChanged();
}

void CalculatorState::setModel(std::shared_ptr<const ModelInfo> model) {
  takeModel(std::move(model));
  if (m_model) chooseDefaults();
  planNow();
}

void CalculatorState::setModel(std::shared_ptr<const ModelInfo> model, const MemoryPlan& plan) {
  takeModel(std::move(model));
  m_options = plan.options;
  if (plan.options.main_device() < plan.devices.size())
    m_deviceId = QString::fromStdString(plan.devices[plan.options.main_device()].id);
  emit optionsChanged();
  planNow();
}

// The one chosen device among those that are planned with, under the rule that stands.
void CalculatorState::planFor(const std::vector<DeviceInfo>& devices) {
  m_options.devices = {{static_cast<DeviceIndex>(findById(devices, m_deviceId) - devices.data()), headroom()}};
}

void CalculatorState::chooseDefaults() {
  PlanOptions options;
  options.devices = m_options.devices;
  m_options = options;
  const DeviceInfo* chosen = device();
  if (chosen == nullptr) return;
  const auto devices = planningDevices();
  // F16 when it fits, else the lightest change that does.
  planFor(devices);
  const auto plain = plan_memory(*m_model, devices, m_options);
  if (plain.ok()) m_options.n_ctx = plain->options.n_ctx;
  if (!plain.ok() || plain->fits()) {
    emit optionsChanged();
    return;
  }
  for (const DType dtype : {DType::kQ8_0, DType::kF8E4M3}) {
    PlanOptions lighter = m_options;
    lighter.kv_k = lighter.kv_v = dtype;
    if (!hasType(*chosen, dtype)) continue;
    const auto plan = plan_memory(*m_model, devices, lighter);
    if (!plan.ok() || !plan->fits()) continue;
    m_options = lighter;
    m_chosenForUser << tr("The KV cache starts as %1, because as F16 the plan would not fit.").arg(typeName(dtype));
    break;
  }
  emit optionsChanged();
}

void CalculatorState::change(PlanOptions options) {
  if (options == m_options) return;
  m_options = std::move(options);
  m_chosenForUser.clear();
  emit optionsChanged();
  m_replan.start();
}

void CalculatorState::setContext(std::uint32_t nCtx) {
  PlanOptions options = m_options;
  options.n_ctx = std::max<std::uint32_t>(nCtx, 1);
  change(options);
}

void CalculatorState::setSlots(std::uint32_t nSlots) {
  PlanOptions options = m_options;
  options.n_slots = nSlots;
  change(options);
}

void CalculatorState::setBatch(std::uint32_t nBatch) {
  PlanOptions options = m_options;
  options.n_batch = nBatch;
  change(options);
}

void CalculatorState::setKeyType(DType dtype) {
  PlanOptions options = m_options;
  options.kv_k = dtype;
  change(options);
}

void CalculatorState::setValueType(DType dtype) {
  PlanOptions options = m_options;
  options.kv_v = dtype;
  change(options);
}

void CalculatorState::setGpuLayers(std::int32_t nLayers) {
  PlanOptions options = m_options;
  options.n_gpu_layers = nLayers;
  options.n_cpu_ffn = kAutoLayers;
  change(options);
}

void CalculatorState::setHeadroom(HeadroomRule rule) {
  PlanOptions options = m_options;
  options.set_headroom(options.main_device(), rule);
  change(options);
}

void CalculatorState::setDevice(const QString& id) {
  if (id == m_deviceId) return;
  m_deviceId = id;
  m_chosenForUser.clear();
  m_options.n_gpu_layers = m_options.n_cpu_ffn = kAutoLayers;
  if (const DeviceInfo* chosen = device()) {
    // "At most" is a number of the old device's; "keep free" is kept where it leaves anything.
    const HeadroomRule rule = headroom();
    const auto* keep = std::get_if<KeepFree>(&rule);
    if (keep == nullptr || keep->bytes >= chosen->total_bytes / 2)
      m_options.set_headroom(m_options.main_device(), KeepFree{defaultHeadroom(*chosen)});
    keepTypesPossible();
  }
  emit optionsChanged();
  m_replan.start();
}

void CalculatorState::keepTypesPossible() {
  const DeviceInfo& chosen = *device();
  for (DType* dtype : {&m_options.kv_k, &m_options.kv_v}) {
    if (hasType(chosen, *dtype) || chosen.kv_types.empty()) continue;
    m_chosenForUser << tr("%1 has no kernel for a cache of %2, so F16 is planned.")
                           .arg(QString::fromStdString(chosen.name), typeName(*dtype));
    *dtype = DType::kF16;
  }
}

void CalculatorState::applyFix(const Fix& fix) {
  change(fix.options);
  planNow();
}

void CalculatorState::solveFor(Goal goal) {
  if (!m_model || !m_plan) return;
  const auto devices = planningDevices();
  const auto answer = [&]() -> Result<SolveAnswer> {
    switch (goal) {
      case Goal::LongestContext: return longest_context(*m_model, devices, m_options);
      case Goal::MostLayers: return most_layers(*m_model, devices, m_options);
      case Goal::LowestLoss: break;
    }
    return lightest_kv(*m_model, devices, m_options);
  }();
  if (!answer.ok()) {
    emit solved(QString::fromStdString(answer.error().message), false);
    return;
  }
  if (answer->options) {
    change(*answer->options);
    planNow();
  }
  emit solved(QString::fromStdString(answer->text), answer->options.has_value());
}

void CalculatorState::planNow() {
  m_replan.stop();
  m_plan.reset();
  m_fixes.clear();
  m_planProblem.clear();
  if (m_model && device() != nullptr) {
    const auto devices = planningDevices();
    planFor(devices);
    auto plan = plan_memory(*m_model, devices, m_options);
    if (plan.ok()) {
      m_plan = std::make_shared<const MemoryPlan>(std::move(plan).value());
      findFixes();
    } else {
      m_planProblem = QString::fromStdString(plan.error().message);
    }
  }
  emit planned();
}

void CalculatorState::findFixes() {
  if (m_plan->fits()) return;
  auto fixes = find_fixes(*m_model, m_plan->devices, m_options);
  if (fixes.ok()) m_fixes = std::move(fixes).value();
}

Verdict CalculatorState::verdict() const {
  if (m_plan) return verdictOf(*m_model, *m_plan);
  if (!m_planProblem.isEmpty()) return {Tone::Warning, m_planProblem, {}};
  return {};
}

QStringList CalculatorState::remarks() const {
  QStringList sentences = m_chosenForUser;
  if (m_plan) {
    for (const Note& note : m_plan->notes) sentences << QString::fromStdString(note.text);
  }
  return sentences;
}

QString CalculatorState::whyNotLoadable() const {
  if (!m_model) return tr("No model is open.");
  if (!m_plan) return m_planProblem.isEmpty() ? tr("There is no plan yet.") : m_planProblem;
  const DeviceInfo* chosen = device();
  if (chosen != nullptr && !chosen->is_present) {
    return tr("%1 is not in this machine, so there is nothing to load on.").arg(QString::fromStdString(chosen->name));
  }
  if (m_plan->fits()) return {};
  const bool oneSuffices = std::any_of(m_fixes.begin(), m_fixes.end(), [](const Fix& fix) { return fix.makes_it_fit; });
  return oneSuffices
             ? tr("The plan does not fit; choose a fix, or change a number.")
             : tr("The plan does not fit, and no single fix is enough: combine them, or choose another device.");
}

}  // namespace headroom::ui
