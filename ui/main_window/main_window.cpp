#include "ui/main_window/main_window.h"

#include <QAction>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/background/background.h"
#include "ui/background/write_file.h"
#include "ui/calculator/memory_panel.h"
#include "ui/chart/vram_panel.h"
#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"
#include "ui/format/typed_number.h"
#include "ui/keys/view_keys.h"
#include "ui/library/library_page.h"
#include "ui/main_window/about.h"
#include "ui/main_window/context_question.h"
#include "ui/main_window/memory_chip.h"
#include "ui/main_window/model_button.h"
#include "ui/main_window/pane_layout.h"
#include "ui/main_window/shortcuts_dialog.h"
#include "ui/main_window/tab_order.h"
#include "ui/main_window/window_menus.h"
#include "ui/message/message_bar.h"
#include "ui/theme/kept_places.h"
#include "ui/theme/layout_guard.h"
#include "ui/theme/theme.h"

namespace headroom::ui {
namespace {

constexpr QSize kDefaultSize{1440, 900};
// Said here, so that the least width is not that of the panes that are open: they fold on the way to it. A screen of
// 1,366 by 768 pixels at 200 % has 683 by 384.
constexpr QSize kLeastSize{640, 360};

// The one local file or folder that is being dragged, or empty.
QString draggedPath(const QMimeData* mime) {
  for (const QUrl& url : mime->urls()) {
    if (url.isLocalFile()) return url.toLocalFile();
  }
  return {};
}

}  // namespace

MainWindow::MainWindow(ModelController& models, SettingsModel& settings, Theme& theme, QWidget* parent)
    : QMainWindow(parent), m_models(models), m_settings(settings), m_theme(theme) {
  setWindowIcon(QIcon(QStringLiteral(":/headroom/icons/app.svg")));
  setAcceptDrops(true);
  setMinimumSize(kLeastSize);
  m_chart.setDevices(m_models.calculator().devices().present());
  build();
  connectModels();
  connect(statusBar(), &QStatusBar::messageChanged, this, &MainWindow::makeRoomInStatus);
  resize(kDefaultSize);
  if (const QByteArray& geometry = m_settings.window().geometry; !geometry.isEmpty()) restoreGeometry(geometry);
  if (!m_panes->restore(m_settings.window().docks)) m_panes->placeAll();
}

MainWindow::~MainWindow() = default;

void MainWindow::build() {
  setLocale(textLocale());  // of what Qt itself writes: fields, axes
  buildCentre();
  buildDocks();
  buildHeader();
  buildMenus();
  nameMemory();
  refreshStatus();
}

void MainWindow::tearDown() {
  delete m_menus;
  delete menuBar();
  delete m_header;
  delete m_panes;
  delete m_memoryDock;
  delete m_vramDock;
  delete m_loadedLabel;
  delete m_allocations;
  delete takeCentralWidget();
  delete m_libraryAction;
  m_chat = nullptr;
  m_library = nullptr;
}

void MainWindow::writeAnew() {
  const PaneLayout::Kept panes = m_panes->kept();
  const QList<BarMessage> messages = m_messages->messages();
  const KeptPlaces memory(*m_memory), vram(*m_vram);
  m_wasInLibrary = m_libraryAction->isChecked();
  statusBar()->clearMessage();  // it is in the other language, and tells of what is over soon
  tearDown();
  build();
  m_panes->takeOver(panes);
  for (const BarMessage& message : messages) m_messages->add(message);
  if (!m_models.path().isEmpty()) {
    m_memory->showModel(m_models.path(), m_models.isStarter());
    m_menus->setModelOpen(true);
  }
  m_models.calculator().writeAnew();
  memory.restoreIn(*m_memory);
  vram.restoreIn(*m_vram);
}

void MainWindow::buildCentre() {
  auto* centre = new QWidget(this);
  m_centre = new QVBoxLayout(centre);
  m_centre->setContentsMargins(0, kGrid, 0, 0);
  m_centre->setSpacing(kGrid);
  m_messages = new MessageBar(m_theme, "message", centre);
  m_centre->addWidget(m_messages);
  m_places = new QStackedWidget(centre);
  m_centre->addWidget(m_places, 1);
  m_libraryAction = new QAction(tr("Library"), this);
  m_libraryAction->setObjectName(QStringLiteral("actionLibrary"));
  m_libraryAction->setCheckable(true);
  m_libraryAction->setVisible(false);
  m_libraryAction->setStatusTip(tr("The models on this machine, and whether they fit"));
  connect(m_libraryAction, &QAction::triggered, this, &MainWindow::showLibrary);
  setCentralWidget(centre);
  setChatWidget(new QWidget(centre));
}

void MainWindow::setChatWidget(QWidget* chat) {
  delete m_chat;
  m_chat = chat;
  m_places->insertWidget(0, chat);
  if (!m_libraryAction->isChecked()) showLibrary(false);
}

void MainWindow::setLibraryPage(LibraryPage* page) {
  m_library = page;
  m_places->addWidget(page);
  m_libraryAction->setVisible(true);
  connect(page, &LibraryPage::leaveWanted, this, [this] { showLibrary(false); });
  connect(page, &LibraryPage::loadWanted, this, [this](const QString& path) {
    m_models.open(path, AfterOpen::Load);
    showLibrary(false);
  });
  connect(page, &LibraryPage::planWanted, this, [this](const QString& path) { m_models.open(path); });
  connect(page, &LibraryPage::problemFound, this,
          [this](const Sentence& sentence) { showMessage(Tone::Warning, sentence); });
  connect(page, &LibraryPage::statusTold, this, &MainWindow::showStatus);
  if (std::exchange(m_wasInLibrary, false)) placeInCentre(true);
}

// Without a pane that stands in front of the centre being taken away.
void MainWindow::placeInCentre(bool isLibrary) {
  QWidget* place = isLibrary ? m_library : m_chat;
  m_libraryAction->setChecked(isLibrary);
  m_places->setCurrentWidget(place);
  setFocusProxy(place);  // where the keyboard goes when what had it is gone: one writes next
}

void MainWindow::showLibrary(bool isShown) {
  if (isShown && m_library == nullptr) return;
  placeInCentre(isShown);
  if (!isVisible()) return;
  if (isShown) m_panes->uncoverChat();
  focusProxy()->setFocus(Qt::OtherFocusReason);
}

void MainWindow::setVerifyAvailable(bool available) { m_menus->setVerifyAvailable(available); }

std::function<QByteArray()> MainWindow::chartBytes(const QString& ending) { return m_vram->exportedBytes(ending); }

// Here, and not in the panel: the end is told by the window, whose contents may be built anew meanwhile.
void MainWindow::exportChart(const QString& path) {
  const auto end = [this, path](const Message& why) {
    if (why.empty()) return emit chartExported(path);
    showMessage(Tone::Bad, [path, why] {
      return tr("The chart could not be written to \u201c%1\u201d: %2.").arg(path, wordsOf(why));
    });
  };
  const std::function<QByteArray()> makeBytes = chartBytes(QFileInfo(path).suffix().toLower());
  if (!makeBytes) return end(Message::say("its ending is none of .png, .svg, .csv, .json"));
  runInBackground(
      writingThreads(), this, [path, makeBytes] { return writeWholeFile(path, makeBytes()); }, end);
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
  m_memory = new MemoryPanel(m_theme, m_models.calculator(), m_models.load(), m_memoryDock);
  m_memoryDock->setWidget(m_memory);
  m_vram = new VramPanel(m_theme, m_chart, m_models.load(), m_vramDock);
  m_vramDock->setWidget(m_vram);
  connect(m_memory, &MemoryPanel::openRequested, this, &MainWindow::chooseFile);
  connect(m_memory, &MemoryPanel::loadRequested, &m_models, &ModelController::startLoad);
  connect(m_vram, &VramPanel::exportChosen, this, &MainWindow::exportChart);
  // Fields take dropped text by themselves; here a drop is a model, wherever it lands.
  for (QDockWidget* dock : {m_memoryDock, m_vramDock}) {
    for (QWidget* widget : dock->findChildren<QWidget*>()) widget->setAcceptDrops(false);
  }
  m_panes =
      new PaneLayout(*this, *m_memoryDock, *m_vramDock, m_settings.window().panes, m_settings.window().paneWidths);
  connect(m_panes, &PaneLayout::choiceChanged, this, [this] {
    WindowSettings window = m_settings.window();
    window.panes = m_panes->choice();
    m_settings.setWindow(window);
  });
  m_loadedLabel = new QLabel(this);
  m_loadedLabel->setContentsMargins(0, 0, kGrid, 0);
  m_allocationsLabel = new QLabel(this);
  m_allocations = new LayoutGuard(m_allocationsLabel, this);
  statusBar()->addPermanentWidget(m_loadedLabel);
  statusBar()->addPermanentWidget(m_allocations);
}

void MainWindow::buildHeader() {
  auto* header = m_header = new QToolBar(tr("Header"), this);
  header->setObjectName(QStringLiteral("header"));
  header->setMovable(false);
  header->setIconSize({16, 16});
  auto* model = new ModelButton(m_models, header);
  connect(model, &ModelButton::openChosen, this, &MainWindow::chooseFile);
  model->addToMenu(m_libraryAction);
  header->addWidget(model);
  header->addAction(m_libraryAction);
  auto* gap = new QWidget(header);
  gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  header->addWidget(gap);
  auto* chip = new MemoryChip(m_theme, m_models, header);
  connect(chip, &MemoryChip::clicked, this, [this] { m_panes->toggle(Pane::Memory); });
  // A widget of a tool bar is shown and hidden by its action.
  QAction* chipAction = header->addWidget(chip);
  connect(chip, &MemoryChip::wanted, chipAction, &QAction::setVisible);
  chip->refresh();
  m_vramButton = new QToolButton(header);
  m_vramButton->setObjectName(QStringLiteral("vramButton"));
  m_vramButton->setDefaultAction(m_panes->action(Pane::Vram));
  header->addWidget(m_vramButton);
  addToolBar(Qt::TopToolBarArea, header);
}

void MainWindow::connectModels() {
  CalculatorState& calculator = m_models.calculator();
  connect(&m_models, &ModelController::opened, this, &MainWindow::showOpened);
  connect(&m_models, &ModelController::closed, this, &MainWindow::showClosed);
  connect(&m_models, &ModelController::planWanted, this, &MainWindow::showPlan);
  connect(&m_models, &ModelController::told, this, &MainWindow::showMessage);
  connect(&m_models, &ModelController::statusTold, this, &MainWindow::showStatus);
  connect(&m_settings, &SettingsModel::modelsChanged, this,
          [this] { m_menus->setRecentFiles(m_models.memory().recentFiles); });
  connect(&calculator, &CalculatorState::planned, this, [this] { m_chart.setCandidate(m_models.calculator().plan()); });
  connect(&calculator, &CalculatorState::devicesChanged, this, [this] {
    m_chart.setDevices(m_models.calculator().devices().present());
    nameMemory();
  });
  connect(&calculator, &CalculatorState::solved, this, [this](const Message& answer, bool found) {
    if (found) {
      statusBar()->showMessage(wordsOf(answer));
    } else {
      showMessage(Tone::Warning, answer);
    }
  });
  connect(&m_models.load(), &LoadState::changed, this, &MainWindow::showLoad);
  connect(&m_models.load(), &LoadState::countersChanged, this, &MainWindow::refreshStatus);
  for (const auto signal : {&ChartState::nowChanged, &ChartState::changed})
    connect(&m_chart, signal, this, [this] { m_models.calculator().setOthersNow(m_chart.othersNow()); });
  connect(&m_models.watch(), &DeviceWatch::read, &m_chart, &ChartState::addReading);
}

void MainWindow::buildMenus() {
  m_menus = new WindowMenus(*this, {m_panes->action(Pane::Memory), m_panes->action(Pane::Vram), m_libraryAction});
  m_menus->setRecentFiles(m_models.memory().recentFiles);
  m_menus->setAppearance(m_settings.appearance());
  connect(&m_settings, &SettingsModel::appearanceChanged, m_menus,
          [this] { m_menus->setAppearance(m_settings.appearance()); });
  m_menus->setStarterAvailable(m_models.hasStarter());
  connect(m_menus, &WindowMenus::openChosen, this, &MainWindow::chooseFile);
  connect(m_menus, &WindowMenus::recentChosen, this, [this](const QString& path) { m_models.open(path); });
  connect(m_menus, &WindowMenus::starterChosen, &m_models, &ModelController::openStarter);
  connect(m_menus, &WindowMenus::closeChosen, &m_models, &ModelController::close);
  connect(m_menus, &WindowMenus::writeChosen, this, [this] {
    m_panes->uncoverChat();
    showLibrary(false);
    m_chat->setFocus(Qt::ShortcutFocusReason);
  });
  connect(m_menus, &WindowMenus::docksResetChosen, m_panes, &PaneLayout::reset);
  connect(m_menus, &WindowMenus::settingsChosen, this, &MainWindow::settingsWanted);
  connect(m_menus, &WindowMenus::gpuCheckChosen, this, &MainWindow::gpuCheckWanted);
  connect(m_menus, &WindowMenus::helpOpening, this, &MainWindow::helpOpening);
  connect(m_menus, &WindowMenus::verifyChosen, this, &MainWindow::verifyWanted);
  connect(m_menus, &WindowMenus::reportChosen, this, &MainWindow::reportWanted);
  connect(m_menus, &WindowMenus::shortcutsChosen, this,
          [this] { (new ShortcutsDialog(shortcutsOf(*this), this))->open(); });
  connect(m_menus, &WindowMenus::aboutChosen, this, [this] { showAbout(this); });
  connect(m_menus, &WindowMenus::aboutStarterChosen, this, [this] { showAboutStarter(this); });
  connect(m_menus, &WindowMenus::recentCleared, &m_models, &ModelController::clearRecentFiles);
  connect(m_menus, &WindowMenus::themeChosen, this, [this](ThemeChoice choice) {
    AppearanceSettings appearance = m_settings.appearance();
    appearance.theme = choice;
    m_settings.setAppearance(appearance);
  });
  connect(m_menus, &WindowMenus::textSizeChosen, this, [this](int percent) {
    AppearanceSettings appearance = m_settings.appearance();
    appearance.textPercent = percent;
    m_settings.setAppearance(appearance);
  });
}

void MainWindow::chooseFile() {
  auto* dialog =
      new QFileDialog(this, tr("Open a model"), m_settings.window().lastFolder, tr("Models (*.gguf);;All files (*)"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { m_models.open(path); });
  dialog->open();
}

void MainWindow::showOpened() {
  m_memory->showModel(m_models.path(), m_models.isStarter());
  m_menus->setModelOpen(true);
  if (m_models.isStarter()) return;
  WindowSettings window = m_settings.window();
  window.lastFolder = QFileInfo(m_models.path()).absolutePath();
  m_settings.setWindow(window);
}

void MainWindow::showClosed() {
  m_memory->showModel({}, false);
  m_menus->setModelOpen(false);
}

// What is opened to be looked at, or does not fit, is not loaded: the plan says what it takes and where to press.
void MainWindow::showPlan() {
  m_panes->openForPlan();
  m_memory->focusLoadButton();
}

void MainWindow::planForContext(quint32 nCtx) {
  // It is the conversation with the loaded model that wants room, whatever else is open.
  const LoadedModel* loaded = m_models.load().loaded();
  if (loaded != nullptr && loaded->path != m_models.path()) m_models.showLoaded();
  const quint32 trained = m_models.calculator().longestContext();
  if (trained == 0 || nCtx <= trained) return setPlannedContext(nCtx);
  const quint32 now = loaded != nullptr ? loaded->plan->options.n_ctx : m_models.calculator().options().n_ctx;
  askForContext({nCtx, trained, now}, this, [this](quint32 chosen) { setPlannedContext(chosen); });
}

void MainWindow::setPlannedContext(quint32 nCtx) {
  m_models.calculator().setContext(nCtx);
  m_models.calculator().planNow();
  showPlan();
}

void MainWindow::showLoad() {
  const LoadState& load = m_models.load();
  m_chart.setArriving(
      load.arriving(),
      load.bytesTotal() == 0 ? 0 : static_cast<double>(load.bytesDone()) / static_cast<double>(load.bytesTotal()));
  const LoadedModel* loaded = load.loaded();
  m_chart.setLoaded(loaded ? loaded->plan : nullptr);
  if (loaded != nullptr && load.isSettled() && loaded->path == m_models.path()) m_panes->endPlan();
  refreshStatus();
}

// The chart is of memory of some kind; VRAM is only what a graphics card has.
void MainWindow::nameMemory() {
  const auto& present = m_models.calculator().devices().present();
  const bool hasGpu = std::ranges::any_of(
      present, [](const DeviceInfo& device) { return device.kind != DeviceKind::kCpu && !device.is_software; });
  const QString name = hasGpu ? tr("VRAM") : tr("Memory in use");
  m_vramDock->setWindowTitle(name);
  m_panes->action(Pane::Vram)->setText(name);
}

void MainWindow::refreshStatus() {
  const LoadedModel* loaded = m_models.load().loaded();
  m_loadedLabel->setText(loaded ? tr("Loaded: %1").arg(QString::fromStdString(loaded->model->name))
                                : tr("Nothing is loaded"));
  m_allocationsLabel->setText(loaded ? tr("Taken since load: %1").arg(formatGrowth(m_models.load().grown()))
                                     : QString());
  if (const QString told = statusBar()->currentMessage(); !told.isEmpty()) makeRoomInStatus(told);
  setWindowTitle(loaded ? tr("%1 \u2013 Headroom").arg(QString::fromStdString(loaded->model->name)) : tr("Headroom"));
}

void MainWindow::showMessage(Tone tone, const Sentence& sentence, const Sentence& details) {
  m_messages->add({tone, sentence, details});
}

void MainWindow::showStatus(const QString& text) { statusBar()->showMessage(text); }

// Figures that stand there for good give way to a sentence that comes for a while.
void MainWindow::makeRoomInStatus(const QString& text) {
  int room = statusBar()->width() - statusBar()->fontMetrics().horizontalAdvance(text) - 4 * kGrid;
  for (QWidget* figures : {static_cast<QWidget*>(m_loadedLabel), m_allocations}) room -= figures->sizeHint().width();
  for (QWidget* figures : {m_allocations, static_cast<QWidget*>(m_loadedLabel)}) {
    const bool givesWay = !text.isEmpty() && room < 0;
    figures->setVisible(!givesWay);
    if (givesWay) room += figures->sizeHint().width();
  }
}

bool MainWindow::focusNextPrevChild(bool next) { return focusNextInOrder(*this, next); }

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (isViewKey(*event, ViewKey::UncoverChat) && m_panes->uncoverChat()) {
    focusProxy()->setFocus(Qt::OtherFocusReason);
    return;
  }
  if (isViewKey(*event, ViewKey::LeaveLibrary) && m_libraryAction->isChecked()) return showLibrary(false);
  QMainWindow::keyPressEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  WindowSettings window = m_settings.window();
  window.geometry = saveGeometry();
  window.docks = m_panes->save();
  window.paneWidths = m_panes->widths();
  m_settings.setWindow(window);
  QMainWindow::closeEvent(event);
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  m_models.watch().setSeen(true);
}

void MainWindow::hideEvent(QHideEvent* event) {
  QMainWindow::hideEvent(event);
  m_models.watch().setSeen(false);
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
  m_models.open(path);
}

// The usual one would hide docks and the header behind the back of their layout.
QMenu* MainWindow::createPopupMenu() { return nullptr; }

}  // namespace headroom::ui
