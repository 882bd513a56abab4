#include "ui/chat/attachment.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QStringDecoder>

namespace headroom::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("Attachment", text); }
Error error(ErrorCode code, const QString& text) { return {code, text.toStdString()}; }

}  // namespace

Result<Attachment> readAttachment(const QString& path) {
  const QFileInfo info(path);
  const QString name = info.fileName();
  if (!info.isFile())
    return error(ErrorCode::kBadFile, tr("%1 is not a file; only text files can be attached.").arg(name));
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly))
    return error(ErrorCode::kBadFile, tr("%1 cannot be read: %2.").arg(name, file.errorString()));
  // One byte more than the limit tells a larger file, whatever its size was a moment ago.
  const QByteArray bytes = file.read(static_cast<qint64>(kMaxAttachmentBytes) + 1);
  if (static_cast<Bytes>(bytes.size()) > kMaxAttachmentBytes) {
    return error(ErrorCode::kUsage,
                 tr("%1 is %2; files of at most %3 can be attached.")
                     .arg(name, QString::fromStdString(format_bytes(static_cast<Bytes>(info.size()))),
                          QString::fromStdString(format_bytes(kMaxAttachmentBytes))));
  }
  QStringDecoder decoder(QStringDecoder::Utf8);
  QString text = decoder(bytes);
  if (decoder.hasError() || bytes.contains('\0')) {
    return error(ErrorCode::kUsage, tr("%1 is not text (UTF-8), so it cannot be attached.").arg(name));
  }
  text.replace(QLatin1StringView("\r\n"), QLatin1StringView("\n"));
  if (text.trimmed().isEmpty())
    return error(ErrorCode::kUsage, tr("%1 is empty; there is nothing to attach.").arg(name));
  return Attachment{name, text};
}

}  // namespace headroom::ui
