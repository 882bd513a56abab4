#include "ui/chat/text_encoding.h"

#include <QStringDecoder>
#include <algorithm>
#include <array>

namespace headroom::ui {
namespace {

std::optional<QString> decoded(const QByteArray& bytes, QStringConverter::Encoding encoding) {
  QStringDecoder decoder(encoding);
  QString text = decoder(bytes);
  // A text that breaks off within a character has no error of its own.
  if (decoder.hasError() || text.contains(QChar::ReplacementCharacter)) return std::nullopt;
  return text;
}

// Which bytes are zero tells how UTF-16 without a mark is ordered: of ASCII the high one.
std::optional<QStringConverter::Encoding> guessUtf16(const QByteArray& bytes) {
  if (bytes.size() < 4 || bytes.size() % 2 != 0) return std::nullopt;
  std::array<qsizetype, 2> nZero{};
  for (qsizetype i = 0; i < bytes.size(); ++i) nZero[static_cast<std::size_t>(i % 2)] += bytes[i] == '\0' ? 1 : 0;
  const qsizetype nPairs = bytes.size() / 2;
  const auto isHigh = [&](std::size_t place) { return nZero[place] * 2 > nPairs && nZero[1 - place] == 0; };
  if (isHigh(1)) return QStringConverter::Utf16LE;
  if (isHigh(0)) return QStringConverter::Utf16BE;
  return std::nullopt;
}

bool isText(const QString& text) {
  return std::none_of(text.begin(), text.end(), [](QChar c) {
    const ushort code = c.unicode();
    const bool isKnown = (code >= 7 && code <= 13) || code == 27;  // bell to carriage return, escape
    return (code < 32 && !isKnown) || code == 127;
  });
}

// ISO 8859-1 but for 0x80 to 0x9F; zero: no character.
constexpr std::array<char16_t, 32> kWindows1252{0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                                0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

std::optional<QString> decodeWindows1252(const QByteArray& bytes) {
  QString text = QString::fromLatin1(bytes);
  for (QChar& c : text) {
    if (c.unicode() < 0x80 || c.unicode() > 0x9F) continue;
    c = QChar(kWindows1252[c.unicode() - 0x80U]);
    if (c.isNull()) return std::nullopt;
  }
  return text;
}

std::optional<QString> decodeAny(const QByteArray& bytes) {
  if (const auto marked = QStringConverter::encodingForData(bytes)) return decoded(bytes, *marked);
  if (const auto guessed = guessUtf16(bytes)) return decoded(bytes, *guessed);
  if (auto text = decoded(bytes, QStringConverter::Utf8)) return text;
  return decodeWindows1252(bytes);
}

}  // namespace

std::optional<QString> decodeText(const QByteArray& bytes) {
  std::optional<QString> text = decodeAny(bytes);
  if (!text || !isText(*text)) return std::nullopt;
  return text;
}

}  // namespace headroom::ui
