#include "report/report_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/report_bytes.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

using test::TempFolder;

const std::vector<ReportFile> kFiles{
    {"README.txt", "words\n"}, {"chart.csv", std::string(100'000, 'x')}, {"empty.txt", ""}};
const test::ReportBytes kExpected{{"README.txt", kFiles[0].bytes}, {"chart.csv", kFiles[1].bytes}, {"empty.txt", ""}};

TEST(ReportFiles, a_name_that_ends_in_zip_becomes_one_file_that_others_read) {
  const TempFolder folder;
  for (const char* name : {"report.zip", "REPORT.ZIP"}) {
    const std::filesystem::path path = folder.path() / name;
    ASSERT_TRUE(checkReportPath(path).ok());
    ASSERT_TRUE(writeReportFiles(path, kFiles).ok());
    EXPECT_EQ(test::read_zip(path), kExpected);
    EXPECT_LT(std::filesystem::file_size(path), 2'000U) << "it is compressed";
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "report.zip.part"));
}

TEST(ReportFiles, any_other_name_becomes_a_folder_and_what_else_is_there_stays) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "a" / "report";
  ASSERT_TRUE(checkReportPath(path).ok());
  ASSERT_TRUE(writeReportFiles(path, kFiles).ok());
  EXPECT_EQ(test::read_folder(path), kExpected);
  std::ofstream(path / "mine.txt") << "mine";
  ASSERT_TRUE(writeReportFiles(path, std::span(kFiles).first(1)).ok());
  EXPECT_EQ(test::file_bytes(path / "mine.txt"), "mine");
}

TEST(ReportFiles, a_zip_that_stood_there_stays_whole_until_the_new_one_is) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "report.zip";
  ASSERT_TRUE(writeReportFiles(path, kFiles).ok());
  std::filesystem::create_directory(folder.path() / "report.zip.part");  // the new one cannot be begun
  const Status written = writeReportFiles(path, kFiles);
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message.text(), testing::HasSubstr(path.string()));
  EXPECT_EQ(test::read_zip(path), kExpected);
}

TEST(ReportFiles, where_nothing_can_be_written_is_told_before_the_work) {
  const TempFolder folder;
  std::ofstream(folder.path() / "file") << "a file";
  for (const std::filesystem::path& path :
       {folder.path() / "absent" / "report.zip", folder.path() / "file", folder.path() / "file" / "report.zip"}) {
    const Status writable = checkReportPath(path);
    ASSERT_FALSE(writable.ok()) << path;
    EXPECT_EQ(writable.error().code, ErrorCode::kResource);
    EXPECT_THAT(writable.error().message.text(), testing::StartsWith(path.string() + ": the report cannot be written"));
  }
  EXPECT_FALSE(writeReportFiles(folder.path() / "file", kFiles).ok());
}

}  // namespace
}  // namespace headroom
