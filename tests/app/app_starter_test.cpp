// The starter model in a small context: it fills, and each way out leads on; on the CPU alone, and with half of its
// layers on a Vulkan device.
#include "tests/app/app_fixture.h"

namespace headroom::app {
namespace {

class StarterTest : public AppWindowTest, public testing::WithParamInterface<const char*> {
 protected:
  QString starter() const override { return findPaths().starterModel; }

  void SetUp() override {
    ASSERT_FALSE(starter().isEmpty());
    if (isSplit()) qputenv("HEADROOM_VULKAN_SOFTWARE", "1");
    AppWindowTest::SetUp();
    if (HasFatalFailure()) return;
    if (isSplit()) {
      addGpu("vulkan:0");
      if (HasFatalFailure()) return;
      find<QSlider>("layersSlider")->setValue(find<QSlider>("layersSlider")->maximum() / 2);
    }
    find<QSpinBox>("contextSpin")->setValue(256);
    ASSERT_TRUE(waitFor([&] { return find<QPushButton>("loadButton")->isEnabled(); }));
    QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
    find<QPushButton>("loadButton")->click();
    ASSERT_TRUE(loaded.wait(120'000));
    ASSERT_EQ(m_app->chat().session().context().length, 256U);
  }

  void TearDown() override {
    m_app.reset();
    qunsetenv("HEADROOM_VULKAN_SOFTWARE");
  }

  static bool isSplit() { return std::string(GetParam()) == "split"; }
  bool isFull() { return find<QWidget>("troubleBar")->isVisible(); }

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

TEST_P(StarterTest, the_oldest_turns_are_dropped_and_the_chat_goes_on) {
  fill();
  choose("dropOldest");
  EXPECT_FALSE(isFull()) << find<QLabel>("troubleText")->text().toStdString();
  type(QStringLiteral("What is the KV cache?"));
  ASSERT_TRUE(answered());
  EXPECT_GT(tree().find(tree().path().last())->text.size(), 0);
}

TEST_P(StarterTest, the_oldest_turns_are_summarised_and_the_chat_goes_on) {
  fill();
  choose("summarise");
  EXPECT_FALSE(isFull()) << find<QLabel>("troubleText")->text().toStdString();
}

TEST_P(StarterTest, a_larger_context_is_planned_and_the_conversation_goes_on_in_it) {
  fill();
  find<QPushButton>("largerContext")->click();
  EXPECT_GT(find<QSpinBox>("contextSpin")->value(), 256);
  ASSERT_TRUE(find<QPushButton>("loadButton")->isEnabled()) << find<QLabel>("loadText")->text().toStdString();
  QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
  find<QPushButton>("loadButton")->click();
  ASSERT_TRUE(loaded.wait(120'000));
  EXPECT_GT(m_app->chat().session().context().length, 256U);
  type(QStringLiteral("What is the KV cache?"));
  ASSERT_TRUE(answered());
  EXPECT_GT(tree().find(tree().path().last())->text.size(), 0);
}

#if HEADROOM_HAS_VULKAN
INSTANTIATE_TEST_SUITE_P(On, StarterTest, testing::Values("cpu", "split"),
                         [](const auto& each) { return std::string(each.param); });
#else
INSTANTIATE_TEST_SUITE_P(On, StarterTest, testing::Values("cpu"),
                         [](const auto& each) { return std::string(each.param); });
#endif

}  // namespace
}  // namespace headroom::app
