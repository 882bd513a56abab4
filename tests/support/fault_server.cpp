#include "support/fault_server.h"

#include <QMutexLocker>
#include <QRegularExpression>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>
#include <algorithm>

#include "base/check.h"

namespace headroom::test {

// One connection: reads a request, answers it, closes. Deletes itself with its socket.
class FaultConnection : public QObject {
 public:
  FaultConnection(FaultServer& server, QTcpSocket* socket) : QObject(socket), m_server(server), m_socket(socket) {
    connect(socket, &QTcpSocket::readyRead, this, [this] { read(); });
    connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
  }

 private:
  using Kind = ServerFault::Kind;

  void read() {
    m_head += m_socket->readAll();
    const qsizetype end = m_head.indexOf("\r\n\r\n");
    if (end < 0 || m_hasAnswered) return;
    m_hasAnswered = true;
    SeenRequest request;
    const QList<QByteArray> lines = m_head.left(end).split('\n');
    request.path = QUrl::fromPercentEncoding(lines.first().split(' ').value(1));
    for (const QByteArray& line : lines) {
      const QByteArray name = line.left(line.indexOf(':')).toLower();
      const QString value = QString::fromLatin1(line.mid(line.indexOf(':') + 1).trimmed());
      if (name == "host") request.host = value;
      if (name == "authorization") request.authorization = value;
      if (name == "range") request.range = value;
      if (name == "if-range") request.ifRange = value;
    }
    answer(request, m_server.take(request));
  }

  void answer(const SeenRequest& request, const FaultServer::Answer& answer) {
    const ServerFault& fault = answer.fault;
    const ServedFile& file = answer.file;
    if (fault.kind == Kind::CutHead) return m_socket->disconnectFromHost();
    if (fault.kind == Kind::Garbage) return send("This is no HTTP at all.\r\n\r\n\x01\x02", {}, fault);
    const QByteArray linked = file.linkedEtag.isEmpty()
                                  ? QByteArray()
                                  : "X-Linked-ETag: " + file.linkedEtag +
                                        "\r\nX-Linked-Size: " + QByteArray::number(file.bytes.size()) + "\r\n";
    if (fault.kind == Kind::Redirect)
      return send("HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: " + fault.header + "\r\n" +
                      linked + "\r\n",
                  {}, fault);
    if (fault.kind == Kind::Status || !answer.isThere)
      return send("HTTP/1.1 " + QByteArray::number(answer.isThere || fault.n > 0 ? fault.n : 404) +
                      " No\r\nConnection: close\r\n" + fault.header + "Content-Length: 2\r\n\r\n",
                  "no", fault);
    QByteArray head, body = file.bytes;
    qint64 from = 0, upTo = file.bytes.size() - 1;
    const QRegularExpressionMatch range =
        QRegularExpression(QStringLiteral("^bytes=(\\d+)-(\\d*)$")).match(request.range);
    const bool isSame = request.ifRange.isEmpty() || request.ifRange.toLatin1() == file.etag;
    if (range.hasMatch() && isSame && fault.kind != Kind::NoRange) {
      from = range.captured(1).toLongLong();
      if (!range.captured(2).isEmpty()) upTo = std::min(upTo, range.captured(2).toLongLong());
      if (from >= file.bytes.size())
        return send("HTTP/1.1 416 No\r\nConnection: close\r\nContent-Length: 0\r\nContent-Range: bytes */" +
                        QByteArray::number(file.bytes.size()) + "\r\n\r\n",
                    {}, fault);
      if (fault.kind == Kind::WrongStart) from = std::min(from + fault.n, upTo);
      body = file.bytes.mid(from, upTo - from + 1);
      const qint64 whole = file.bytes.size() + (fault.kind == Kind::WrongWhole ? fault.n : 0);
      head = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + QByteArray::number(from) + '-' +
             QByteArray::number(upTo) + '/' + QByteArray::number(whole) + "\r\n";
    } else {
      head = "HTTP/1.1 200 OK\r\n";
    }
    qint64 length = body.size();
    if (fault.kind == Kind::LongLength) length += fault.n;
    if (fault.kind == Kind::ShortLength) length = std::max<qint64>(length - fault.n, 0);
    if (fault.kind == Kind::TooMuch) body += QByteArray(fault.n, 'x');
    head += "Connection: close\r\nContent-Type: " + file.contentType + "\r\n" + linked;
    if (!file.etag.isEmpty()) head += "ETag: " + file.etag + "\r\n";
    if (!file.link.isEmpty()) head += "Link: " + file.link + "\r\n";
    if (fault.kind != Kind::TooMuch) head += "Content-Length: " + QByteArray::number(length) + "\r\n";
    send(head + "\r\n", body, fault);
  }

  void send(const QByteArray& head, const QByteArray& body, const ServerFault& fault) {
    m_socket->write(head);
    if (fault.kind == Kind::Stall) {
      m_socket->write(body.left(fault.n));
      return;
    }
    if (fault.kind == Kind::Throttle) {
      m_left = body;
      auto* timer = new QTimer(this);
      connect(timer, &QTimer::timeout, this, [this, n = fault.n] {
        m_socket->write(m_left.left(n));
        m_left.remove(0, n);
        if (m_left.isEmpty()) m_socket->disconnectFromHost();
      });
      timer->start(10);
      return;
    }
    m_socket->write(fault.kind == Kind::Cut ? body.left(fault.n) : body);
    if (fault.kind != Kind::Cut) return m_socket->disconnectFromHost();
    // Qt asks by itself once more where an answer and its end arrive in one.
    QTimer::singleShot(20, m_socket, [socket = m_socket] { socket->disconnectFromHost(); });
  }

  FaultServer& m_server;
  QTcpSocket* m_socket;
  QByteArray m_head, m_left;
  bool m_hasAnswered = false;
};

FaultServer::FaultServer() {
  auto* server = new QTcpServer;
  server->moveToThread(&m_thread);
  QObject::connect(&m_thread, &QThread::finished, server, &QObject::deleteLater);
  QObject::connect(server, &QTcpServer::newConnection, server, [this, server] {
    while (QTcpSocket* socket = server->nextPendingConnection()) new FaultConnection(*this, socket);
  });
  m_thread.start();
  QMetaObject::invokeMethod(
      server,
      [this, server] {
        CHECK(server->listen(QHostAddress::LocalHost), "no port to serve from");
        m_port = server->serverPort();
      },
      Qt::BlockingQueuedConnection);
}

FaultServer::~FaultServer() {
  m_thread.quit();
  m_thread.wait();
}

QUrl FaultServer::url(const QString& path, const QString& host) const {
  QUrl url;
  url.setScheme(QStringLiteral("http"));
  url.setHost(host);
  url.setPort(m_port);
  url.setPath(path.section(QLatin1Char('?'), 0, 0));
  if (path.contains(QLatin1Char('?'))) url.setQuery(path.section(QLatin1Char('?'), 1));
  return url;
}

void FaultServer::serve(const QString& path, const ServedFile& file) {
  const QMutexLocker lock(&m_mutex);
  m_files[path] = file;
}

void FaultServer::serveAfterChange(const QString& path, const ServedFile& file) {
  const QMutexLocker lock(&m_mutex);
  m_changed[path] = file;
}

void FaultServer::setFaults(const QString& path, const std::vector<ServerFault>& faults) {
  const QMutexLocker lock(&m_mutex);
  m_faults[path] = faults;
}

std::vector<SeenRequest> FaultServer::requests() const {
  const QMutexLocker lock(&m_mutex);
  return m_requests;
}

FaultServer::Answer FaultServer::take(const SeenRequest& request) {
  const QMutexLocker lock(&m_mutex);
  m_requests.push_back(request);
  Answer answer;
  std::vector<ServerFault>& faults = m_faults[request.path];
  if (!faults.empty()) {
    answer.fault = faults.front();
    faults.erase(faults.begin());
  }
  if (answer.fault.kind == ServerFault::Kind::Change && m_changed.contains(request.path))
    m_files[request.path] = m_changed.take(request.path);
  answer.isThere = m_files.contains(request.path);
  answer.file = m_files.value(request.path);
  return answer;
}

}  // namespace headroom::test
