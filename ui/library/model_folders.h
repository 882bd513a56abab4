// Which folders of this machine may hold models. No folder is looked into here.
#pragma once

#include <QByteArray>
#include <QString>
#include <QVector>
#include <functional>

#include "ui/library/library_settings.h"

namespace headroom::ui {

// In the order in which a file that is found through two of them belongs to the first.
enum class FolderKind : quint8 { Download, User, HuggingFace, LmStudio, Ollama };

struct ModelFolder {
  FolderKind kind = FolderKind::User;
  QString path;  // absolute; it need not exist
  bool operator==(const ModelFolder&) const = default;
};

// What tells where programs keep their files.
struct LibraryPlaces {
  QString home;
  QString dataFolder;                               // the program's own
  std::function<QString(const char*)> environment;  // a variable's value; empty: not set
};
LibraryPlaces libraryPlaces(const QString& dataFolder);  // of this user

QString downloadFolder(const LibrarySettings& settings, const LibraryPlaces& places);
// Downloads that begin from now on go to `folder`; empty: to the usual one. The folder before is remembered, since what
// was paused stays there.
void changeDownloadFolder(LibrarySettings& settings, const QString& folder, const LibraryPlaces& places);
// A download that went on in an earlier folder has ended there: the folder becomes one of the user's own, unless
// `model` lies in a listed one. Whether it did.
bool listEarlierFolderOf(LibrarySettings& settings, const QString& model, const LibraryPlaces& places);
inline constexpr qsizetype kMostEarlierFolders = 8;  // each is walked through at the start
// Where unfinished downloads may lie: the folder of now, and those before it.
QStringList foldersOfDownloads(const LibrarySettings& settings, const LibraryPlaces& places);

// By the settings, each path once. `lmStudioSettings`: the content of lmStudioSettingsFile(); may be empty or anything.
QVector<ModelFolder> modelFolders(const LibrarySettings& settings, const LibraryPlaces& places,
                                  const QByteArray& lmStudioSettings);
QString huggingFaceHome(const LibraryPlaces& places);  // its cache is in it, and the token of its own program
QString lmStudioSettingsFile(const LibraryPlaces& places);

// Of files there: those of the caches belong to other programs.
inline bool mayTrash(FolderKind kind) { return kind == FolderKind::Download || kind == FolderKind::User; }

QString folderLabel(const ModelFolder& folder);  // "Hugging Face"; of the user's own its last name

}  // namespace headroom::ui
