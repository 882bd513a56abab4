#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "file/gguf_writer.h"
#include "file/model_file.h"
#include "file/split_name.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

std::string u16(std::uint16_t value) { return {reinterpret_cast<const char*>(&value), 2}; }

class SplitModel : public testing::Test {
 protected:
  std::filesystem::path part(int number, int n = 3) const {
    return folder_.path() / ("m-0000" + std::to_string(number) + "-of-0000" + std::to_string(n) + ".gguf");
  }

  // A tensor of one byte per part, whose value is the part's number.
  void write(int number, const std::filesystem::path& path, int n = 3, int n_tensors = 3,
             const std::string& tensor = "") const {
    GgufWriter writer;
    if (number == 1) writer.set_string("general.name", "split");
    writer.set_raw("split.no", GgufType::kU16, u16(static_cast<std::uint16_t>(number - 1)));
    writer.set_raw("split.count", GgufType::kU16, u16(static_cast<std::uint16_t>(n)));
    writer.set_uint("split.tensors.count", static_cast<std::uint32_t>(n_tensors));
    writer.add_tensor(tensor.empty() ? "t" + std::to_string(number) : tensor, 24, {1},
                      {static_cast<std::byte>(number)});
    ASSERT_TRUE(writer.write(path).ok());
  }

  void write_all() const {
    for (int i = 1; i <= 3; ++i) write(i, part(i));
  }

  const test::TempFolder folder_;
};

TEST_F(SplitModel, opens_from_any_part) {
  write_all();
  for (int from = 1; from <= 3; ++from) {
    const auto file = open_model_file(part(from));
    ASSERT_TRUE(file.ok()) << file.error().message.text();
    EXPECT_EQ(file->n_parts(), 3U);
    EXPECT_EQ(file->path(), part(1));
    EXPECT_EQ(*file->find_string("general.name"), "split");
    EXPECT_EQ(file->n_bytes(), std::filesystem::file_size(part(1)) + std::filesystem::file_size(part(2)) +
                                   std::filesystem::file_size(part(3)));
    for (int i = 1; i <= 3; ++i) {
      const TensorInfo* tensor = file->find_tensor("t" + std::to_string(i));
      ASSERT_NE(tensor, nullptr);
      std::byte value{};
      ASSERT_TRUE(file->read_tensor(*tensor, 0, std::span(&value, 1)).ok());
      EXPECT_EQ(std::to_integer<int>(value), i);
    }
  }
}

TEST_F(SplitModel, a_missing_part_is_named) {
  write_all();
  std::filesystem::remove(part(2));
  const auto file = open_model_file(part(3));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(file.error().message.text(), HasSubstr("part 2 of 3 is missing: expected " + part(2).string()));
}

TEST_F(SplitModel, parts_that_contradict_each_other_are_refused) {
  write_all();
  write(3, part(2));
  EXPECT_THAT(open_model_file(part(1)).error().message.text(), HasSubstr("expected part 2 of 3, found part 3 of 3"));
  write_all();
  write(2, part(2), 3, 3, "t1");
  EXPECT_THAT(open_model_file(part(1)).error().message.text(), HasSubstr("tensor 't1' stands twice"));
  write_all();
  write(1, part(1), 3, 7);
  EXPECT_THAT(open_model_file(part(1)).error().message.text(),
              HasSubstr("m-00001-of-00003.gguf: metadata 'split.tensors.count' is 7, but the 3 parts hold 3 tensors"));
}

TEST_F(SplitModel, a_part_under_another_name_says_what_it_is) {
  write(1, folder_.path() / "renamed.gguf");
  EXPECT_THAT(open_model_file(folder_.path() / "renamed.gguf").error().message.text(),
              HasSubstr("holds part 1 of 3 of a model"));
  write(5, folder_.path() / "high.gguf");
  EXPECT_THAT(open_model_file(folder_.path() / "high.gguf").error().message.text(),
              HasSubstr("high.gguf: metadata 'split.no' is 4, expected less than 'split.count', 3"));
}

TEST(SplitName, is_read_only_from_names_of_that_form) {
  const auto name = parse_split_name("/models/x-y-00002-of-00005.gguf");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->prefix, "x-y");
  EXPECT_EQ(name->number, 2U);
  EXPECT_EQ(name->n, 5U);
  EXPECT_EQ(split_part_path("/models/x-y-00002-of-00005.gguf", *name, 4), "/models/x-y-00004-of-00005.gguf");
  for (const char* other : {"m.gguf", "m-00000-of-00002.gguf", "m-00003-of-00002.gguf", "m-0001-of-00002.gguf",
                            "m-00001-of-00002.bin", ".gguf", "m-+0001-of-00002.gguf"})
    EXPECT_FALSE(parse_split_name(other)) << other;
}

}  // namespace
}  // namespace headroom
