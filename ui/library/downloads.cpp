#include "ui/library/downloads.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ui/background/background.h"

namespace headroom::ui {

namespace {

// One folder may be reached by two names, through a link: by this one a file is told from others. What of the folder is
// not there yet has no links.
QString realPathOf(const DownloadSpec& spec) {
  std::error_code failed;
  const std::filesystem::path path(spec.path().toStdU16String());
  const std::filesystem::path folder = std::filesystem::weakly_canonical(path.parent_path(), failed);
  return failed ? spec.path() : QString::fromStdU16String((folder / path.filename()).generic_u16string());
}

struct Unfinished {
  DownloadSpec spec;
  QString realPath;
};

}  // namespace

Downloads::Downloads(Download::FindAccess access, DiskPorts disk, DownloadLimits limits, QObject* parent)
    : QObject(parent), m_access(std::move(access)), m_disk(std::move(disk)), m_limits(limits) {}

Downloads::~Downloads() = default;

void Downloads::findUnfinished(const QString& root) {
  runInBackground(
      readingThreads(), this,
      [root] {
        std::vector<Unfinished> found;
        for (DownloadSpec& spec : headroom::ui::findUnfinished(root)) {
          QString realPath = realPathOf(spec);
          found.push_back({std::move(spec), std::move(realPath)});
        }
        return found;
      },
      [this](const std::vector<Unfinished>& found) {
        for (const Unfinished& each : found) {
          if (findReal(each.realPath) == nullptr) insert(each.spec, each.realPath, download_stage::Paused{});
        }
      });
}

Download& Downloads::add(const DownloadSpec& spec) {
  const QString realPath = realPathOf(spec);
  if (Download* known = findReal(realPath)) {
    if (!std::holds_alternative<download_stage::Done>(known->stage()) || isOnDisk(spec)) {
      resume(*known);
      return *known;
    }
    remove(*known);  // somebody has deleted what was done
  }
  Download& download = insert(spec, realPath, download_stage::Queued{});
  fillPlaces();
  return download;
}

Download& Downloads::insert(const DownloadSpec& spec, const QString& realPath, DownloadStage stage) {
  m_downloads.push_back(std::make_unique<Download>(spec, std::move(stage), m_access, m_disk, m_limits));
  Download& download = *m_downloads.back();
  m_realPaths.insert(&download, realPath);
  connect(&download, &Download::changed, this, [this, &download] {
    emit changed(rowOf(download));
    fillPlaces();
  });
  connect(&download, &Download::finished, this, &Downloads::finished);
  emit added(count() - 1);
  return download;
}

void Downloads::resume(Download& download) {
  download.resume();
  fillPlaces();
}

void Downloads::remove(Download& download) {
  const int row = rowOf(download);
  if (row < 0) return;
  const std::unique_ptr<Download> gone = std::move(m_downloads[static_cast<std::size_t>(row)]);
  m_downloads.erase(m_downloads.begin() + row);
  m_realPaths.remove(gone.get());
  gone->disconnect(this);
  if (!std::holds_alternative<download_stage::Done>(gone->stage())) gone->removeFiles();
  emit removed(row);
  fillPlaces();
}

int Downloads::rowOf(const Download& download) const {
  const auto found = std::find_if(m_downloads.begin(), m_downloads.end(),
                                  [&](const auto& candidate) { return candidate.get() == &download; });
  return found == m_downloads.end() ? -1 : static_cast<int>(found - m_downloads.begin());
}

Download* Downloads::find(const QString& path) const {
  const auto found = std::find_if(m_downloads.begin(), m_downloads.end(),
                                  [&](const auto& candidate) { return candidate->spec().path() == path; });
  return found == m_downloads.end() ? nullptr : found->get();
}

Download* Downloads::findReal(const QString& realPath) const {
  const auto found = std::find_if(m_downloads.begin(), m_downloads.end(), [&](const auto& candidate) {
    return m_realPaths.value(candidate.get()) == realPath;
  });
  return found == m_downloads.end() ? nullptr : found->get();
}

// A download that begins to run says that it has changed, which calls this again.
void Downloads::fillPlaces() {
  const auto nActive = std::count_if(m_downloads.begin(), m_downloads.end(),
                                     [](const auto& download) { return isActive(download->stage()); });
  if (nActive >= kMostDownloads) return;
  const auto queued = std::find_if(m_downloads.begin(), m_downloads.end(), [](const auto& download) {
    return std::holds_alternative<download_stage::Queued>(download->stage());
  });
  if (queued != m_downloads.end()) (*queued)->run();
}

}  // namespace headroom::ui
