#include "ui/library/model_library.h"

#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>
#include <utility>

#include "base/heap.h"
#include "ui/background/background.h"

namespace headroom::ui {
namespace {

constexpr int kDebounceMs = 500;
constexpr int kArrivalMs = 2'000;   // between two looks at a file that grows
constexpr int kSettledMs = 10'000;  // a file that nobody wrote to for so long is as it is meant to be
constexpr int kAboveMs = 2'000;     // after a change in a folder that holds one of ours
constexpr int kStateMs = 10'000;    // between two looks for disks that went or came, of which nobody tells
constexpr int kChunkMs = 30;        // of work on another thread, until its results are shown
constexpr qsizetype kChunkRows = 64;
constexpr int kMaxWatched = 2'000;  // the kernel has some thousands for all programs of a user

HeaderFacts read(const InspectModel& inspect, const QString& path) {
  const Result<ModelInfo> result = inspect(path);
  if (result.ok()) return {std::make_shared<const ModelInfo>(*result), {}, false};
  return {nullptr, result.error().message, result.error().code == ErrorCode::kUnsupported};
}

// Written to just now, also by a clock that goes before ours.
bool isFresh(qint64 changedMs) { return std::abs(QDateTime::currentMSecsSinceEpoch() - changedMs) < kSettledMs; }

template <class Work, class Then>
void runQuietly(QObject* context, Work work, Then then) {
  const auto quietly = [work = std::move(work)] {
    yieldToOthers();
    return work();
  };
  runInBackground(libraryThreads(), context, quietly, std::move(then));
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.read(1 << 20) : QByteArray();
}

}  // namespace

ModelLibrary::ModelLibrary(InspectModel inspect, LibraryPlaces places, LibrarySettings settings, QObject* parent)
    : QObject(parent),
      m_inspect(std::move(inspect)),
      m_places(std::move(places)),
      m_settings(std::move(settings)),
      m_stop(std::make_shared<std::atomic<bool>>(false)) {
  const auto setUp = [this](QTimer& timer, int ms) {
    timer.setSingleShot(true);
    timer.setInterval(ms);
    connect(&timer, &QTimer::timeout, this, &ModelLibrary::look);
  };
  setUp(m_lookTimer, kDebounceMs);
  setUp(m_arrivalTimer, kArrivalMs);
  m_aboveTimer.setSingleShot(true);
  m_aboveTimer.setInterval(kAboveMs);
  connect(&m_aboveTimer, &QTimer::timeout, this, &ModelLibrary::checkStates);
  m_stateTimer.setInterval(kStateMs);
  connect(&m_stateTimer, &QTimer::timeout, this, &ModelLibrary::checkStates);
  connect(&m_watcher, &FolderWatcher::changed, this, &ModelLibrary::lookSoon);
  // They were looked into before they were watched: once more for what came between.
  connect(&m_watcher, &FolderWatcher::begun, this, [this] {
    if (m_isSeen) m_lookTimer.start();
  });
}

ModelLibrary::~ModelLibrary() { *m_stop = true; }

QVector<LibraryFolder> ModelLibrary::folders() const {
  QVector<LibraryFolder> folders;
  for (const auto& folder : m_folders) folders.append(folder->told);
  return folders;
}

bool ModelLibrary::isBusy() const {
  return m_isResolving || std::any_of(m_folders.begin(), m_folders.end(),
                                      [](const auto& folder) { return folder->isListing || folder->isReading; });
}

void ModelLibrary::setSettings(const LibrarySettings& settings) {
  if (settings == m_settings) return;
  m_settings = settings;
  *m_stop = true;
  m_stop = std::make_shared<std::atomic<bool>>(false);
  m_isResolving = false;
  for (auto& folder : m_folders) folder->isListing = folder->isReading = false;
  if (m_isSeen) look();
}

void ModelLibrary::chooseSettings(const LibrarySettings& settings) {
  if (settings == m_settings) return;
  setSettings(settings);
  emit settingsChanged(m_settings);
}

void ModelLibrary::setDevices(const StartingDevices& devices) {
  m_devices = devices;
  ++m_nDevices;
  m_planned.clear();
  planNext();
}

// A link is resolved on another thread: its disk may not answer.
void ModelLibrary::setLoadedPath(const QString& path) {
  m_loadedPath = path;
  m_model.setLoadedPath(path);
  if (path.isEmpty()) return;
  runQuietly(
      this, [path] { return QFileInfo(path).canonicalFilePath(); },
      [this, path](const QString& canonical) {
        if (m_loadedPath == path && !canonical.isEmpty()) m_model.setLoadedPath(path, canonical);
      });
}

void ModelLibrary::setSeen(const QObject* viewer, bool looks) {
  looks ? static_cast<void>(m_viewers.insert(viewer)) : static_cast<void>(m_viewers.remove(viewer));
  const bool isSeen = !m_viewers.isEmpty();
  if (std::exchange(m_isSeen, isSeen) == isSeen) return;
  if (!isSeen) {
    for (QTimer* timer : {&m_lookTimer, &m_arrivalTimer, &m_aboveTimer, &m_stateTimer}) timer->stop();
    return;
  }
  m_stateTimer.start();
  look();
  planNext();
}

void ModelLibrary::setVisible(const QStringList& paths) { m_visible = QSet<QString>(paths.begin(), paths.end()); }

void ModelLibrary::look() {
  if (!m_isSeen || m_isResolving) return;  // it is looked at when somebody sees it
  m_isResolving = true;
  runQuietly(
      this,
      [settings = m_settings, places = m_places] {
        return modelFolders(settings, places, contentOf(lmStudioSettingsFile(places)));
      },
      [this, stop = m_stop](const QVector<ModelFolder>& folders) {
        if (*stop) return;
        m_isResolving = false;
        takeFolders(folders);
      });
}

ModelLibrary::Folder* ModelLibrary::find(const ModelFolder& where) {
  const auto at =
      std::find_if(m_folders.begin(), m_folders.end(), [&](const auto& folder) { return folder->told.where == where; });
  return at == m_folders.end() ? nullptr : at->get();
}

void ModelLibrary::takeFolders(const QVector<ModelFolder>& folders) {
  std::vector<std::unique_ptr<Folder>> kept;
  for (const ModelFolder& where : folders) {
    const auto at = std::find_if(m_folders.begin(), m_folders.end(),
                                 [&](const auto& folder) { return folder != nullptr && folder->told.where == where; });
    if (at != m_folders.end()) {
      kept.push_back(std::move(*at));
    } else {
      kept.push_back(std::make_unique<Folder>());
      kept.back()->told.where = where;
    }
  }
  m_folders = std::move(kept);
  for (auto& folder : m_folders) list(*folder);
  merge();
}

void ModelLibrary::list(Folder& folder) {
  folder.isOutdated = folder.isListing;  // one look at a time, and one more behind it
  if (folder.isListing) return;
  folder.isListing = true;
  runQuietly(
      this, [where = folder.told.where, stop = m_stop] { return listFolder(where, stop); },
      [this, where = folder.told.where, stop = m_stop](const FolderListing& listing) {
        if (!*stop) takeListing(where, listing);
      });
}

// What was found in a folder that is gone now is kept: it comes back with its disk.
void ModelLibrary::takeListing(const ModelFolder& where, const FolderListing& listing) {
  Folder* folder = find(where);
  if (folder == nullptr) return;
  folder->isListing = false;
  folder->told.state = listing.state;
  if (listing.state == FolderState::Fine) {
    folder->listing = listing;
    folder->told.wasSeen = true;
    folder->told.nModels = static_cast<int>(listing.models.size());
  } else {
    folder->listing.watched.clear();
    folder->listing.above = listing.above;
  }
  merge();
  watch();
  readNext(*folder);
  if (folder->isOutdated) list(*folder);
}

// A file that two folders lead to belongs to the first of them.
void ModelLibrary::merge() {
  QVector<LibraryEntry> entries;
  QSet<QString> seen;
  for (const auto& folder : m_folders) {
    for (const FoundModel& found : folder->listing.models) {
      if (seen.contains(found.canonical)) continue;
      seen.insert(found.canonical);
      LibraryEntry entry;
      entry.folder = folder->told.where;
      entry.found = found;
      entry.isOffline = folder->told.state != FolderState::Fine;
      fill(entry);
      entries.append(std::move(entry));
    }
  }
  m_model.setEntries(entries);
  followArrivals();
  emit foldersChanged();
  planNext();
}

// What is known of a file that is still as it was.
void ModelLibrary::fill(LibraryEntry& entry) const {
  using State = LibraryEntry::State;
  const FoundModel& found = entry.found;
  entry.fit = m_fits.value(found.canonical);
  const auto summary = m_summaries.constFind(found.canonical);
  entry.isGrowing = summary != m_summaries.constEnd() && summary->isArriving && isFresh(found.changedMs);
  const bool isSame = summary != m_summaries.constEnd() && summary->bytes == found.bytes &&
                      summary->changedMs == found.changedMs && !(summary->isArriving && !isFresh(found.changedMs));
  if (found.nMissing > 0) {
    entry.state = found.isPartial || isFresh(found.changedMs) ? State::Arriving : State::Incomplete;
  } else if (found.isPartial) {
    entry.state = State::Arriving;
  } else if (isSame) {
    entry.facts = summary->facts;
    entry.state = summary->isArriving ? State::Arriving : entry.facts.model ? State::Ready : State::Refused;
  }
}

QVector<FoundModel> ModelLibrary::visibleFirst(const std::function<bool(const LibraryEntry&)>& wanted) const {
  QVector<FoundModel> visible, others;
  for (const LibraryEntry& entry : m_model.entries()) {
    if (!wanted(entry)) continue;
    (m_visible.contains(entry.found.path) ? visible : others) << entry.found;
    if (visible.size() >= kChunkRows) return visible;
  }
  return (visible + others).mid(0, kChunkRows);
}

void ModelLibrary::readNext(Folder& folder) {
  if (folder.isReading || folder.told.state != FolderState::Fine) return;
  const QVector<FoundModel> models = visibleFirst([&](const LibraryEntry& entry) {
    return entry.folder == folder.told.where && entry.state == LibraryEntry::State::Reading && !entry.isOffline;
  });
  if (models.isEmpty()) return emit foldersChanged();
  folder.isReading = true;
  const bool isLast = models.size() < kChunkRows;
  const auto work = [inspect = m_inspect, models, isLast, stop = m_stop] {
    QVector<HeaderFacts> facts;
    QElapsedTimer clock;
    clock.start();
    for (const FoundModel& model : models) {
      if (*stop || (!facts.isEmpty() && clock.elapsed() >= kChunkMs)) break;
      facts.append(read(inspect, model.path));
    }
    // A vocabulary of 262,144 tokens takes 50 MiB while its header is read.
    if (isLast && facts.size() == models.size()) return_free_heap();
    return facts;
  };
  runQuietly(this, work, [this, models, where = folder.told.where, stop = m_stop](const QVector<HeaderFacts>& facts) {
    Folder* at = find(where);
    if (*stop || at == nullptr) return;
    at->isReading = false;
    for (qsizetype i = 0; i < facts.size(); ++i) takeFacts(models[i], facts[i]);
    followArrivals();
    planNext();
    readNext(*at);
  });
}

// Of the file as it was listed; where it was listed anew since, it is read again.
void ModelLibrary::takeFacts(const FoundModel& found, const HeaderFacts& facts) {
  const bool isArriving = facts.model == nullptr && isFresh(found.changedMs);
  m_summaries[found.canonical] = {found.bytes, found.changedMs, facts, isArriving};
  m_planned.remove(found.canonical);
  const int row = m_model.rowOf(found.path);
  if (row < 0) return;
  LibraryEntry entry = m_model.entry(row);
  fill(entry);
  m_model.setFacts(found.path, entry.state, entry.facts);
}

// The next few on another thread, then the next: what becomes visible meanwhile is among them.
void ModelLibrary::planNext() {
  if (m_isPlanning || !m_isSeen || !m_devices) return;
  QVector<std::pair<QString, std::shared_ptr<const ModelInfo>>> models;  // by canonical path
  for (const FoundModel& found : visibleFirst(
           [this](const LibraryEntry& entry) { return entry.canLoad() && !m_planned.contains(entry.found.canonical); }))
    models.append({found.canonical, m_model.entry(m_model.rowOf(found.path)).facts.model});
  if (models.isEmpty()) return;
  m_isPlanning = true;
  const auto work = [models, devices = *m_devices, stop = m_stop] {
    QVector<ModelFit> fits;
    QElapsedTimer clock;
    clock.start();
    for (const auto& [path, model] : models) {
      if (*stop || (!fits.isEmpty() && clock.elapsed() >= kChunkMs)) break;
      fits.append(findFit(model, devices));
    }
    return fits;
  };
  runQuietly(this, work, [this, models, nDevices = m_nDevices](const QVector<ModelFit>& fits) {
    m_isPlanning = false;
    for (qsizetype i = 0; i < fits.size() && nDevices == m_nDevices; ++i) takeFit(models[i].first, fits[i]);
    planNext();
  });
}

void ModelLibrary::takeFit(const QString& canonical, const ModelFit& fit) {
  m_fits[canonical] = fit;
  m_planned.insert(canonical);
  for (const LibraryEntry& entry : m_model.entries()) {
    if (entry.found.canonical == canonical) return m_model.setFit(entry.found.path, fit);
  }
}

void ModelLibrary::watch() {
  QStringList wanted;
  for (const auto& folder : m_folders) wanted += folder->listing.watched;
  for (const auto& folder : m_folders) {
    if (!folder->listing.above.isEmpty()) wanted.prepend(folder->listing.above);
  }
  m_watcher.setFolders(wanted.mid(0, kMaxWatched));
}

// A folder above, such as the user's home, changes all the time for reasons of its own.
void ModelLibrary::lookSoon(const QString& changed) {
  if (!m_isSeen) return;
  const bool isOurs = std::any_of(m_folders.begin(), m_folders.end(),
                                  [&](const auto& folder) { return folder->listing.watched.contains(changed); });
  if (isOurs) {
    m_lookTimer.start();
  } else if (!m_aboveTimer.isActive()) {
    m_aboveTimer.start();
  }
}

void ModelLibrary::checkStates() {
  for (auto& folder : m_folders) {
    if (folder->isChecking || folder->isListing) continue;
    folder->isChecking = true;
    runQuietly(
        this, [path = folder->told.where.path] { return stateOfFolder(path); },
        [this, where = folder->told.where](FolderState state) {
          Folder* at = find(where);
          if (at == nullptr) return;
          at->isChecking = false;
          if (state != at->told.state) list(*at);
        });
  }
}

// Of a file that grows nothing is told: only its folder is watched.
void ModelLibrary::followArrivals() {
  const auto& entries = m_model.entries();
  const bool isAny = std::any_of(entries.begin(), entries.end(), [](const LibraryEntry& entry) {
    return entry.state == LibraryEntry::State::Arriving && !entry.isOffline;
  });
  if (isAny && m_isSeen && !m_arrivalTimer.isActive()) m_arrivalTimer.start();
}

// Of a split model the parts before the one that failed are in the trash, where the user finds them by their names.
QString ModelLibrary::notTrashedText(const QString& name, const QStringList& moved) {
  if (moved.isEmpty()) return tr("%1 could not be moved to the trash of its disk.").arg(name);
  return tr("%1 could not be moved to the trash of its disk as a whole. In the trash are: %2.")
      .arg(name, moved.join(QStringLiteral(", ")));
}

void ModelLibrary::moveToTrash(const QString& path) {
  const int row = m_model.rowOf(path);
  if (row < 0 || !m_model.entry(row).isRemovable()) return;
  const FoundModel found = m_model.entry(row).found;
  const auto work = [files = found.files] {
    QStringList moved;
    // Without its folder Qt would take the current one for the trash.
    if (!QDir().mkpath(QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation))) return moved;
    for (const QString& file : files) {
      if (!QFile::moveToTrash(file)) break;
      moved << QFileInfo(file).fileName();
    }
    return moved;
  };
  runInBackground(writingThreads(), this, work,
                  [this, name = found.name, nFiles = found.files.size()](const QStringList& moved) {
                    if (moved.size() == nFiles) {
                      emit removed(name);
                    } else {
                      emit removalFailed([name, moved] { return notTrashedText(name, moved); });
                    }
                    look();
                  });
}

}  // namespace headroom::ui
