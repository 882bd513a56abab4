#include "ui/message/message_bar.h"

#include <gtest/gtest.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>

namespace headroom::ui {
namespace {

class MessageBarTest : public testing::Test {
 protected:
  void SetUp() override {
    m_host.show();
    (new QHBoxLayout(&m_host))->addWidget(&m_bar);
  }
  void close() { m_bar.findChild<QToolButton*>()->click(); }
  QWidget m_host;
  Theme m_theme{ThemeChoice::Light};
  MessageBar m_bar{m_theme, "message"};
};

TEST_F(MessageBarTest, the_newest_is_seen_and_the_ones_before_come_back) {
  EXPECT_FALSE(m_bar.isVisible());
  m_bar.add({Tone::Warning, Sentence::plain("first")});
  m_bar.add({Tone::Bad, Sentence::plain("second")});
  EXPECT_TRUE(m_bar.isVisible());
  EXPECT_EQ(m_bar.sentence(), "second");
  EXPECT_EQ(m_bar.accessibleDescription(), "second");
  EXPECT_EQ(m_bar.property("tone").toString(), "bad");
  close();
  EXPECT_EQ(m_bar.sentence(), "first");
  EXPECT_EQ(m_bar.property("tone").toString(), "warning");
  close();
  EXPECT_FALSE(m_bar.isVisible());
  EXPECT_EQ(m_bar.sentence(), "");
}

TEST_F(MessageBarTest, a_sentence_said_twice_is_kept_once_and_is_the_newest) {
  for (const char* sentence : {"a", "b", "a"}) m_bar.add({Tone::Bad, Sentence::plain(sentence)});
  EXPECT_EQ(m_bar.count(), 2);
  EXPECT_EQ(m_bar.sentence(), "a");
  m_bar.clear();
  EXPECT_FALSE(m_bar.isVisible());
}

TEST_F(MessageBarTest, details_stand_below_the_sentence_they_belong_to) {
  const auto* details = m_bar.findChild<QLabel*>("messageDetails");
  m_bar.add({Tone::Good, Sentence::plain("first")});
  EXPECT_FALSE(details->isVisible());
  m_bar.add({Tone::Bad, Sentence::plain("second"), Sentence::plain("why")});
  EXPECT_TRUE(details->isVisible());
  EXPECT_EQ(details->text(), "why");
  EXPECT_EQ(m_bar.accessibleDescription(), "second why");
  QCoreApplication::processEvents();
  EXPECT_GT(details->y(), m_bar.findChild<QLabel*>("messageText")->y());
  close();
  EXPECT_FALSE(details->isVisible());
}

TEST_F(MessageBarTest, names_of_files_are_text_and_long_sentences_wrap) {
  const QString sentence = "<b>x</b>.gguf " + QString("is not a model ").repeated(100);
  m_bar.add({Tone::Bad, Sentence::plain(sentence)});
  const auto* text = m_bar.findChild<QLabel*>("messageText");
  EXPECT_EQ(text->textFormat(), Qt::PlainText);
  EXPECT_EQ(text->text(), sentence);
  EXPECT_TRUE(text->wordWrap());
  EXPECT_LT(m_bar.minimumSizeHint().width(), 400) << "it does not hold the window wide";
}

TEST_F(MessageBarTest, a_message_brings_its_buttons_and_takes_them_away) {
  int nChosen = 0;
  const auto names = [this] {
    QStringList found;
    for (const QPushButton* button : m_bar.findChildren<QPushButton*>()) found.append(button->objectName());
    return found;
  };
  m_bar.add({Tone::Bad, Sentence::plain("first"), {}, {{"again", "Try again", "Once more", [&] { ++nChosen; }}}});
  m_bar.add({Tone::Bad, Sentence::plain("second")});
  EXPECT_EQ(names(), QStringList());
  close();
  ASSERT_EQ(names(), QStringList{"again"});
  auto* button = m_bar.findChild<QPushButton*>("again");
  EXPECT_TRUE(button->isVisible());
  EXPECT_EQ(button->toolTip(), "Once more");
  button->click();
  EXPECT_EQ(nChosen, 1);
}

TEST_F(MessageBarTest, a_button_may_settle_the_message_it_belongs_to) {
  m_bar.add({Tone::Bad, Sentence::plain("x"), {}, {{"settle", "Settle it", {}, [&] { m_bar.clear(); }}}});
  m_bar.findChild<QPushButton*>("settle")->click();
  EXPECT_FALSE(m_bar.isVisible());
  m_bar.setOnly({Tone::Warning, Sentence::plain("y"), {}, {{"other", "Another way", {}, [&] {
                                                              m_bar.setOnly({Tone::Good, Sentence::plain("z")});
                                                            }}}});
  m_bar.findChild<QPushButton*>("other")->click();
  EXPECT_EQ(m_bar.sentence(), "z");
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  EXPECT_EQ(m_bar.findChild<QPushButton*>(), nullptr);
}

TEST_F(MessageBarTest, the_only_message_takes_the_place_of_the_others_and_is_told_when_it_is_dismissed) {
  QSignalSpy dismissed(&m_bar, &MessageBar::dismissed);
  m_bar.add({Tone::Bad, Sentence::plain("first")});
  m_bar.setOnly({Tone::Warning, Sentence::plain("second")});
  EXPECT_EQ(m_bar.count(), 1);
  EXPECT_EQ(m_bar.sentence(), "second");
  m_bar.clear();
  EXPECT_EQ(dismissed.count(), 0) << "nobody pressed anything";
  m_bar.setOnly({Tone::Warning, Sentence::plain("third")});
  close();
  EXPECT_EQ(dismissed.count(), 1);
  EXPECT_FALSE(m_bar.isVisible());
}

TEST_F(MessageBarTest, its_icons_follow_the_theme) {
  m_bar.add({Tone::Bad, Sentence::plain("x")});
  const auto icons = [this] {
    return std::pair{m_bar.findChild<QLabel*>()->pixmap().toImage(),
                     m_bar.findChild<QToolButton*>()->icon().pixmap(16, 16).toImage()};
  };
  const auto light = icons();
  m_theme.setChoice(ThemeChoice::Dark);
  EXPECT_NE(icons().first, light.first);
  EXPECT_NE(icons().second, light.second);
}

}  // namespace
}  // namespace headroom::ui
