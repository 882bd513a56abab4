#include "ui/library/download_record.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "ui/library/model_name.h"
#include "ui/library/part_file.h"

namespace headroom::ui {

namespace {

constexpr qsizetype kMostRecordBytes = 1 << 20, kMostParts = 1000;
constexpr double kMostPartBytes = 1e15;  // below 2^53: a double of JSON has each byte of it
const QLatin1String kRecordEnding(".part.json");

struct DownloadRecordWords {
  Q_DECLARE_TR_FUNCTIONS(DownloadRecord)
};

bool isPlainName(const QString& name) { return isSafePath(name) && !name.contains(QLatin1Char('/')); }

Result<DownloadPart> parsePart(const QJsonObject& object) {
  const auto text = [&](const char* key) { return object.value(QLatin1String(key)).toString(); };
  DownloadPart part;
  part.file = text("file");
  part.url = QUrl(text("url"), QUrl::StrictMode);
  const double n_bytes = object.value(QLatin1String("bytes")).toDouble();
  part.sha256 = text("sha256").toLatin1();
  part.etag = text("etag").toLatin1();
  part.linkedEtag = text("linked_etag").toLatin1();
  const bool isWeb = part.url.scheme() == QLatin1String("https") || part.url.scheme() == QLatin1String("http");
  if (!isPlainName(part.file) || !isWeb || !(n_bytes >= 0 && n_bytes <= kMostPartBytes) ||
      (!part.sha256.isEmpty() && !isSha256(QString::fromLatin1(part.sha256))))
    return Error{ErrorCode::kBadFile,
                 Message::plain(DownloadRecordWords::tr("It is no record of a download").toStdString())};
  part.n_bytes = static_cast<Bytes>(n_bytes);
  return part;
}

}  // namespace

QString DownloadSpec::path() const { return QDir(folder).filePath(parts.front().file); }
QString DownloadSpec::recordPath() const { return path() + kRecordEnding; }

Bytes DownloadSpec::n_bytes() const {
  Bytes sum = 0;
  for (const DownloadPart& part : parts) {
    if (part.n_bytes == 0) return 0;
    sum += part.n_bytes;
  }
  return sum;
}

DownloadSpec downloadOf(const QString& root, const QUrl& hub, const HubReference& reference, const ListedModel& model) {
  DownloadSpec spec;
  spec.repository = reference.repository;
  spec.folder = QDir(root).filePath(reference.repository);
  const QString inside = model.path.section(QLatin1Char('/'), 0, -2);
  if (!inside.isEmpty()) spec.folder = QDir(spec.folder).filePath(inside);
  for (const HubFile& file : model.parts)
    spec.parts.push_back({file.path.section(QLatin1Char('/'), -1),
                          fileAddress(hub, reference, file.path),
                          file.n_bytes,
                          file.sha256,
                          {},
                          {}});
  return spec;
}

DownloadSpec downloadOf(const QString& root, const QUrl& address) {
  DownloadSpec spec;
  spec.folder = root;
  spec.parts.push_back({address.fileName(), address, 0, {}, {}, {}});
  return spec;
}

QByteArray toJson(const DownloadSpec& spec) {
  QJsonArray parts;
  for (const DownloadPart& part : spec.parts)
    parts.append(QJsonObject{{QStringLiteral("file"), part.file},
                             {QStringLiteral("url"), QString::fromLatin1(part.url.toEncoded())},
                             {QStringLiteral("bytes"), static_cast<double>(part.n_bytes)},
                             {QStringLiteral("sha256"), QString::fromLatin1(part.sha256)},
                             {QStringLiteral("etag"), QString::fromLatin1(part.etag)},
                             {QStringLiteral("linked_etag"), QString::fromLatin1(part.linkedEtag)}});
  return QJsonDocument(QJsonObject{{QStringLiteral("repository"), spec.repository}, {QStringLiteral("parts"), parts}})
      .toJson();
}

Result<DownloadSpec> parseDownloadRecord(const QByteArray& json, const QString& folder) {
  const QJsonObject object = QJsonDocument::fromJson(json).object();
  const QJsonArray parts = object.value(QLatin1String("parts")).toArray();
  DownloadSpec spec;
  spec.folder = folder;
  spec.repository = object.value(QLatin1String("repository")).toString();
  if (parts.isEmpty() || parts.size() > kMostParts || (!spec.repository.isEmpty() && !isSafePath(spec.repository)))
    return Error{ErrorCode::kBadFile,
                 Message::plain(DownloadRecordWords::tr("It is no record of a download").toStdString())};
  for (const QJsonValue& value : parts) {
    Result<DownloadPart> part = parsePart(value.toObject());
    if (!part) return part.error();
    spec.parts.push_back(*std::move(part));
  }
  return spec;
}

std::vector<DownloadSpec> findUnfinished(const QString& root) {
  std::vector<DownloadSpec> specs;
  QDirIterator files(root, {QLatin1Char('*') + kRecordEnding}, QDir::Files | QDir::NoSymLinks,
                     QDirIterator::Subdirectories);
  while (files.hasNext()) {
    const QString path = files.next();
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() > kMostRecordBytes) continue;
    Result<DownloadSpec> spec = parseDownloadRecord(file.readAll(), QFileInfo(path).absolutePath());
    // Who renamed a record means another download.
    if (spec && spec->recordPath() == QFileInfo(path).absoluteFilePath()) specs.push_back(*std::move(spec));
  }
  std::sort(specs.begin(), specs.end(),
            [](const DownloadSpec& left, const DownloadSpec& right) { return left.path() < right.path(); });
  return specs;
}

bool isOnDisk(const DownloadSpec& spec) {
  return std::all_of(spec.parts.begin(), spec.parts.end(), [&](const DownloadPart& part) {
    const QFileInfo info(QDir(spec.folder).filePath(part.file));
    return info.isFile() && part.n_bytes > 0 && static_cast<Bytes>(info.size()) == part.n_bytes;
  });
}

}  // namespace headroom::ui
