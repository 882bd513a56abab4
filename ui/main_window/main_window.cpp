#include "ui/main_window/main_window.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "base/check.h"
#include "ui/calculator/memory_panel.h"
#include "ui/chart/vram_panel.h"
#include "ui/format/format_bytes.h"
#include "ui/format/typed_number.h"
#include "ui/main_window/about.h"
#include "ui/main_window/context_question.h"
#include "ui/main_window/message_bar.h"
#include "ui/main_window/tab_order.h"
#include "ui/main_window/window_menus.h"
#include "ui/theme/layout_guard.h"

namespace headroom::ui {
namespace {

constexpr QSize kDefaultSize{1440, 900};
constexpr int kDockStateVersion = 1;

// The one local file or folder that is being dragged, or empty.
QString draggedPath(const QMimeData* mime) {
  for (const QUrl& url : mime->urls()) {
    if (url.isLocalFile()) return url.toLocalFile();
  }
  return {};
}

}  // namespace

MainWindow::MainWindow(WindowServices services, WindowSettings settings, QWidget* parent)
    : QMainWindow(parent),
      m_services(std::move(services)),
      m_settings(std::move(settings)),
      m_opener(m_services.inspectModel),
      m_calculator(m_services.catalogue, m_services.refusedDevices),
      m_load(*m_services.engine),
      m_watch(m_services, m_load) {
  CHECK(m_services.engine != nullptr && m_services.theme != nullptr, "the window needs an engine and a theme");
  setLocale(textLocale());  // of what Qt itself writes: fields, axes
  setWindowTitle(tr("Headroom"));
  setWindowIcon(QIcon(QStringLiteral(":/headroom/icons/app.svg")));
  setAcceptDrops(true);
  buildCentre();
  buildDocks();
  buildMenus();
  connectStates();
  m_calculator.setPresentDevices(m_watch.devicesNow());
  m_calculator.restoreDevices(m_settings.devices);
  m_chart.setDevices(m_calculator.devices().present());
  refreshStatus();
  resize(kDefaultSize);
  if (!m_settings.geometry.isEmpty()) restoreGeometry(m_settings.geometry);
  if (m_settings.docks.isEmpty() || !restoreState(m_settings.docks, kDockStateVersion)) resetDocks();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildCentre() {
  auto* centre = new QWidget(this);
  m_centre = new QVBoxLayout(centre);
  m_centre->setContentsMargins(0, kGrid, 0, 0);
  m_centre->setSpacing(kGrid);
  m_messages = new MessageBar(*m_services.theme, centre);
  m_centre->addWidget(m_messages);
  setCentralWidget(centre);
  setChatWidget(new QWidget(centre));
}

void MainWindow::setChatWidget(QWidget* chat) {
  delete m_chat;
  m_chat = chat;
  m_centre->addWidget(chat, 1);
  setFocusProxy(chat);  // where the keyboard goes when what had it is gone: one writes next
}

void MainWindow::buildDocks() {
  const auto makeDock = [this](const QString& title, const char* name, Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(QLatin1String(name));
    addDockWidget(area, dock);
    return dock;
  };
  m_memoryDock = makeDock(tr("Memory"), "memoryDock", Qt::LeftDockWidgetArea);
  m_vramDock = makeDock(tr("VRAM"), "vramDock", Qt::RightDockWidgetArea);
  m_memory = new MemoryPanel(*m_services.theme, m_calculator, m_load, m_memoryDock);
  m_memoryDock->setWidget(m_memory);
  m_vram = new VramPanel(*m_services.theme, m_chart, m_load, m_vramDock);
  m_vramDock->setWidget(m_vram);
  // Fields take dropped text by themselves; here a drop is a model, wherever it lands.
  for (QDockWidget* dock : {m_memoryDock, m_vramDock}) {
    for (QWidget* widget : dock->findChildren<QWidget*>()) widget->setAcceptDrops(false);
  }
  m_loadedLabel = new QLabel(this);
  m_loadedLabel->setContentsMargins(0, 0, kGrid, 0);
  m_allocationsLabel = new QLabel(this);
  statusBar()->addPermanentWidget(m_loadedLabel);
  statusBar()->addPermanentWidget(new LayoutGuard(m_allocationsLabel, this));
}

void MainWindow::connectStates() {
  connect(&m_opener, &ModelOpener::opened, this, &MainWindow::showOpened);
  connect(&m_opener, &ModelOpener::refused, this,
          [this](const QString&, const QString& sentence, const QString& details) {
            statusBar()->clearMessage();
            showMessage(Tone::Bad, sentence, details);
          });
  connect(m_memory, &MemoryPanel::openRequested, this, &MainWindow::chooseFile);
  connect(m_memory, &MemoryPanel::loadRequested, this, &MainWindow::load);
  connect(m_vram, &VramPanel::exportFailed, this,
          [this](const QString& sentence) { showMessage(Tone::Bad, sentence); });
  connect(&m_calculator, &CalculatorState::planned, this, [this] { m_chart.setCandidate(m_calculator.plan()); });
  connect(&m_calculator, &CalculatorState::devicesChanged, this,
          [this] { m_chart.setDevices(m_calculator.devices().present()); });
  connect(&m_calculator, &CalculatorState::devicesChosen, this, [this] {
    m_settings.devices = m_calculator.devices().rows();
    emit settingsChanged(m_settings);
  });
  connect(&m_calculator, &CalculatorState::solved, this, [this](const QString& sentence, bool found) {
    if (found) {
      statusBar()->showMessage(sentence);
    } else {
      showMessage(Tone::Warning, sentence);
    }
  });
  connect(&m_load, &LoadState::changed, this, &MainWindow::showLoad);
  connect(&m_calculator, &CalculatorState::modelChanged, this, &MainWindow::tellOpenModel);
  connect(&m_load, &LoadState::countersChanged, this, &MainWindow::refreshStatus);
  connect(&m_load, &LoadState::loadFailed, this,
          [this](const Error& error) { showMessage(Tone::Bad, QString::fromStdString(error.message)); });
  connect(&m_load, &LoadState::loadCancelled, this,
          [this] { statusBar()->showMessage(tr("Loading was cancelled; its memory is given back.")); });
  connect(&m_load, &LoadState::released, this, &MainWindow::showClosed);
  connect(&m_watch, &DeviceWatch::freeBytesChanged, &m_calculator, &CalculatorState::setPresentDevices);
  connect(&m_watch, &DeviceWatch::freeBytesChanged, this, &MainWindow::devicesRead);
  for (const auto signal : {&ChartState::nowChanged, &ChartState::changed})
    connect(&m_chart, signal, this, [this] { m_calculator.setOthersNow(m_chart.othersNow()); });
  connect(&m_watch, &DeviceWatch::read, &m_chart, &ChartState::addReading);
}

void MainWindow::resetDocks() {
  for (QDockWidget* dock : {m_memoryDock, m_vramDock}) {
    dock->setFloating(false);
    dock->show();
  }
  addDockWidget(Qt::LeftDockWidgetArea, m_memoryDock);
  addDockWidget(Qt::RightDockWidgetArea, m_vramDock);
  resizeDocks({m_memoryDock, m_vramDock},
              {std::clamp(width() * 28 / 100, 350, 440), std::clamp(width() * 25 / 100, 310, 420)}, Qt::Horizontal);
}

void MainWindow::buildMenus() {
  m_menus = new WindowMenus(*this, {m_memoryDock, m_vramDock});
  m_menus->setRecentFiles(m_settings.recentFiles);
  m_menus->setThemeChoice(m_services.theme->choice());
  m_menus->setStarterAvailable(!m_services.starterModelPath.isEmpty());
  connect(m_menus, &WindowMenus::openChosen, this, &MainWindow::chooseFile);
  connect(m_menus, &WindowMenus::recentChosen, this, [this](const QString& path) { openModel(path); });
  connect(m_menus, &WindowMenus::starterChosen, this,
          [this] { openModel(m_services.starterModelPath, AfterOpen::Load); });
  connect(m_menus, &WindowMenus::closeChosen, this, &MainWindow::closeModel);
  connect(m_menus, &WindowMenus::writeChosen, this, [this] { m_chat->setFocus(Qt::ShortcutFocusReason); });
  connect(m_menus, &WindowMenus::docksResetChosen, this, &MainWindow::resetDocks);
  connect(m_menus, &WindowMenus::gpuCheckChosen, this, &MainWindow::gpuCheckWanted);
  connect(m_menus, &WindowMenus::aboutChosen, this, [this] { showAbout(this); });
  connect(m_menus, &WindowMenus::aboutStarterChosen, this, [this] { showAboutStarter(this); });
  connect(m_menus, &WindowMenus::recentCleared, this, [this] {
    m_settings.recentFiles.clear();
    m_menus->setRecentFiles({});
    emit settingsChanged(m_settings);
  });
  connect(m_menus, &WindowMenus::themeChosen, this, [this](ThemeChoice choice) {
    m_settings.theme = choice;
    m_services.theme->setChoice(choice);
    emit settingsChanged(m_settings);
  });
}

void MainWindow::chooseFile() {
  auto* dialog = new QFileDialog(this, tr("Open a model"), m_settings.lastFolder, tr("Models (*.gguf);;All files (*)"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { openModel(path); });
  dialog->open();
}

void MainWindow::openModel(const QString& path, AfterOpen then) {
  statusBar()->showMessage(tr("Reading the header of %1\u2026").arg(QFileInfo(path).fileName()));
  m_opener.open(path, then);
}

void MainWindow::showOpened(const OpenedModel& model) {
  const bool isStarter = model.path == m_services.starterModelPath;
  m_path = model.path;
  m_calculator.setPresentDevices(m_watch.devicesNow());
  m_calculator.setModel(model.model);
  takeMeasuredHeap();
  m_memory->showModel(m_path, isStarter);
  m_menus->setModelOpen(true);
  statusBar()->showMessage(
      tr("%1 is open; nothing of it is loaded yet").arg(QString::fromStdString(model.model->name)));
  if (!isStarter) {
    m_settings.recentFiles = withRecentFile(m_settings.recentFiles, model.path);
    m_settings.lastFolder = QFileInfo(model.path).absolutePath();
    m_menus->setRecentFiles(m_settings.recentFiles);
    emit settingsChanged(m_settings);
  }
  m_memoryDock->show();
  if (model.then == AfterOpen::Load && m_calculator.isLoadable()) {
    // In a round of its own: the window paints the plan between.
    QTimer::singleShot(0, this, [this, path = m_path] {
      if (m_path == path) load();
    });
  } else {
    m_memory->focusLoadButton();
  }
}

void MainWindow::load() {
  // As it was read last, a second ago at most; the engine reads it again before it reserves anything.
  m_calculator.setPresentDevices(m_watch.devicesNow());
  m_calculator.planNow();
  if (!m_calculator.isLoadable()) {
    showMessage(Tone::Warning, m_calculator.whyNotLoadable());
    return;
  }
  statusBar()->clearMessage();
  m_load.load(m_path, m_calculator.plan());
}

void MainWindow::closeModel() {
  m_opener.cancel();
  const bool isInMemory = m_load.phase() != LoadPhase::Nothing || !m_load.isSettled();
  statusBar()->showMessage(isInMemory ? tr("Giving its memory back\u2026") : tr("Closed."));
  if (isInMemory) m_load.unload();
  m_path.clear();
  m_calculator.setModel(nullptr);
  m_memory->showModel({}, false);
  m_menus->setModelOpen(false);
}

void MainWindow::showClosed() {
  // Another model may have been opened since, and what is said of it stays.
  if (m_path.isEmpty()) statusBar()->showMessage(tr("Closed; its memory is given back."));
}

// In the calculator, with the options that it was loaded with.
void MainWindow::showLoadedModel() {
  const LoadedModel& loaded = *m_load.loaded();
  m_opener.cancel();
  m_path = loaded.path;
  m_calculator.setPresentDevices(m_watch.devicesNow());
  m_calculator.setModel(loaded.model, *loaded.plan);
  m_memory->showModel(m_path, m_path == m_services.starterModelPath);
  m_menus->setModelOpen(true);
}

void MainWindow::planForContext(quint32 nCtx) {
  // It is the conversation with the loaded model that wants room, whatever else is open.
  if (m_load.loaded() != nullptr && m_load.loaded()->path != m_path) showLoadedModel();
  const quint32 trained = m_calculator.longestContext();
  if (trained == 0 || nCtx <= trained) return setPlannedContext(nCtx);
  const LoadedModel* loaded = m_load.loaded();
  const quint32 now = loaded != nullptr ? loaded->plan->options.n_ctx : m_calculator.options().n_ctx;
  askForContext({nCtx, trained, now}, this, [this](quint32 chosen) { setPlannedContext(chosen); });
}

void MainWindow::setPlannedContext(quint32 nCtx) {
  m_calculator.setContext(nCtx);
  m_calculator.planNow();
  m_memoryDock->show();
  m_memoryDock->raise();
  m_memory->focusLoadButton();
}

void MainWindow::loadAgain() {
  if (m_load.loaded() == nullptr || m_load.phase() == LoadPhase::Loading) return;
  showLoadedModel();
  load();
}

void MainWindow::loadWithout(const QString& deviceId) {
  if (m_load.loaded() == nullptr || m_load.phase() == LoadPhase::Loading) return;
  showLoadedModel();
  m_calculator.replaceDevice(deviceId);
  load();
}

bool MainWindow::reloadBringsTo(const QString& deviceId) {
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

void MainWindow::tellOpenModel() {
  const auto& model = m_calculator.model();
  emit openModelChanged(model ? QString::fromStdString(model->name) : QString(), m_load.phase() == LoadPhase::Loading);
}

void MainWindow::showLoad() {
  m_chart.setArriving(m_load.arriving(), m_load.bytesTotal() == 0 ? 0
                                                                  : static_cast<double>(m_load.bytesDone()) /
                                                                        static_cast<double>(m_load.bytesTotal()));
  const LoadedModel* loaded = m_load.loaded();
  m_chart.setLoaded(loaded ? loaded->plan : nullptr);
  takeMeasuredHeap();
  tellOpenModel();
  refreshStatus();
}

// The open model may be the loaded one, of which the heap's share is known.
void MainWindow::takeMeasuredHeap() {
  const LoadedModel* loaded = m_load.loaded();
  if (loaded == nullptr || loaded->path != m_path || !loaded->model->heap_is_measured) return;
  m_calculator.setMeasuredHeap(loaded->model->heap_bytes);
}

void MainWindow::refreshStatus() {
  const LoadedModel* loaded = m_load.loaded();
  m_loadedLabel->setText(loaded ? tr("Loaded: %1").arg(QString::fromStdString(loaded->model->name))
                                : tr("Nothing is loaded"));
  m_allocationsLabel->setText(loaded ? tr("Taken since load: %1").arg(formatGrowth(m_load.grown())) : QString());
  setWindowTitle(loaded ? tr("%1 \u2013 Headroom").arg(QString::fromStdString(loaded->model->name)) : tr("Headroom"));
}

void MainWindow::showMessage(Tone tone, const QString& sentence, const QString& details) {
  m_messages->show(tone, sentence, details);
}

void MainWindow::showStatus(const QString& text) { statusBar()->showMessage(text); }

bool MainWindow::focusNextPrevChild(bool next) { return focusNextInOrder(*this, next); }

void MainWindow::closeEvent(QCloseEvent* event) {
  m_settings.geometry = saveGeometry();
  m_settings.docks = saveState(kDockStateVersion);
  emit settingsChanged(m_settings);
  QMainWindow::closeEvent(event);
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  m_watch.setSeen(true);
}

void MainWindow::hideEvent(QHideEvent* event) {
  QMainWindow::hideEvent(event);
  m_watch.setSeen(false);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (draggedPath(event->mimeData()).isEmpty()) return;
  event->acceptProposedAction();
  m_memory->setDropActive(true);
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) { m_memory->setDropActive(false); }

void MainWindow::dropEvent(QDropEvent* event) {
  m_memory->setDropActive(false);
  const QString path = draggedPath(event->mimeData());
  if (path.isEmpty()) return;
  event->acceptProposedAction();
  openModel(path);
}

}  // namespace headroom::ui
