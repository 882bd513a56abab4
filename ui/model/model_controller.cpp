#include "ui/model/model_controller.h"

#include <QFileInfo>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "ui/format/message_words.h"

namespace headroom::ui {

ModelController::ModelController(ModelServices services, SettingsModel& settings, QObject* parent)
    : QObject(parent),
      m_services(std::move(services)),
      m_settings(settings),
      m_opener(m_services.inspectModel),
      m_calculator(m_services.catalogue, m_services.refusedDevices),
      m_load(*m_services.engine),
      m_watch(m_services, m_load) {
  connect(&m_opener, &ModelOpener::opened, this, &ModelController::takeOpened);
  connect(&m_opener, &ModelOpener::refused, this, &ModelController::takeRefused);
  connect(&m_watch, &DeviceWatch::freeBytesChanged, &m_calculator, &CalculatorState::setPresentDevices);
  connect(&m_calculator, &CalculatorState::modelChanged, this, &ModelController::tellOpenModel);
  connect(&m_calculator, &CalculatorState::edited, this, &ModelController::rememberOptions);
  connect(&m_calculator, &CalculatorState::devicesChosen, this, [this] {
    ModelMemory models = memory();
    models.devices = m_calculator.chosenDevices();
    m_settings.setModels(models);
  });
  connect(&m_load, &LoadState::changed, this, &ModelController::takeLoad);
  connect(&m_load, &LoadState::loadFailed, this,
          [this](const Error& error) { emit told(Tone::Bad, error.message, {}); });
  connect(&m_load, &LoadState::loadCancelled, this,
          [this] { emit statusTold(tr("Loading was cancelled; its memory is given back.")); });
  connect(&m_load, &LoadState::released, this, [this] {
    // Another model may have been opened since, and what is said of it stays.
    if (m_path.isEmpty()) emit statusTold(tr("Closed; its memory is given back."));
  });
  m_calculator.setPresentDevices(m_watch.devicesNow());
  m_calculator.restoreDevices(memory().devices);
}

void ModelController::open(const QString& path, AfterOpen then) {
  m_restoring = then == AfterOpen::Restore ? path : QString();
  emit statusTold(tr("Reading the header of %1\u2026").arg(QFileInfo(path).fileName()));
  m_opener.open(path, then);
}

void ModelController::openLast() {
  m_wasLoading = memory().isLoading;
  if (!memory().loadedPath.isEmpty() && m_settings.general().loadsLast)
    return open(memory().loadedPath, AfterOpen::Restore);
  if (hasStarter()) return openStarter();
  emit told(Tone::Warning, [] { return tr("This copy came without its starter model; open a .gguf file to begin."); },
            {});
}

void ModelController::takeOpened(const OpenedModel& model) {
  m_restoring.clear();
  m_path = model.path;
  m_load.setOpened(m_path, model.changed);
  m_calculator.setPresentDevices(m_watch.devicesNow());
  const PlannedModel* planned = findPlanned(memory(), m_path);
  if (planned != nullptr) {
    m_calculator.setModel(model.model, planned->asked, planned->devices);
  } else {
    m_calculator.setModel(model.model);
  }
  takeMeasuredHeap();
  emit statusTold(tr("%1 is open; nothing of it is loaded yet").arg(QString::fromStdString(model.model->name)));
  if (!isStarter()) {
    ModelMemory models = memory();
    models.recentFiles = withRecentFile(models.recentFiles, m_path);
    m_settings.setModels(models);
  }
  emit opened();
  if (model.then == AfterOpen::ShowPlan) return emit planWanted();
  // In a round of its own: the window paints the plan between.
  QTimer::singleShot(0, this, [this, path = m_path, then = model.then] {
    if (m_path != path) return;
    if (then == AfterOpen::Restore) return restore(std::exchange(m_wasLoading, false));
    startLoad();
  });
}

void ModelController::takeRefused(const QString& path, const Message& why) {
  emit statusTold({});
  if (path != m_restoring) {
    return emit told(
        Tone::Bad, [why] { return partsOf(why).sentence; }, [why] { return partsOf(why).details; });
  }
  m_restoring.clear();
  const auto whatIsLost = [name = QFileInfo(path).fileName(), hasStarter = hasStarter()] {
    return (hasStarter ? tr("%1 was loaded when Headroom ended, and cannot be opened now. The starter model is loaded "
                            "in its place.")
                       : tr("%1 was loaded when Headroom ended, and cannot be opened now."))
        .arg(name);
  };
  emit told(Tone::Warning, whatIsLost, [why] {
    const auto [sentence, details] = partsOf(why);
    return details.isEmpty() ? sentence : sentence + QLatin1Char(' ') + details;
  });
  if (!hasStarter()) return;
  m_keepsLoaded = true;
  openStarter();
}

// What was loaded when the program ended is loaded again, unless that is what ended it, or there is no room for it now.
void ModelController::restore(bool wasLoading) {
  const QString name = QString::fromStdString(m_calculator.model()->name);
  if (wasLoading) {
    const auto sentence = [name] {
      return tr("Headroom ended while it was loading %1, so this time it is only open. Load tries again.").arg(name);
    };
    emit told(Tone::Warning, sentence, {});
    return emit planWanted();
  }
  m_calculator.setPresentDevices(m_watch.devicesNow());
  m_calculator.planNow();
  if (m_calculator.isLoadable()) return startLoad();
  const auto sentence = [name] {
    return tr("%1 was loaded when Headroom ended, and cannot be loaded as it was.").arg(name);
  };
  emit told(Tone::Warning, sentence, m_calculator.whyNotLoadable());
  emit planWanted();
}

void ModelController::startLoad() {
  // As it was read last, a second ago at most; the engine reads it again before it reserves anything.
  m_calculator.setPresentDevices(m_watch.devicesNow());
  m_calculator.planNow();
  if (!m_calculator.isLoadable()) {
    emit told(Tone::Warning, m_calculator.whyNotLoadable(), {});
    return emit planWanted();
  }
  // To load it all the same would end the answers that it writes and empty its caches.
  const bool isLoaded = m_load.needs(m_path, *m_calculator.plan()) == ReloadNeed::kNothing;
  const QString name = QString::fromStdString(m_calculator.model()->name);
  emit statusTold(isLoaded ? tr("%1 is loaded already.").arg(name) : QString());
  if (!isStarter()) m_keepsLoaded = false;
  ModelMemory models = memory();
  if (!m_keepsLoaded) models.loadedPath = isStarter() ? QString() : m_path;
  models.isLoading = !isLoaded && !models.loadedPath.isEmpty() && !m_keepsLoaded;
  m_settings.setModels(models);
  if (isLoaded) return;
  m_load.load(m_path, m_calculator.plan());
}

void ModelController::close() {
  m_opener.cancel();
  const bool isInMemory = m_load.phase() != LoadPhase::Nothing || !m_load.isSettled();
  emit statusTold(isInMemory ? tr("Giving its memory back\u2026") : tr("Closed."));
  ModelMemory models = memory();
  models.loadedPath.clear();
  models.isLoading = m_keepsLoaded = false;
  m_settings.setModels(models);
  if (isInMemory) m_load.unload();
  m_path.clear();
  m_calculator.setModel(nullptr);
  emit closed();
}

void ModelController::showLoaded() {
  CHECK(m_load.loaded() != nullptr, "only what is loaded can be shown");
  const LoadedModel& loaded = *m_load.loaded();
  m_opener.cancel();
  m_path = loaded.path;
  m_calculator.setPresentDevices(m_watch.devicesNow());
  m_calculator.setModel(loaded.model, *loaded.plan);
  emit opened();
}

void ModelController::loadAgain() {
  if (m_load.loaded() == nullptr || m_load.phase() == LoadPhase::Loading) return;
  showLoaded();
  startLoad();
}

void ModelController::loadWithout(const QString& deviceId) {
  if (m_load.loaded() == nullptr || m_load.phase() == LoadPhase::Loading) return;
  showLoaded();
  m_calculator.replaceDevice(deviceId);
  startLoad();
}

bool ModelController::reloadBringsTo(const QString& deviceId) {
  const LoadedModel* loaded = m_load.loaded();
  if (loaded == nullptr || loaded->path != m_path || m_load.phase() == LoadPhase::Loading) return false;
  std::vector<DeviceInfo> devices = m_watch.devicesNow();
  if (m_services.addLearned) m_services.addLearned(devices);  // what was learnt since they were read
  m_calculator.setPresentDevices(devices);
  m_calculator.planNow();
  const auto isOn = [id = deviceId.toStdString()](const MemoryPlan& plan) {
    return std::ranges::any_of(plan.options.devices,
                               [&](const DeviceChoice& choice) { return plan.devices[choice.device].id == id; });
  };
  return m_calculator.isLoadable() && isOn(*m_calculator.plan()) && !isOn(*loaded->plan);
}

void ModelController::clearRecentFiles() {
  ModelMemory models = memory();
  models.recentFiles.clear();
  m_settings.setModels(models);
}

// Of a load that failed what was asked for stays, so that the next start asks for it again.
void ModelController::takeLoad() {
  takeMeasuredHeap();
  tellOpenModel();
  if (!m_load.isSettled()) return;
  ModelMemory models = memory();
  models.isLoading = false;
  if (m_load.loaded() != nullptr && !m_keepsLoaded) {
    const QString& path = m_load.loaded()->path;
    models.loadedPath = path == m_services.starterModelPath ? QString() : path;
  }
  m_settings.setModels(models);
}

// The open model may be the loaded one, of which the heap's share is known.
void ModelController::takeMeasuredHeap() {
  const LoadedModel* loaded = m_load.loaded();
  if (loaded == nullptr || loaded->path != m_path || !loaded->model->heap_is_measured) return;
  m_calculator.setMeasuredHeap(loaded->model->heap_bytes);
}

void ModelController::rememberOptions() {
  if (m_path.isEmpty()) return;
  ModelMemory models = memory();
  if (m_calculator.hasDefaults()) {
    forgetPlanned(models, m_path);
  } else {
    rememberPlanned(models, {m_path, m_calculator.options(), m_calculator.chosenDevices()});
  }
  m_settings.setModels(models);
}

void ModelController::tellOpenModel() {
  const auto& model = m_calculator.model();
  emit openModelChanged(model ? QString::fromStdString(model->name) : QString(), m_load.phase() == LoadPhase::Loading);
}

}  // namespace headroom::ui
