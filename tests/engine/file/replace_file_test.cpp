#include "file/replace_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "support/temp_folder.h"

namespace headroom {
namespace {

Status replace_with(const std::filesystem::path& path, const std::string& text) {
  return replace_file(path, std::as_bytes(std::span(text)));
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::ptrdiff_t n_files_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

TEST(ReplaceFile, makes_the_folders_and_leaves_the_new_file_alone_there) {
  const test::TempFolder folder;
  const std::filesystem::path path = folder.path() / "new" / "folders" / "file";
  ASSERT_TRUE(replace_with(path, std::string(100000, 'a')).ok());
  ASSERT_TRUE(replace_with(path, "short").ok());
  EXPECT_EQ(text_of(path), "short");
  EXPECT_EQ(n_files_in(path.parent_path()), 1);
}

TEST(ReplaceFile, names_a_file_that_cannot_be_written_and_leaves_nothing) {
  const test::TempFolder folder;
  ASSERT_TRUE(replace_with(folder.path() / "file", "old").ok());
  const Status below_a_file = replace_with(folder.path() / "file" / "below", "new");
  ASSERT_FALSE(below_a_file.ok());
  EXPECT_EQ(below_a_file.error().code, ErrorCode::kResource);
  EXPECT_EQ(below_a_file.error().message.text(), (folder.path() / "file" / "below: cannot be written").string());
  std::filesystem::create_directories(folder.path() / "folder" / "full");
  EXPECT_FALSE(replace_with(folder.path() / "folder", "new").ok());
  EXPECT_EQ(n_files_in(folder.path()), 2);
  EXPECT_EQ(text_of(folder.path() / "file"), "old");
}

TEST(ReplaceFile, is_read_whole_while_two_programs_write_it) {
  constexpr int kWrites = 300;
  const test::TempFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  const std::string of_one(50000, 'a'), of_other(70000, 'b');
  ASSERT_TRUE(replace_with(path, of_one).ok());
  std::vector<pid_t> children;
  for (const std::string* text : {&of_one, &of_other}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool all = true;
      for (int i = 0; i < kWrites; ++i) all &= replace_with(path, *text).ok();
      _exit(all ? 0 : 1);
    }
    children.push_back(child);
  }
  for (std::size_t n_running = children.size(); n_running > 0;) {
    const std::string text = text_of(path);
    EXPECT_TRUE(text == of_one || text == of_other) << text.size() << " bytes";
    int status = 0;
    if (waitpid(-1, &status, WNOHANG) <= 0) continue;
    EXPECT_EQ(status, 0) << "a write failed";
    --n_running;
  }
  EXPECT_EQ(n_files_in(folder.path()), 1);
}

}  // namespace
}  // namespace headroom
