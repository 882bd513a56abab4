#include "ui/library/model_folders.h"

#include <QCoreApplication>
#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace headroom::ui {
namespace {

struct FolderWords {
  Q_DECLARE_TR_FUNCTIONS(ModelFolders)
};

QString below(const QString& folder, const char* name) { return QDir(folder).filePath(QLatin1String(name)); }

// As users write it in their shell's profile.
QString withHome(const QString& path, const QString& home) {
  return path == QLatin1String("~") || path.startsWith(QLatin1String("~/")) ? home + path.mid(1) : path;
}

// Source: huggingface.co/docs/hub/local-cache.
QString huggingFaceCache(const LibraryPlaces& places) {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (const QString path = places.environment(name); !path.isEmpty()) return withHome(path, places.home);
  }
  return below(huggingFaceHome(places), "hub");
}

QStringList ollamaFolders(const LibraryPlaces& places) {
  QStringList paths;
  if (const QString path = places.environment("OLLAMA_MODELS"); !path.isEmpty()) paths << withHome(path, places.home);
  // Of a server that the user starts himself, and of one that the system starts under a user of its own.
  return paths << below(places.home, ".ollama/models") << QStringLiteral("/usr/share/ollama/.ollama/models")
               << QStringLiteral("/var/lib/ollama") << QStringLiteral("/var/lib/ollama/models");
}

}  // namespace

LibraryPlaces libraryPlaces(const QString& dataFolder) {
  return {QDir::homePath(), dataFolder, [](const char* name) { return qEnvironmentVariable(name); }};
}

QString downloadFolder(const LibrarySettings& settings, const LibraryPlaces& places) {
  return settings.downloadFolder.isEmpty() ? below(places.dataFolder, "models") : settings.downloadFolder;
}

void changeDownloadFolder(LibrarySettings& settings, const QString& folder, const LibraryPlaces& places) {
  QStringList& earlier = settings.earlierDownloadFolders;
  earlier.prepend(downloadFolder(settings, places));
  settings.downloadFolder = folder;
  earlier.removeDuplicates();
  earlier.removeAll(downloadFolder(settings, places));
  earlier = earlier.mid(0, kMostEarlierFolders);
}

bool listEarlierFolderOf(LibrarySettings& settings, const QString& model, const LibraryPlaces& places) {
  const QString path = QDir::cleanPath(model);
  const auto holds = [&](const QString& folder) { return path.startsWith(QDir::cleanPath(folder) + QLatin1Char('/')); };
  const QVector<ModelFolder> listed = modelFolders(settings, places, {});
  if (std::any_of(listed.begin(), listed.end(), [&](const ModelFolder& folder) { return holds(folder.path); }))
    return false;
  const QStringList& earlier = settings.earlierDownloadFolders;
  const auto found = std::find_if(earlier.begin(), earlier.end(), holds);
  if (found == earlier.end()) return false;
  settings.folders.append(QDir::cleanPath(*found));
  return true;
}

QStringList foldersOfDownloads(const LibrarySettings& settings, const LibraryPlaces& places) {
  QStringList folders{downloadFolder(settings, places)};
  folders += settings.earlierDownloadFolders;
  folders.removeDuplicates();
  return folders;
}

QString huggingFaceHome(const LibraryPlaces& places) {
  if (const QString home = places.environment("HF_HOME"); !home.isEmpty()) return withHome(home, places.home);
  const QString caches = places.environment("XDG_CACHE_HOME");
  return below(caches.isEmpty() ? below(places.home, ".cache") : withHome(caches, places.home), "huggingface");
}

QString lmStudioSettingsFile(const LibraryPlaces& places) { return below(places.home, ".lmstudio/settings.json"); }

QVector<ModelFolder> modelFolders(const LibrarySettings& settings, const LibraryPlaces& places,
                                  const QByteArray& lmStudioSettings) {
  QVector<ModelFolder> folders;
  const auto add = [&](FolderKind kind, const QString& path) {
    const QString clean = QDir::cleanPath(path);
    const bool isThere = std::any_of(folders.cbegin(), folders.cend(), [&](const auto& f) { return f.path == clean; });
    if (QDir::isAbsolutePath(clean) && !isThere) folders.append({kind, clean});
  };
  add(FolderKind::Download, downloadFolder(settings, places));
  for (const QString& path : settings.folders) add(FolderKind::User, path);
  if (settings.huggingFace) add(FolderKind::HuggingFace, huggingFaceCache(places));
  if (settings.lmStudio) {
    const QString chosen =
        QJsonDocument::fromJson(lmStudioSettings).object().value(QLatin1String("downloadsFolder")).toString();
    if (!chosen.isEmpty()) add(FolderKind::LmStudio, withHome(chosen, places.home));
    add(FolderKind::LmStudio, below(places.home, ".lmstudio/models"));
    add(FolderKind::LmStudio, below(places.home, ".cache/lm-studio/models"));
  }
  if (settings.ollama) {
    for (const QString& path : ollamaFolders(places)) add(FolderKind::Ollama, path);
  }
  return folders;
}

QString folderLabel(const ModelFolder& folder) {
  switch (folder.kind) {
    case FolderKind::Download: return FolderWords::tr("Downloads");
    case FolderKind::HuggingFace: return QStringLiteral("Hugging Face");
    case FolderKind::LmStudio: return QStringLiteral("LM Studio");
    case FolderKind::Ollama: return QStringLiteral("Ollama");
    case FolderKind::User: break;
  }
  const QString name = QDir(folder.path).dirName();
  return name.isEmpty() ? folder.path : name;
}

}  // namespace headroom::ui
