#include "ui/main_window/message_bar.h"

#include <gtest/gtest.h>

#include <QHBoxLayout>
#include <QLabel>
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
  MessageBar m_bar{m_theme};
};

TEST_F(MessageBarTest, the_newest_is_seen_and_the_ones_before_come_back) {
  EXPECT_FALSE(m_bar.isVisible());
  m_bar.show(Tone::Warning, "first");
  m_bar.show(Tone::Bad, "second");
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
  for (const char* sentence : {"a", "b", "a"}) m_bar.show(Tone::Bad, sentence);
  EXPECT_EQ(m_bar.count(), 2);
  EXPECT_EQ(m_bar.sentence(), "a");
  m_bar.clear();
  EXPECT_FALSE(m_bar.isVisible());
}

TEST_F(MessageBarTest, details_stand_below_the_sentence_they_belong_to) {
  const auto* details = m_bar.findChild<QLabel*>("messageDetails");
  m_bar.show(Tone::Good, "first");
  EXPECT_FALSE(details->isVisible());
  m_bar.show(Tone::Bad, "second", "why");
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
  m_bar.show(Tone::Bad, sentence);
  const auto* text = m_bar.findChild<QLabel*>("messageText");
  EXPECT_EQ(text->textFormat(), Qt::PlainText);
  EXPECT_EQ(text->text(), sentence);
  EXPECT_TRUE(text->wordWrap());
  EXPECT_LT(m_bar.minimumSizeHint().width(), 400) << "it does not hold the window wide";
}

TEST_F(MessageBarTest, its_icons_follow_the_theme) {
  m_bar.show(Tone::Bad, "x");
  const auto icon = [this] { return m_bar.findChild<QLabel*>()->pixmap().toImage(); };
  const QImage light = icon();
  m_theme.setChoice(ThemeChoice::Dark);
  EXPECT_NE(icon(), light);
}

}  // namespace
}  // namespace headroom::ui
