#include "ui/language/text_language.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QDateTime>

#include "ui/format/format_bytes.h"
#include "ui/format/typed_number.h"

namespace headroom::ui {
namespace {

// What the window and Qt write in the language that is set.
QString yesterday() { return formatDay(QDateTime({2025, 12, 31}, {9, 5}).toMSecsSinceEpoch(), QDate(2026, 1, 1)); }
QString cancelOfQt() { return QCoreApplication::translate("QPlatformTheme", "Cancel"); }

TEST(TextLanguage, sets_our_texts_those_of_qt_and_the_form_of_numbers) {
  TextLanguage language(Language::German);
  EXPECT_EQ(language.language(), Language::German);
  EXPECT_EQ(cancelOfQt(), "Abbrechen");
  EXPECT_EQ(yesterday(), "Gestern");
  EXPECT_EQ(formatBytes(kGiB + kGiB / 2), "1,50 GiB");
  EXPECT_EQ(formatCount(32'768), "32.768");
  EXPECT_EQ(formatDecimal(0.8, 2), "0,80");
  EXPECT_EQ(formatExactBytes(6'771'697'152ULL), "6.771.697.152 B");
  language.set(Language::English);
  EXPECT_EQ(cancelOfQt(), "Cancel");
  EXPECT_EQ(yesterday(), "Yesterday");
  EXPECT_EQ(formatBytes(kGiB + kGiB / 2), "1.50 GiB");
  EXPECT_EQ(formatCount(32'768), "32,768");
}

TEST(TextLanguage, each_language_has_its_own_word_for_one_and_for_many) {
  const auto more = [](int n) {
    return QCoreApplication::translate("headroom::ui::DownloadPanel", "%n parts", nullptr, n);
  };
  TextLanguage language(Language::English);
  EXPECT_EQ(more(1), "1 part");
  EXPECT_EQ(more(2), "2 parts");
  language.set(Language::German);
  EXPECT_EQ(more(1), "1 Teil");
  EXPECT_EQ(more(2), "2 Teile");
}

TEST(TextLanguage, without_one_texts_and_numbers_are_english) {
  { const TextLanguage german(Language::German); }
  EXPECT_EQ(yesterday(), "Yesterday");
  EXPECT_EQ(cancelOfQt(), "Cancel");
  EXPECT_EQ(formatCount(32'768), "32,768");
}

TEST(TextLanguage, a_german_window_reads_what_a_german_types) {
  const TextLanguage language(Language::German);
  const QLocale german(QLocale::German, QLocale::Germany), american(QLocale::English, QLocale::UnitedStates);
  EXPECT_EQ(readBytes("7,5 GiB", german).bytes, 15 * kGiB / 2);
  EXPECT_EQ(readBytes("7.5 GiB", german).bytes, 15 * kGiB / 2) << "it can mean nothing else";
  EXPECT_EQ(readBytes("1.500 MiB", german).bytes, 1500 * kMiB);
  EXPECT_EQ(readCount("1.024"), 1024U);
  const TypedBytes both = readBytes("1.500 GiB", american);
  EXPECT_FALSE(both.bytes) << "the screen writes in German, and the user in English";
  EXPECT_EQ(both.readings, (QStringList{"1500 GiB", "1,5 GiB"}));
  for (const Bytes bytes : {Bytes{1023}, 3 * kKiB / 2, 512 * kMiB, 3 * kGiB / 2, 100 * kGiB}) {
    for (const QLocale& user : {german, american}) EXPECT_EQ(readBytes(formatBytes(bytes), user).bytes, bytes);
  }
}

}  // namespace
}  // namespace headroom::ui
