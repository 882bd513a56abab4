#include "ui/calculator/calculator_state.h"

#include <algorithm>
#include <utility>

#include "format/dtype_table.h"
#include "plan/choose_devices.h"
#include "plan/plan_options.h"
#include "plan/solve.h"
#include "ui/background/background.h"
#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"

namespace headroom::ui {
namespace {

constexpr std::size_t kMostFixes = 4;

QString typeName(DType dtype) { return QString::fromStdString(std::string(dtype_row(dtype).name)); }

// Of those that are used unasked: the others are never measured, and never chosen by themselves.
bool isMeasured(const std::vector<DeviceInfo>& devices) {
  return std::all_of(devices.begin(), devices.end(),
                     [](const DeviceInfo& d) { return !is_used_unasked(d) || d.speed.read_bytes_per_s > 0; });
}

}  // namespace

CalculatorState::CalculatorState(std::vector<DeviceInfo> catalogue, std::vector<Message> refusedDevices,
                                 QObject* parent)
    : QObject(parent), m_devices(std::move(catalogue)), m_refusedDevices(std::move(refusedDevices)) {
  m_replan.setSingleShot(true);
  m_replan.setInterval(0);
  connect(&m_replan, &QTimer::timeout, this, &CalculatorState::planNow);
}

void CalculatorState::setPresentDevices(std::vector<DeviceInfo> devices) {
  const std::vector<DeviceInfo>& before = m_devices.present();
  const bool isSame =
      std::equal(devices.begin(), devices.end(), before.begin(), before.end(),
                 [](const DeviceInfo& a, const DeviceInfo& b) { return a.id == b.id && a.proof == b.proof; });
  const bool wasMeasured = isMeasured(before);
  for (const QString& name : m_devices.setPresent(std::move(devices)))
    m_chosenForUser.emplace_back(
        [name] { return tr("%1 is no longer in this machine and is left out of the plan.").arg(name); });
  // A speed that an answer refines is no reason to move a model to another device.
  if (!isSame || (!wasMeasured && isMeasured(m_devices.present()))) chooseDevices();
  if (!isSame) emit devicesChanged();
  m_replan.start();
}

void CalculatorState::setOthersNow(OthersNow othersNow) {
  m_othersNow = std::move(othersNow);
  emit othersChanged();
}

void CalculatorState::restoreDevices(const std::vector<ChosenDevice>& devices) {
  if (devices.empty()) return;
  m_generalDevices = devices;
  m_generalChosen = m_chosen = {true, true};
  if (!m_devices.choose(devices)) return;
  emit optionsChanged();
  m_replan.start();
}

// Of the model before this one nothing is left.
void CalculatorState::takeGeneralDevices() {
  m_chosen = m_generalChosen;
  m_devices = startingDevices().choices;
}

StartingDevices CalculatorState::startingDevices() const {
  StartingDevices starting{m_devices, m_generalChosen.devices};
  std::vector<ChosenDevice> rows = m_generalDevices;
  if (rows.empty()) {
    rows = m_devices.rows();
    for (ChosenDevice& row : rows) {
      if (const auto device = m_devices.find(row.id)) row.headroom = defaultHeadroom(*device);
    }
  }
  starting.choices.choose(rows);
  return starting;
}

std::vector<ChosenDevice> CalculatorState::chosenDevices() const {
  return m_chosen.devices || m_chosen.headroom ? m_devices.rows() : std::vector<ChosenDevice>();
}

void CalculatorState::keepGeneralDevices() {
  m_generalDevices = chosenDevices();
  m_generalChosen = m_chosen;
}

std::uint32_t CalculatorState::longestContext() const {
  return m_model ? std::min(m_model->n_ctx_trained, kMaxContext) : 0;
}

std::vector<DType> CalculatorState::offeredKvTypes() const { return headroom::ui::offeredKvTypes(m_devices); }

PlanInputs CalculatorState::inputs() const { return inputsOf(m_model, m_devices, withPossibleFfn(m_options)); }

void CalculatorState::takeModel(std::shared_ptr<const ModelInfo> model) {
  m_model = std::move(model);
  m_plan.reset();
  m_fixes.clear();
  m_byLayers.clear();
  m_byFfn.clear();
  m_planProblem = {};
  m_chosenForUser.clear();
  emit modelChanged();
}

void CalculatorState::setModel(std::shared_ptr<const ModelInfo> model) {
  takeModel(std::move(model));
  takeGeneralDevices();
  if (m_model) chooseDefaults();
  planNow();
}

void CalculatorState::setModel(std::shared_ptr<const ModelInfo> model, const PlanOptions& asked,
                               const std::vector<ChosenDevice>& devices) {
  takeModel(std::move(model));
  takeGeneralDevices();
  takeOptions(asked);
  m_hasDefaultOptions = false;
  if (devices.empty()) {
    chooseDevices();
  } else {
    m_chosen = {true, true};
    m_whyTheseDevices = {};
    m_devices.choose(devices);
  }
  keepTypesPossible();
  emit optionsChanged();
  planNow();
}

void CalculatorState::resetToDefaults() {
  if (!m_model) return;
  m_generalDevices.clear();
  m_generalChosen = {};
  m_chosenForUser.clear();
  takeGeneralDevices();
  chooseDefaults();
  planNow();
  emit devicesChosen();
  emit edited();
}

void CalculatorState::setModel(std::shared_ptr<const ModelInfo> model, const MemoryPlan& plan) {
  takeModel(std::move(model));
  std::vector<ChosenDevice> chosen;
  for (const DeviceChoice& choice : plan.options.devices)
    chosen.push_back({QString::fromStdString(plan.devices[choice.device].id), choice.headroom});
  m_devices.choose(chosen);
  m_whyTheseDevices = {};
  m_hasDefaultOptions = false;
  takeOptions(plan.options);
  // The window has no control for these: a plan for other slots or another batch chooses them anew.
  m_options.n_logit_rows = 0;
  m_options.stream_rows = kAutoRows;
  emit optionsChanged();
  planNow();
}

void CalculatorState::setMeasuredHeap(Bytes bytes) {
  if (!m_model || (m_model->heap_is_measured && m_model->heap_bytes == bytes)) return;
  auto measured = std::make_shared<ModelInfo>(*m_model);
  measured->heap_bytes = bytes;
  measured->heap_is_measured = true;
  m_model = std::move(measured);
  m_replan.start();
}

void CalculatorState::takeOptions(const PlanOptions& options) {
  m_options = options;
  m_options.devices.clear();
}

void CalculatorState::chooseDevices() {
  m_whyTheseDevices = {};
  if (m_chosen.devices || !m_model || m_devices.rows().empty()) return;
  DevicesForModel found = devicesForModel(*m_model, m_devices, m_options);
  const bool areOthers = found.choices.rows() != m_devices.rows();
  m_whyTheseDevices = std::move(found.reason);
  m_devices = std::move(found.choices);
  if (areOthers) emit optionsChanged();
}

void CalculatorState::chooseDefaults() {
  m_options = {};
  m_hasDefaultOptions = true;
  if (m_devices.rows().empty()) return;
  StartingPlan start = startingPlan(m_model, {m_devices, m_chosen.devices});
  m_devices = std::move(start.devices);
  m_whyTheseDevices = std::move(start.whyTheseDevices);
  m_options = start.options;
  if (start.lighterKv) {
    m_chosenForUser.emplace_back([name = typeName(*start.lighterKv)] {
      return tr("The KV cache starts as %1, because as F16 the plan would not fit.").arg(name);
    });
  }
  emit optionsChanged();
}

void CalculatorState::change(const PlanOptions& options) {
  if (options == m_options) return;
  takeOptions(options);
  m_hasDefaultOptions = false;
  m_chosenForUser.clear();
  emit optionsChanged();
  emit edited();
  m_replan.start();
}

void CalculatorState::setContext(std::uint32_t nCtx) {
  PlanOptions options = m_options;
  options.n_ctx = std::max<std::uint32_t>(nCtx, 1);
  change(options);
}

void CalculatorState::setBatch(std::uint32_t nBatch) {
  PlanOptions options = m_options;
  options.n_batch = nBatch;
  change(options);
}

void CalculatorState::setSlots(std::uint32_t nSlots) {
  PlanOptions options = m_options;
  options.n_slots = nSlots;
  change(options);
}

void CalculatorState::setCheckpoints(std::int32_t n) {
  PlanOptions options = m_options;
  options.n_checkpoints = n;
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
  change(options);
}

void CalculatorState::setCpuFfn(std::int32_t nLayers) {
  PlanOptions options = m_options;
  options.n_cpu_ffn = nLayers;
  change(options);
}

void CalculatorState::useDevice(std::size_t row, const QString& id) {
  if (m_devices.use(row, id)) afterDevices(true);
}
void CalculatorState::addDevice(const QString& id) {
  if (m_devices.add(id)) afterDevices(true);
}
void CalculatorState::removeDevice(std::size_t row) {
  if (m_devices.remove(row)) afterDevices(true);
}
void CalculatorState::replaceDevice(const QString& id) {
  if (m_devices.replace(id)) afterDevices(true);
}
void CalculatorState::moveDeviceUp(std::size_t row) {
  if (!m_devices.moveUp(row)) return;
  m_chosen.devices = true;
  m_whyTheseDevices = {};
  afterDevices(false);
}
void CalculatorState::setHeadroom(std::size_t row, HeadroomRule rule) {
  if (!m_devices.setHeadroom(row, rule)) return;
  m_chosen.headroom = true;
  afterDevices(false);
}

void CalculatorState::afterDevices(bool others) {
  m_chosenForUser.clear();
  if (others) {
    m_chosen.devices = true;
    m_whyTheseDevices = {};
    m_options.n_gpu_layers = m_options.n_cpu_ffn = kAutoLayers;
    keepTypesPossible();
  }
  keepGeneralDevices();
  emit optionsChanged();
  emit devicesChosen();
  emit edited();
  m_replan.start();
}

void CalculatorState::keepTypesPossible() {
  for (DType* dtype : {&m_options.kv_k, &m_options.kv_v}) {
    for (std::size_t row = 0; row < m_devices.rows().size(); ++row) {
      const DeviceInfo device = *m_devices.deviceOf(row);
      if (hasKvType(device, *dtype) || device.kv_types.empty()) continue;
      m_chosenForUser.emplace_back([name = QString::fromStdString(device.name), type = typeName(*dtype)] {
        return tr("%1 has no kernel for a cache of %2, so F16 is planned.").arg(name, type);
      });
      *dtype = DType::kF16;
    }
  }
}

void CalculatorState::applyFix(const Fix& fix) {
  const std::vector<ChosenDevice> before = m_devices.rows();
  m_devices.takeDevices(fix.options);
  PlanOptions options = fix.options;
  options.devices.clear();
  change(options);
  if (m_devices.rows() != before) {
    m_chosen.headroom = true;
    if (m_devices.rows().size() != before.size()) {
      m_chosen.devices = true;
      m_whyTheseDevices = {};
    }
    keepGeneralDevices();
    emit optionsChanged();
    emit devicesChosen();
    emit edited();
  }
  planNow();
}

void CalculatorState::solveFor(Goal goal) {
  if (!m_model || !m_plan) return;
  const PlanInputs asked = inputs();
  const auto answer = [&]() -> Result<SolveAnswer> {
    switch (goal) {
      case Goal::LongestContext: return longest_context(*m_model, asked.devices, asked.options);
      case Goal::MostLayers: return most_layers(*m_model, asked.devices, asked.options);
      case Goal::LowestLoss: break;
    }
    return lightest_kv(*m_model, asked.devices, asked.options);
  }();
  if (!answer.ok()) {
    emit solved(answer.error().message, false);
    return;
  }
  if (answer->options) {
    PlanOptions options = *answer->options;
    options.devices.clear();
    change(options);
    planNow();
  }
  emit solved(answer->words, answer->options.has_value());
}

void CalculatorState::planNow() {
  m_replan.stop();
  m_plan.reset();
  m_planProblem = {};
  if (m_model && !m_devices.rows().empty()) {
    const PlanInputs asked = inputs();
    auto plan = plan_memory(*m_model, asked.devices, asked.options);
    if (plan.ok()) {
      m_plan = std::make_shared<const MemoryPlan>(std::move(plan).value());
    } else {
      m_planProblem = plan.error().message;
    }
  }
  m_isAdvising = m_plan != nullptr;
  if (!m_isAdvising) {
    m_fixes.clear();
    m_byLayers.clear();
    m_byFfn.clear();
  }
  emit planned();
  startAdvice();
}

// One at a time: while a slider moves, plans come faster than advice on them.
void CalculatorState::startAdvice() {
  m_isOutdated = m_isThinking;
  if (m_isThinking || !m_isAdvising) return;
  m_isThinking = true;
  runInBackground(
      planningThreads(), this,
      [asked = inputs(), asAsked = inputsOf(m_model, m_devices, m_options), nGpuLayers = m_plan->options.n_gpu_layers] {
        auto found = find_advice(*asked.model, asked.devices, asked.options);
        std::vector<Fix> fixes = found.ok() ? std::move(found).value() : std::vector<Fix>();
        fixes.resize(std::min(fixes.size(), kMostFixes));
        return Advice{std::move(fixes), headroom::ui::previewByLayers(asAsked),
                      headroom::ui::previewByFfn(asAsked, nGpuLayers)};
      },
      [this](Advice advice) {
        m_isThinking = false;
        if (!m_isOutdated) return takeAdvice(std::move(advice));
        startAdvice();
      });
}

void CalculatorState::takeAdvice(Advice advice) {
  m_fixes = std::move(advice.fixes);
  m_byLayers = std::move(advice.byLayers);
  m_byFfn = std::move(advice.byFfn);
  m_isAdvising = false;
  emit advised();
}

void CalculatorState::findDevicePlanPreview(std::size_t row) {
  if (!m_model || m_devices.rows().empty()) return;
  runInBackground(
      planningThreads(), this,
      [model = m_model, devices = m_devices, row, options = m_options] {
        return previewByDevice(model, devices, row, options);
      },
      [this, row](const std::vector<DevicePlanPreview>& preview) { emit devicePlanPreviewFound(row, preview); });
}

void CalculatorState::writeAnew() {
  emit modelChanged();
  planNow();
}

Verdict CalculatorState::verdict() const {
  if (m_plan) return verdictOf(*m_model, *m_plan, m_othersNow);
  if (!m_planProblem.empty()) {
    Verdict verdict;
    verdict.tone = Tone::Warning;
    verdict.heading = tr("No plan");
    verdict.sentence = planProblem();
    return verdict;
  }
  return {};
}

QStringList CalculatorState::remarks() const {
  QStringList sentences;
  for (const auto& sentence : m_chosenForUser) sentences << sentence();
  if (m_plan) {
    if (!m_whyTheseDevices.empty()) sentences << wordsOf(m_whyTheseDevices);
    if (m_options.n_cpu_ffn > m_plan->options.n_cpu_ffn) {
      sentences << tr("The FFN of %1 layers was asked to be on the CPU; only %n layers are on GPUs, so these are.",
                      nullptr, m_plan->options.n_cpu_ffn)
                       .arg(m_options.n_cpu_ffn);
    }
    for (const Note& note : m_plan->notes) sentences << wordsOf(note.words);
  }
  return sentences;
}

Sentence CalculatorState::whyNotLoadable() const {
  if (!m_model) return [] { return tr("No model is open."); };
  if (!m_plan && m_planProblem.empty()) return [] { return tr("There is no plan yet."); };
  if (!m_plan) return m_planProblem;
  for (const DeviceChoice& choice : m_plan->options.devices) {
    const DeviceInfo& device = m_plan->devices[choice.device];
    if (device.is_present) continue;
    return [name = QString::fromStdString(device.name)] {
      return tr("%1 is not in this machine, so there is nothing to load on.").arg(name);
    };
  }
  if (m_plan->fits()) return {};
  if (m_isAdvising) return [] { return tr("The plan does not fit."); };
  const bool oneSuffices = std::any_of(m_fixes.begin(), m_fixes.end(), [](const Fix& fix) { return fix.makes_it_fit; });
  return [oneSuffices] {
    return oneSuffices
               ? tr("The plan does not fit; choose a fix, or change a number.")
               : tr("The plan does not fit, and no single fix is enough: combine them, or choose another device.");
  };
}

}  // namespace headroom::ui
