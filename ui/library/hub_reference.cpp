#include "ui/library/hub_reference.h"

#include <QRegularExpression>
#include <QStringList>

namespace headroom::ui {

namespace {

constexpr qsizetype kMaxTyped = 2000;
constexpr int kMaxPathDepth = 8;

Error hubReferenceError(const Message& sentence) { return {ErrorCode::kUsage, sentence}; }

bool isWebAddress(const QUrl& url) {
  return url.isValid() && (url.scheme() == QLatin1String("https") || url.scheme() == QLatin1String("http")) &&
         !url.host().isEmpty();
}

bool isGguf(const QString& path) { return path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive); }

// The hub's rule for names of owners and repositories.
bool isHubName(const QString& name) {
  static const QRegularExpression kName(QStringLiteral("^[A-Za-z0-9_][A-Za-z0-9._-]{0,95}$"));
  return kName.match(name).hasMatch() && !name.contains(QLatin1String(".."));
}

// "org/name" or "org/name:QUANTIZATION".
std::optional<HubReference> parseRepository(const QString& text) {
  const qsizetype colon = text.indexOf(QLatin1Char(':'));
  const QStringList names = text.left(colon < 0 ? text.size() : colon).split(QLatin1Char('/'));
  if (names.size() != 2 || !isHubName(names[0]) || !isHubName(names[1])) return std::nullopt;
  HubReference reference;
  reference.repository = names.join(QLatin1Char('/'));
  if (colon < 0) return reference;
  static const QRegularExpression kQuantization(QStringLiteral("^[A-Za-z0-9_-]{1,32}$"));
  reference.quantization = text.mid(colon + 1);
  if (!kQuantization.match(reference.quantization).hasMatch()) return std::nullopt;
  return reference;
}

// What stands behind the hub's address: "org/name", "org/name/tree/main", "org/name/blob/main/x.gguf".
std::optional<HubReference> parseHubPath(const QString& path) {
  QStringList names = path.split(QLatin1Char('/'), Qt::SkipEmptyParts);
  if (names.size() == 2) return parseRepository(names.join(QLatin1Char('/')));
  if (names.size() < 4) return std::nullopt;
  std::optional<HubReference> reference = parseRepository(names.mid(0, 2).join(QLatin1Char('/')));
  if (!reference || !reference->quantization.isEmpty()) return std::nullopt;
  const QString page = names[2];
  reference->revision = names[3];
  if (!isSafePath(reference->revision)) return std::nullopt;
  if (page == QLatin1String("tree")) return reference;  // a folder of it: all files are listed
  if (page != QLatin1String("blob") && page != QLatin1String("resolve")) return std::nullopt;
  reference->file = names.mid(4).join(QLatin1Char('/'));
  if (!isGguf(reference->file) || !isSafePath(reference->file)) return std::nullopt;
  return reference;
}

// The path of `url` below the hub; absent: it is not on the hub.
std::optional<QString> pathOnHub(const QUrl& url, const QUrl& hub) {
  const QString host = url.host();
  const bool isOfficial = host == QLatin1String("huggingface.co") || host == QLatin1String("www.huggingface.co") ||
                          host == QLatin1String("hf.co");
  if (isOfficial) return url.path();
  if (host != hub.host() || url.port() != hub.port()) return std::nullopt;
  QString base = hub.path();
  if (base.endsWith(QLatin1Char('/'))) base.chop(1);
  if (!url.path().startsWith(base + QLatin1Char('/'))) return std::nullopt;
  return url.path().mid(base.size());
}

Error notUnderstood() {
  return hubReferenceError(Message::say(
      "This names no model: expected a repository as in \"Qwen/Qwen3-4B-GGUF\" or \"Qwen/Qwen3-4B-GGUF:Q4_K_M\", the "
      "address of its page, or the address of a .gguf file"));
}

}  // namespace

QUrl hubAddress(const QString& ofSettings) {
  for (const QString& text : {ofSettings, qEnvironmentVariable("HF_ENDPOINT")}) {
    if (!text.trimmed().isEmpty() && isHubAddress(text)) return QUrl(text.trimmed(), QUrl::StrictMode);
  }
  return QUrl(QStringLiteral("https://huggingface.co"));
}

bool isHubAddress(const QString& text) {
  const QUrl url(text.trimmed(), QUrl::StrictMode);
  return text.trimmed().isEmpty() || (isWebAddress(url) && url.userInfo().isEmpty());
}

bool isSafePath(const QString& path) {
  const QStringList names = path.split(QLatin1Char('/'));
  if (path.isEmpty() || path.size() > 512 || names.size() > kMaxPathDepth) return false;
  for (const QString& name : names) {
    if (name.isEmpty() || name.startsWith(QLatin1Char('.')) || name.toUtf8().size() > 200) return false;
    for (const QChar character : name) {
      if (!character.isPrint() || QStringLiteral("\\:*?\"<>|").contains(character)) return false;
    }
  }
  return true;
}

Result<HubReference> parseHubReference(const QString& typed, const QUrl& hub) {
  QString text = typed.trimmed();
  if (text.isEmpty() || text.size() > kMaxTyped) return notUnderstood();
  if (std::optional<HubReference> repository = parseRepository(text)) return *repository;
  const bool hasScheme = text.contains(QLatin1String("://"));
  if (!hasScheme) {
    const QString host = text.section(QLatin1Char('/'), 0, 0);
    if (!host.contains(QLatin1Char('.')) || !text.contains(QLatin1Char('/'))) return notUnderstood();
    text.prepend(QLatin1String("https://"));
  }
  const QUrl url(text, QUrl::StrictMode);
  if (!isWebAddress(url)) return notUnderstood();
  if (!url.userInfo().isEmpty())
    return hubReferenceError(
        Message::say("This address has a name or a password in it, which would be written to disk: give it without"));
  if (const std::optional<QString> path = pathOnHub(url, hub)) {
    if (std::optional<HubReference> reference = parseHubPath(*path)) return *reference;
    return hubReferenceError(Message::say(
        "This page of the hub names no model: expected the page of a repository or of a .gguf file in it"));
  }
  if (!isGguf(url.path()))
    return hubReferenceError(
        Message::say("This address is neither on {} nor that of a .gguf file. A mirror is named under Settings, as the "
                     "hub's address",
                     hub.host().toStdString()));
  if (!isSafePath(url.fileName()))
    return hubReferenceError(Message::say("The file name in this address cannot be one on disk"));
  HubReference reference;
  reference.address = url;
  return reference;
}

QUrl treeAddress(const QUrl& hub, const HubReference& reference) {
  QUrl url = hub;
  QString base = hub.path();
  if (base.endsWith(QLatin1Char('/'))) base.chop(1);
  url.setPath(base + QLatin1String("/api/models/") + reference.repository + QLatin1String("/tree/") +
              reference.revision);
  url.setQuery(QStringLiteral("recursive=true"));
  return url;
}

QUrl fileAddress(const QUrl& hub, const HubReference& reference, const QString& path) {
  QUrl url = hub;
  QString base = hub.path();
  if (base.endsWith(QLatin1Char('/'))) base.chop(1);
  url.setPath(base + QLatin1Char('/') + reference.repository + QLatin1String("/resolve/") + reference.revision +
              QLatin1Char('/') + path);
  return url;
}

}  // namespace headroom::ui
