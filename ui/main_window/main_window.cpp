#include "ui/main_window/main_window.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QStatusBar>
#include <QVBoxLayout>

#include "base/check.h"
#include "ui/main_window/message_bar.h"
#include "ui/main_window/window_menus.h"

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
    : QMainWindow(parent), m_services(std::move(services)), m_settings(std::move(settings)), m_opener(m_services.inspectModel) {
  CHECK(m_services.engine != nullptr && m_services.theme != nullptr, "the window needs an engine and a theme");
  setWindowTitle(tr("Headroom"));
  setWindowIcon(QIcon(QStringLiteral(":/headroom/icons/app.svg")));
  setAcceptDrops(true);
  buildCentre();
  buildDocks();
  buildMenus();
  statusBar()->showMessage(tr("Ready"));
  connect(&m_opener, &ModelOpener::opened, this, &MainWindow::showOpened);
  connect(&m_opener, &ModelOpener::refused, this, [this](const QString&, const QString& sentence) { showMessage(Tone::Bad, sentence); });
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
  m_memoryDock->setWidget(new QWidget(m_memoryDock));
  m_vramDock->setWidget(new QWidget(m_vramDock));
}

void MainWindow::resetDocks() {
  for (QDockWidget* dock : {m_memoryDock, m_vramDock}) {
    dock->setFloating(false);
    dock->show();
  }
  addDockWidget(Qt::LeftDockWidgetArea, m_memoryDock);
  addDockWidget(Qt::RightDockWidgetArea, m_vramDock);
  resizeDocks({m_memoryDock, m_vramDock}, {width() * 30 / 100, width() * 28 / 100}, Qt::Horizontal);
}

void MainWindow::buildMenus() {
  m_menus = new WindowMenus(*this, {m_memoryDock, m_vramDock});
  m_menus->setRecentFiles(m_settings.recentFiles);
  m_menus->setThemeChoice(m_services.theme->choice());
  m_menus->setStarterAvailable(!m_services.starterModelPath.isEmpty());
  connect(m_menus, &WindowMenus::openChosen, this, &MainWindow::chooseFile);
  connect(m_menus, &WindowMenus::recentChosen, this, [this](const QString& path) { openModel(path); });
  connect(m_menus, &WindowMenus::starterChosen, this, [this] { openModel(m_services.starterModelPath, AfterOpen::Load); });
  connect(m_menus, &WindowMenus::closeChosen, this, &MainWindow::closeModel);
  connect(m_menus, &WindowMenus::docksResetChosen, this, &MainWindow::resetDocks);
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
  m_afterOpen = then;
  statusBar()->showMessage(tr("Reading the header of %1\u2026").arg(QFileInfo(path).fileName()));
  m_opener.open(path);
}

void MainWindow::showOpened(const OpenedModel& model) {
  statusBar()->showMessage(tr("%1 is open; nothing is loaded yet").arg(QString::fromStdString(model.model->name)));
  m_menus->setModelOpen(true);
  if (model.path != m_services.starterModelPath) {
    m_settings.recentFiles = withRecentFile(m_settings.recentFiles, model.path);
    m_settings.lastFolder = QFileInfo(model.path).absolutePath();
    m_menus->setRecentFiles(m_settings.recentFiles);
    emit settingsChanged(m_settings);
  }
}

void MainWindow::closeModel() {
  m_services.engine->unload();
  m_menus->setModelOpen(false);
}

void MainWindow::planForContext(quint32) { m_memoryDock->show(); }

void MainWindow::showMessage(Tone tone, const QString& sentence) { m_messages->show(tone, sentence); }

void MainWindow::closeEvent(QCloseEvent* event) {
  m_settings.geometry = saveGeometry();
  m_settings.docks = saveState(kDockStateVersion);
  emit settingsChanged(m_settings);
  QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!draggedPath(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) {}

void MainWindow::dropEvent(QDropEvent* event) {
  const QString path = draggedPath(event->mimeData());
  if (path.isEmpty()) return;
  event->acceptProposedAction();
  openModel(path);
}

}  // namespace headroom::ui
