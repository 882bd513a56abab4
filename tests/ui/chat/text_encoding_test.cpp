#include "ui/chat/text_encoding.h"

#include <gtest/gtest.h>

#include <QStringEncoder>

namespace headroom::ui {
namespace {

const QString kText = QString::fromUtf8("Gr\u00fc\u00dfe, \u201eWelt\u201c \u2013 5 \u20ac\r\n\tcaf\u00e9\n");

TEST(TextEncodingTest, every_unicode_encoding_with_its_mark_is_the_same_text) {
  for (const auto encoding : {QStringConverter::Utf8, QStringConverter::Utf16LE, QStringConverter::Utf16BE,
                              QStringConverter::Utf32LE, QStringConverter::Utf32BE}) {
    QStringEncoder encode(encoding, QStringConverter::Flag::WriteBom);
    const QByteArray bytes = encode(kText);
    EXPECT_EQ(decodeText(bytes), kText) << QStringConverter::nameForEncoding(encoding);
  }
}

TEST(TextEncodingTest, utf8_and_utf16_without_a_mark_are_told_by_their_bytes) {
  EXPECT_EQ(decodeText(kText.toUtf8()), kText);
  for (const auto encoding : {QStringConverter::Utf16LE, QStringConverter::Utf16BE}) {
    QStringEncoder encode(encoding);
    EXPECT_EQ(decodeText(encode(kText)), kText) << QStringConverter::nameForEncoding(encoding);
  }
}

TEST(TextEncodingTest, what_is_not_utf8_is_read_as_older_windows_programs_wrote_it) {
  EXPECT_EQ(decodeText("Gr\xfc\xdf"
                       "e, \x84Welt\x93 \x96 5 \x80\r\n\tcaf\xe9\n"),
            kText);
}

TEST(TextEncodingTest, what_has_zeros_or_control_characters_is_no_text) {
  EXPECT_EQ(decodeText(QByteArray("a\0b", 3)), std::nullopt);
  EXPECT_EQ(decodeText(QByteArray("\x7f"
                                  "ELF\x02\x01\x01\0\0\0",
                                  10)),
            std::nullopt);
  EXPECT_EQ(decodeText("\x89PNG\r\n\x1a\n"), std::nullopt);
  EXPECT_EQ(decodeText("\x1f\x8b\x08"), std::nullopt) << "gzip";
  EXPECT_EQ(decodeText("a\x81"
                       "b"),
            std::nullopt)
      << "a byte that is no character of Windows-1252";
  EXPECT_EQ(decodeText("\x1b[1mbold\x1b[0m\f"), QStringLiteral("\x1b[1mbold\x1b[0m\f")) << "of a terminal";
  EXPECT_EQ(decodeText(QByteArray()), QString());
}

}  // namespace
}  // namespace headroom::ui
