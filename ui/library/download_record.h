// What is fetched, and the small file beside it, "NAME.gguf.part.json", by which a later start of the program goes on.
#pragma once

#include <QByteArray>
#include <QString>
#include <QUrl>
#include <vector>

#include "base/result.h"
#include "ui/library/hub_listing.h"

namespace headroom::ui {

// One file: a model, or a part of a split one.
struct DownloadPart {
  QString file;  // its name in the folder
  QUrl url;
  Bytes n_bytes = 0;            // 0: nobody has said it yet
  QByteArray sha256;            // empty: nobody has said it
  QByteArray etag, linkedEtag;  // of what has come so far: from the server that has the file, and from the hub
};

struct DownloadSpec {
  QString repository;  // "org/name"; empty: an address outside the hub
  QString folder;      // absolute; where the files go. Not in the record, which lies there
  std::vector<DownloadPart> parts;

  QString path() const;  // of the first part under its final name, by which the model is opened
  QString recordPath() const;
  Bytes n_bytes() const;  // of all parts; 0: not known
};

// Where files of a repository go: root/org/name, and below it what folders the repository has.
DownloadSpec downloadOf(const QString& root, const QUrl& hub, const HubReference& reference, const ListedModel& model);
DownloadSpec downloadOf(const QString& root, const QUrl& address);

QByteArray toJson(const DownloadSpec& spec);
// The file may be damaged or made by somebody else: names are plain, addresses are web addresses, counts are bounded.
Result<DownloadSpec> parseDownloadRecord(const QByteArray& json, const QString& folder);

// Of all unfinished downloads below `root`. Reads folders: on a worker thread.
std::vector<DownloadSpec> findUnfinished(const QString& root);

// Whether every part is there under its final name, with its length.
bool isOnDisk(const DownloadSpec& spec);

}  // namespace headroom::ui
