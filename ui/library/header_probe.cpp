#include "ui/library/header_probe.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <algorithm>
#include <utility>

#include "file/header_extent.h"
#include "ui/background/background.h"
#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"

namespace headroom::ui {

namespace {

// Between two looks at whether the header is whole, which takes a millisecond or two for a large vocabulary.
constexpr Bytes kBetweenLooks = 512 * kKiB;

struct InspectedHeaders {
  Result<ModelInfo> model;
  QString folder;  // where they lay for a moment
};

// The files as they would be on disk, weights as a hole, read by `inspect`. On a worker thread.
InspectedHeaders inspectHeaders(const InspectModel& inspect, const DownloadSpec& spec,
                                const std::vector<QByteArray>& headers) {
  const QTemporaryDir folder;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    QFile file(folder.filePath(spec.parts[i].file));
    const bool isWritten = folder.isValid() && file.open(QIODevice::WriteOnly) &&
                           file.write(headers[i]) == headers[i].size() &&
                           file.resize(static_cast<qint64>(spec.parts[i].n_bytes));
    if (!isWritten) {
      return {Error{ErrorCode::kResource,
                    Message::say("There is no room for its header: {}", file.errorString().toStdString())},
              folder.path()};
    }
  }
  return {inspect(folder.filePath(spec.parts.front().file)), folder.path()};
}

// A model is at home on the server, and not where its header lay.
Sentence withoutFolder(const Message& message, const QString& folder) {
  return [message, folder] { return partsOf(message).sentence.remove(folder + QLatin1Char('/')); };
}

}  // namespace

HeaderProbe::HeaderProbe(QNetworkAccessManager& network, InspectModel inspect, ProbeLimits limits, QObject* parent)
    : QObject(parent), m_network(network), m_inspect(std::move(inspect)), m_limits(limits) {}

void HeaderProbe::start(const DownloadSpec& spec, const HubAccess& access, Bytes likelyBytes) {
  m_spec = spec;
  m_access = access;
  m_headers.assign(1, {});
  // A few bytes more: names and notes in it differ from file to file.
  m_wanted = likelyBytes > 0 ? std::min(likelyBytes + 16 * kKiB, m_limits.mostBytes) : m_limits.firstBytes;
  askForMore();
}

void HeaderProbe::askForMore() {
  const DownloadPart& part = m_spec.parts[m_headers.size() - 1];
  const auto n_here = static_cast<Bytes>(m_headers.back().size());
  m_nextLook = n_here + kBetweenLooks;
  m_get = new HttpGet(m_network, m_access, m_limits.http, this);
  connect(m_get, &HttpGet::headArrived, this, &HeaderProbe::takeHead);
  connect(m_get, &HttpGet::bytesArrived, this, &HeaderProbe::takeBytes);
  connect(m_get, &HttpGet::ended, this, [this](const HttpEnd& end) {
    std::exchange(m_get, nullptr)->deleteLater();
    if (end.kind != HttpEnd::Kind::Whole) return fail(end.sentence);
    takePart();
  });
  m_get->start({part.url, n_here, m_wanted - 1, {}});
}

void HeaderProbe::takeHead(const HttpHead& head) {
  DownloadPart& part = m_spec.parts[m_headers.size() - 1];
  const auto n_here = static_cast<Bytes>(m_headers.back().size());
  if (head.status != 200 && head.status != 206)
    return fail(troubleOfFile(head.status, m_spec.repository, part.url, m_access).sentence);
  m_skipBytes = head.status == 200 ? n_here : 0;
  if (head.status == 206 && (!head.range || head.range->from != n_here))
    return fail(
        [name = part.file] { return tr("The server sends another stretch of %1 than was asked for").arg(name); });
  if (part.n_bytes > 0) return;
  if (head.range) part.n_bytes = head.range->whole;
  if (head.status == 200 && head.contentLength) part.n_bytes = *head.contentLength;
  if (part.n_bytes == 0) fail([name = part.file] { return tr("The server does not say how long %1 is").arg(name); });
}

void HeaderProbe::takeBytes(const QByteArray& bytes) {
  const Bytes skipped = std::min<Bytes>(m_skipBytes, static_cast<Bytes>(bytes.size()));
  m_skipBytes -= skipped;
  m_headers.back() += bytes.mid(static_cast<qsizetype>(skipped));
  const auto n_here = static_cast<Bytes>(m_headers.back().size());
  // A server that knows no stretches would send all of it.
  if (n_here >= m_wanted) return cutOff();
  if (n_here < m_nextLook) return;
  m_nextLook = n_here + kBetweenLooks;
  if (extent()) cutOff();
}

void HeaderProbe::cutOff() {
  m_get->abort();
  std::exchange(m_get, nullptr)->deleteLater();
  takePart();
}

// What is wrong with a header is said by who reads it: for that there is enough here.
std::optional<Bytes> HeaderProbe::extent() const {
  const QByteArray& header = m_headers.back();
  const auto n_here = static_cast<std::size_t>(header.size());
  const auto found = header_extent(std::as_bytes(std::span(header.constData(), n_here)));
  return found.ok() ? *found : std::optional<Bytes>(n_here);
}

void HeaderProbe::takePart() {
  const DownloadPart& part = m_spec.parts[m_headers.size() - 1];
  const auto n_here = static_cast<Bytes>(m_headers.back().size());
  const std::optional<Bytes> found = extent();
  const bool isComplete = found || n_here >= part.n_bytes;
  m_headerBytes = std::max(m_headerBytes, found.value_or(0));
  if (!isComplete && n_here < m_wanted)
    return fail([name = part.file] { return tr("The server ended %1 too early").arg(name); });
  if (!isComplete && m_wanted >= m_limits.mostBytes)
    return fail([name = part.file, most = m_limits.mostBytes] {
      return tr("The header of %1 is longer than %2").arg(name, formatBytes(most));
    });
  if (!isComplete) {
    m_wanted = std::min(m_wanted * 4, m_limits.mostBytes);
    return askForMore();
  }
  if (m_headers.size() == m_spec.parts.size()) return inspectAll();
  m_headers.emplace_back();
  m_wanted = m_limits.firstBytes;
  askForMore();
}

void HeaderProbe::inspectAll() {
  runInBackground(
      readingThreads(), this,
      [inspect = m_inspect, spec = m_spec, headers = std::exchange(m_headers, {})] {
        return std::make_shared<const InspectedHeaders>(inspectHeaders(inspect, spec, headers));
      },
      [this](const std::shared_ptr<const InspectedHeaders>& inspected) {
        const auto& [model, folder] = *inspected;
        if (model) return emit read(std::make_shared<const ModelInfo>(*model));
        emit failed(withoutFolder(model.error().message, folder));
      });
}

void HeaderProbe::fail(const Sentence& sentence) {
  if (m_get != nullptr) {
    m_get->abort();
    std::exchange(m_get, nullptr)->deleteLater();
  }
  emit failed(sentence);
}

}  // namespace headroom::ui
