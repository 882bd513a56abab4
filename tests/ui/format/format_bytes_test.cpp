#include "ui/format/format_bytes.h"

#include <gtest/gtest.h>

#include <QDateTime>

#include "ui/format/device_name.h"

namespace headroom::ui {
namespace {

TEST(FormatBytes, durations_are_whole_seconds_and_minutes) {
  EXPECT_EQ(formatDuration(999), "0 s");
  EXPECT_EQ(formatDuration(12'900), "12 s");
  EXPECT_EQ(formatDuration(60'000), "1 min 0 s");
  EXPECT_EQ(formatDuration(3'725'000), "62 min 5 s");
}

TEST(FormatBytes, a_part_is_written_in_the_unit_of_the_whole) {
  EXPECT_EQ(formatPart(kGiB + kGiB / 5, 4 * kGiB + kGiB * 58 / 100), QStringLiteral("1.20 of 4.58 GiB"));
  EXPECT_EQ(formatPart(300 * kMiB, 2 * kGiB), QStringLiteral("0.29 of 2.00 GiB"));
  EXPECT_EQ(formatPart(2 * kGiB / 10, 2 * kGiB), QStringLiteral("0.20 of 2.00 GiB"));
  EXPECT_EQ(formatPart(4 * kMiB, 2 * kGiB), QStringLiteral("4.00 MiB of 2.00 GiB"));
  EXPECT_EQ(formatPart(0, 2 * kGiB), QStringLiteral("0.00 of 2.00 GiB"));
  EXPECT_EQ(formatPart(0, 12), QStringLiteral("0 of 12 B"));
}

TEST(FormatBytes, a_difference_has_a_sign_unless_there_is_none) {
  EXPECT_EQ(formatDifference(kGiB, kGiB), QStringLiteral("0 B"));
  EXPECT_EQ(formatDifference(kGiB, kGiB + 12 * kMiB), QStringLiteral("+12.0 MiB"));
  EXPECT_EQ(formatDifference(kGiB, kGiB - 3 * kKiB), QStringLiteral("\u22123.00 KiB"));
}

TEST(FormatBytes, what_was_taken_names_drivers_and_program_and_arenas_only_where_there_are_any) {
  EXPECT_EQ(formatGrowth({}), QStringLiteral("drivers 0 B, program 0 B"));
  EXPECT_EQ(formatGrowth({.n_arenas = 2, .driver = kMiB, .heap = kMiB, .mapped = kMiB}),
            QStringLiteral("drivers 1.00 MiB, program 2.00 MiB, arenas 2"));
}

TEST(FormatBytes, exact_bytes_and_counts_group_their_digits) {
  EXPECT_EQ(formatExactBytes(6'771'697'152ULL), QStringLiteral("6,771,697,152 B"));
  EXPECT_EQ(formatCount(32768), QStringLiteral("32,768"));
}

TEST(FormatBytes, a_day_is_written_as_short_as_its_distance_allows) {
  const auto at = [](int year, int month, int day) {
    return QDateTime({year, month, day}, {9, 5}).toMSecsSinceEpoch();
  };
  const QDate today(2026, 1, 2);
  EXPECT_EQ(formatDay(at(2026, 1, 2), today), QStringLiteral("09:05"));
  EXPECT_EQ(formatDay(at(2026, 1, 1), today), QStringLiteral("Yesterday"));
  EXPECT_EQ(formatDay(at(2025, 12, 31), today), QStringLiteral("31 Dec 2025"));
  EXPECT_EQ(formatDay(at(2026, 1, 3), today), QStringLiteral("3 Jan")) << "a clock was set back";
  EXPECT_EQ(formatDay(at(2025, 12, 31), QDate(2026, 1, 1)), QStringLiteral("Yesterday")) << "over the end of a year";
}

TEST(FormatBytes, speed_has_a_decimal_only_where_it_tells_something) {
  EXPECT_EQ(formatSpeed(4.24), QStringLiteral("4.2 tokens/s"));
  EXPECT_EQ(formatSpeed(99.96), QStringLiteral("100 tokens/s"));
  EXPECT_EQ(formatAboutSpeed(41.2), QStringLiteral("about 41 tokens/s"));
  EXPECT_EQ(formatSpeed(5625.4), QStringLiteral("5,625 tokens/s"));
}

TEST(DeviceName, marks_of_trade_are_left_out) {
  EXPECT_EQ(shortDeviceName(QStringLiteral("Intel(R) Xeon(R)  Processor")), QStringLiteral("Intel Xeon Processor"));
  EXPECT_EQ(shortDeviceName(QStringLiteral("AMD Ryzen 7 7840U")), QStringLiteral("AMD Ryzen 7 7840U"));
  EXPECT_EQ(shortDeviceName(QStringLiteral("(R)")), QStringLiteral("(R)"));
}

TEST(FormatBytes, parameters_are_counted_in_thousands_not_in_1024s) {
  EXPECT_EQ(formatParameters(7'615'616'512ULL), QStringLiteral("7.62 B"));
  EXPECT_EQ(formatParameters(494'032'768ULL), QStringLiteral("494 M"));
  EXPECT_EQ(formatParameters(12), QStringLiteral("12"));
}

}  // namespace
}  // namespace headroom::ui
