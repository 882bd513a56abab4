#include "base/bytes.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(Bytes, are_written_with_binary_units_and_three_digits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(kKiB), "1.00 KiB");
  EXPECT_EQ(format_bytes(6775000000), "6.31 GiB");
  EXPECT_EQ(format_bytes(512 * kMiB), "512 MiB");
}

TEST(Bytes, are_read_back_from_what_people_type) {
  EXPECT_EQ(parse_bytes("6GiB"), 6 * kGiB);
  EXPECT_EQ(parse_bytes("512 MiB"), 512 * kMiB);
  EXPECT_EQ(parse_bytes("1.5GiB"), 3 * kGiB / 2);
  EXPECT_EQ(parse_bytes("4096"), 4096U);
}

TEST(Bytes, ambiguous_negative_and_absurd_sizes_are_refused) {
  for (const char* text : {"", "6G", "6GB", "-1GiB", "GiB", "1e40", "99999999999999999999TiB", "1 GiB x", "nan"})
    EXPECT_FALSE(parse_bytes(text)) << text;
}

TEST(Bytes, checked_arithmetic_refuses_to_wrap) {
  EXPECT_EQ(checked_add(1, 2), 3U);
  EXPECT_FALSE(checked_add(~0ULL, 1));
  EXPECT_EQ(checked_mul(1ULL << 31, 2), 1ULL << 32);
  EXPECT_FALSE(checked_mul(1ULL << 33, 1ULL << 33));
}

}  // namespace
}  // namespace headroom
