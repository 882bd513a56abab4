#include "app/pdf_pages.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>
#include <random>

#include "support/made_pdf.h"

namespace headroom::app {
namespace {

using test::made_pdf;

class PdfPagesTest : public testing::Test {
 protected:
  // The lines as the child writes them, but for empty ones of the text, joined by "|".
  std::string told(const std::string& pdf, Bytes most = kMiB, std::uint32_t mostPages = 100, int heard = 1'000'000) {
    QFile file(m_folder.filePath("x.pdf"));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly) && file.write(pdf.data(), static_cast<qint64>(pdf.size())) >= 0);
    file.close();
    std::string lines;
    tell_pdf(file.fileName().toStdString(), most, mostPages, [&](PdfLine kind, std::string_view text) {
      if (kind == PdfLine::kText && text.empty()) return true;  // versions of Poppler leave more or fewer
      lines += (lines.empty() ? "" : "|") + std::string(1, static_cast<char>(kind)).append(text);
      return --heard > 0;
    });
    return lines;
  }
  QTemporaryDir m_folder;
};

TEST_F(PdfPagesTest, pages_are_told_in_order_with_their_lines) {
  EXPECT_EQ(told(made_pdf({{"First line", "second line"}, {}, {"Third page"}})),
            "N3|P1|TFirst line|Tsecond line|P2|P3|TThird page|Eread");
}

TEST_F(PdfPagesTest, what_cannot_be_read_ends_by_its_reason) {
  EXPECT_EQ(told("no pdf"), "Edamaged");
  EXPECT_EQ(told("%PDF-1.4\n%%EOF\n"), "Edamaged");
  EXPECT_EQ(told(test::locked_pdf()), "Elocked");
  EXPECT_EQ(told(made_pdf(std::vector<test::PdfPage>(5, {"x"})), kMiB, 4), "N5|Epages");
}

TEST_F(PdfPagesTest, a_text_longer_than_asked_for_ends_at_its_page) {
  const std::string lines = told(made_pdf(std::vector<test::PdfPage>(5, {std::string(60, 'a')})), 130);
  EXPECT_TRUE(lines.starts_with("N5|P1|T")) << lines;
  EXPECT_TRUE(lines.ends_with("|Elong")) << lines;
  EXPECT_NE(lines.find("|P3|"), std::string::npos);
  EXPECT_EQ(lines.find("|P4|"), std::string::npos);
}

TEST_F(PdfPagesTest, when_nobody_listens_any_more_it_ends) {
  EXPECT_EQ(told(made_pdf(std::vector<test::PdfPage>(50, {"x"})), kMiB, 100, 2), "N50|P1");
}

// In this process: what crashes it is to be known.
TEST_F(PdfPagesTest, damaged_files_end_and_tell_no_more_than_they_may) {
  const std::string whole = made_pdf({{"First line", "second line"}, {"Third"}});
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole.substr(0, i % 3 == 0 ? random() % whole.size() : whole.size());
    for (int n = 0; n < 8 && !damaged.empty(); ++n)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    const std::string lines = told(damaged);
    EXPECT_NE(lines.rfind('E'), std::string::npos) << i;
    EXPECT_LT(lines.size(), 2 * kMiB);
  }
}

}  // namespace
}  // namespace headroom::app
