#include "app/native_path.h"

#include <QStringDecoder>
#include <QStringEncoder>

namespace headroom::app {

namespace {

constexpr char16_t kFirstByte = 0xdc80, kLastByte = 0xdcff;  // the halves that stand for the bytes 0x80 to 0xff

// How many bytes the next letter of UTF-8 takes; 0: they are none.
qsizetype letterBytes(QByteArrayView rest) {
  const auto first = static_cast<unsigned char>(rest.front());
  const qsizetype length = first < 0x80   ? 1
                           : first < 0xc2 ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  if (length == 0 || length > rest.size()) return 0;
  QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
  const QString letter = decoder(rest.first(length));
  return decoder.hasError() ? 0 : length;
}

}  // namespace

QString pathFromBytes(const QByteArray& bytes) {
  QString path;
  for (qsizetype at = 0; at < bytes.size();) {
    const qsizetype length = letterBytes(QByteArrayView(bytes).sliced(at));
    if (length == 0) {
      path.append(QChar(static_cast<char16_t>(0xdc00 + static_cast<unsigned char>(bytes[at]))));
    } else {
      path.append(QString::fromUtf8(bytes.constData() + at, length));
    }
    at += std::max<qsizetype>(length, 1);
  }
  return path;
}

QByteArray bytesOfPath(const QString& path) {
  QByteArray bytes;
  for (qsizetype at = 0; at < path.size(); ++at) {
    const QChar letter = path[at];
    if (letter.isHighSurrogate() && at + 1 < path.size() && path[at + 1].isLowSurrogate()) {
      bytes.append(path.mid(at++, 2).toUtf8());
    } else if (letter.unicode() >= kFirstByte && letter.unicode() <= kLastByte) {
      bytes.append(static_cast<char>(letter.unicode() - 0xdc00));
    } else {
      bytes.append(QString(letter).toUtf8());
    }
  }
  return bytes;
}

#ifdef Q_OS_WIN
std::filesystem::path toNativePath(const QString& path) { return std::filesystem::path(path.toStdU16String()); }
QString fromNativePath(const std::filesystem::path& path) { return QString::fromStdU16String(path.u16string()); }
#else
std::filesystem::path toNativePath(const QString& path) {
  return std::filesystem::path(bytesOfPath(path).toStdString());
}
QString fromNativePath(const std::filesystem::path& path) {
  return pathFromBytes(QByteArray::fromStdString(path.native()));
}
#endif

}  // namespace headroom::app
