#include "ui/library/folder_listing.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>

#include "file/split_name.h"
#include "ui/library/model_name.h"

namespace headroom::ui {
namespace {

namespace fs = std::filesystem;

constexpr qint64 kMaxManifestBytes = 1 << 20;

QString textOf(const fs::path& path) { return QFile::decodeName(QByteArray::fromStdString(path.string())); }
fs::path nativeOf(const QString& path) { return QFile::encodeName(path).toStdString(); }

bool isModelName(const fs::path& path) {
  return textOf(path.extension()).compare(QLatin1String(".gguf"), Qt::CaseInsensitive) == 0;
}

// What browsers and fetching programs leave beside a file, or call it, until it is whole.
bool isPartialMark(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".part" || extension == ".aria2" || extension == ".crdownload" || extension == ".incomplete";
}

qint64 changedMs(const fs::path& path) { return QFileInfo(textOf(path)).lastModified().toMSecsSinceEpoch(); }

// The files of one folder that are models, with the parts of split ones together.
struct FolderFiles {
  std::vector<fs::path> models;
  std::set<std::string> partial;  // names that a mark stands for, without the mark
};

class ModelCollector {
 public:
  ModelCollector(FolderListing& listing, const StopFlag& stop) : m_listing(listing), m_stop(stop) {}

  // Looks into `root` and all below. `name`: of every model there; empty: its own.
  void collect(const fs::path& root, const QString& name) {
    std::vector<std::pair<fs::path, int>> open{{root, 0}};
    while (!open.empty() && !isDone()) {
      const auto [folder, depth] = open.back();
      open.pop_back();
      std::error_code error;
      // A link to a folder above is the same folder again.
      const fs::path real = fs::canonical(folder, error);
      if (error || !m_visited.insert(real.string()).second) continue;
      m_listing.watched << textOf(folder);
      FolderFiles files;
      for (fs::directory_iterator at(folder, error), end; !error && at != end && !isDone(); at.increment(error)) {
        std::error_code ignored;
        if (isModelName(at->path())) {
          if (at->is_regular_file(ignored)) files.models.push_back(at->path());
        } else if (isPartialMark(at->path())) {
          files.partial.insert(at->path().stem().string());
        } else if (depth < kMaxFolderDepth && at->is_directory(ignored)) {
          open.emplace_back(at->path(), depth + 1);
        }
      }
      addModels(files, name);
    }
  }

  void add(FoundModel model) {
    if (!isDone() && m_seen.insert(model.canonical).second) m_listing.models.append(std::move(model));
  }
  bool isDone() const {
    return *m_stop || m_visited.size() > kMaxFolders || static_cast<std::size_t>(m_listing.models.size()) >= kMaxModels;
  }

 private:
  void addModels(const FolderFiles& files, const QString& name) {
    std::map<std::string, std::map<std::uint32_t, fs::path>> splits;  // by name and number of parts
    for (const fs::path& path : files.models) {
      const std::optional<SplitName> split = parse_split_name(path);
      if (!split || split->n < 2) {
        add(described({path}, 1, name.isEmpty() ? textOf(path.stem()) : name, files));
      } else {
        splits[split->prefix + '/' + std::to_string(split->n)].emplace(split->number, path);
      }
    }
    for (const auto& [key, parts] : splits) {
      std::vector<fs::path> paths;
      for (const auto& [number, path] : parts) paths.push_back(path);
      const SplitName split = *parse_split_name(paths.front());
      const QString own = QFile::decodeName(QByteArray::fromStdString(split.prefix));
      add(described(paths, split.n, name.isEmpty() ? own : name, files));
    }
  }

  static FoundModel described(const std::vector<fs::path>& paths, std::uint32_t nParts, const QString& name,
                              const FolderFiles& files) {
    FoundModel model;
    model.name = name;
    model.nParts = static_cast<int>(nParts);
    model.nMissing = static_cast<int>(nParts - std::min<std::size_t>(nParts, paths.size()));
    for (const fs::path& path : paths) {
      std::error_code ignored;
      const std::uintmax_t bytes = fs::file_size(path, ignored);
      model.bytes += ignored ? 0 : bytes;
      model.changedMs = std::max(model.changedMs, changedMs(path));
      model.files << textOf(path);
      // Some browsers make an empty file of that name first, and fetch under another.
      model.isPartial |= files.partial.contains(path.filename().string()) || (bytes == 0 && !files.partial.empty());
    }
    model.path = model.files.front();
    std::error_code error;
    const fs::path real = fs::canonical(paths.front(), error);
    model.canonical = error ? model.path : textOf(real);
    return model;
  }

  FolderListing& m_listing;
  const StopFlag& m_stop;
  std::set<std::string> m_visited;
  std::set<QString> m_seen;
};

// The newest revision first: a file that it shares with an older one is found there.
std::vector<fs::path> revisionsOf(const fs::path& snapshots) {
  std::vector<std::pair<qint64, fs::path>> revisions;
  std::error_code error;
  for (fs::directory_iterator at(snapshots, error), end; !error && at != end; at.increment(error))
    revisions.emplace_back(-changedMs(at->path()), at->path());
  std::sort(revisions.begin(), revisions.end());
  std::vector<fs::path> paths;
  for (const auto& [changed, path] : revisions) paths.push_back(path);
  return paths;
}

// models--ORG--NAME/snapshots/REVISION/FILE, links to blobs. The path of the link is kept: it has the file's name, by
// which the parts of a split model find each other.
void collectHuggingFace(const fs::path& root, FolderListing& listing, ModelCollector& collector) {
  const QLatin1String prefix("models--");
  listing.watched << textOf(root);
  std::error_code error;
  for (fs::directory_iterator at(root, error), end; !error && at != end && !collector.isDone(); at.increment(error)) {
    const QString folder = textOf(at->path().filename());
    if (!folder.startsWith(prefix)) continue;
    const QString name = folder.mid(prefix.size()).replace(QLatin1String("--"), QLatin1String("/"));
    const fs::path snapshots = at->path() / "snapshots";
    listing.watched << textOf(snapshots);
    for (const fs::path& revision : revisionsOf(snapshots)) collector.collect(revision, name);
  }
}

// "llama3.2:3b", "someone/name:tag", "hf.co/org/name:tag", of a manifest's path below manifests/.
QString ollamaName(QStringList parts) {
  const QString tag = parts.takeLast();
  if (parts.value(0) == QLatin1String("registry.ollama.ai")) parts.removeFirst();
  if (parts.size() > 1 && parts.value(0) == QLatin1String("library")) parts.removeFirst();
  return parts.join(QLatin1Char('/')) + QLatin1Char(':') + tag;
}

// The hexadecimal digits of the layer that is the model; empty: there is none.
QString modelDigest(const QByteArray& manifest) {
  const QLatin1String start("sha256:");
  const QJsonArray layers = QJsonDocument::fromJson(manifest).object().value(QLatin1String("layers")).toArray();
  for (const QJsonValue& layer : layers) {
    if (layer[QLatin1String("mediaType")].toString() != QLatin1String("application/vnd.ollama.image.model")) continue;
    const QString digest = layer[QLatin1String("digest")].toString();
    const QString digits = digest.mid(start.size());
    return digest.startsWith(start) && isSha256(digits) ? digits : QString();
  }
  return {};
}

FoundModel ollamaModel(const fs::path& root, const QString& digest, const QString& name) {
  FoundModel model;
  model.name = name;
  model.path = textOf(root / "blobs" / ("sha256-" + digest.toStdString()));
  const QFileInfo blob(model.path);
  model.canonical = blob.exists() ? blob.canonicalFilePath() : model.path;
  model.nMissing = blob.exists() ? 0 : 1;
  if (!blob.exists()) return model;
  model.files << model.path;
  model.bytes = static_cast<Bytes>(std::max<qint64>(blob.size(), 0));
  model.changedMs = blob.lastModified().toMSecsSinceEpoch();
  return model;
}

// manifests/HOST/NAMESPACE/NAME/TAG, JSON. False: it cannot be read.
bool collectOllama(const fs::path& root, FolderListing& listing, ModelCollector& collector) {
  const fs::path manifests = root / "manifests";
  std::error_code error;
  listing.watched << textOf(root);
  if (!fs::exists(manifests, error)) return folderStateOf(error) != FolderState::NotReadable;
  std::vector<fs::path> files;
  listing.watched << textOf(manifests);
  fs::recursive_directory_iterator at(manifests, error);
  if (error) return false;
  for (const fs::recursive_directory_iterator end; !error && at != end && files.size() < kMaxModels;
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored)) {
      if (at.depth() >= kMaxFolderDepth) at.disable_recursion_pending();
      listing.watched << textOf(at->path());
    } else if (at->is_regular_file(ignored)) {
      files.push_back(at->path());
    }
  }
  // "latest" is what a longer tag says better, so it comes last.
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return std::pair(a.filename() == "latest", a) < std::pair(b.filename() == "latest", b);
  });
  for (const fs::path& path : files) {
    QStringList parts = QDir(textOf(manifests)).relativeFilePath(textOf(path)).split(QLatin1Char('/'));
    QFile file(textOf(path));
    if (parts.size() < 2 || !file.open(QIODevice::ReadOnly)) continue;
    const QString digest = modelDigest(file.read(kMaxManifestBytes));
    if (!digest.isEmpty()) collector.add(ollamaModel(root, digest, ollamaName(std::move(parts))));
  }
  return true;
}

// Whether there is a folder that can be looked into.
FolderState stateOf(const fs::path& root) {
  std::error_code error;
  const fs::file_status status = fs::status(root, error);
  if (status.type() == fs::file_type::not_found) return FolderState::Missing;
  if (error) return folderStateOf(error);
  if (!fs::is_directory(status)) return FolderState::Missing;
  const fs::directory_iterator look(root, error);
  return error ? folderStateOf(error) : FolderState::Fine;
}

}  // namespace

FolderState folderStateOf(const std::error_code& error) {
  if (!error) return FolderState::Fine;
  return error == std::errc::permission_denied || error == std::errc::operation_not_permitted ? FolderState::NotReadable
                                                                                              : FolderState::Missing;
}

FolderState stateOfFolder(const QString& path) { return stateOf(nativeOf(path)); }

FolderListing listFolder(const ModelFolder& folder, const StopFlag& stop) {
  FolderListing listing;
  const fs::path root = nativeOf(folder.path);
  listing.state = stateOf(root);
  const QString above = QFileInfo(folder.path).path();
  if (stateOf(nativeOf(above)) == FolderState::Fine) listing.above = above;
  if (listing.state != FolderState::Fine) return listing;
  ModelCollector collector(listing, stop);
  switch (folder.kind) {
    case FolderKind::HuggingFace: collectHuggingFace(root, listing, collector); break;
    case FolderKind::Ollama:
      if (!collectOllama(root, listing, collector)) listing.state = FolderState::NotReadable;
      break;
    case FolderKind::Download:
    case FolderKind::User:
    case FolderKind::LmStudio: collector.collect(root, {}); break;
  }
  std::stable_sort(listing.models.begin(), listing.models.end(), [](const FoundModel& a, const FoundModel& b) {
    return a.name.compare(b.name, Qt::CaseInsensitive) < 0;
  });
  return listing;
}

}  // namespace headroom::ui
