// An HTTP server for tests of downloads: serves files with Range, and does wrong what a test asks of it.
#pragma once

#include <QByteArray>
#include <QMap>
#include <QMutex>
#include <QString>
#include <QStringList>
#include <QThread>
#include <QUrl>
#include <vector>

namespace headroom::test {

struct ServedFile {
  QByteArray bytes;
  QByteArray etag = {};        // with its quotes; empty: no such header
  QByteArray linkedEtag = {};  // as a hub says it with its redirects and answers
  QByteArray contentType = "application/octet-stream";
  QByteArray link = {};
};

struct ServerFault {
  enum class Kind {
    None,
    Cut,          // closes the connection after `n` bytes of the body
    CutHead,      // closes it before there is an answer, which Qt does not tell of before the fourth time
    Stall,        // sends `n` bytes of the body, then nothing, and stays
    Throttle,     // `n` bytes each ten milliseconds
    Status,       // answers with status `n` and `header`
    LongLength,   // Content-Length is `n` more than there is
    ShortLength,  // Content-Length is `n` less
    WrongWhole,   // Content-Range tells of `n` bytes more than the file has
    WrongStart,   // Content-Range and bytes begin `n` bytes too late
    NoRange,      // answers 200 with the whole file, whatever was asked for
    TooMuch,      // no Content-Length, and `n` bytes more than there are
    Redirect,     // to `header`, an address
    Garbage,      // what is no HTTP; as with CutHead
    Change,       // from now on the file is another one: the answer is of the new one
  };
  Kind kind = Kind::None;
  qint64 n = 0;
  QByteArray header = {};
};

struct SeenRequest {
  QString path, host, authorization, range, ifRange;
};

// On a thread of its own; all methods may be called from any thread. Each connection has one request.
class FaultServer {
 public:
  FaultServer();
  ~FaultServer();
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;

  quint16 port() const { return m_port; }
  QUrl url(const QString& path, const QString& host = QStringLiteral("127.0.0.1")) const;

  void serve(const QString& path, const ServedFile& file);
  // What `Change` makes of it.
  void serveAfterChange(const QString& path, const ServedFile& file);
  // For the requests of a path that come from now on, one after the other; those behind them have none.
  void setFaults(const QString& path, const std::vector<ServerFault>& faults);
  std::vector<SeenRequest> requests() const;

 private:
  friend class FaultConnection;
  struct Answer {
    ServedFile file;
    bool isThere = false;
    ServerFault fault;
  };
  Answer take(const SeenRequest& request);

  mutable QMutex m_mutex;
  QMap<QString, ServedFile> m_files, m_changed;
  QMap<QString, std::vector<ServerFault>> m_faults;
  std::vector<SeenRequest> m_requests;
  QThread m_thread;
  quint16 m_port = 0;
};

}  // namespace headroom::test
