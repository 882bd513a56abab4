// The starter model in a small context: it fills, and each way out leads on.
#include "tests/app/app_fixture.h"

namespace headroom::app {
namespace {

class StarterTest : public AppWindowTest {
 protected:
  QString starter() const override { return findPaths().starterModel; }

  void SetUp() override {
    ASSERT_FALSE(starter().isEmpty());
    AppWindowTest::SetUp();
    if (HasFatalFailure()) return;
    find<QSpinBox>("contextSpin")->setValue(256);
    ASSERT_TRUE(waitFor([&] { return find<QPushButton>("loadButton")->isEnabled(); }));
    QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
    find<QPushButton>("loadButton")->click();
    ASSERT_TRUE(loaded.wait(20'000));
    ASSERT_EQ(m_app->chat().controller().context().length, 256U);
  }

  bool isFull() { return find<QWidget>("troubleBanner")->isVisible(); }

  // Questions until the context is full.
  void fill() {
    for (int turn = 0; turn < 40 && !isFull(); ++turn) {
      type(QStringLiteral("Why does a longer context need more memory?"));
      ASSERT_TRUE(answered());
    }
    ASSERT_TRUE(isFull());
  }

  void choose(const char* button) {
    find<QPushButton>(button)->click();
    ASSERT_TRUE(answered());
  }
};

TEST_F(StarterTest, the_oldest_turns_are_dropped_and_the_chat_goes_on) {
  fill();
  choose("dropOldest");
  EXPECT_FALSE(isFull()) << find<QLabel>("troubleText")->text().toStdString();
  type(QStringLiteral("What is the KV cache?"));
  ASSERT_TRUE(answered());
  EXPECT_GT(tree().find(tree().path().last())->text.size(), 0);
}

TEST_F(StarterTest, the_oldest_turns_are_summarised_and_the_chat_goes_on) {
  fill();
  choose("summarise");
  EXPECT_FALSE(isFull()) << find<QLabel>("troubleText")->text().toStdString();
}

TEST_F(StarterTest, a_larger_context_is_planned_and_the_conversation_goes_on_in_it) {
  fill();
  find<QPushButton>("largerContext")->click();
  EXPECT_GT(find<QSpinBox>("contextSpin")->value(), 256);
  ASSERT_TRUE(find<QPushButton>("loadButton")->isEnabled()) << find<QLabel>("loadText")->text().toStdString();
  QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
  find<QPushButton>("loadButton")->click();
  ASSERT_TRUE(loaded.wait(20'000));
  EXPECT_GT(m_app->chat().controller().context().length, 256U);
  type(QStringLiteral("What is the KV cache?"));
  ASSERT_TRUE(answered());
  EXPECT_GT(tree().find(tree().path().last())->text.size(), 0);
}

}  // namespace
}  // namespace headroom::app
