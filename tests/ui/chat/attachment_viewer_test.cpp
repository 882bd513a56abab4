#include "ui/chat/attachment_viewer.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QFileDialog>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

namespace headroom::ui {
namespace {

class AttachmentViewerTest : public testing::Test {
 protected:
  void show(const char* name, const QString& text) {
    m_viewer = new AttachmentViewer({name, text});
    m_viewer->show();
  }
  ~AttachmentViewerTest() override { delete m_viewer; }
  template <class T>
  T* find(const char* name) {
    T* found = m_viewer->findChild<T*>(QLatin1StringView(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  QPlainTextEdit* text() { return find<QPlainTextEdit>("attachmentText"); }
  QString hits() { return find<QLabel>("attachmentHits")->text(); }
  AttachmentViewer* m_viewer = nullptr;
};

TEST_F(AttachmentViewerTest, it_shows_the_text_with_its_size_and_tokens_and_nobody_changes_it) {
  show("notes.txt", "one\ntwo");
  EXPECT_EQ(text()->toPlainText(), "one\ntwo");
  EXPECT_TRUE(text()->isReadOnly());
  EXPECT_EQ(find<QLabel>("attachmentFacts")->text(), QString::fromUtf8("notes.txt · 7 B · 2 lines"));
  m_viewer->setTokens(12'400);
  EXPECT_EQ(find<QLabel>("attachmentFacts")->text(), QString::fromUtf8("notes.txt · 7 B · 2 lines · 12,400 tokens"));
}

TEST_F(AttachmentViewerTest, hits_are_gone_through_in_a_ring) {
  show("notes.txt", "tea\ncoffee, TEA\nteapot");
  auto* field = find<QLineEdit>("attachmentFind");
  QTest::keyClicks(field, "tea");
  EXPECT_EQ(hits(), "1 of 3");
  EXPECT_EQ(text()->textCursor().selectionStart(), 0);
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_EQ(hits(), "2 of 3");
  EXPECT_EQ(text()->textCursor().selectedText(), "TEA");
  find<QToolButton>("attachmentNext")->click();
  find<QToolButton>("attachmentNext")->click();
  EXPECT_EQ(hits(), "1 of 3");
  find<QToolButton>("attachmentPrevious")->click();
  EXPECT_EQ(hits(), "3 of 3");
  field->setText("milk");
  EXPECT_EQ(hits(), "Nothing found");
  EXPECT_FALSE(find<QToolButton>("attachmentNext")->isEnabled());
}

TEST_F(AttachmentViewerTest, of_very_many_hits_the_first_are_counted) {
  show("notes.txt", QString(25'000, 'a'));
  find<QLineEdit>("attachmentFind")->setText("a");
  EXPECT_EQ(hits(), "1 of at least 10,000");
}

TEST_F(AttachmentViewerTest, code_stands_in_letters_of_one_width_and_prose_does_not) {
  EXPECT_TRUE(isCodeName("main.cpp") && isCodeName("data.csv") && isCodeName("x.JSON"));
  EXPECT_FALSE(isCodeName("notes.txt") || isCodeName("report.PDF") || isCodeName("README"));
  show("main.cpp", "int x;");
  EXPECT_EQ(text()->font().family(), QFontDatabase::systemFont(QFontDatabase::FixedFont).family());
}

TEST_F(AttachmentViewerTest, the_text_is_copied_and_offered_for_saving_as_it_is) {
  show("report.pdf", QString::fromUtf8("[page 1]\né"));
  find<QPushButton>("copyAttachment")->click();
  EXPECT_EQ(QGuiApplication::clipboard()->text(), QString::fromUtf8("[page 1]\né"));
  find<QPushButton>("saveAttachment")->click();
  auto* dialog = m_viewer->findChild<QFileDialog*>();
  ASSERT_NE(dialog, nullptr);
  EXPECT_EQ(dialog->selectedFiles().first().section('/', -1), "report.pdf.txt") << "it is no PDF";
  QSignalSpy chosen(m_viewer, &AttachmentViewer::saveChosen);
  emit dialog->fileSelected("/saved.txt");
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen[0][0].toString(), "/saved.txt");
  EXPECT_EQ(chosen[0][1].toString(), QString::fromUtf8("[page 1]\né"));
}

}  // namespace
}  // namespace headroom::ui
