// One GET over Qt Network as downloads need it: a stretch of a file, redirects followed by our own rules, an end to
// waiting.
#pragma once

#include <QByteArray>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <QUrl>
#include <optional>

#include "base/bytes.h"
#include "ui/format/sentence.h"

namespace headroom::ui {

// The hub that is asked and who asks. The token goes to `hub`'s own scheme, host and port and to nobody else, and never
// over plain http but to this machine; it stands in no error, no file and no log.
struct HubAccess {
  QUrl hub;
  QByteArray token;  // empty: nobody's
};

// How long is waited, and for what; tests wait less.
struct HttpLimits {
  int silenceMs = 30'000;  // without a byte
  int mostRedirects = 8;
  qint64 bufferBytes = qint64{1} << 20;  // read from the connection and not yet taken
};

struct HttpRequest {
  QUrl url;
  std::optional<Bytes> from, upTo;  // the first and the last byte that are wanted
  QByteArray ifRange;               // send the stretch only if the file still has this ETag, else all of it
};

// "bytes 100-199/1000"
struct ContentRange {
  Bytes from = 0, upTo = 0, whole = 0;
  bool operator==(const ContentRange&) const = default;
};
std::optional<ContentRange> parseContentRange(const QByteArray& header);

// A delay in seconds, as servers send it with 429; a date or nothing counts as `otherwise`. At most ten minutes.
int parseRetryAfterMs(const QByteArray& header, int otherwise);

// What the server that has the file says of it, and what a hub said while it sent us there.
struct HttpHead {
  int status = 0;
  std::optional<Bytes> contentLength;
  std::optional<ContentRange> range;
  QByteArray etag, link, retryAfter;
  QByteArray linkedEtag;  // X-Linked-ETag: for large files their SHA-256
  std::optional<Bytes> linkedSize;
};

struct HttpEnd {
  enum class Kind {
    Whole,    // all that was announced came; any status
    Cut,      // the connection broke, was refused or said nothing for too long: worth another try
    Refused,  // by our rules or by a certificate: the same would happen again
  };
  Kind kind = Kind::Whole;
  Sentence sentence;  // without a full stop; names the host and nothing secret
};

// Lives on the thread of whoever makes it. Tells `headArrived` once, `bytesArrived` as long as there is something, and
// `ended` once; after `abort` nothing. Whoever is told may delete it later, not at once.
class HttpGet : public QObject {
  Q_OBJECT
 public:
  HttpGet(QNetworkAccessManager& network, HubAccess access, HttpLimits limits, QObject* parent = nullptr);
  ~HttpGet() override;

  void start(const HttpRequest& request);
  void abort();

 signals:
  void headArrived(const headroom::ui::HttpHead& head);
  void bytesArrived(const QByteArray& bytes);
  void ended(const headroom::ui::HttpEnd& end);

 private:
  void send(const QUrl& url);
  void readHead();
  void readBytes();
  void finish();
  void followRedirect(const QUrl& target);
  void dropReply();
  void end(HttpEnd::Kind kind, const Sentence& sentence);
  QString host() const;

  QNetworkAccessManager& m_network;
  const HubAccess m_access;
  const HttpLimits m_limits;
  HttpRequest m_request;
  HttpHead m_head;
  QUrl m_url;                       // of this hop
  QPointer<QNetworkReply> m_reply;  // the network's, which may go before
  QTimer m_silence;
  Bytes m_bytesCame = 0;  // of the body
  int m_nRedirects = 0;
  bool m_hasHead = false;
};

bool isSameServer(const QUrl& a, const QUrl& b);  // scheme, host and port

// Whether a request to `url` may carry the token of `access`.
bool mayCarryToken(const QUrl& url, const HubAccess& access);

}  // namespace headroom::ui
