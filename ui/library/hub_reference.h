// What a user types to name a model on a hub: "org/name", "org/name:Q4_K_M", or the address of a page or a file.
#pragma once

#include <QString>
#include <QUrl>

#include "base/result.h"

namespace headroom::ui {

// Either a repository of the hub or, when that is empty, the address of one file elsewhere.
struct HubReference {
  QString repository;                         // "org/name"
  QString revision = QStringLiteral("main");  // a branch, a tag or a commit
  QString file;                               // a path in the repository; empty: all of its files are meant
  QString quantization;                       // "Q4_K_M", as typed behind a colon; empty: any
  QUrl address;                               // of one .gguf file outside the hub
  bool operator==(const HubReference&) const = default;
};

// The hub that is asked: the one of the settings, else the environment variable HF_ENDPOINT, else huggingface.co. An
// address that is no address of a server counts as none.
QUrl hubAddress(const QString& ofSettings);
bool isHubAddress(const QString& text);  // or empty: the usual one

// Pure: asks no server. An address counts as one of the hub when it begins with `hub` or is on huggingface.co.
// kUsage says what was expected.
Result<HubReference> parseHubReference(const QString& typed, const QUrl& hub);

// Whether `path`, as a server gives it, may become a path below a folder of ours: relative, without "..", hidden names,
// backslashes or control characters.
bool isSafePath(const QString& path);

// {hub}/api/models/org/name/tree/{revision}?recursive=true: the first page of a repository's files.
QUrl treeAddress(const QUrl& hub, const HubReference& reference);
// {hub}/org/name/resolve/{revision}/{path}
QUrl fileAddress(const QUrl& hub, const HubReference& reference, const QString& path);

}  // namespace headroom::ui
