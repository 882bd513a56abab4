#include "ui/library/library_page.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabBar>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/format/format_bytes.h"
#include "ui/keys/view_keys.h"
#include "ui/library/library_folders_dialog.h"
#include "ui/library/library_row.h"
#include "ui/theme/clear_button.h"
#include "ui/theme/elided_label.h"
#include "ui/theme/kept_places.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

namespace {

constexpr int kVisibleDelayMs = 60;

QPushButton* makeButton(const char* name, const QString& text, QWidget* parent) {
  auto* button = new QPushButton(text, parent);
  button->setObjectName(QLatin1String(name));
  button->setAutoDefault(true);
  return button;
}

QString noticeOf(const LibraryFolder& folder) {
  const QString path = QDir::toNativeSeparators(folder.where.path);
  if (folder.state == FolderState::NotReadable)
    return LibraryPage::tr("%1: %2 cannot be read by this user.").arg(folderLabel(folder.where), path);
  if (folder.state != FolderState::Missing) return {};
  // Nobody misses what another program never made.
  if (folder.where.kind != FolderKind::User && !folder.wasSeen) return {};
  const QString offline = LibraryPage::tr("Folder offline: %1 cannot be reached.").arg(path);
  if (folder.nModels == 0) return offline;
  return offline + QLatin1Char(' ') + LibraryPage::tr("Its %n models come back with it.", nullptr, folder.nModels);
}

}  // namespace

LibraryPage::LibraryPage(const Theme& theme, ModelLibrary& library, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_library(library), m_filter(new LibraryFilter(library.model(), this)) {
  setObjectName(QStringLiteral("libraryPage"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kGrid, 0, kGrid, kGrid);
  layout->setSpacing(kGrid);
  layout->addWidget(makeTop());
  m_tabs = new QTabBar(this);
  m_tabs->setObjectName(QStringLiteral("libraryTabs"));
  m_tabs->setAccessibleName(tr("Places of the library"));
  m_tabs->setDrawBase(false);
  m_tabs->setAutoHide(true);
  m_tabs->addTab(tr("On this machine"));
  layout->addWidget(m_tabs);
  m_places = new QStackedWidget(this);
  m_places->addWidget(makeModels());
  layout->addWidget(m_places, 1);
  connect(m_tabs, &QTabBar::currentChanged, m_places, &QStackedWidget::setCurrentIndex);
  setFocusProxy(m_search);
  m_refreshTimer.setSingleShot(true);
  m_refreshTimer.setInterval(0);
  connect(&m_refreshTimer, &QTimer::timeout, this, &LibraryPage::refresh);
  m_visibleTimer.setSingleShot(true);
  m_visibleTimer.setInterval(kVisibleDelayMs);
  connect(&m_visibleTimer, &QTimer::timeout, this, &LibraryPage::tellVisible);
  connectModel();
  refresh();
}

LibraryPage::~LibraryPage() = default;

QWidget* LibraryPage::makeTop() {
  auto* top = new QWidget(this);
  auto* layout = new QHBoxLayout(top);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGrid);
  auto* title = new QLabel(tr("Library"), top);
  setRole(title, "title");
  layout->addWidget(title);
  m_count = new QLabel(top);
  m_count->setObjectName(QStringLiteral("libraryCount"));
  setRole(m_count, "muted");
  layout->addWidget(m_count);
  layout->addStretch(1);
  auto* folders = makeButton("libraryFolders", tr("Folders\u2026"), top);
  folders->setToolTip(tr("Where models are looked for"));
  connect(folders, &QPushButton::clicked, this, &LibraryPage::showFolders);
  layout->addWidget(folders);
  auto* back = makeButton("libraryBack", tr("Back to chat"), top);
  back->setToolTip(tr("Back to the conversation (Esc)"));
  connect(back, &QPushButton::clicked, this, &LibraryPage::leaveWanted);
  layout->addWidget(back);
  return top;
}

QWidget* LibraryPage::makeTools() {
  auto* tools = new QWidget(this);
  auto* layout = new QHBoxLayout(tools);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGrid);
  m_search = new QLineEdit(tools);
  m_search->setObjectName(QStringLiteral("librarySearch"));
  m_search->setPlaceholderText(tr("Search by name, architecture or quantization"));
  m_search->setAccessibleName(tr("Search models"));
  addClearButton(m_search);
  m_search->installEventFilter(this);
  connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_filter->setSearch(text);
    m_refreshTimer.start();
  });
  layout->addWidget(m_search, 1);
  auto* sort = new QComboBox(tools);
  sort->setObjectName(QStringLiteral("librarySort"));
  sort->setAccessibleName(tr("Order of models"));
  const QList<std::pair<LibraryOrder, QString>> orders{{LibraryOrder::Name, tr("By name")},
                                                       {LibraryOrder::Fit, tr("Fastest first")},
                                                       {LibraryOrder::Size, tr("Largest first")},
                                                       {LibraryOrder::Newest, tr("Newest first")}};
  for (const auto& [order, name] : orders) sort->addItem(name, static_cast<int>(order));
  connect(sort, &QComboBox::currentIndexChanged, this, [this, sort] {
    m_filter->setOrder(static_cast<LibraryOrder>(sort->currentData().toInt()));
    m_list->scrollTo(selected());
    m_visibleTimer.start();
  });
  layout->addWidget(sort);
  return tools;
}

QWidget* LibraryPage::makeModels() {
  auto* models = new QWidget(this);
  auto* layout = new QVBoxLayout(models);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGrid);
  layout->addWidget(makeTools());
  m_notices = new QLabel(models);
  m_notices->setObjectName(QStringLiteral("libraryNotices"));
  m_notices->setWordWrap(true);
  m_notices->setMargin(6);
  setRole(m_notices, "banner");
  setTone(m_notices, Tone::Warning);
  m_notices->hide();
  layout->addWidget(m_notices);
  m_list = new QListView(models);
  m_list->setObjectName(QStringLiteral("libraryList"));
  m_list->setAccessibleName(tr("Models on this machine"));
  m_list->setContextMenuPolicy(Qt::CustomContextMenu);
  m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_list->setUniformItemSizes(true);
  m_list->setItemDelegate(new LibraryRowDelegate(m_theme, m_list));
  m_list->setModel(m_filter);
  m_list->installEventFilter(this);
  layout->addWidget(m_list, 1);
  m_empty = makeEmpty();
  layout->addWidget(m_empty, 1);
  m_chosen = makeChosen();
  layout->addWidget(m_chosen);
  return models;
}

QFrame* LibraryPage::makeEmpty() {
  auto* empty = new QFrame(this);
  empty->setObjectName(QStringLiteral("libraryEmpty"));
  auto* layout = new QVBoxLayout(empty);
  layout->setSpacing(kGrid);
  m_emptyTitle = new QLabel(empty);
  setRole(m_emptyTitle, "title");
  m_emptyText = new QLabel(empty);
  setRole(m_emptyText, "muted");
  for (QLabel* label : {m_emptyTitle, m_emptyText}) {
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
  }
  auto* buttons = new QHBoxLayout;
  m_addFolder = makeButton("libraryAddFolder", tr("Add a folder\u2026"), empty);
  connect(m_addFolder, &QPushButton::clicked, this, &LibraryPage::addFolder);
  m_toDownloads = makeButton("libraryToDownloads", tr("Download a model"), empty);
  connect(m_toDownloads, &QPushButton::clicked, this, &LibraryPage::showDownloads);
  buttons->addStretch(1);
  buttons->addWidget(m_addFolder);
  buttons->addWidget(m_toDownloads);
  buttons->addStretch(1);
  layout->addStretch(2);
  layout->addWidget(m_emptyTitle);
  layout->addWidget(m_emptyText);
  layout->addLayout(buttons);
  layout->addStretch(3);
  return empty;
}

QFrame* LibraryPage::makeChosen() {
  auto* chosen = new QFrame(this);
  chosen->setObjectName(QStringLiteral("libraryChosen"));
  setRole(chosen, "card");
  auto* layout = new QHBoxLayout(chosen);
  layout->setContentsMargins(12, kGrid, 12, kGrid);
  layout->setSpacing(kGrid);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  m_chosenName = new ElidedLabel("heading", Qt::AlignLeft | Qt::AlignVCenter, chosen);
  m_chosenName->setObjectName(QStringLiteral("libraryChosenName"));
  m_chosenText = new QLabel(chosen);
  m_chosenText->setObjectName(QStringLiteral("libraryChosenText"));
  m_chosenText->setWordWrap(true);
  setRole(m_chosenText, "muted");
  texts->addWidget(m_chosenName);
  texts->addWidget(m_chosenText);
  layout->addLayout(texts, 1);
  m_plan = makeButton("libraryPlan", tr("Show plan"), chosen);
  m_plan->setToolTip(tr("Open it and show what it would take; nothing is loaded yet"));
  connect(m_plan, &QPushButton::clicked, this,
          [this] { emit planWanted(selected().data(LibraryModel::PathRole).toString()); });
  m_load = makeButton("libraryLoad", tr("Load"), chosen);
  m_load->setToolTip(tr("Load it, with the options that it had last (Enter)"));
  setRole(m_load, "primary");
  connect(m_load, &QPushButton::clicked, this, [this] { load(selected()); });
  layout->addWidget(m_plan);
  layout->addWidget(m_load);
  return chosen;
}

void LibraryPage::connectModel() {
  connect(&m_theme, &Theme::changed, m_list->viewport(), QOverload<>::of(&QWidget::update));
  const auto refreshSoon = [this] {
    m_refreshTimer.start();
    m_visibleTimer.start();
  };
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(m_filter, signal, this, refreshSoon);
  connect(m_filter, &QAbstractItemModel::dataChanged, this, refreshSoon);
  connect(m_filter, &QAbstractItemModel::layoutChanged, this, refreshSoon);
  connect(m_filter, &QAbstractItemModel::modelReset, this, refreshSoon);
  connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &LibraryPage::refreshChosen);
  connect(m_list->verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { m_visibleTimer.start(); });
  connect(m_list, &QListView::doubleClicked, this, &LibraryPage::load);
  connect(m_list, &QWidget::customContextMenuRequested, this, &LibraryPage::showMenu);
  connect(&m_library, &ModelLibrary::foldersChanged, this, [this] { m_refreshTimer.start(); });
  connect(&m_library, &ModelLibrary::removalFailed, this, &LibraryPage::problemFound);
  connect(&m_library, &ModelLibrary::removed, this,
          [this](const QString& name) { emit statusTold(tr("%1 was moved to the trash").arg(name)); });
}

void LibraryPage::setDownloads(QWidget* downloads) {
  m_places->addWidget(downloads);
  m_tabs->addTab(tr("Download"));
  refresh();
}

LibraryPage::Kept LibraryPage::kept() const {
  return {m_search->text(), findChild<QComboBox*>(QStringLiteral("librarySort"))->currentIndex(),
          m_tabs->currentIndex(), selected().data(LibraryModel::PathRole).toString(),
          m_list->verticalScrollBar()->value()};
}

void LibraryPage::takeOver(const Kept& kept) {
  m_search->setText(kept.search);
  findChild<QComboBox*>(QStringLiteral("librarySort"))->setCurrentIndex(kept.order);
  m_tabs->setCurrentIndex(kept.tab);
  for (int row = 0; row < m_filter->rowCount(); ++row) {
    const QModelIndex index = m_filter->index(row, 0);
    if (index.data(LibraryModel::PathRole).toString() == kept.selected) m_list->setCurrentIndex(index);
  }
  m_list->doItemsLayout();
  scrollOnceThereIsRoom(*m_list->verticalScrollBar(), kept.scroll);
}

void LibraryPage::showDownloads() { m_tabs->setCurrentIndex(m_tabs->count() - 1); }

void LibraryPage::showModels() { m_tabs->setCurrentIndex(0); }

QModelIndex LibraryPage::selected() const { return m_list->currentIndex(); }

void LibraryPage::refresh() {
  const int nAll = m_library.model().rowCount(), nShown = m_filter->rowCount();
  const QString all = tr("%n models", nullptr, nAll);
  m_count->setText(nAll == 0        ? QString()
                   : nShown == nAll ? all
                                    : tr("%1 of %2").arg(formatCount(static_cast<quint64>(nShown)), all));
  const bool isLooking = nAll == 0 && m_library.isBusy();
  m_emptyTitle->setText(isLooking   ? tr("Looking for models\u2026")
                        : nAll == 0 ? tr("No models yet")
                                    : tr("Nothing found"));
  const QString hint = tr("Add a folder that holds .gguf files, or put some into %1.")
                           .arg(QDir::toNativeSeparators(downloadFolder(m_library.settings(), m_library.places())));
  m_emptyText->setText(isLooking ? QString() : nAll == 0 ? hint : tr("No model has all these words."));
  m_addFolder->setVisible(nAll == 0 && !isLooking);
  m_toDownloads->setVisible(nAll == 0 && !isLooking && m_tabs->count() > 1);
  m_empty->setVisible(nShown == 0);
  m_list->setVisible(nShown > 0);
  if (nShown > 0 && !selected().isValid()) m_list->setCurrentIndex(m_filter->index(0, 0));
  refreshNotices();
  refreshChosen();
}

void LibraryPage::refreshNotices() {
  QStringList notices;
  for (const LibraryFolder& folder : m_library.folders()) {
    if (const QString notice = noticeOf(folder); !notice.isEmpty()) notices << notice;
  }
  m_notices->setText(notices.join(QLatin1Char('\n')));
  m_notices->setVisible(!notices.isEmpty());
}

void LibraryPage::refreshChosen() {
  const QModelIndex row = selected();
  m_chosen->setVisible(row.isValid() && m_filter->rowCount() > 0);
  if (!row.isValid()) return;
  const LibraryEntry& entry = m_filter->entry(row);
  m_chosenName->setText(entry.found.name);
  QStringList texts;
  for (const QString& text : {badgeText(entry), explanation(entry)}) {
    if (!text.isEmpty()) texts << text;
  }
  if (entry.isLoaded) texts.prepend(tr("Loaded"));
  m_chosenText->setText(texts.join(QStringLiteral(" \u00b7 ")));
  m_load->setEnabled(entry.canLoad() && !entry.isLoaded);
  m_plan->setEnabled(entry.canLoad());
}

void LibraryPage::tellVisible() {
  QStringList paths;
  const QRect view = m_list->viewport()->rect();
  QModelIndex row = m_list->indexAt(QPoint(view.center().x(), 2));
  for (int at = row.isValid() ? row.row() : 0; at < m_filter->rowCount(); ++at) {
    row = m_filter->index(at, 0);
    if (m_list->visualRect(row).top() > view.bottom()) break;
    paths << row.data(LibraryModel::PathRole).toString();
  }
  m_library.setVisible(paths);
}

void LibraryPage::load(const QModelIndex& row) {
  if (row.data(LibraryModel::CanLoadRole).toBool()) emit loadWanted(row.data(LibraryModel::PathRole).toString());
}

void LibraryPage::showMenu(const QPoint& at) {
  const QModelIndex row = selected();
  if (!row.isValid()) return;
  const QString path = row.data(LibraryModel::PathRole).toString();
  const bool canLoad = row.data(LibraryModel::CanLoadRole).toBool();
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("libraryMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Load"), this, [this, path] { emit loadWanted(path); })->setEnabled(canLoad);
  menu->addAction(tr("Show plan"), this, [this, path] { emit planWanted(path); })->setEnabled(canLoad);
  menu->addSeparator();
  menu->addAction(tr("Show in folder"), this,
                  [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); });
  menu->addAction(tr("Copy path"), this,
                  [path] { QApplication::clipboard()->setText(QDir::toNativeSeparators(path)); });
  menu->addSeparator();
  menu->addAction(tr("Move to trash\u2026"), this, [this, row = QPersistentModelIndex(row)] { askToTrash(row); })
      ->setEnabled(row.data(LibraryModel::RemovableRole).toBool());
  menu->popup(m_list->viewport()->mapToGlobal(at));
}

void LibraryPage::askToTrash(const QModelIndex& row) {
  if (!row.data(LibraryModel::RemovableRole).toBool()) return;
  const LibraryEntry& entry = m_filter->entry(row);
  const auto nFiles = static_cast<int>(entry.found.files.size());
  const QString question = tr("Move %1 to the trash? Its %n files have %2.", nullptr, nFiles);
  auto* box =
      new QMessageBox(QMessageBox::Question, tr("Move to trash"),
                      question.arg(entry.found.name, formatBytes(entry.found.bytes)), QMessageBox::Cancel, this);
  box->setObjectName(QStringLiteral("trashQuestion"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  const QPushButton* move = box->addButton(tr("Move to trash"), QMessageBox::AcceptRole);
  connect(move, &QPushButton::clicked, this, [this, path = entry.found.path] { m_library.moveToTrash(path); });
  box->setDefaultButton(QMessageBox::Cancel);
  box->open();
}

void LibraryPage::showFolders() {
  auto* dialog = new LibraryFoldersDialog(m_library, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

void LibraryPage::addFolder() { chooseModelFolder(m_library, this); }

bool LibraryPage::eventFilter(QObject* object, QEvent* event) {
  if (object == m_list && event->type() == QEvent::Resize) m_visibleTimer.start();
  if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(object, event);
  const auto& press = *static_cast<QKeyEvent*>(event);
  if (object == m_search && isViewKey(press, ViewKey::ToModelList) && m_filter->rowCount() > 0) {
    m_list->setFocus(Qt::OtherFocusReason);
    return true;
  }
  if (object == m_search && isViewKey(press, ViewKey::LeaveLibrary) && !m_search->text().isEmpty()) {
    m_search->clear();
    return true;
  }
  if (object != m_list || !selected().isValid()) return QWidget::eventFilter(object, event);
  if (isViewKey(press, ViewKey::LoadModel)) {
    load(selected());
  } else if (isViewKey(press, ViewKey::TrashModel)) {
    askToTrash(selected());
  } else if (isViewKey(press, ViewKey::ShowMenu)) {
    showMenu(m_list->visualRect(selected()).center());
  } else {
    return QWidget::eventFilter(object, event);
  }
  return true;
}

void LibraryPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  m_library.setSeen(this, true);
  m_visibleTimer.start();
}

void LibraryPage::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  m_library.setSeen(this, false);
}

}  // namespace headroom::ui
