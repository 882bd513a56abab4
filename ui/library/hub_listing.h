// The files of a repository, as a hub lists them, and what of them are models.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <QUrl>
#include <memory>
#include <vector>

#include "base/result.h"
#include "ui/library/http_get.h"
#include "ui/library/hub_reference.h"

namespace headroom::ui {

struct HubFile {
  QString path;  // in the repository; isSafePath
  Bytes n_bytes = 0;
  QByteArray sha256;  // 64 lower-case hexadecimal digits; empty: the hub gives none
};

// One line of the list: a file, or all parts of a split model.
struct ListedModel {
  enum class Kind {
    Model,
    Projector,         // for images and sound, beside a model ("mmproj")
    ImportanceMatrix,  // for who quantizes ("imatrix")
    IncompleteSet,     // parts of it are missing in the repository
  };
  QString path;          // of its first part
  QString quantization;  // "Q4_K_M", read from the name; empty: the name has none
  Kind kind = Kind::Model;
  Bytes n_bytes = 0;  // of all parts
  std::vector<HubFile> parts;
};

// One page of {hub}/api/models/{org}/{name}/tree/{revision}: a JSON array of {type, path, size, lfs: {oid, size}},
// where lfs.oid is the SHA-256 of a large file. Keeps .gguf files whose paths are safe. kBadFile says what is wrong.
Result<std::vector<HubFile>> parseTreePage(const QByteArray& json);

// The address in a Link header with rel="next"; empty: this was the last page.
QUrl nextPage(const QByteArray& linkHeader);

// In the order of the hub, parts of one model together.
std::vector<ListedModel> listModels(const std::vector<HubFile>& files);

struct HubTrouble {
  Sentence sentence;
  bool needsToken = false;  // one of the user's would help, or a better one
};

struct HubLimits {
  HttpLimits http;
  int mostPages = 50;
  int mostTries = 4;  // of one page, while the hub says 429 or the connection breaks
  int waitMs = 2000;  // where the hub names no time
};

// Asks for all pages. The newest call wins. GUI thread.
class HubListing : public QObject {
  Q_OBJECT
 public:
  HubListing(QNetworkAccessManager& network, HubLimits limits, QObject* parent = nullptr);

  void look(const HubReference& reference, const HubAccess& access);
  void cancel();

 signals:
  void arrived(const headroom::ui::HubReference& reference, const std::vector<headroom::ui::ListedModel>& models);
  void waiting(const headroom::ui::Sentence& sentence);  // the hub asks for patience
  void failed(const headroom::ui::HubTrouble& trouble);

 private:
  void ask(const QUrl& page);
  void take(const HttpEnd& end);
  void takePage();
  void tryAgain(int waitMs, const Sentence& sentence);
  void fail(const Sentence& sentence, bool needsToken = false);

  QNetworkAccessManager& m_network;
  const HubLimits m_limits;
  QTimer m_again;
  HubReference m_reference;
  HubAccess m_access;
  HttpGet* m_get = nullptr;  // what is waited for
  QUrl m_page;
  HttpHead m_head;
  QByteArray m_body;
  std::vector<HubFile> m_files;
  int m_nPages = 0, m_nTries = 0;
};

// Why the hub gives nothing, from a status of 400 and more, in words for the user.
HubTrouble troubleOfStatus(int status, const QString& repository, bool hadToken);
// The same of one file; `repository` is empty where only its address is known, which another server may have.
HubTrouble troubleOfFile(int status, const QString& repository, const QUrl& address, const HubAccess& access);

}  // namespace headroom::ui
