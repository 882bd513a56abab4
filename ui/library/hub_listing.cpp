#include "ui/library/hub_listing.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <algorithm>
#include <map>

#include "file/split_name.h"
#include "ui/format/format_bytes.h"
#include "ui/library/model_name.h"

namespace headroom::ui {

namespace {

constexpr qsizetype kMostPageBytes = 32 * 1024 * 1024;
constexpr double kMostFileBytes = 1e15;  // below 2^53: a double of JSON has each byte of it

std::optional<HubFile> parseTreeEntry(const QJsonObject& entry) {
  HubFile file;
  file.path = entry.value(QLatin1String("path")).toString();
  if (entry.value(QLatin1String("type")).toString() != QLatin1String("file") || !isSafePath(file.path) ||
      !file.path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive))
    return std::nullopt;
  const QJsonObject lfs = entry.value(QLatin1String("lfs")).toObject();
  const double n_bytes = (lfs.isEmpty() ? entry : lfs).value(QLatin1String("size")).toDouble(-1);
  if (!(n_bytes > 0) || n_bytes > kMostFileBytes) return std::nullopt;
  file.n_bytes = static_cast<Bytes>(n_bytes);
  const QString oid = lfs.value(QLatin1String("oid")).toString().toLower();
  if (isSha256(oid)) file.sha256 = oid.toLatin1();
  return file;
}

ListedModel::Kind kindOf(const QString& path) {
  const QString name = path.section(QLatin1Char('/'), -1).toLower();
  if (name.contains(QLatin1String("mmproj"))) return ListedModel::Kind::Projector;
  if (name.contains(QLatin1String("imatrix"))) return ListedModel::Kind::ImportanceMatrix;
  return ListedModel::Kind::Model;
}

}  // namespace

Result<std::vector<HubFile>> parseTreePage(const QByteArray& json) {
  QJsonParseError problem;
  const QJsonDocument document = QJsonDocument::fromJson(json, &problem);
  if (problem.error != QJsonParseError::NoError || !document.isArray())
    return Error{ErrorCode::kBadFile, Message::say("The answer is no list of files, as a hub sends it")};
  std::vector<HubFile> files;
  for (const QJsonValue& entry : document.array()) {
    if (std::optional<HubFile> file = parseTreeEntry(entry.toObject())) files.push_back(*std::move(file));
  }
  return files;
}

QUrl nextPage(const QByteArray& linkHeader) {
  static const QRegularExpression kNext(QStringLiteral("<([^>]+)>\\s*;[^,<]*\\brel=\"?next\"?"));
  const QRegularExpressionMatch match = kNext.match(QString::fromLatin1(linkHeader));
  return match.hasMatch() ? QUrl::fromEncoded(match.captured(1).toLatin1()) : QUrl();
}

std::vector<ListedModel> listModels(const std::vector<HubFile>& files) {
  std::vector<ListedModel> models;
  std::map<QString, std::size_t> sets;  // by folder, name and count: where in `models`
  for (const HubFile& file : files) {
    const std::optional<SplitName> split = parse_split_name(file.path.toStdString());
    if (!split || split->n == 1) {
      models.push_back({file.path, quantizationInName(file.path), kindOf(file.path), file.n_bytes, {file}});
      continue;
    }
    const QString key = file.path.chopped(QStringLiteral("00001-of-00002.gguf").size()) + QString::number(split->n);
    const auto [set, isNew] = sets.emplace(key, models.size());
    if (isNew) models.push_back({file.path, quantizationInName(file.path), kindOf(file.path), 0, {}});
    ListedModel& model = models[set->second];
    model.parts.push_back(file);
    model.n_bytes += file.n_bytes;
  }
  for (ListedModel& model : models) {
    std::sort(model.parts.begin(), model.parts.end(),
              [](const HubFile& left, const HubFile& right) { return left.path < right.path; });
    model.path = model.parts.front().path;
    const std::optional<SplitName> split = parse_split_name(model.path.toStdString());
    if (split && model.parts.size() != split->n) model.kind = ListedModel::Kind::IncompleteSet;
  }
  return models;
}

HubTrouble troubleOfStatus(int status, const QString& repository, bool hadToken) {
  switch (status) {
    case 401:
    case 403:
      return {[repository, hadToken] {
                return (hadToken ? HubListing::tr("%1 is not open to your token: the repository is private, or its "
                                                  "owner asks you to agree to its terms on its page first")
                                 : HubListing::tr("%1 needs a token: the repository does not exist, is private, or "
                                                  "asks to agree to its terms. Make a token under "
                                                  "huggingface.co/settings/tokens and give it below"))
                    .arg(repository);
              },
              true};
    case 404: return {[repository] { return HubListing::tr("The hub knows no %1").arg(repository); }, false};
    case 429:
      return {[repository] { return HubListing::tr("The hub takes no more questions for now (%1)").arg(repository); },
              false};
    default:
      return {[repository, status] {
                return HubListing::tr("The hub answered with status %2 when asked for %1")
                    .arg(repository, formatCount(static_cast<quint64>(std::max(status, 0))));
              },
              false};
  }
}

HubTrouble troubleOfFile(int status, const QString& repository, const QUrl& address, const HubAccess& access) {
  if (!repository.isEmpty() || isSameServer(address, access.hub))
    return troubleOfStatus(status, repository.isEmpty() ? address.host() : repository, !access.token.isEmpty());
  return {[host = address.host(), status] {
            return HubListing::tr("%1 does not give this file: it answered with status %2")
                .arg(host, formatCount(static_cast<quint64>(std::max(status, 0))));
          },
          false};
}

HubListing::HubListing(QNetworkAccessManager& network, HubLimits limits, QObject* parent)
    : QObject(parent), m_network(network), m_limits(limits) {
  m_again.setSingleShot(true);
  connect(&m_again, &QTimer::timeout, this, [this] { ask(m_page); });
}

void HubListing::look(const HubReference& reference, const HubAccess& access) {
  cancel();
  m_reference = reference;
  m_access = access;
  m_files.clear();
  m_nPages = m_nTries = 0;
  ask(treeAddress(access.hub, reference));
}

void HubListing::cancel() {
  m_again.stop();
  if (m_get == nullptr) return;
  m_get->abort();
  std::exchange(m_get, nullptr)->deleteLater();
}

void HubListing::ask(const QUrl& page) {
  m_page = page;
  m_head = {};
  m_body.clear();
  m_get = new HttpGet(m_network, m_access, m_limits.http, this);
  connect(m_get, &HttpGet::headArrived, this, [this](const HttpHead& head) { m_head = head; });
  connect(m_get, &HttpGet::bytesArrived, this, [this](const QByteArray& bytes) {
    m_body += bytes;
    if (m_body.size() > kMostPageBytes) fail([] { return tr("The hub's list of files has no end"); });
  });
  connect(m_get, &HttpGet::ended, this, &HubListing::take);
  m_get->start({page, {}, {}, {}});
}

void HubListing::take(const HttpEnd& end) {
  std::exchange(m_get, nullptr)->deleteLater();
  if (end.kind == HttpEnd::Kind::Refused) return fail(end.sentence);
  if (end.kind == HttpEnd::Kind::Cut) return tryAgain(m_limits.waitMs, end.sentence);
  if (m_head.status == 200) return takePage();
  const HubTrouble trouble = troubleOfStatus(m_head.status, m_reference.repository, !m_access.token.isEmpty());
  if (m_head.status == 429) return tryAgain(parseRetryAfterMs(m_head.retryAfter, m_limits.waitMs), trouble.sentence);
  if (m_head.status >= 500) return tryAgain(m_limits.waitMs, trouble.sentence);
  fail(trouble.sentence, trouble.needsToken);
}

void HubListing::takePage() {
  Result<std::vector<HubFile>> files = parseTreePage(m_body);
  if (!files) return fail(files.error().message);
  std::move(files->begin(), files->end(), std::back_inserter(m_files));
  m_nTries = 0;
  const QUrl next = m_page.resolved(nextPage(m_head.link));
  const bool hasNext = !nextPage(m_head.link).isEmpty();
  if (hasNext && !isSameServer(next, m_access.hub))
    return fail([host = next.host()] {
      return tr("The hub's list of files goes on at %1, which is another server").arg(host);
    });
  if (hasNext && ++m_nPages >= m_limits.mostPages) return fail([] { return tr("The hub's list of files has no end"); });
  if (hasNext) return ask(next);
  const std::vector<ListedModel> models = listModels(m_files);
  if (models.empty()) {
    return fail([repository = m_reference.repository] {
      return tr("There are no .gguf files in %1. Repositories with them often end in \"-GGUF\"").arg(repository);
    });
  }
  emit arrived(m_reference, models);
}

void HubListing::tryAgain(int waitMs, const Sentence& sentence) {
  if (++m_nTries >= m_limits.mostTries) return fail(sentence);
  emit waiting(
      [sentence, waitMs] { return tr("%1. Asking again in %2").arg(sentence.text(), formatDuration(waitMs)); });
  m_again.start(waitMs);
}

void HubListing::fail(const Sentence& sentence, bool needsToken) {
  cancel();
  emit failed({sentence, needsToken});
}

}  // namespace headroom::ui
