#include "ui/chat/trouble_banner.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>

namespace headroom::ui {
namespace {

class TroubleBannerTest : public testing::Test {
 protected:
  void show(Trouble::Kind kind) {
    Trouble trouble;
    trouble.kind = kind;
    trouble.text = "What is <wrong>.";
    m_banner.show(trouble);
  }
  QStringList offers() const {
    QStringList names;
    for (const QPushButton* button : m_banner.findChildren<QPushButton*>()) {
      if (!button->isHidden()) names.append(button->objectName());
    }
    return names;
  }
  Theme m_theme{ThemeChoice::Light};
  TroubleBanner m_banner{m_theme};
};

TEST_F(TroubleBannerTest, each_trouble_offers_its_ways_out) {
  using Kind = Trouble::Kind;
  const QStringList three{"dropOldest", "summarise", "largerContext"};
  for (const auto& [kind, ways] : {std::pair{Kind::ContextFull, three},
                                   {Kind::PromptTooLong, three},
                                   {Kind::AloneTooLong, QStringList{"largerContext"}},
                                   {Kind::Template, QStringList{"plainTemplate"}},
                                   {Kind::Failed, QStringList{}},
                                   {Kind::DeviceLost, QStringList{"loadAgain"}}}) {
    show(kind);
    EXPECT_EQ(offers(), ways) << static_cast<int>(kind);
    EXPECT_EQ(m_banner.property("tone").toString(),
              kind == Kind::Failed || kind == Kind::DeviceLost ? "bad" : "warning");
    EXPECT_FALSE(m_banner.isHidden());
  }
  show(Kind::None);
  EXPECT_TRUE(m_banner.isHidden());
}

TEST_F(TroubleBannerTest, a_gpu_that_failed_can_be_done_without) {
  for (const auto& [kind, ways] : {std::pair{Trouble::Kind::Failed, QStringList{"loadWithout"}},
                                   {Trouble::Kind::DeviceLost, QStringList{"loadAgain", "loadWithout"}}}) {
    m_banner.show({kind, "cuda:0: it failed", 0, {}, "cuda:0"});
    EXPECT_EQ(offers(), ways);
  }
  QSignalSpy without(&m_banner, &TroubleBanner::loadWithoutChosen);
  m_banner.findChild<QPushButton*>("loadWithout")->click();
  EXPECT_EQ(without.count(), 1);
}

TEST_F(TroubleBannerTest, its_sentence_is_text_and_what_a_screen_reader_hears) {
  show(Trouble::Kind::Failed);
  EXPECT_EQ(m_banner.accessibleName(), "What is <wrong>.");
  EXPECT_EQ(m_banner.findChild<QLabel*>("troubleText")->textFormat(), Qt::PlainText);
}

TEST_F(TroubleBannerTest, each_button_tells_its_own_choice) {
  show(Trouble::Kind::ContextFull);
  QSignalSpy drop(&m_banner, &TroubleBanner::dropChosen), summarise(&m_banner, &TroubleBanner::summariseChosen),
      larger(&m_banner, &TroubleBanner::largerContextChosen), dismissed(&m_banner, &TroubleBanner::dismissed);
  m_banner.findChild<QPushButton*>("dropOldest")->click();
  EXPECT_TRUE(drop.count() == 1 && summarise.isEmpty() && larger.isEmpty());
  m_banner.findChild<QPushButton*>("summarise")->click();
  m_banner.findChild<QPushButton*>("largerContext")->click();
  m_banner.findChild<QToolButton*>()->click();
  EXPECT_TRUE(summarise.count() == 1 && larger.count() == 1 && dismissed.count() == 1);
}

TEST_F(TroubleBannerTest, its_icons_follow_the_theme) {
  show(Trouble::Kind::Failed);
  const auto icons = [this] {
    return std::pair{m_banner.findChild<QLabel*>()->pixmap().toImage(),
                     m_banner.findChild<QToolButton*>()->icon().pixmap(16, 16).toImage()};
  };
  const auto light = icons();
  m_theme.setChoice(ThemeChoice::Dark);
  EXPECT_NE(icons().first, light.first);
  EXPECT_NE(icons().second, light.second);
}

}  // namespace
}  // namespace headroom::ui
