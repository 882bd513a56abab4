#include "ui/chat/attachment.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <optional>

#include "ui/chat/text_encoding.h"

namespace headroom::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("Attachment", text); }
Error error(ErrorCode code, const QString& text) { return {code, text.toStdString()}; }

QString bytesText(Bytes bytes) { return QString::fromStdString(format_bytes(bytes)); }

Error tooLarge(const QString& name, Bytes bytes) {
  return error(
      ErrorCode::kUsage,
      tr("%1 is %2; files of at most %3 can be attached.").arg(name, bytesText(bytes), bytesText(kMaxAttachmentBytes)));
}

}  // namespace

ReadAttachment readAttachment(const QString& path) {
  const QFileInfo info(path);
  const QString name = info.fileName();
  if (info.isDir()) return IsFolder{};
  // A link to nothing does not exist either.
  if (!info.exists()) return error(ErrorCode::kBadFile, tr("%1 is not there: it was moved or deleted.").arg(name));
  // Opening a pipe waits for somebody who writes into it.
  if (!info.isFile())
    return error(ErrorCode::kBadFile,
                 tr("%1 is a device or a pipe, not a file; only text files can be attached.").arg(name));
  if (static_cast<Bytes>(info.size()) > kMaxAttachmentBytes) return tooLarge(name, static_cast<Bytes>(info.size()));
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly))
    return error(ErrorCode::kBadFile, tr("%1 cannot be read: %2.").arg(name, file.errorString()));
  // One byte more than the limit tells a larger file, whatever its size was a moment ago.
  const QByteArray bytes = file.read(static_cast<qint64>(kMaxAttachmentBytes) + 1);
  if (file.error() != QFileDevice::NoError)
    return error(ErrorCode::kBadFile, tr("%1 cannot be read: %2.").arg(name, file.errorString()));
  if (static_cast<Bytes>(bytes.size()) > kMaxAttachmentBytes)
    return tooLarge(name, std::max(static_cast<Bytes>(file.size()), static_cast<Bytes>(bytes.size())));
  std::optional<QString> text = decodeText(bytes);
  if (!text) return error(ErrorCode::kUsage, tr("%1 is not text, so it cannot be attached.").arg(name));
  text->replace(QLatin1StringView("\r\n"), QLatin1StringView("\n"));
  if (text->trimmed().isEmpty())
    return error(ErrorCode::kUsage, tr("%1 is empty; there is nothing to attach.").arg(name));
  return Attachment{name, *text};
}

}  // namespace headroom::ui
