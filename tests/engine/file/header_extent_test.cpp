#include "file/header_extent.h"

#include <gtest/gtest.h>

#include "file/gguf_writer.h"
#include "support/random_model.h"

namespace headroom {
namespace {

std::span<const std::byte> first_bytes(const std::string& text, std::size_t n) {
  return std::as_bytes(std::span(text)).first(n);
}

TEST(HeaderExtent, it_is_absent_until_all_of_the_header_is_there) {
  test::RandomModelSpec spec;
  const std::string header = test::random_gguf(spec).header_bytes();  // with the padding behind it
  const auto whole = header_extent(first_bytes(header, header.size()));
  ASSERT_TRUE(whole.ok() && whole->has_value());
  EXPECT_LE(**whole, header.size());
  EXPECT_GT(**whole + kGgufDefaultAlignment, header.size());
  for (std::size_t n = 0; n < **whole; n += n < 100 ? 1 : 97) {
    const auto part = header_extent(first_bytes(header, n));
    ASSERT_TRUE(part.ok()) << n;
    EXPECT_FALSE(part->has_value()) << n;
  }
  const auto exact = header_extent(first_bytes(header, **whole));
  EXPECT_EQ(**exact, **whole);
}

TEST(HeaderExtent, every_kind_of_value_is_stepped_over) {
  GgufWriter writer;
  writer.set_uint("a", 1);
  writer.set_uint64("b", 2);
  writer.set_float("c", 3);
  writer.set_bool("d", true);
  writer.set_string("e", "text");
  writer.set_uints("f", {1, 2, 3});
  writer.set_floats("g", {});
  writer.set_strings("h", {"", "x", "long enough"});
  writer.set_raw("i", GgufType::kU16, std::string_view("\1\2", 2));
  writer.set_raw("j", GgufType::kF64, std::string_view("12345678", 8));
  writer.set_raw("k", GgufType::kI8, "1");
  const std::string header = writer.header_bytes();
  const auto whole = header_extent(first_bytes(header, header.size()));
  ASSERT_TRUE(whole.ok() && whole->has_value());
  EXPECT_GT(**whole + kGgufDefaultAlignment, header.size());
}

TEST(HeaderExtent, what_can_be_no_header_is_refused_at_once) {
  const std::string header = test::random_gguf({}).header_bytes();
  EXPECT_FALSE(header_extent(std::as_bytes(std::span("<html><body>", 12))).ok());
  for (const std::size_t byte : {0U, 4U, 15U, 23U}) {  // magic, version, counts
    std::string broken = header;
    broken[byte] = '\x7f';
    EXPECT_FALSE(header_extent(first_bytes(broken, broken.size())).ok()) << byte;
  }
}

}  // namespace
}  // namespace headroom
