// Which models stand in a folder, by the names of its files: no file is opened but the manifests of Ollama.
#pragma once

#include <QString>
#include <QStringList>
#include <QVector>
#include <atomic>
#include <memory>
#include <system_error>

#include "base/bytes.h"
#include "ui/library/model_folders.h"

namespace headroom::ui {

enum class FolderState : quint8 {
  Unknown,  // not looked into yet
  Fine,
  Missing,      // not there: never was, or its disk is gone
  NotReadable,  // there, and this user may not look into it
};

// One model, of one file or of the parts of a split one.
struct FoundModel {
  QString path;          // what is opened: of a split model the first part that is there
  QString canonical;     // the same whatever name or link it was found by
  QString name;          // "Qwen3-8B-Q4_K_M", "org/name" of Hugging Face, "name:tag" of Ollama
  QStringList files;     // all that are there
  Bytes bytes = 0;       // of all of them
  qint64 changedMs = 0;  // of the newest, since the epoch
  int nParts = 1, nMissing = 0;
  bool isPartial = false;  // a file beside it says that a program is still fetching it
  bool operator==(const FoundModel&) const = default;
};

struct FolderListing {
  FolderState state = FolderState::Unknown;
  QVector<FoundModel> models;  // by name; of one content that stands there under several names the first alone
  QStringList watched;         // folders whose entries matter
  QString above;               // the one that holds it, which tells of a folder that is made, moved or mounted there
};

using StopFlag = std::shared_ptr<std::atomic<bool>>;  // true: what runs ends soon, and nobody looks at what it gives

// On a worker thread, both: a folder of a dead network disk may take for ever.
FolderState stateOfFolder(const QString& path);
FolderListing listFolder(const ModelFolder& folder, const StopFlag& stop);

FolderState folderStateOf(const std::error_code& error);

// A folder below folders is looked into so deep, and of all of them so many: the rest of a whole disk is left out.
inline constexpr int kMaxFolderDepth = 12;
inline constexpr std::size_t kMaxFolders = 20'000, kMaxModels = 20'000;

}  // namespace headroom::ui
