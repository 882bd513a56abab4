#include "file/gguf_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "file/gguf_writer.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GgufReader : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "m.gguf"; }

  Result<ModelFile> open(const GgufWriter& writer) const {
    EXPECT_TRUE(writer.write(path()).ok());
    return open_model_file(path());
  }

  Result<ModelFile> open_text(std::string_view text) const {
    std::ofstream(path(), std::ios::binary) << text;
    return open_model_file(path());
  }

  void expect_refused(const Result<ModelFile>& file, ErrorCode code, const std::string& words) const {
    ASSERT_FALSE(file.ok()) << words;
    EXPECT_EQ(file.error().code, code) << file.error().message.text();
    EXPECT_THAT(file.error().message.text(), HasSubstr(words));
    EXPECT_THAT(file.error().message.text(), HasSubstr("m.gguf"));
  }

  const test::TempFolder folder_;
};

template <class T>
std::string raw(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}
std::string raw_array(GgufType type, std::uint64_t n, const std::string& elements) {
  return raw(static_cast<std::uint32_t>(type)) + raw(n) + elements;
}
std::vector<std::byte> zeros(std::size_t n) { return std::vector<std::byte>(n); }

TEST_F(GgufReader, every_value_type_is_read_and_widened) {
  GgufWriter writer;
  writer.set_raw("u8", GgufType::kU8, raw(std::uint8_t{200}));
  writer.set_raw("i8", GgufType::kI8, raw(std::int8_t{-3}));
  writer.set_raw("u16", GgufType::kU16, raw(std::uint16_t{60000}));
  writer.set_raw("i16", GgufType::kI16, raw(std::int16_t{-300}));
  writer.set_uint("u32", 4000000000U);
  writer.set_raw("i32", GgufType::kI32, raw(std::int32_t{-70000}));
  writer.set_uint64("u64", ~std::uint64_t{0});
  writer.set_raw("i64", GgufType::kI64, raw(std::int64_t{-1}));
  writer.set_float("f32", 0.5F);
  writer.set_raw("f64", GgufType::kF64, raw(0.25));
  writer.set_bool("bool", true);
  writer.set_string("string", "text");
  const auto file = open(writer);
  ASSERT_TRUE(file.ok()) << file.error().message.text();
  EXPECT_EQ(*file->find("u8"), MetaValue(std::uint64_t{200}));
  EXPECT_EQ(*file->find("i8"), MetaValue(std::int64_t{-3}));
  EXPECT_EQ(*file->find("u16"), MetaValue(std::uint64_t{60000}));
  EXPECT_EQ(*file->find("i16"), MetaValue(std::int64_t{-300}));
  EXPECT_EQ(*file->find("u32"), MetaValue(std::uint64_t{4000000000}));
  EXPECT_EQ(*file->find("i32"), MetaValue(std::int64_t{-70000}));
  EXPECT_EQ(*file->find("u64"), MetaValue(~std::uint64_t{0}));
  EXPECT_EQ(*file->find("i64"), MetaValue(std::int64_t{-1}));
  EXPECT_EQ(*file->find("f32"), MetaValue(0.5));
  EXPECT_EQ(*file->find("f64"), MetaValue(0.25));
  EXPECT_EQ(*file->find("bool"), MetaValue(true));
  EXPECT_EQ(*file->find("string"), MetaValue(std::string("text")));
}

TEST_F(GgufReader, every_array_type_is_read_flat) {
  GgufWriter writer;
  writer.set_raw("u8", GgufType::kArray, raw_array(GgufType::kU8, 2, "\x01\x02"));
  writer.set_raw("i8", GgufType::kArray, raw_array(GgufType::kI8, 1, "\xff"));
  writer.set_raw("u16", GgufType::kArray, raw_array(GgufType::kU16, 1, raw(std::uint16_t{500})));
  writer.set_raw("i16", GgufType::kArray, raw_array(GgufType::kI16, 1, raw(std::int16_t{-500})));
  writer.set_uints("u32", {1, 2, 3});
  writer.set_ints("i32", {-1, 2});
  writer.set_raw("u64", GgufType::kArray, raw_array(GgufType::kU64, 1, raw(std::uint64_t{9})));
  writer.set_raw("i64", GgufType::kArray, raw_array(GgufType::kI64, 1, raw(std::int64_t{-9})));
  writer.set_floats("f32", {0.5F, -2.0F});
  writer.set_raw("f64", GgufType::kArray, raw_array(GgufType::kF64, 1, raw(0.125)));
  writer.set_raw("bool", GgufType::kArray, raw_array(GgufType::kBool, 2, std::string("\x01\x00", 2)));
  writer.set_strings("string", {"", "b"});
  writer.set_uints("empty", {});
  const auto file = open(writer);
  ASSERT_TRUE(file.ok()) << file.error().message.text();
  EXPECT_EQ(*file->find("u8"), MetaValue(std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(*file->find("i8"), MetaValue(std::vector<std::int64_t>{-1}));
  EXPECT_EQ(*file->find("u16"), MetaValue(std::vector<std::uint64_t>{500}));
  EXPECT_EQ(*file->find("i16"), MetaValue(std::vector<std::int64_t>{-500}));
  EXPECT_EQ(*file->find("u32"), MetaValue(std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(*file->find("i32"), MetaValue(std::vector<std::int64_t>{-1, 2}));
  EXPECT_EQ(*file->find("u64"), MetaValue(std::vector<std::uint64_t>{9}));
  EXPECT_EQ(*file->find("i64"), MetaValue(std::vector<std::int64_t>{-9}));
  EXPECT_EQ(*file->find("f32"), MetaValue(std::vector<double>{0.5, -2.0}));
  EXPECT_EQ(*file->find("f64"), MetaValue(std::vector<double>{0.125}));
  EXPECT_EQ(*file->find("bool"), MetaValue(std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(*file->find("string"), MetaValue(std::vector<std::string>{"", "b"}));
  EXPECT_EQ(*file->find("empty"), MetaValue(std::vector<std::uint64_t>{}));
}

TEST_F(GgufReader, typed_look_ups_name_key_and_both_types) {
  GgufWriter writer;
  writer.set_string("s", "text");
  writer.set_raw("negative", GgufType::kI32, raw(std::int32_t{-1}));
  writer.set_raw("signed", GgufType::kI32, raw(std::int32_t{7}));
  const auto file = open(writer);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*file->find_uint("absent"), std::nullopt);
  EXPECT_EQ(*file->find_uint("signed"), 7U);
  EXPECT_THAT(file->find_uint("s").error().message.text(),
              HasSubstr("'s': expected an unsigned integer, found a string"));
  EXPECT_THAT(file->find_uint("negative").error().message.text(), HasSubstr("found -1"));
  EXPECT_THAT(file->find_float("s").error().message.text(), HasSubstr("found a string"));
  EXPECT_THAT(file->find_bool("signed").error().message.text(), HasSubstr("expected a boolean"));
  EXPECT_EQ(*file->find_string("s"), "text");
}

TEST_F(GgufReader, tensors_have_names_types_shapes_and_bytes_even_when_we_cannot_compute_with_them) {
  for (const std::uint32_t version : {2U, 3U}) {
    GgufWriter writer;
    writer.set_version(version);
    writer.set_alignment(64);
    writer.add_tensor("a", 12, {256, 2}, std::vector<std::byte>(288, std::byte{7}));
    writer.add_tensor("b", 34, {256}, zeros(54));
    writer.add_tensor("scalar", 0, {}, zeros(4));
    const auto file = open(writer);
    ASSERT_TRUE(file.ok()) << file.error().message.text();
    ASSERT_EQ(file->tensors().size(), 3U);
    const TensorInfo& a = file->tensors()[0];
    EXPECT_EQ(a.type_name, "Q4_K");
    EXPECT_EQ(a.dtype, DType::kQ4_K);
    EXPECT_THAT(a.shape, ElementsAre(256, 2));
    EXPECT_EQ(a.n_bytes, 288U);
    EXPECT_EQ(a.offset % 64, 0U);
    std::vector<std::byte> bytes(288);
    ASSERT_TRUE(file->read_tensor(a, 0, bytes).ok());
    EXPECT_EQ(bytes.back(), std::byte{7});
    EXPECT_EQ(file->tensors()[1].type_name, "TQ1_0");
    EXPECT_EQ(file->tensors()[1].dtype, std::nullopt);
    EXPECT_EQ(file->tensors()[1].n_bytes, 54U);
    EXPECT_EQ(file->find_tensor("scalar")->n_elems(), 1U);
    EXPECT_EQ(file->find_tensor("absent"), nullptr);
  }
}

TEST_F(GgufReader, a_file_of_another_kind_is_named) {
  expect_refused(open_text("Hello, this is a letter.\n"), ErrorCode::kBadFile,
                 "begins with 'Hell', expected 'GGUF'; it looks like a text file");
  expect_refused(open_text(raw(std::uint64_t{2}) + "{}        "), ErrorCode::kBadFile, "a safetensors file");
  expect_refused(open_text("PK\x03\x04              "), ErrorCode::kBadFile, "a zip archive");
  expect_refused(open_text("<!DOCTYPE html><html>"), ErrorCode::kBadFile, "a web page");
  expect_refused(open_text("version https://git-lfs"), ErrorCode::kBadFile, "Git LFS");
  expect_refused(open_text("GG"), ErrorCode::kBadFile, "cut-off");
  expect_refused(open_text(std::string(20, '\xff')), ErrorCode::kBadFile, "begins with '\\xff\\xff\\xff\\xff'");
}

TEST_F(GgufReader, versions_and_byte_orders_that_cannot_be_read_are_named) {
  const std::string counts(16, '\0');
  expect_refused(open_text("GGUF" + raw(std::uint32_t{1}) + counts), ErrorCode::kUnsupported, "version 1 is too old");
  expect_refused(open_text("GGUF" + raw(std::uint32_t{4}) + counts), ErrorCode::kUnsupported,
                 "version 4, expected 2 or 3");
  expect_refused(open_text("GGUF" + raw(std::uint32_t{0x03000000}) + counts), ErrorCode::kUnsupported,
                 "version 3 in big-endian");
}

TEST_F(GgufReader, lying_counts_are_held_against_the_file) {
  const std::string head = "GGUF" + raw(std::uint32_t{3});
  const auto huge = raw(~std::uint64_t{0}), none = raw(std::uint64_t{0});
  expect_refused(open_text(head + huge + none + std::string(64, '\0')), ErrorCode::kBadFile,
                 "claims 18446744073709551615 tensors");
  expect_refused(open_text(head + none + huge + std::string(64, '\0')), ErrorCode::kBadFile,
                 "claims 18446744073709551615 metadata entries");
  GgufWriter string;
  string.set_raw("key", GgufType::kString, huge + "x");
  expect_refused(open(string), ErrorCode::kBadFile, "metadata 'key': the value claims 18446744073709551615 bytes");
  for (std::uint32_t type = 0; type <= 12; ++type) {
    if (type == 9) continue;
    GgufWriter array;
    array.set_raw("key", GgufType::kArray, raw_array(static_cast<GgufType>(type), std::uint64_t{1} << 61, "x"));
    expect_refused(open(array), ErrorCode::kBadFile, "claims an array of 2305843009213693952 elements");
  }
}

TEST_F(GgufReader, unknown_value_types_are_named) {
  GgufWriter scalar;
  scalar.set_raw("key", static_cast<GgufType>(13), "12345678");
  expect_refused(open(scalar), ErrorCode::kUnsupported, "metadata 'key': value type 13");
  GgufWriter array;
  array.set_raw("key", GgufType::kArray, raw_array(static_cast<GgufType>(77), 1, "12345678"));
  expect_refused(open(array), ErrorCode::kUnsupported, "element type 77");
  GgufWriter nested;
  nested.set_raw("key", GgufType::kArray, raw_array(GgufType::kArray, 1, "12345678"));
  expect_refused(open(nested), ErrorCode::kUnsupported, "an array of arrays");
  GgufWriter boolean;
  boolean.set_raw("key", GgufType::kBool, "\x02");
  expect_refused(open(boolean), ErrorCode::kBadFile, "a boolean is 2");
}

TEST_F(GgufReader, keys_and_names_are_checked) {
  GgufWriter twice;
  twice.set_uint("key", 1);
  twice.set_uint("key", 2);
  expect_refused(open(twice), ErrorCode::kBadFile, "'key': the key stands twice");
  GgufWriter empty;
  empty.set_uint("", 1);
  expect_refused(open(empty), ErrorCode::kBadFile, "the key is empty");
  GgufWriter control;
  control.set_uint("a\nb", 1);
  expect_refused(open(control), ErrorCode::kBadFile, "'a\\x0ab' is not printable ASCII");
  GgufWriter long_name;
  long_name.add_tensor(std::string(2000, 'x'), 0, {1}, zeros(4));
  expect_refused(open(long_name), ErrorCode::kBadFile, "has 2000 bytes");
  GgufWriter tensors;
  tensors.add_tensor("t", 0, {1}, zeros(4));
  tensors.add_tensor("t", 0, {1}, zeros(4));
  expect_refused(open(tensors), ErrorCode::kBadFile, "tensor 't' stands twice");
}

TEST_F(GgufReader, alignments_that_make_no_sense_are_refused) {
  for (const std::uint32_t alignment : {0U, 3U, 0x80000000U}) {
    GgufWriter writer;
    writer.set_uint("general.alignment", alignment);
    expect_refused(open(writer), ErrorCode::kBadFile, "expected a power of two");
  }
  GgufWriter text;
  text.set_string("general.alignment", "32");
  expect_refused(open(text), ErrorCode::kBadFile,
                 "m.gguf: metadata 'general.alignment': expected an unsigned integer, found a string");
}

TEST_F(GgufReader, lying_dimensions_and_types_are_refused_by_tensor_name) {
  const auto with = [&](std::uint32_t type, const std::vector<std::uint64_t>& shape) {
    GgufWriter writer;
    writer.add_tensor("t", type, shape, zeros(64));
    return open(writer);
  };
  expect_refused(with(0, {1, 1, 1, 1, 1}), ErrorCode::kBadFile, "tensor 't': 5 dimensions");
  expect_refused(with(0, {4, 0}), ErrorCode::kBadFile, "a dimension is 0");
  expect_refused(with(0, {1ULL << 40, 1ULL << 40}), ErrorCode::kBadFile, "more elements than 63 bits");
  expect_refused(with(0, {1ULL << 62}), ErrorCode::kBadFile, "more bytes than 64 bits");
  expect_refused(with(0, {1000}), ErrorCode::kBadFile, "end beyond the file");
  expect_refused(with(12, {128}), ErrorCode::kBadFile,
                 "rows of 128 elements are no multiple of the 256 in a block of Q4_K");
  expect_refused(with(4, {32}), ErrorCode::kUnsupported, "type Q4_2 was withdrawn");
  expect_refused(with(99, {32}), ErrorCode::kUnsupported, "type 99 is not known");
}

// The writer places tensors itself, so offsets are patched in the bytes: each is the last field of its entry.
TEST_F(GgufReader, lying_offsets_and_overlaps_are_refused) {
  const auto patched = [&](std::uint64_t offset) {
    GgufWriter writer;
    writer.add_tensor("first", 0, {64}, zeros(256));
    writer.add_tensor("second", 0, {64}, zeros(256));
    EXPECT_TRUE(writer.write(path()).ok());
    std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
    const std::streamoff at = 24 + (8 + 5 + 4 + 8 + 4 + 8) + (8 + 6 + 4 + 8 + 4);
    file.seekp(at);
    file.write(reinterpret_cast<const char*>(&offset), sizeof(offset));
    file.close();
    return open_model_file(path());
  };
  EXPECT_TRUE(patched(256).ok());
  expect_refused(patched(224), ErrorCode::kBadFile, "tensor 'second': its data at byte");
  expect_refused(patched(0), ErrorCode::kBadFile, "overlaps tensor");
  expect_refused(patched(257), ErrorCode::kBadFile, "no multiple of the alignment 32");
  expect_refused(patched(288), ErrorCode::kBadFile, "end beyond the file");
  expect_refused(patched(~std::uint64_t{31}), ErrorCode::kBadFile, "end beyond the file");
}

// Bytes that this process has read by system calls, from the page cache or not.
Bytes bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string name;
  Bytes n_bytes = 0;
  EXPECT_TRUE(io >> name >> n_bytes) << "/proc/self/io cannot be read";
  EXPECT_EQ(name, "rchar:");
  return n_bytes;
}

// Which is what makes a large model open at once: file_bench shows how fast.
TEST_F(GgufReader, opening_a_model_of_40_gb_reads_its_header_and_no_more) {
  const auto model = test::make_random_model(test::spec_of_40_gb(), folder_.path());
  ASSERT_GT(std::filesystem::file_size(model), 39'000'000'000U);
  const Bytes before = bytes_read();
  const Result<ModelFile> file = open_model_file(model);
  const Bytes n_read = bytes_read() - before;
  ASSERT_TRUE(file.ok());
  Bytes header = file->n_bytes();
  for (const TensorInfo& tensor : file->tensors()) header = std::min(header, tensor.offset);
  EXPECT_GT(n_read, header / 2) << "what is read is counted";
  EXPECT_LT(n_read, header + kMiB) << "a buffer may read on behind the header";
}

}  // namespace
}  // namespace headroom
