#include "ui/calculator/bytes_edit.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

namespace headroom::ui {
namespace {

class BytesEditTest : public testing::Test {
 protected:
  void SetUp() override {
    m_edit.show();
    m_edit.activateWindow();
    m_edit.setFocus();
    ASSERT_TRUE(QTest::qWaitFor([this] { return m_edit.hasFocus(); }, 60'000));
  }
  void type(const QString& text, bool enters = true) {
    m_edit.selectAll();
    QTest::keyClicks(&m_edit, text);
    if (enters) QTest::keyClick(&m_edit, Qt::Key_Return);
  }
  BytesEdit m_edit;
  QSignalSpy m_edited{&m_edit, &BytesEdit::bytesEdited};
};

TEST_F(BytesEditTest, an_amount_is_told_once_at_enter) {
  type("1.5 GiB", false);
  EXPECT_EQ(m_edited.count(), 0) << "1 and 1.5 on the way are not meant";
  QTest::keyClick(&m_edit, Qt::Key_Return);
  QTest::keyClick(&m_edit, Qt::Key_Return);
  ASSERT_EQ(m_edited.count(), 1);
  EXPECT_EQ(m_edited[0][0].toULongLong(), 3 * kGiB / 2);
}

TEST_F(BytesEditTest, what_is_no_amount_is_marked_until_it_is_changed_and_changes_nothing) {
  m_edit.setBytes(kGiB);
  for (const char* wrong : {"many", "-1 GiB", "6G", "99999999999999999999 GiB"}) {
    type(wrong);
    EXPECT_EQ(m_edit.property("tone").toString(), "bad") << wrong;
    EXPECT_EQ(m_edit.text(), wrong) << "it can be mended";
    EXPECT_EQ(m_edit.bytes(), kGiB) << wrong;
    QTest::keyClick(&m_edit, Qt::Key_Backspace);
    EXPECT_EQ(m_edit.property("tone").toString(), "neutral") << wrong;
  }
  EXPECT_EQ(m_edited.count(), 0);
}

TEST_F(BytesEditTest, every_amount_is_written_so_that_it_reads_back_exactly) {
  m_edit.clearFocus();
  for (const Bytes bytes :
       {Bytes{0}, Bytes{1}, kMiB - 1, kMiB, 1000 * kMiB, kGiB + kMiB, 3 * kGiB / 2, Bytes{1} << 50}) {
    m_edit.setBytes(bytes);
    EXPECT_EQ(parse_bytes(m_edit.text().toStdString()), bytes) << m_edit.text().toStdString();
  }
  m_edit.setBytes(kGiB + kMiB);
  EXPECT_EQ(m_edit.text(), "1025 MiB") << "1.00 GiB would be another amount";
  EXPECT_EQ(m_edited.count(), 0) << "what the program sets is not told";
}

TEST_F(BytesEditTest, what_is_being_typed_is_not_taken_away_by_a_plan_that_comes_meanwhile) {
  m_edit.setBytes(kGiB);
  type("10.", false);
  m_edit.setBytes(kGiB);
  m_edit.setBytes(2 * kGiB);
  EXPECT_EQ(m_edit.text(), "10.");
  QTest::keyClicks(&m_edit, "5 GiB");
  QTest::keyClick(&m_edit, Qt::Key_Return);
  ASSERT_EQ(m_edited.count(), 1);
  EXPECT_EQ(m_edited[0][0].toULongLong(), 21 * kGiB / 2);
  m_edit.setBytes(512 * kMiB);
  EXPECT_EQ(m_edit.text(), "512 MiB") << "once it is entered, the field follows again";
}

}  // namespace
}  // namespace headroom::ui
