#include "ui/format/typed_number.h"

#include <gtest/gtest.h>

#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

// The locales that the window is tested under: ',' and '.' the other way round, a narrow no-break space between groups,
// apostrophes, Indian groups.
const QLocale kEnglish(QLocale::English, QLocale::UnitedStates), kGerman(QLocale::German, QLocale::Germany),
    kFrench(QLocale::French, QLocale::France), kSwiss(QLocale::German, QLocale::Switzerland);

TEST(TypedNumber, every_locale_reads_its_own_form_and_that_of_c) {
  for (const QLocale& user : {kEnglish, kGerman, kFrench, kSwiss}) {
    for (const double number : {0.0, 0.5, 1.5, 22.02, 1234567.25, -0.75}) {
      const QString own = user.toString(number, 'f', 2), c = QString::number(number, 'f', 2);
      for (const QString& text : {own, c}) {
        const QStringList readings = readDecimal(text, user);
        ASSERT_EQ(readings.size(), 1) << text.toStdString() << " in " << user.name().toStdString();
        EXPECT_DOUBLE_EQ(readings[0].toDouble(), number) << text.toStdString();
      }
    }
  }
}

TEST(TypedNumber, what_the_window_writes_is_read_back_in_every_locale) {
  for (const QLocale& user : {kEnglish, kGerman, kFrench, kSwiss}) {
    for (const Bytes bytes : {Bytes{0}, Bytes{1023}, 3 * kKiB / 2, 512 * kMiB, 3 * kGiB / 2, 100 * kGiB})
      EXPECT_EQ(readBytes(formatBytes(bytes), user).bytes, bytes) << formatBytes(bytes).toStdString();
  }
  for (const quint64 count : {0ULL, 7ULL, 4096ULL, 1'234'567ULL}) EXPECT_EQ(readCount(formatCount(count)), count);
}

TEST(TypedNumber, an_amount_with_a_comma_is_an_amount_in_every_locale) {
  for (const QLocale& user : {kEnglish, kGerman, kFrench, kSwiss}) {
    for (const char* text : {"1,5 GiB", "1.5 GiB", "1,5GiB", " 1.50  GiB "})
      EXPECT_EQ(readBytes(QString::fromUtf8(text), user).bytes, 3 * kGiB / 2) << text;
  }
  EXPECT_EQ(readBytes(QString::fromUtf8("1\u202f536,0 MiB"), kFrench).bytes, 3 * kGiB / 2);
  EXPECT_EQ(readBytes(QString::fromUtf8("1\u2019536 MiB"), kSwiss).bytes, 3 * kGiB / 2);
}

TEST(TypedNumber, what_can_mean_two_amounts_is_neither_unless_the_locale_says_which) {
  const TypedBytes german = readBytes("1.500 GiB", kGerman);
  EXPECT_FALSE(german.bytes);
  EXPECT_EQ(german.readings, (QStringList{"1.5 GiB", "1500 GiB"}));
  for (const QString& reading : german.readings) EXPECT_TRUE(readBytes(reading, kGerman).bytes) << "both can be typed";
  EXPECT_FALSE(readBytes("1,500 MiB", kFrench).bytes);
  EXPECT_EQ(readBytes("1.500 GiB", kEnglish).bytes, 3 * kGiB / 2);
  EXPECT_EQ(readBytes("1,536 MiB", kEnglish).bytes, 3 * kGiB / 2);
  EXPECT_EQ(readBytes("0,500 GiB", kGerman).bytes, kGiB / 2) << "no group begins with 0";
}

TEST(TypedNumber, of_a_whole_number_any_separator_groups_the_digits) {
  for (const char* text : {"4096", "4,096", "4.096", "4 096", "4\u202f096", "4\u00a0096", "4'096", "4\u2019096"})
    EXPECT_EQ(readCount(QString::fromUtf8(text)), 4096U) << text;
  EXPECT_EQ(readCount("1.234.567"), 1'234'567U);
  for (const char* text : {"", "4.09", "4,0960", "04,096", "1.234,567", "-1", "4k", "4,,096", "99999999999999999999"})
    EXPECT_FALSE(readCount(QString::fromUtf8(text))) << text;
}

TEST(TypedNumber, what_is_no_number_has_no_reading) {
  for (const char* text :
       {"", " ", "many", "1.5.5", "1,5,5", "12.34.567", ".", "-", "6G", "99999999999999999999 GiB"}) {
    const TypedBytes read = readBytes(QString::fromUtf8(text), kGerman);
    EXPECT_FALSE(read.bytes || !read.readings.isEmpty()) << text;
  }
}

TEST(TypedNumber, digits_of_other_scripts_count) {
  EXPECT_EQ(readCount(QString::fromUtf8("\u0664\u0660\u0669\u0666")), 4096U);
}

}  // namespace
}  // namespace headroom::ui
