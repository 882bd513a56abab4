#include "ui/library/library_folders_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme/roles.h"

namespace headroom::ui {

namespace {

constexpr int kDialogWidthPx = 520, kOwnPx = 120;

QLabel* addHeading(QVBoxLayout& layout, const QString& text, QWidget* parent) {
  auto* heading = new QLabel(text, parent);
  setRole(heading, "heading");
  layout.addWidget(heading);
  return heading;
}

QLabel* makePath(QWidget* parent) {
  auto* path = new QLabel(parent);
  path->setWordWrap(true);
  path->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setRole(path, "muted");
  return path;
}

void askForFolder(QWidget* parent, const QString& title, const QString& start,
                  const std::function<void(const QString&)>& take) {
  auto* dialog = new QFileDialog(parent, title, start);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(dialog, &QFileDialog::fileSelected, parent, take);
  dialog->open();
}

}  // namespace

void chooseModelFolder(ModelLibrary& library, QWidget* parent) {
  const QString title = LibraryFoldersDialog::tr("Add a folder of models");
  askForFolder(parent, title, library.places().home, [&library](const QString& path) {
    LibrarySettings settings = library.settings();
    const QString clean = QDir::cleanPath(path);
    if (!settings.folders.contains(clean)) settings.folders << clean;
    library.chooseSettings(settings);
  });
}

LibraryFoldersDialog::LibraryFoldersDialog(ModelLibrary& library, QWidget* parent)
    : QDialog(parent), m_library(library) {
  setObjectName(QStringLiteral("libraryFoldersDialog"));
  setWindowTitle(tr("Folders of the library"));
  resize(kDialogWidthPx, sizeHint().height());
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(kGrid);
  addOwn(*layout);
  addSources(*layout);
  addDownloads(*layout);
  layout->addStretch(1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  buttons->button(QDialogButtonBox::Close)->setIcon({});
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::accept);
  layout->addWidget(buttons);
  connect(&library, &ModelLibrary::foldersChanged, this, &LibraryFoldersDialog::refresh);
  connect(&library, &ModelLibrary::settingsChanged, this, &LibraryFoldersDialog::refresh);
  m_library.setSeen(this, true);
  refresh();
}

LibraryFoldersDialog::~LibraryFoldersDialog() { m_library.setSeen(this, false); }

void LibraryFoldersDialog::addOwn(QVBoxLayout& layout) {
  addHeading(layout, tr("Your folders"), this);
  m_own = new QListWidget(this);
  m_own->setObjectName(QStringLiteral("ownFolders"));
  m_own->setAccessibleName(tr("Your folders"));
  m_own->setFixedHeight(kOwnPx);
  layout.addWidget(m_own);
  auto* row = new QHBoxLayout;
  auto* add = new QPushButton(tr("Add\u2026"), this);
  add->setObjectName(QStringLiteral("addFolder"));
  connect(add, &QPushButton::clicked, this, [this] { chooseModelFolder(m_library, this); });
  m_remove = new QPushButton(tr("Remove"), this);
  m_remove->setObjectName(QStringLiteral("removeFolder"));
  m_remove->setToolTip(tr("Look there no more; no file is touched"));
  connect(m_remove, &QPushButton::clicked, this, &LibraryFoldersDialog::removeSelected);
  connect(m_own, &QListWidget::currentRowChanged, m_remove, [this](int at) { m_remove->setEnabled(at >= 0); });
  row->addWidget(add);
  row->addWidget(m_remove);
  row->addStretch(1);
  layout.addLayout(row);
}

void LibraryFoldersDialog::addSources(QVBoxLayout& layout) {
  addHeading(layout, tr("What other programs have fetched"), this);
  const auto addSource = [&](FolderKind kind, bool LibrarySettings::*isOn, const char* name) {
    auto* box = new QCheckBox(folderLabel({kind, {}}), this);
    box->setObjectName(QLatin1String(name));
    connect(box, &QCheckBox::clicked, this, [this, isOn](bool on) {
      LibrarySettings settings = m_library.settings();
      settings.*isOn = on;
      m_library.chooseSettings(settings);
    });
    auto* found = makePath(this);
    found->setIndent(22);
    layout.addWidget(box);
    layout.addWidget(found);
    m_sources.push_back({kind, isOn, box, found});
  };
  addSource(FolderKind::HuggingFace, &LibrarySettings::huggingFace, "huggingFaceBox");
  addSource(FolderKind::LmStudio, &LibrarySettings::lmStudio, "lmStudioBox");
  addSource(FolderKind::Ollama, &LibrarySettings::ollama, "ollamaBox");
}

void LibraryFoldersDialog::addDownloads(QVBoxLayout& layout) {
  addHeading(layout, tr("Downloads go to"), this);
  m_downloads = makePath(this);
  m_downloads->setObjectName(QStringLiteral("downloadFolder"));
  layout.addWidget(m_downloads);
  auto* row = new QHBoxLayout;
  auto* change = new QPushButton(tr("Change\u2026"), this);
  change->setObjectName(QStringLiteral("changeDownloadFolder"));
  connect(change, &QPushButton::clicked, this, &LibraryFoldersDialog::chooseDownloadFolder);
  m_usual = new QPushButton(tr("Use the usual one"), this);
  m_usual->setObjectName(QStringLiteral("usualDownloadFolder"));
  connect(m_usual, &QPushButton::clicked, this, [this] {
    LibrarySettings settings = m_library.settings();
    changeDownloadFolder(settings, {}, m_library.places());
    m_library.chooseSettings(settings);
  });
  row->addWidget(change);
  row->addWidget(m_usual);
  row->addStretch(1);
  layout.addLayout(row);
}

void LibraryFoldersDialog::refresh() {
  const LibrarySettings& settings = m_library.settings();
  QStringList shown;
  for (int i = 0; i < m_own->count(); ++i) shown << m_own->item(i)->text();
  QStringList own;
  for (const QString& path : settings.folders) own << QDir::toNativeSeparators(path);
  if (shown != own) {
    m_own->clear();
    m_own->addItems(own);
  }
  m_remove->setEnabled(m_own->currentRow() >= 0);
  for (const Source& source : m_sources) {
    const bool isOn = settings.*source.isOn;
    source.box->setChecked(isOn);
    source.found->setText(foundText(source.kind, isOn));
    source.box->setAccessibleDescription(source.found->text());
  }
  m_downloads->setText(QDir::toNativeSeparators(downloadFolder(settings, m_library.places())));
  m_usual->setEnabled(!settings.downloadFolder.isEmpty());
}

QString LibraryFoldersDialog::foundText(FolderKind kind, bool isOn) const {
  if (!isOn) return tr("not looked for");
  QStringList found;
  bool isKnown = false;
  for (const LibraryFolder& folder : m_library.folders()) {
    if (folder.where.kind != kind) continue;
    const QString path = QDir::toNativeSeparators(folder.where.path);
    isKnown |= folder.state != FolderState::Unknown;
    if (folder.state == FolderState::Fine) found << path;
    if (folder.state == FolderState::NotReadable) found << tr("%1 (cannot be read by this user)").arg(path);
  }
  if (!found.isEmpty()) return found.join(QLatin1Char('\n'));
  return isKnown ? tr("not found") : tr("looking\u2026");
}

void LibraryFoldersDialog::removeSelected() {
  LibrarySettings settings = m_library.settings();
  const int at = m_own->currentRow();
  if (at < 0 || at >= settings.folders.size()) return;
  settings.folders.removeAt(at);
  m_library.chooseSettings(settings);
}

void LibraryFoldersDialog::chooseDownloadFolder() {
  askForFolder(this, tr("Where downloads go"), downloadFolder(m_library.settings(), m_library.places()),
               [this](const QString& path) {
                 LibrarySettings settings = m_library.settings();
                 changeDownloadFolder(settings, QDir::cleanPath(path), m_library.places());
                 m_library.chooseSettings(settings);
               });
}

}  // namespace headroom::ui
