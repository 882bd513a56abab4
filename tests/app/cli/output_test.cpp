#include "output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/temp_folder.h"

namespace headroom::cli {
namespace {

std::string contentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OutputFile, holds_what_was_there_until_it_is_written_and_nothing_of_it_afterwards) {
  const test::TempFolder folder;
  const std::string path = folder.path() / "out";
  std::ofstream(path) << "a long text that was there";
  {
    Result<OutputFile> file = OutputFile::open(path);
    ASSERT_TRUE(file.ok());
  }
  EXPECT_EQ(contentOf(path), "a long text that was there");
  Result<OutputFile> file = OutputFile::open(path);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write("short").ok());
  EXPECT_EQ(contentOf(path), "short");
}

TEST(OutputFile, a_new_one_stays_only_when_it_was_written) {
  const test::TempFolder folder;
  const std::string path = folder.path() / "out";
  { ASSERT_TRUE(OutputFile::open(path).ok()); }
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    Result<OutputFile> file = OutputFile::open(path);
    ASSERT_TRUE(file.ok());
    const OutputFile moved = std::move(*file);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  { ASSERT_TRUE(OutputFile::open(path)->write("").ok()); }
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(OutputFile, what_cannot_be_written_is_named) {
  const test::TempFolder folder;
  for (const std::string& path : {std::string(), folder.path().string(), (folder.path() / "no" / "out").string()}) {
    const Result<OutputFile> file = OutputFile::open(path);
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(file.error().code, ErrorCode::kResource);
    EXPECT_THAT(file.error().message.text(), testing::HasSubstr(path + (path.empty() ? "" : ": cannot be written: ")));
  }
  Result<OutputFile> full = OutputFile::open("/dev/full");
  ASSERT_TRUE(full.ok());
  const Status written = full->write("text");
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message.text(), testing::HasSubstr("/dev/full: cannot be written: No space left"));
}

}  // namespace
}  // namespace headroom::cli
