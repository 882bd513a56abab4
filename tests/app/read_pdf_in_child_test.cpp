#include "app/read_pdf_in_child.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>
#include <chrono>

#include "support/made_pdf.h"

namespace headroom::app {
namespace {

using End = ui::PdfText::End;
using test::made_pdf;

class ReadPdfInChildTest : public testing::Test {
 protected:
  QString write(const std::string& pdf) {
    QFile file(m_folder.filePath(QString::fromUtf8("r\u00e9port.pdf")));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly) && file.write(pdf.data(), static_cast<qint64>(pdf.size())) > 0);
    return file.fileName();
  }
  ui::PdfText read(const std::string& pdf, Bytes most = kMiB) {
    return readPdfInChild({HEADROOM_PROGRAM, "--read-pdf"}, write(pdf), most, {});
  }
  static ui::PdfText readBy(const std::string& script, std::chrono::milliseconds patience = std::chrono::seconds(60),
                            const StopToken& stop = {}) {
    return readPdfInChild({"/bin/sh", "-c", script}, "x.pdf", kMiB, stop, patience);
  }
  QTemporaryDir m_folder;
};

TEST_F(ReadPdfInChildTest, the_program_reads_pages_with_a_line_before_each_that_has_text) {
  const ui::PdfText pdf = read(made_pdf({{"First line", "second line"}, {}, {"Third page"}}));
  EXPECT_EQ(pdf.end, End::Read);
  EXPECT_EQ(pdf.text, "[page 1]\nFirst line\nsecond line\n\n[page 3]\nThird page");
  EXPECT_EQ(pdf.nPages, 3U);
}

TEST_F(ReadPdfInChildTest, a_file_that_cannot_be_read_is_told_by_its_reason) {
  EXPECT_EQ(read("%PDF-1.4 and nothing").end, End::Damaged);
  EXPECT_EQ(read(test::locked_pdf()).end, End::Locked);
  const ui::PdfText scanned = read(made_pdf({{}, {}}));
  EXPECT_EQ(scanned.end, End::Read);
  EXPECT_EQ(scanned.text, "");
  EXPECT_EQ(scanned.nPages, 2U);
  const ui::PdfText longer = read(made_pdf(std::vector<test::PdfPage>(9, {std::string(60, 'a')})), 200);
  EXPECT_EQ(longer.end, End::TooLong);
  EXPECT_EQ(longer.page, 4U);
  EXPECT_EQ(longer.text, "");
}

TEST_F(ReadPdfInChildTest, a_reader_that_crashes_hangs_or_is_absent_is_told) {
  const ui::PdfText crashed = readBy("echo N9; echo P7; kill -s SEGV $$");
  EXPECT_EQ(crashed.end, End::Crashed);
  EXPECT_EQ(crashed.page, 7U);
  const ui::PdfText slow = readBy("echo N9; echo P2; sleep 1000", std::chrono::milliseconds(200));
  EXPECT_EQ(slow.end, End::Slow);
  EXPECT_EQ(slow.page, 2U);
  const ui::PdfText absent = readPdfInChild({"/nowhere/headroom"}, "x.pdf", kMiB, {});
  EXPECT_EQ(absent.end, End::NoReader);
  EXPECT_TRUE(absent.problem.contains("/nowhere/headroom cannot be started")) << absent.problem.toStdString();
}

TEST_F(ReadPdfInChildTest, a_reader_that_tells_more_than_it_may_is_ended) {
  EXPECT_EQ(readBy("echo P1; yes Taaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").end, End::TooLong);
}

TEST_F(ReadPdfInChildTest, a_stop_ends_the_reader) {
  StopSource stop;
  stop.request_stop();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(readBy("sleep 1000", std::chrono::seconds(600), stop.token()).end, End::Stopped);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

}  // namespace
}  // namespace headroom::app
