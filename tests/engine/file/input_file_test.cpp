#include "file/input_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <fstream>

#include "file/model_file.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

TEST(InputFile, what_is_no_regular_file_is_refused_by_kind) {
  const test::TempFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto empty = folder.path() / "empty";
  std::ofstream(empty).close();
  const std::pair<std::filesystem::path, const char*> cases[] = {{folder.path(), "a directory"},
                                                                 {"/dev/zero", "a device"},
                                                                 {pipe, "a pipe"},
                                                                 {empty, "empty"},
                                                                 {folder.path() / "absent", "No such file"}};
  for (const auto& [path, word] : cases) {
    const auto file = InputFile::open(path);
    ASSERT_FALSE(file.ok()) << path;
    EXPECT_EQ(file.error().code, ErrorCode::kBadFile);
    EXPECT_THAT(file.error().message.text(), HasSubstr(word));
    EXPECT_THAT(file.error().message.text(), HasSubstr(path.string()));
  }
}

TEST(InputFile, one_that_stands_in_memory_is_read_as_any_other) {
  const InputFile made = InputFile::in_memory("made", {std::byte{1}, std::byte{2}, std::byte{3}});
  EXPECT_EQ(made.n_bytes(), 3U);
  std::array<std::byte, 2> bytes{};
  ASSERT_TRUE(made.read_at(1, bytes).ok());
  EXPECT_EQ(bytes, (std::array{std::byte{2}, std::byte{3}}));
  const Status beyond = made.read_at(2, bytes);
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(beyond.error().message.text(), HasSubstr("made: 2 bytes at 2 are beyond its 3 bytes"));
}

TEST(InputFile, reads_at_positions_and_names_the_end) {
  const test::TempFolder folder;
  std::ofstream(folder.path() / "f") << "0123456789";
  const auto file = InputFile::open(folder.path() / "f");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->n_bytes(), 10U);
  std::array<std::byte, 4> out{};
  ASSERT_TRUE(file->read_at(6, out).ok());
  EXPECT_EQ(std::to_integer<char>(out[0]), '6');
  const Status beyond = file->read_at(7, out);
  ASSERT_FALSE(beyond.ok());
  EXPECT_THAT(beyond.error().message.text(), HasSubstr("ends at byte 10, 1 more bytes expected"));
  EXPECT_FALSE(file->read_at(~Bytes{0}, out).ok());
}

TEST(ModelFile, a_file_that_shrinks_after_it_was_opened_is_an_error_value) {
  const test::TempFolder folder;
  const auto path = test::make_random_model({}, folder.path());
  const auto file = open_model_file(path);
  ASSERT_TRUE(file.ok()) << file.error().message.text();
  const TensorInfo& last = file->tensors().back();
  std::vector<std::byte> bytes(last.n_bytes);
  ASSERT_TRUE(file->read_tensor(last, 0, bytes).ok());
  std::filesystem::resize_file(path, last.offset + last.n_bytes / 2);
  const Status read = file->read_tensor(last, 0, bytes);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(read.error().message.text(), HasSubstr("when opened"));
}

}  // namespace
}  // namespace headroom
