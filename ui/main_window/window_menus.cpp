#include "ui/main_window/window_menus.h"

#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>

#include "ui/format/literal_text.h"

namespace headroom::ui {

WindowMenus::WindowMenus(QMainWindow& window, const QList<QAction*>& panes) : QObject(&window) {
  buildFile(window);
  buildView(window, panes);
  buildHelp(window);
}

void WindowMenus::buildFile(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&File"));
  QAction* open = menu->addAction(tr("&Open model\u2026"), QKeySequence::Open, this, &WindowMenus::openChosen);
  open->setObjectName(QStringLiteral("actionOpen"));
  open->setStatusTip(tr("Read a model's header and show what it would take; nothing is loaded yet"));
  m_recent = menu->addMenu(tr("&Recent files"));
  m_recent->setObjectName(QStringLiteral("menuRecent"));
  m_starter = menu->addAction(tr("Open the &starter model"), this, &WindowMenus::starterChosen);
  m_starter->setObjectName(QStringLiteral("actionStarter"));
  menu->addSeparator();
  m_close = menu->addAction(tr("&Close model"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_W), this,
                            &WindowMenus::closeChosen);
  m_close->setObjectName(QStringLiteral("actionClose"));
  m_close->setStatusTip(tr("Give back all memory that the model holds"));
  menu->addSeparator();
  QAction* settings = menu->addAction(tr("S&ettings\u2026"), QKeySequence(Qt::CTRL | Qt::Key_Comma), this,
                                      &WindowMenus::settingsChosen);
  settings->setObjectName(QStringLiteral("actionSettings"));
  settings->setMenuRole(QAction::PreferencesRole);
  menu->addSeparator();
  QAction* quit = menu->addAction(tr("&Quit"), QKeySequence::Quit, &window, &QWidget::close);
  quit->setMenuRole(QAction::QuitRole);
  setRecentFiles({});
  setModelOpen(false);
}

void WindowMenus::buildView(QMainWindow& window, const QList<QAction*>& panes) {
  QMenu* menu = window.menuBar()->addMenu(tr("&View"));
  for (int i = 0; i < panes.size(); ++i) {
    panes[i]->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1)));
    menu->addAction(panes[i]);
  }
  menu->addAction(tr("&Write a message"), QKeySequence(Qt::CTRL | Qt::Key_L), this, &WindowMenus::writeChosen);
  menu->addAction(tr("&Reset layout"), this, &WindowMenus::docksResetChosen)
      ->setObjectName(QStringLiteral("actionResetDocks"));
  menu->addSeparator();
  buildTextSize(*menu);
  QMenu* themes = menu->addMenu(tr("&Theme"));
  m_themes = new QActionGroup(this);
  const QList<std::pair<ThemeChoice, QString>> choices{{ThemeChoice::System, tr("As the &system")},
                                                       {ThemeChoice::Light, tr("&Light")},
                                                       {ThemeChoice::Dark, tr("&Dark")}};
  for (const auto& [choice, name] : choices) {
    QAction* action = themes->addAction(name);
    action->setCheckable(true);
    action->setData(static_cast<int>(choice));
    m_themes->addAction(action);
  }
  connect(m_themes, &QActionGroup::triggered, this,
          [this](const QAction* action) { emit themeChosen(static_cast<ThemeChoice>(action->data().toInt())); });
}

void WindowMenus::buildTextSize(QMenu& menu) {
  QMenu* sizes = menu.addMenu(tr("Te&xt size"));
  const auto add = [&](const QString& name, const char* objectName, QList<QKeySequence> keys, auto percent) {
    QAction* action = sizes->addAction(name, this, [this, percent] { emit textSizeChosen(percent()); });
    action->setObjectName(QLatin1StringView(objectName));
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::ApplicationShortcut);  // in the window of the settings as well
    return action;
  };
  // Without Shift as well: the plus is on the key of "=" where it needs Shift.
  m_larger = add(tr("&Larger"), "actionLarger",
                 {QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence(Qt::CTRL | Qt::Key_Equal)},
                 [this] { return largerText(m_textPercent); });
  m_smaller = add(tr("&Smaller"), "actionSmaller", {QKeySequence(Qt::CTRL | Qt::Key_Minus)},
                  [this] { return smallerText(m_textPercent); });
  m_usual = add(tr("As &usual"), "actionUsualSize", {QKeySequence(Qt::CTRL | Qt::Key_0)}, [] { return 100; });
}

void WindowMenus::buildHelp(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&Help"));
  QAction* shortcuts = menu->addAction(tr("&Keyboard shortcuts\u2026"), this, &WindowMenus::shortcutsChosen);
  shortcuts->setObjectName(QStringLiteral("actionShortcuts"));
  shortcuts->setShortcuts({QKeySequence(Qt::Key_F1), QKeySequence(Qt::CTRL | Qt::Key_Question)});
  menu->addAction(tr("What the &starter model is"), this, &WindowMenus::aboutStarterChosen)
      ->setObjectName(QStringLiteral("actionAboutStarter"));
  QAction* check = menu->addAction(tr("&Check the graphics cards again"), this, &WindowMenus::gpuCheckChosen);
  check->setObjectName(QStringLiteral("actionCheckGpus"));
  check->setStatusTip(tr("Whether each computes what the CPU computes, as at its first start"));
  m_verify = menu->addAction(tr("&Verify this plan\u2026"), this, &WindowMenus::verifyChosen);
  m_verify->setObjectName(QStringLiteral("actionVerify"));
  m_verify->setStatusTip(tr("Fill the context of the loaded model to its end and hold what it takes against the plan"));
  m_verify->setEnabled(false);
  QAction* report = menu->addAction(tr("Save a &report\u2026"), this, &WindowMenus::reportChosen);
  report->setObjectName(QStringLiteral("actionReport"));
  report->setStatusTip(tr("Hardware, versions, plan and figures in one file; nothing of any conversation"));
  connect(menu, &QMenu::aboutToShow, this, &WindowMenus::helpOpening);
  QAction* about = menu->addAction(tr("&About Headroom"), this, &WindowMenus::aboutChosen);
  about->setObjectName(QStringLiteral("actionAbout"));
  about->setMenuRole(QAction::AboutRole);
}

void WindowMenus::setRecentFiles(const QStringList& files) {
  m_recent->clear();
  m_recent->setEnabled(!files.isEmpty());
  for (int i = 0; i < files.size(); ++i) {
    const QFileInfo info(files[i]);
    // The first nine by their number; an ampersand of the name itself is doubled.
    QString name = literalText(info.fileName());
    if (i < 9) name = QStringLiteral("&%1  %2").arg(i + 1).arg(name);
    QAction* action = m_recent->addAction(name, this, [this, path = files[i]] { emit recentChosen(path); });
    action->setStatusTip(QDir::toNativeSeparators(files[i]));
  }
  if (files.isEmpty()) return;
  m_recent->addSeparator();
  m_recent->addAction(tr("&Clear this list"), this, &WindowMenus::recentCleared);
}

void WindowMenus::setModelOpen(bool open) { m_close->setEnabled(open); }

void WindowMenus::setAppearance(const AppearanceSettings& appearance) {
  for (QAction* action : m_themes->actions())
    action->setChecked(action->data().toInt() == static_cast<int>(appearance.theme));
  m_textPercent = appearance.textPercent;
  m_larger->setEnabled(largerText(m_textPercent) != m_textPercent);
  m_smaller->setEnabled(smallerText(m_textPercent) != m_textPercent);
  m_usual->setEnabled(m_textPercent != 100);
}

void WindowMenus::setStarterAvailable(bool available) { m_starter->setVisible(available); }

void WindowMenus::setVerifyAvailable(bool available) { m_verify->setEnabled(available); }

}  // namespace headroom::ui
