#include "ui/library/http_get.h"

#include <QHostAddress>
#include <QRegularExpression>
#include <QSslSocket>
#include <algorithm>

#include "ui/format/format_bytes.h"

namespace headroom::ui {

namespace {

constexpr qint64 kPieceBytes = 256 * 1024;
constexpr int kLongestRetryAfterMs = 600'000;

int portOf(const QUrl& url) { return url.port(url.scheme() == QLatin1String("https") ? 443 : 80); }

bool isThisMachine(const QString& host) {
  return host == QLatin1String("localhost") || QHostAddress(host).isLoopback();
}

std::optional<Bytes> parseBytes(const QByteArray& text) {
  bool ok = false;
  const qulonglong value = text.trimmed().toULongLong(&ok);
  if (!ok || value > (qulonglong{1} << 62)) return std::nullopt;
  return value;
}

bool isRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// Whether a try a moment later may end otherwise.
bool isPassing(QNetworkReply::NetworkError error) {
  switch (error) {
    case QNetworkReply::SslHandshakeFailedError:
    case QNetworkReply::ProtocolUnknownError:
    case QNetworkReply::TooManyRedirectsError:
    case QNetworkReply::InsecureRedirectError:
    case QNetworkReply::ProxyAuthenticationRequiredError: return false;
    default: return true;
  }
}

}  // namespace

std::optional<ContentRange> parseContentRange(const QByteArray& header) {
  static const QRegularExpression kRange(QStringLiteral("^\\s*bytes\\s+(\\d{1,18})-(\\d{1,18})/(\\d{1,18})\\s*$"));
  const QRegularExpressionMatch match = kRange.match(QString::fromLatin1(header));
  if (!match.hasMatch()) return std::nullopt;
  const ContentRange range{match.captured(1).toULongLong(), match.captured(2).toULongLong(),
                           match.captured(3).toULongLong()};
  if (range.from > range.upTo || range.upTo >= range.whole) return std::nullopt;
  return range;
}

int parseRetryAfterMs(const QByteArray& header, int otherwise) {
  bool ok = false;
  const qulonglong seconds = header.trimmed().toULongLong(&ok);
  if (!ok) return otherwise;
  return static_cast<int>(std::min<qulonglong>(seconds, kLongestRetryAfterMs / 1000) * 1000);
}

bool isSameServer(const QUrl& a, const QUrl& b) {
  return a.scheme() == b.scheme() && a.host() == b.host() && portOf(a) == portOf(b);
}

bool mayCarryToken(const QUrl& url, const HubAccess& access) {
  if (access.token.isEmpty() || !isSameServer(url, access.hub)) return false;
  return url.scheme() == QLatin1String("https") || isThisMachine(url.host());
}

HttpGet::HttpGet(QNetworkAccessManager& network, HubAccess access, HttpLimits limits, QObject* parent)
    : QObject(parent), m_network(network), m_access(std::move(access)), m_limits(limits), m_silence(this) {
  m_silence.setSingleShot(true);
  m_silence.setInterval(limits.silenceMs);
  connect(&m_silence, &QTimer::timeout, this, [this] {
    // A slow disk, and not the server, may be what took so long.
    if (m_reply != nullptr && m_reply->bytesAvailable() > 0) return readBytes();
    end(HttpEnd::Kind::Cut, [host = host(), ms = m_limits.silenceMs] {
      return tr("%1 sent nothing for %2").arg(host, formatDuration(ms));
    });
  });
}

HttpGet::~HttpGet() { dropReply(); }

void HttpGet::start(const HttpRequest& request) {
  m_request = request;
  m_head = {};
  m_hasHead = false;
  m_nRedirects = 0;
  send(request.url);
}

void HttpGet::abort() {
  m_silence.stop();
  dropReply();
}

void HttpGet::dropReply() {
  if (m_reply == nullptr) return;
  QNetworkReply* reply = m_reply;
  m_reply.clear();
  reply->disconnect(this);
  reply->deleteLater();  // which ends the connection; abort() while an error is told complains
}

void HttpGet::send(const QUrl& url) {
  m_url = url;
  // Qt opens OpenSSL when it is needed; a portable archive takes that of the system.
  if (url.scheme() == QLatin1String("https") && !QSslSocket::supportsSsl()) {
    QTimer::singleShot(0, this, [this] {
      end(HttpEnd::Kind::Refused,
          [] { return tr("This system has no OpenSSL 3, without which no address with https can be reached"); });
    });
    return;
  }
  QNetworkRequest request(url);
  // Qt would send every header, the token too, to wherever a redirect points.
  request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
  request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
  request.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
  request.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
  request.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
  request.setRawHeader("Accept-Encoding", "identity");  // else lengths are those of what was packed
  request.setRawHeader("User-Agent", "headroom");
  if (m_request.from) {
    QByteArray range = "bytes=" + QByteArray::number(*m_request.from) + '-';
    if (m_request.upTo) range += QByteArray::number(*m_request.upTo);
    request.setRawHeader("Range", range);
    if (!m_request.ifRange.isEmpty()) request.setRawHeader("If-Range", m_request.ifRange);
  }
  if (mayCarryToken(url, m_access)) request.setRawHeader("Authorization", "Bearer " + m_access.token);
  m_reply = m_network.get(request);
  m_reply->setReadBufferSize(m_limits.bufferBytes);
  m_silence.start();
  connect(m_reply, &QNetworkReply::metaDataChanged, this, &HttpGet::readHead);
  connect(m_reply, &QNetworkReply::readyRead, this, &HttpGet::readBytes);
  connect(m_reply, &QNetworkReply::finished, this, &HttpGet::finish);
}

void HttpGet::readHead() {
  if (m_hasHead || m_reply == nullptr) return;
  m_silence.start();
  const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
  if (status < 200) return;
  // A hub tells of the file while it sends us to the server that has it.
  if (m_reply->hasRawHeader("X-Linked-ETag")) m_head.linkedEtag = m_reply->rawHeader("X-Linked-ETag").trimmed();
  if (m_reply->hasRawHeader("X-Linked-Size")) m_head.linkedSize = parseBytes(m_reply->rawHeader("X-Linked-Size"));
  if (isRedirect(status) && m_reply->hasRawHeader("Location"))
    return followRedirect(m_url.resolved(QUrl::fromEncoded(m_reply->rawHeader("Location"))));
  m_hasHead = true;
  m_bytesCame = 0;
  m_head.status = status;
  if (m_reply->hasRawHeader("Content-Length")) m_head.contentLength = parseBytes(m_reply->rawHeader("Content-Length"));
  m_head.range = parseContentRange(m_reply->rawHeader("Content-Range"));
  m_head.etag = m_reply->rawHeader("ETag").trimmed();
  m_head.link = m_reply->rawHeader("Link");
  m_head.retryAfter = m_reply->rawHeader("Retry-After");
  emit headArrived(m_head);
}

void HttpGet::followRedirect(const QUrl& target) {
  const QString from = host();
  const bool wasSecure = m_url.scheme() == QLatin1String("https");
  dropReply();
  if (++m_nRedirects > m_limits.mostRedirects)
    return end(HttpEnd::Kind::Refused,
               [from] { return tr("%1 sends from one address to another without an end").arg(from); });
  const bool isWeb = target.scheme() == QLatin1String("https") || target.scheme() == QLatin1String("http");
  if (!target.isValid() || !isWeb || target.host().isEmpty() || !target.userInfo().isEmpty())
    return end(HttpEnd::Kind::Refused, [from] { return tr("%1 sends to what is no address of a server").arg(from); });
  if (wasSecure && target.scheme() != QLatin1String("https")) {
    return end(HttpEnd::Kind::Refused, [from, to = target.host()] {
      return tr("%1 sends to %2 without encryption, which anybody on the way could change").arg(from, to);
    });
  }
  send(target);
}

void HttpGet::readBytes() {
  QPointer<QNetworkReply> reply = m_reply;
  while (reply != nullptr && reply == m_reply && m_hasHead && reply->bytesAvailable() > 0) {
    m_silence.start();
    const QByteArray bytes = reply->read(kPieceBytes);
    m_bytesCame += static_cast<Bytes>(bytes.size());
    emit bytesArrived(bytes);
  }
}

void HttpGet::finish() {
  if (m_reply == nullptr) return;
  const QNetworkReply* reply = m_reply;
  readHead();
  if (m_reply != reply) return;  // a redirect, or who was told has ended it
  readBytes();
  if (m_reply != reply) return;
  const QNetworkReply::NetworkError error = reply->error();
  // Statuses from 400 on are errors to Qt and an answer to us.
  const bool isAnswer = m_hasHead && m_head.status >= 400;
  if (error == QNetworkReply::NoError && !m_hasHead)
    return end(HttpEnd::Kind::Cut, [host = host()] { return tr("%1 answered with what is no HTTP").arg(host); });
  // Now and then Qt takes an end in the middle for the end.
  if (error == QNetworkReply::NoError && m_head.contentLength && m_bytesCame < *m_head.contentLength)
    return end(HttpEnd::Kind::Cut, [host = host()] { return tr("The connection to %1 broke").arg(host); });
  if (error == QNetworkReply::NoError || (isAnswer && error != QNetworkReply::RemoteHostClosedError))
    return end(HttpEnd::Kind::Whole, {});
  switch (error) {
    case QNetworkReply::HostNotFoundError:
      return end(HttpEnd::Kind::Cut, [host = host()] { return tr("%1 was not found").arg(host); });
    case QNetworkReply::ConnectionRefusedError:
      return end(HttpEnd::Kind::Cut, [host = host()] { return tr("%1 takes no connections").arg(host); });
    case QNetworkReply::SslHandshakeFailedError:
      return end(HttpEnd::Kind::Refused,
                 [host = host()] { return tr("The certificate of %1 was not accepted").arg(host); });
    default: break;
  }
  if (!isPassing(error))
    return end(HttpEnd::Kind::Refused, [host = host()] { return tr("%1 cannot be reached").arg(host); });
  end(HttpEnd::Kind::Cut, [host = host()] { return tr("The connection to %1 broke").arg(host); });
}

void HttpGet::end(HttpEnd::Kind kind, const Sentence& sentence) {
  m_silence.stop();
  dropReply();
  emit ended({kind, sentence});
}

QString HttpGet::host() const { return m_url.host(); }

}  // namespace headroom::ui
