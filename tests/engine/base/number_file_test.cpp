#include "base/number_file.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace headroom {
namespace {

TEST(NumberFile, a_number_is_all_of_the_text) {
  EXPECT_EQ(parse_whole_number("0"), 0U);
  EXPECT_EQ(parse_whole_number("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parse_whole_number("0x1002"), 0x1002U);
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "1.5", "1e3", "0x", "x", "max", "18446744073709551616"})
    EXPECT_EQ(parse_whole_number(text), std::nullopt) << text;
}

TEST(NumberFile, is_the_first_line_of_a_file_that_is_there) {
  const test::TempFolder folder;
  const std::filesystem::path file = folder.path() / "below" / "number";
  EXPECT_EQ(read_number_file(file), std::nullopt);
  test::write_file(file, "4096\n");
  EXPECT_EQ(read_number_file(file), 4096U);
  test::write_file(file, "max\n4096\n");
  EXPECT_EQ(read_number_file(file), std::nullopt);
  EXPECT_EQ(read_number_file(folder.path()), std::nullopt) << "a folder";
}

}  // namespace
}  // namespace headroom
