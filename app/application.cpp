#include "app/application.h"

#include <QApplication>
#include <QDir>
#include <QFileOpenEvent>
#include <QStandardPaths>
#include <QTimer>
#include <QtConcurrentRun>
#include <algorithm>
#include <ctime>
#include <utility>

#include "app/conversation_store.h"
#include "app/engine_bridge.h"
#include "app/model_downloads.h"
#include "app/native_path.h"
#include "app/proof_sentences.h"
#include "app/read_pdf_in_child.h"
#include "app/reporting.h"
#include "app/resources.h"
#include "backend/registry.h"
#include "file/model_file.h"
#include "plan/choose_devices.h"
#include "run/load_model.h"
#include "ui/background/background.h"
#include "ui/chat/chat_sessions.h"
#include "ui/chat/chat_widget.h"
#include "ui/format/format_bytes.h"
#include "ui/library/download_panel.h"
#include "ui/library/library_folders_dialog.h"
#include "ui/library/library_page.h"
#include "ui/library/model_library.h"
#include "ui/main_window/main_window.h"
#include "ui/settings/settings_dialog.h"
#include "ui/theme/theme.h"

namespace headroom::app {

namespace {

constexpr int kSaveDelayMs = 300;
constexpr int kIdleMs = 120'000;  // without work of the engine, until what is due is measured

QString firstModelIn(const QString& folder) {
  const QStringList models = QDir(folder).entryList({QStringLiteral("*.gguf")}, QDir::Files, QDir::Name);
  return models.isEmpty() ? QString() : QDir(folder).filePath(models.first());
}

// On a worker thread.
Result<ModelInfo> inspect(const QString& path) {
  const Result<ModelFile> file = open_model_file(toNativePath(path));
  if (!file) return file.error();
  return describe_model(*file);
}

// None where the system tells nothing. A driver may take its time: on a worker thread, but at the start.
std::vector<DeviceInfo> presentDevices() {
  Result<std::vector<DeviceInfo>> devices = probe_devices(0, true);
  return devices ? std::move(devices).value() : std::vector<DeviceInfo>();
}

}  // namespace

ApplicationPaths findPaths() {
  ApplicationPaths paths;
  paths.dataFolder = qEnvironmentVariable("HEADROOM_DATA_DIR");
  if (paths.dataFolder.isEmpty()) paths.dataFolder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  paths.program = "/proc/self/exe";
  if (const auto starter = findResource("starter")) paths.starterModel = firstModelIn(fromNativePath(*starter));
  if (const auto catalogue = findResource("devices.json")) paths.deviceCatalogue = fromNativePath(*catalogue);
  if (const auto models = findResource("models_to_start.json")) paths.modelsToStart = fromNativePath(*models);
  return paths;
}

Application::Application(ApplicationPaths paths, QObject* parent)
    : QObject(parent),
      m_paths(std::move(paths)),
      m_settingsStore(settingsFile(m_paths.dataFolder)),
      m_settings(m_settingsStore.read()),
      m_language(ui::chosenLanguage(m_settings.general().language, ui::systemLanguages())) {
  QDir().mkpath(m_paths.dataFolder);
  m_theme = std::make_unique<ui::Theme>(m_settings.appearance());
  m_engine = std::make_unique<EngineBridge>(
      keeping_kernels_in(toNativePath(QDir(m_paths.dataFolder).filePath(QLatin1String(kKernelFolder)))));
  m_speeds = DeviceSpeedStore::read(toNativePath(QDir(m_paths.dataFolder).filePath(QLatin1String(kDeviceSpeedFile))));
  m_conversations =
      std::make_unique<ConversationStore>(QDir(m_paths.dataFolder).filePath(QStringLiteral("conversations.sqlite")));
  keepSettings();
  m_verdictFile = toNativePath(QDir(m_paths.dataFolder).filePath(QLatin1String(kVerdictFile)));
  m_verdicts = VerdictStore::read(m_verdictFile);
  m_prover = std::make_unique<CardProver>(m_paths.program, m_verdictFile);
  learnSpeeds();
  makeModels();
  makeDownloads();
  makeWindow();
  makeSessions();
  makeLibrary();
  showChat();
  showLibraryPage();
  makeReporting();
  proveCards();
  qApp->installEventFilter(this);
}

Application::~Application() {
  m_prover.reset();
  m_reporting.reset();
  m_window.reset();
  m_library.reset();
  m_downloads.reset();
  m_models.reset();
  m_saving.waitForFinished();
  m_savingSpeeds.waitForFinished();
  ui::Settings last = m_settings.all();
  last.models.isLoading = false;  // who quits during a load did not crash
  m_settingsStore.write(last);
}

void Application::makeModels() {
  ui::ModelServices services;
  services.engine = m_engine.get();
  services.inspectModel = inspect;
  services.probeDevices = presentDevices;
  services.addLearned = [this](std::vector<DeviceInfo>& devices) { learnAll(devices); };
  services.refusedDevices = refused_devices(true);
  services.starterModelPath = m_paths.starterModel;
  if (!m_paths.deviceCatalogue.isEmpty()) {
    Result<std::vector<DeviceInfo>> catalogue = read_device_catalogue(toNativePath(m_paths.deviceCatalogue));
    if (catalogue) services.catalogue = std::move(*catalogue);
    if (!catalogue) m_problem = catalogue.error().message;
  }
  const Result<std::vector<DeviceInfo>> devices = probe_devices(0, true);
  if (!devices) m_problem = devices.error().message;
  m_models = std::make_unique<ui::ModelController>(std::move(services), m_settings);
}

void Application::makeDownloads() {
  m_downloads = std::make_unique<ModelDownloads>(m_settings, *m_models, inspect, m_paths.dataFolder,
                                                 m_paths.modelsToStart, systemKeyring());
}

void Application::makeWindow() {
  m_window = std::make_unique<ui::MainWindow>(*m_models, m_settings, *m_theme);
  if (!m_problem.empty()) m_window->showMessage(ui::Tone::Bad, m_problem);
  connect(m_window.get(), &ui::MainWindow::settingsWanted, this, &Application::showSettings);
}

void Application::showSettings() {
  if (m_settingsDialog == nullptr) {
    m_settingsDialog = new ui::SettingsDialog(m_settings, *m_models, m_paths.dataFolder, m_window.get());
    connect(m_settingsDialog, &ui::SettingsDialog::gpuCheckWanted, this, &Application::proveAgain);
    connect(m_settingsDialog, &ui::SettingsDialog::modelFoldersWanted, m_settingsDialog, [this] {
      auto* folders = new ui::LibraryFoldersDialog(*m_library, m_settingsDialog);
      folders->setAttribute(Qt::WA_DeleteOnClose);
      folders->open();
    });
  }
  m_settingsDialog->show();
  m_settingsDialog->raise();
  m_settingsDialog->activateWindow();
}

// What is not known of this machine is measured before the first model is loaded; each answer refines it, and what is
// due is measured again once nothing was asked of the engine for a while.
void Application::learnSpeeds() {
  connect(m_engine.get(), &EngineBridge::devicesMeasured, this, [this](const DevicesMeasured& measured) {
    ui::runInBackground(ui::readingThreads(), this, presentDevices,
                        [this, measured](const std::vector<DeviceInfo>& devices) { keepMeasured(measured, devices); });
  });
  connect(m_engine.get(), &EngineBridge::answerTimed, this,
          [this](const DecodeTimes& times, const PromptTimes& prompt) {
            const ui::LoadedModel* loaded = m_models->load().loaded();
            if (loaded != nullptr && m_speeds.refine(*loaded->model, *loaded->plan, times, prompt)) saveSpeeds();
          });
  m_idleTimer.setInterval(kIdleMs);
  const auto isBusy = [this] { m_idleTimer.start(); };
  connect(m_engine.get(), &ui::EnginePort::loadProgressed, this, isBusy);
  connect(m_engine.get(), &ui::EnginePort::modelLoaded, this, isBusy);
  connect(m_engine.get(), &ui::EnginePort::prefillProgressed, this, isBusy);
  connect(m_engine.get(), &ui::EnginePort::textArrived, this, isBusy);
  connect(m_engine.get(), &ui::EnginePort::thinkingArrived, this, isBusy);
  connect(m_engine.get(), &ui::EnginePort::generationFinished, this, isBusy);
  connect(m_engine.get(), &EngineBridge::verifyProgressed, this, isBusy);
  connect(&m_idleTimer, &QTimer::timeout, this, [this] {
    ui::runInBackground(ui::readingThreads(), this, presentDevices,
                        [this](std::vector<DeviceInfo> devices) { measureDue(std::move(devices)); });
  });
  m_idleTimer.start();
  measureDue(presentDevices());
}

void Application::keepMeasured(const DevicesMeasured& measured, const std::vector<DeviceInfo>& devices) {
  for (const auto& [id, measurement] : measured.devices) {
    for (const DeviceInfo& device : devices) {
      if (device.id == id) m_speeds.put_measured(device, measurement, std::time(nullptr));
    }
  }
  saveSpeeds();
  tellPassed(devices);
}

void Application::learnAll(std::vector<DeviceInfo>& devices) const {
  m_verdicts.fill(devices);
  m_speeds.fill(devices);
}

void Application::measureDue(std::vector<DeviceInfo> devices) {
  learnAll(devices);
  // Whoever chooses one of the others by its name waits for no figure of it.
  std::erase_if(devices, [](const DeviceInfo& device) { return !is_used_unasked(device); });
  if (std::vector<DeviceInfo> due = m_speeds.due(devices, std::time(nullptr)); !due.empty())
    m_engine->measure(std::move(due));
}

// Where nothing can be written they are measured again at the next start.
void Application::saveSpeeds() {
  m_savingSpeeds.waitForFinished();  // a small file, and seconds between two
  m_savingSpeeds = QtConcurrent::run([store = m_speeds] { (void)store.write(); });
}

// The first sight of a card: until it has passed, the CPU answers.
void Application::proveCards() {
  connect(m_prover.get(), &CardProver::progressed, this,
          [this](const DeviceInfo& device, const ProofProgress& progress) {
            m_window->showStatus(checkingSentence(device, progress));
          });
  connect(m_prover.get(), &CardProver::proved, this, &Application::takeProof);
  connect(m_window.get(), &ui::MainWindow::gpuCheckWanted, this, &Application::proveAgain);
  connect(m_engine.get(), &ui::EnginePort::failed, this, [this](quint64, const Error& error) { revokeProof(error); });
  std::vector<DeviceInfo> devices = presentDevices();
  const std::vector<DeviceInfo> interrupted = m_verdicts.end_interrupted(devices);
  if (!interrupted.empty()) (void)m_verdicts.write();
  for (const DeviceInfo& device : interrupted) {
    const ProofOfChild proof{ProofOfChild::Kind::kFailed, m_verdicts.find(device)->what_failed, 0};
    tellFailed(device, proof);
  }
  m_verdicts.fill(devices);
  m_prover->prove(devices_to_prove(devices));
}

// All of them, whatever is known.
void Application::proveAgain() {
  ui::runInBackground(ui::readingThreads(), this, presentDevices, [this](std::vector<DeviceInfo> devices) {
    std::erase_if(devices, [](const DeviceInfo& device) { return device.proof_key.empty() || device.is_software; });
    if (devices.empty())
      m_window->showMessage(ui::Tone::Neutral, [] { return tr("There is no graphics card here to check."); });
    m_prover->prove(devices);
  });
}

void Application::takeProof(const DeviceInfo& device, const ProofOfChild& proof) {
  m_verdicts = VerdictStore::read(m_verdictFile);
  m_window->showStatus({});
  if (proof.kind != ProofOfChild::Kind::kPassed) return tellFailed(device, proof);
  m_justPassed.push_back(device);
  ui::runInBackground(ui::readingThreads(), this, presentDevices, [this](std::vector<DeviceInfo> devices) {
    tellPassed(devices);
    measureDue(std::move(devices));
  });
}

void Application::tellFailed(const DeviceInfo& device, const ProofOfChild& proof) {
  m_window->showMessage(
      ui::Tone::Warning, [device, proof] { return failedSentence(device, proof); },
      [proof] { return failedDetails(proof); });
}

// Of those that were measured, which takes a moment behind the check.
void Application::tellPassed(const std::vector<DeviceInfo>& devices) {
  std::vector<DeviceInfo> known = devices;
  learnAll(known);
  std::erase_if(m_justPassed, [&](const DeviceInfo& passed) {
    const auto now = std::ranges::find(known, passed.id, &DeviceInfo::id);
    if (now != known.end() && !(now->speed.read_bytes_per_s > 0)) return false;
    const bool moves = m_models->reloadBringsTo(QString::fromStdString(passed.id));
    m_window->showMessage(
        ui::Tone::Good, [passed, known] { return passedSentence(passed, known); },
        [moves] { return moves ? tr("Press Reload under Memory: the model that is loaded moves there.") : QString(); });
    return true;
  });
}

// A device that was lost while it computed has to prove itself anew. Such errors begin with its id.
void Application::revokeProof(const Error& error) {
  const ui::LoadedModel* loaded = m_models->load().loaded();
  if (error.code != ErrorCode::kDeviceLost || loaded == nullptr) return;
  for (const DeviceInfo& device : loaded->plan->devices) {
    if (device.proof_key.empty() || !error.message.text().starts_with(device.id + ":")) continue;
    m_verdicts.put(device, {.kind = Verdict::Kind::kFailed,
                            .device = device.name,
                            .what_failed = error.message.text(),
                            .at = std::time(nullptr),
                            .process = {}});
    (void)m_verdicts.write();
  }
}

void Application::makeSessions() {
  m_sessions = std::make_unique<ui::ChatSessions>(*m_engine, *m_conversations, m_settings);
  connect(&m_models->watch(), &ui::DeviceWatch::freeBytesChanged, m_sessions.get(), &ui::ChatSessions::setDevices);
  // In a pass of the event loop of its own: the whole window is laid out and painted in the one that brings the model.
  connect(m_engine.get(), &ui::EnginePort::modelLoaded, this, [this](quint64, const ui::LoadedModel& loaded) {
    QTimer::singleShot(0, this, [this, path = loaded.path] { describeModel(path); });
  });
}

void Application::showChat() {
  m_chat = new ui::ChatWidget(*m_sessions, *m_conversations, *m_theme);
  if (!m_paths.program.empty()) {
    m_chat->setRead([program = m_paths.program](const ui::AttachmentOrder& order) {
      return ui::readAttachment(order, [&](const QString& path, Bytes mostTextBytes, const StopToken& stop) {
        return readPdfInChild({program, "--read-pdf"}, path, mostTextBytes, stop);
      });
    });
  }
  m_window->setChatWidget(m_chat);
  connect(m_models.get(), &ui::ModelController::openModelChanged, m_chat, &ui::ChatWidget::setOpenModel);
  connect(m_chat, &ui::ChatWidget::largerContextWanted, m_window.get(), &ui::MainWindow::planForContext);
  connect(m_chat, &ui::ChatWidget::loadAgainWanted, m_models.get(), &ui::ModelController::loadAgain);
  connect(m_chat, &ui::ChatWidget::loadWithoutWanted, m_models.get(), &ui::ModelController::loadWithout);
  connect(m_chat, &ui::ChatWidget::modelDropped, m_models.get(), [this](const QString& path) { m_models->open(path); });
  connect(m_chat, &ui::ChatWidget::problemFound, m_window.get(),
          [this](const ui::Sentence& sentence) { m_window->showMessage(ui::Tone::Warning, sentence); });
  m_models->tellOpenModel();
  if (const ui::LoadedModel* loaded = m_models->load().loaded()) describeModel(loaded->path);
}

void Application::showLibraryPage() {
  m_libraryPage = new ui::LibraryPage(*m_theme, *m_library);
  m_downloadPanel = m_downloads->makePanel();
  m_libraryPage->setDownloads(m_downloadPanel);
  connect(m_downloadPanel, &ui::DownloadPanel::loadWanted, m_libraryPage, &ui::LibraryPage::loadWanted);
  connect(m_downloadPanel, &ui::DownloadPanel::downloaded, m_library.get(), &ui::ModelLibrary::look);
  m_window->setLibraryPage(m_libraryPage);
}

// All that has texts is built anew in its place; what goes on (answers, loads, downloads, a verification) belongs to
// others and goes on.
void Application::followLanguage() {
  const ui::Language language = ui::chosenLanguage(m_settings.general().language, ui::systemLanguages());
  if (language == m_language.language()) return;
  const auto chat = m_chat->release();
  const ui::LibraryPage::Kept library = m_libraryPage->kept();
  const QString typed = m_downloadPanel->typed();
  const QWidget* focused = m_window->focusWidget();
  const QString focusName = focused != nullptr ? focused->objectName() : QString();
  m_language.set(language);
  m_window->writeAnew();
  showChat();
  showLibraryPage();
  m_chat->takeOver(*chat);
  m_libraryPage->takeOver(library);
  m_downloadPanel->setTyped(typed);
  auto* refocused = focusName.isEmpty() ? nullptr : m_window->findChild<QWidget*>(focusName);
  (refocused != nullptr ? refocused : m_window->focusProxy())->setFocus(Qt::OtherFocusReason);
  if (m_settingsDialog != nullptr) m_settingsDialog->writeAnew();
}

void Application::makeLibrary() {
  m_library = std::make_unique<ui::ModelLibrary>(inspect, ui::libraryPlaces(m_paths.dataFolder), m_settings.library());
  connect(m_library.get(), &ui::ModelLibrary::settingsChanged, &m_settings, &ui::SettingsModel::setLibrary);
  connect(&m_settings, &ui::SettingsModel::libraryChanged, m_library.get(),
          [this] { m_library->setSettings(m_settings.library()); });
  // The library asks the calculator, whose connection to the same signal is older and so is served first.
  const auto plan = [this] { m_library->setDevices(m_models->calculator().startingDevices()); };
  connect(&m_models->watch(), &ui::DeviceWatch::freeBytesChanged, m_library.get(), plan);
  connect(&m_models->calculator(), &ui::CalculatorState::devicesChosen, m_library.get(), plan);
  plan();
  connect(&m_models->load(), &ui::LoadState::changed, m_library.get(), [this] {
    const ui::LoadedModel* loaded = m_models->load().loaded();
    m_library->setLoadedPath(loaded != nullptr ? loaded->path : QString());
  });
}

void Application::makeReporting() {
  const auto learned = [this]() -> Reporting::Learned {
    return [verdicts = m_verdicts, speeds = m_speeds](std::vector<DeviceInfo>& devices) {
      verdicts.fill(devices);
      speeds.fill(devices);
    };
  };
  m_reporting = std::make_unique<Reporting>(
      Reporting::Parts{*m_engine, *m_models, *m_sessions, *m_window, m_paths.dataFolder, learned});
}

// The starter is no general assistant, and says so before the first question.
void Application::describeModel(const QString& path) {
  if (path != m_paths.starterModel) return m_chat->setModelNote({}, {});
  m_chat->setModelNote(
      tr("The starter model: a guide to memory and this app, not a general assistant. Drop a model of your own to talk "
         "about "
         "anything else."),
      {tr("What is the KV cache?"), tr("Why does a longer context need more memory?"), tr("What does headroom mean?")});
}

void Application::start(const QStringList& modelPaths) {
  m_window->show();
  m_chat->setFocus();
  m_downloads->findUnfinished();
  if (!modelPaths.isEmpty()) return openModels(modelPaths);
  m_models->openLast();
}

void Application::openModels(const QStringList& paths) {
  if (paths.isEmpty()) return;
  m_models->open(paths.first());
  if (paths.size() == 1) return;
  const auto sentence = [nFiles = static_cast<quint64>(paths.size()), name = QFileInfo(paths.first()).fileName()] {
    return tr("One model is open at a time: of %1 files, %2 is the one.").arg(ui::formatCount(nFiles), name);
  };
  m_window->showMessage(ui::Tone::Neutral, sentence);
}

void Application::takeOver(const HandOver& handOver) {
  // Qt's platforms take the desktop's leave to come to the front from where a fresh start finds it.
  if (!handOver.activationToken.isEmpty()) qputenv("XDG_ACTIVATION_TOKEN", handOver.activationToken);
  m_window->setWindowState(m_window->windowState() & ~Qt::WindowMinimized);
  m_window->show();
  m_window->raise();
  m_window->activateWindow();
  openModels(handOver.paths);
}

void Application::keepSettings() {
  m_saveTimer.setSingleShot(true);
  m_saveTimer.setInterval(kSaveDelayMs);
  connect(&m_saveTimer, &QTimer::timeout, this, &Application::saveSettings);
  connect(&m_settings, &ui::SettingsModel::appearanceChanged, m_theme.get(),
          [this] { m_theme->setAppearance(m_settings.appearance()); });
  // Later: it is chosen in a list that is built anew.
  connect(&m_settings, &ui::SettingsModel::generalChanged, this, &Application::followLanguage, Qt::QueuedConnection);
  connect(&m_settings, &ui::SettingsModel::changed, this, [this] {
    // A load may end the program: that one has begun is on disk before it does.
    const bool isLoading = m_settings.models().isLoading;
    if (isLoading && !std::exchange(m_wasLoading, isLoading)) return saveSettings();
    m_wasLoading = isLoading;
    m_saveTimer.start();
  });
}

void Application::saveSettings() {
  m_saving.waitForFinished();  // the write before took far less than the delay between two
  m_saving =
      QtConcurrent::run([store = m_settingsStore, settings = m_settings.all()] { return store.write(settings); });
  m_saving.then(this, [this](bool isWritten) {
    if (isWritten) {
      m_isUnsavedTold = false;
    } else {
      tellUnsavedSettings();
    }
  });
}

// Once until they can be written again: every change of a setting would say it anew.
void Application::tellUnsavedSettings() {
  if (m_window == nullptr || std::exchange(m_isUnsavedTold, true)) return;
  m_window->showMessage(ui::Tone::Warning, [path = QDir::toNativeSeparators(settingsFile(m_paths.dataFolder))] {
    return tr("The settings cannot be written to %1: what you change is forgotten when Headroom ends.").arg(path);
  });
}

bool Application::eventFilter(QObject* object, QEvent* event) {
  if (event->type() != QEvent::FileOpen) return QObject::eventFilter(object, event);
  m_models->open(static_cast<QFileOpenEvent*>(event)->file());
  return true;
}

}  // namespace headroom::app
