#include "ui/chat/composer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <memory>

#include "support/fake_conversation_port.h"
#include "tests/ui/chat/gates.h"

namespace headroom::ui {
namespace {

class ComposerTest : public testing::Test {
 protected:
  void SetUp() override { make(readsTextAlone); }

  void make(AttachmentReader::Read read) {
    m_composer = std::make_unique<Composer>(m_theme, m_draft, nullptr, std::move(read));
    m_composer->resize(600, 200);
    m_composer->setMode(Composer::Mode::Ready);
    m_composer->show();
  }
  // Files of any name; "slow" is read when the test opens the gate.
  void makeWithSlowFile() {
    make([gates = m_gates](const AttachmentOrder& order) -> ReadAttachment {
      const QString& path = order.path;
      if (path.endsWith("slow")) {
        gates->begun.release();
        gates->open.acquire();
      }
      if (path.endsWith("absent")) return AttachmentRefusal{Sentence::plain("absent is not there.")};
      return Attachment{path, "text of " + path};
    });
  }
  QStringList chips() const {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QStringList texts;
    for (const QToolButton* chip : m_composer->findChildren<QToolButton*>("attachmentChip")) texts.append(chip->text());
    return texts;
  }
  QToolButton* chip(int index) const {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    return m_composer->findChildren<QToolButton*>("attachmentChip").at(index);
  }
  QToolButton* removal(int index) const {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    return m_composer->findChildren<QToolButton*>("removeAttachment").at(index);
  }
  bool waitForChips(const QStringList& texts) const {
    return QTest::qWaitFor([&] { return chips() == texts; }, 60'000);
  }
  QPlainTextEdit* edit() const { return m_composer->findChild<QPlainTextEdit*>("messageEdit"); }
  QPushButton* send() const { return m_composer->findChild<QPushButton*>("sendButton"); }
  QVector<Attachment> attachments() const {
    QVector<Attachment> read;
    for (const DraftFile& file : m_draft.message().files) read.append(file.attachment);
    return read;
  }
  void startEditing(const char* text, const QVector<Attachment>& attachments) {
    Turn turn;
    turn.id = "turn";
    turn.text = text;
    turn.attachments = attachments;
    m_draft.edit(turn);
  }
  QToolButton* button(const char* name) const { return m_composer->findChild<QToolButton*>(name); }
  QString hint() const { return m_composer->findChild<QLabel*>("composerHint")->text(); }

  Theme m_theme{ThemeChoice::Light};
  test::FakeConversationPort m_store;
  ChatDraft m_draft{m_store, nullptr};
  std::shared_ptr<Gates> m_gates = std::make_shared<Gates>();
  std::unique_ptr<Composer> m_composer;
};

TEST_F(ComposerTest, a_file_that_is_read_shows_so_and_send_waits_for_it) {
  makeWithSlowFile();
  QSignalSpy sent(m_composer.get(), &Composer::sendChosen);
  edit()->setPlainText("Look at this");
  m_composer->attachFile("slow");
  m_gates->begun.acquire();
  EXPECT_EQ(chips(), QStringList{QString::fromUtf8("Reading slow\u2026")});
  EXPECT_EQ(removal(0)->accessibleName(), "Stop reading slow and leave it out");
  EXPECT_FALSE(send()->isEnabled());
  EXPECT_EQ(hint(), "Reading slow; remove it to send without it");
  QTest::keyClick(edit(), Qt::Key_Return);
  EXPECT_EQ(sent.count(), 0);
  m_gates->open.release();
  ASSERT_TRUE(waitForChips({"slow (12 B)"}));
  EXPECT_TRUE(send()->isEnabled());
  QTest::keyClick(edit(), Qt::Key_Return);
  ASSERT_EQ(sent.count(), 1);
  EXPECT_EQ(attachments(), (QVector<Attachment>{{"slow", "text of slow"}}));
}

TEST_F(ComposerTest, one_that_takes_its_place_goes_on_with_the_file_and_the_cursor) {
  makeWithSlowFile();
  edit()->setPlainText("some words");
  QTextCursor cursor = edit()->textCursor();
  cursor.setPosition(5);
  cursor.setPosition(7, QTextCursor::KeepAnchor);
  edit()->setTextCursor(cursor);
  m_composer->attachFile("slow");
  m_gates->begun.acquire();
  Composer another(m_theme, m_draft);
  another.takeOver(m_composer->release());
  m_composer.reset();
  EXPECT_EQ(another.findChild<QPlainTextEdit*>()->textCursor().selectedText(), "wo");
  EXPECT_FALSE(m_draft.canSend()) << "the file is still being read";
  m_gates->open.release();
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_draft.canSend(); }, 60'000));
  ASSERT_EQ(m_draft.message().files.size(), 1);
  EXPECT_EQ(m_draft.message().files[0].attachment.text, "text of slow");
}

TEST_F(ComposerTest, chips_tell_tokens_and_open_what_the_model_reads) {
  makeWithSlowFile();
  QSignalSpy opened(m_composer.get(), &Composer::openChosen);
  m_composer->attachFile("a");
  m_composer->attachFile("b");
  ASSERT_TRUE(waitForChips({"a (9 B)", "b (9 B)"}));
  m_composer->setFigures({{12'400, 0}, 13'100, 16'384});
  EXPECT_EQ(chips(), (QStringList{QString::fromUtf8("a · 12,400 tokens"), "b (9 B)"}));
  EXPECT_EQ(hint(), "With this message 13,100 of 16,384 tokens");
  EXPECT_EQ(chip(0)->accessibleName(), QString::fromUtf8("Open a · 12,400 tokens"));
  chip(0)->click();
  ASSERT_EQ(opened.count(), 1);
  EXPECT_EQ(opened[0][0].value<Attachment>(), (Attachment{"a", "text of a"}));
  EXPECT_EQ(opened[0][1].toUInt(), 12'400U);
  EXPECT_EQ(removal(1)->accessibleName(), "Remove b");
  removal(1)->click();
  EXPECT_EQ(chips().size(), 1);
}

TEST_F(ComposerTest, a_message_that_cannot_fit_is_told_before_it_is_sent_and_with_what_helps) {
  QSignalSpy larger(m_composer.get(), &Composer::largerContextWanted);
  auto* warning = m_composer->findChild<QWidget*>("tooLongWarning");
  const auto text = [&] { return m_composer->findChild<QLabel*>("tooLongText")->text().toStdString(); };
  edit()->setPlainText("long");
  m_composer->setFigures({{}, 4095, 4096});
  EXPECT_FALSE(warning->isVisible());
  m_composer->setFigures({{}, 4096, 4096});
  EXPECT_TRUE(warning->isVisible()) << "an answer needs a place too";
  EXPECT_EQ(text(),
            "Too long: with this message the model would read 4,096 tokens, and its context holds 4,096 with the "
            "answer. Shorten it, or plan a larger context.");
  m_composer->setFigures({{}, 9000, 4096, true, true});
  EXPECT_EQ(text(),
            "Too long: with this message the model would read at least 9,000 tokens, and its context holds 4,096 "
            "with the answer. Shorten it, or plan a larger context. Older turns can be left out once it is sent.");
  m_composer->findChild<QPushButton*>("planForMessage")->click();
  ASSERT_EQ(larger.count(), 1);
  EXPECT_EQ(larger[0][0].toUInt(), 13'500U);
  m_composer->setMode(Composer::Mode::Busy);
  EXPECT_FALSE(warning->isVisible());
}

TEST_F(ComposerTest, where_enter_begins_a_line_ctrl_enter_sends_and_ctrl_enter_always_does) {
  QSignalSpy sent(m_composer.get(), &Composer::sendChosen);
  edit()->setPlainText("one");
  edit()->moveCursor(QTextCursor::End);
  QTest::keyClick(edit(), Qt::Key_Return, Qt::ControlModifier);
  EXPECT_EQ(sent.count(), 1);
  m_composer->setEnterSends(false);
  QTest::keyClick(edit(), Qt::Key_Return);
  EXPECT_EQ(sent.count(), 1);
  EXPECT_EQ(edit()->toPlainText(), "one\n");
  QTest::keyClick(edit(), Qt::Key_Enter, Qt::ControlModifier | Qt::KeypadModifier);
  EXPECT_EQ(sent.count(), 2);
}

TEST_F(ComposerTest, another_draft_is_shown_and_a_file_on_its_way_stays_with_neither) {
  makeWithSlowFile();
  edit()->setPlainText("of the first");
  m_composer->attachFile("slow");
  m_gates->begun.acquire();
  ChatDraft other(m_store, nullptr, "b");
  other.handleEvent(draft_event::Typed{"of the other"});
  m_composer->showDraft(other);
  EXPECT_EQ(edit()->toPlainText(), "of the other");
  EXPECT_EQ(chips(), QStringList());
  m_gates->open.release();
  QTest::keyClick(edit(), Qt::Key_End);
  QTest::keyClicks(edit(), "!");
  EXPECT_EQ(other.message().text, "of the other!");
  EXPECT_EQ(m_draft.message().text, "of the first");
  m_draft.handleEvent(draft_event::Typed{"behind it"});
  EXPECT_EQ(edit()->toPlainText(), "of the other!");
  m_composer->showDraft(m_draft);
  EXPECT_EQ(edit()->toPlainText(), "behind it");
  EXPECT_EQ(chips(), QStringList());
}

// A pipe that nobody writes into hangs for ever in open(), as a dead network folder does.
AttachmentReader::Read readsPipes(std::shared_ptr<Gates> gates) {
  return [gates = std::move(gates)](const AttachmentOrder& order) -> ReadAttachment {
    const QString& path = order.path;
    gates->begun.release();
    QFile file(path);
    const bool opened = file.open(QIODevice::ReadOnly);
    return Attachment{path, opened ? QString::fromUtf8(file.readAll()) : QString()};
  };
}

TEST_F(ComposerTest, a_read_that_never_ends_leaves_the_window_at_work_and_can_be_cancelled) {
  QTemporaryDir folder;
  const QString pipe = folder.filePath("pipe");
  ASSERT_EQ(mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
  QFile notes(folder.filePath("notes.txt"));
  ASSERT_TRUE(notes.open(QIODevice::WriteOnly) && notes.write("Notes") == 5);
  notes.close();
  make(readsPipes(m_gates));
  QSignalSpy sent(m_composer.get(), &Composer::sendChosen);
  m_composer->attachFile(pipe);
  m_gates->begun.acquire();
  QTest::keyClicks(edit(), "typed meanwhile");
  m_composer->attachFile(notes.fileName());
  ASSERT_TRUE(QTest::qWaitFor([&] { return chips().last().contains("(5 B)"); }, 60'000)) << "others are read";
  EXPECT_FALSE(send()->isEnabled());
  removal(0)->click();
  EXPECT_EQ(chips().size(), 1);
  EXPECT_TRUE(send()->isEnabled());
  send()->click();
  ASSERT_EQ(sent.count(), 1);
  EXPECT_EQ(m_draft.message().text, "typed meanwhile");
  EXPECT_EQ(attachments().size(), 1);
}

TEST_F(ComposerTest, the_program_ends_while_a_read_hangs) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto endWithPipe = [this] {
    QTemporaryDir folder;
    const QString pipe = folder.filePath("pipe");
    if (mkfifo(QFile::encodeName(pipe).constData(), 0600) != 0) std::exit(2);
    make(readsPipes(m_gates));
    m_composer->attachFile(pipe);
    m_gates->begun.acquire();
    m_composer.reset();
    static_cast<QApplication*>(qApp)->~QApplication();  // as at the end of main(); waits for Qt's own threads
    std::exit(0);
  };
  EXPECT_EXIT(endWithPipe(), testing::ExitedWithCode(0), "");
}

TEST_F(ComposerTest, files_stay_in_the_order_in_which_they_were_added) {
  makeWithSlowFile();
  for (const char* name : {"a", "slow", "b"}) m_composer->attachFile(name);
  ASSERT_TRUE(waitForChips({"a (9 B)", QString::fromUtf8("Reading slow\u2026"), "b (9 B)"}));
  m_gates->open.release();
  EXPECT_TRUE(waitForChips({"a (9 B)", "slow (12 B)", "b (9 B)"}));
}

TEST_F(ComposerTest, a_file_that_cannot_be_read_goes_and_is_told) {
  makeWithSlowFile();
  QSignalSpy refused(m_composer.get(), &Composer::attachmentRefused);
  m_composer->attachFile("absent");
  ASSERT_TRUE(QTest::qWaitFor([&] { return refused.count() == 1; }, 60'000));
  EXPECT_EQ(refused[0][0].value<Sentence>().text(), "absent is not there.");
  EXPECT_EQ(chips(), QStringList());
  EXPECT_FALSE(send()->isEnabled()) << "there is nothing to send";
}

TEST_F(ComposerTest, a_draft_whose_file_arrives_during_an_edit_has_it_afterwards) {
  makeWithSlowFile();
  edit()->setPlainText("draft");
  m_composer->attachFile("slow");
  startEditing("old message", {{"old.txt", "x"}});
  EXPECT_EQ(chips(), QStringList{"old.txt (1 B)"});
  EXPECT_TRUE(send()->isEnabled()) << "what is edited waits for no file of the draft";
  m_gates->open.release();
  m_composer->attachFile("b");
  ASSERT_TRUE(waitForChips({"old.txt (1 B)", "b (9 B)"}));
  m_draft.handleEvent(draft_event::EscapePressed{});
  m_draft.handleEvent(draft_event::DiscardAgreed{});
  EXPECT_TRUE(waitForChips({"slow (12 B)"}));
  EXPECT_EQ(edit()->toPlainText(), "draft");
}

TEST_F(ComposerTest, a_file_of_an_edit_that_was_cancelled_comes_nowhere) {
  makeWithSlowFile();
  startEditing("old message", {});
  m_composer->attachFile("slow");
  m_gates->begun.acquire();
  m_draft.handleEvent(draft_event::EscapePressed{});
  m_draft.handleEvent(draft_event::DiscardAgreed{});
  m_gates->open.release();
  m_composer->attachFile("b");
  EXPECT_TRUE(waitForChips({"b (9 B)"}));
}

TEST_F(ComposerTest, the_button_says_what_it_does_in_each_mode) {
  QSignalSpy stopped(m_composer.get(), &Composer::stopChosen), sent(m_composer.get(), &Composer::sendChosen);
  edit()->setPlainText("text");
  m_composer->setMode(Composer::Mode::NoModel);
  EXPECT_FALSE(send()->isEnabled());
  EXPECT_EQ(edit()->placeholderText(), "Load a model to chat");
  QTest::keyClick(edit(), Qt::Key_Return);
  m_composer->setMode(Composer::Mode::Busy);
  EXPECT_EQ(send()->accessibleName(), "Stop this answer");
  QTest::keyClick(edit(), Qt::Key_Return);
  EXPECT_EQ(sent.count(), 0) << "Enter sends only what can be answered";
  send()->click();
  QTest::keyClick(edit(), Qt::Key_Escape);
  EXPECT_EQ(stopped.count(), 2);
  m_composer->setMode(Composer::Mode::Ready);
  send()->click();
  EXPECT_EQ(sent.count(), 1);
  EXPECT_EQ(edit()->toPlainText(), "text") << "it is kept until somebody takes it";
  edit()->setPlainText(" \n ");
  EXPECT_FALSE(send()->isEnabled());
}

TEST_F(ComposerTest, the_field_grows_to_nine_lines_and_then_scrolls) {
  const int one = edit()->height();
  edit()->setPlainText(QString("line\n").repeated(4) + "line");
  const int line = edit()->fontMetrics().lineSpacing();
  EXPECT_EQ(edit()->height(), one + 4 * line);
  EXPECT_EQ(edit()->verticalScrollBarPolicy(), Qt::ScrollBarAlwaysOff);
  edit()->setPlainText(QString("line\n").repeated(500));
  EXPECT_EQ(edit()->height(), one + 8 * line);
  EXPECT_EQ(edit()->verticalScrollBarPolicy(), Qt::ScrollBarAsNeeded);
}

TEST_F(ComposerTest, escape_asks_before_it_throws_a_change_away) {
  edit()->setPlainText("draft");
  startEditing("old message", {});
  EXPECT_EQ(edit()->toPlainText(), "old message");
  QTest::keyClick(edit(), Qt::Key_Escape);
  EXPECT_EQ(edit()->toPlainText(), "draft") << "nothing was changed, so there is nothing to ask";
  startEditing("old message", {});
  QTest::keyClicks(edit(), ", changed");
  QTest::keyClick(edit(), Qt::Key_Escape);
  EXPECT_EQ(edit()->toPlainText(), "old message, changed");
  EXPECT_EQ(m_composer->findChild<QLabel*>("editText")->text(), "Throw away what you changed in this message?");
  EXPECT_TRUE(button("discardEdit")->isVisible() && button("keepEdit")->isVisible());
  EXPECT_FALSE(button("cancelEdit")->isVisible());
  QTest::keyClick(edit(), Qt::Key_Escape);
  EXPECT_FALSE(button("discardEdit")->isVisible()) << "a second press answers no";
  EXPECT_EQ(edit()->toPlainText(), "old message, changed");
  button("cancelEdit")->click();
  QTest::keyClicks(edit(), "!");
  EXPECT_FALSE(button("discardEdit")->isVisible()) << "who goes on writing keeps it";
  button("cancelEdit")->click();
  button("discardEdit")->click();
  EXPECT_EQ(edit()->toPlainText(), "draft");
  EXPECT_FALSE(m_composer->findChild<QWidget*>("editBar")->isVisible());
}

TEST_F(ComposerTest, a_message_is_taken_as_it_was_typed) {
  const QString text = QString::fromUtf8("10\u00a0MiB\n\ttab ");
  edit()->setPlainText(text);
  EXPECT_EQ(m_draft.message().text, text);
}

TEST_F(ComposerTest, showing_a_message_changes_nothing_of_it) {
  startEditing("line\r\nof another system", {});
  QTest::keyClick(edit(), Qt::Key_Escape);
  EXPECT_FALSE(button("discardEdit")->isVisible()) << "only a person's change is one";
}

TEST_F(ComposerTest, up_recalls_the_last_message_only_from_an_empty_field) {
  QSignalSpy earlier(m_composer.get(), &Composer::editLastWanted);
  edit()->setPlainText("x");
  QTest::keyClick(edit(), Qt::Key_Up);
  EXPECT_EQ(earlier.count(), 0);
  edit()->clear();
  QTest::keyClick(edit(), Qt::Key_Up);
  EXPECT_EQ(earlier.count(), 1);
}

}  // namespace
}  // namespace headroom::ui
