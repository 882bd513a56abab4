#include "ui/main_window/memory_chip.h"

#include <QDockWidget>
#include <QLabel>
#include <QPushButton>

#include "tests/ui/main_window/window_fixture.h"

namespace headroom::ui {
namespace {

class MemoryChipTest : public WindowFixture {
 protected:
  MemoryChip* chip() { return find<MemoryChip>("memoryChip"); }
  std::string text() { return chip()->text().toStdString(); }
};

TEST_F(MemoryChipTest, it_says_what_the_verdict_says_in_its_colour_and_nothing_without_a_model) {
  EXPECT_FALSE(chip()->isVisible());
  dropAndWait(kSmall);
  EXPECT_TRUE(waitFor([&] { return chip()->isVisible(); })) << "the tool bar lays itself out";
  const QString sentence = find<QWidget>("verdict")->accessibleDescription();
  EXPECT_EQ(sentence.left(chip()->text().size()), chip()->text()) << sentence.toStdString();
  EXPECT_EQ(chip()->property("tone").toString(), QStringLiteral("good"));
  m_controller->close();
  EXPECT_TRUE(waitFor([&] { return !chip()->isVisible(); }));
}

TEST_F(MemoryChipTest, a_plan_that_does_not_fit_says_by_how_much) {
  m_freeBytes = 5 * kGiB;
  makeWindow({});
  dropAndWait(kLarge);
  const QString sentence = find<QWidget>("verdict")->accessibleDescription();
  EXPECT_TRUE(sentence.startsWith(chip()->text())) << text() << " and " << sentence.toStdString();
  EXPECT_EQ(chip()->property("tone").toString(), QStringLiteral("bad"));
}

TEST_F(MemoryChipTest, what_is_loaded_is_exact_where_all_was_mapped_as_planned_and_a_load_tells_how_far_it_is) {
  dropAndWait(kSmall);
  const QString fits = chip()->text();
  find<QPushButton>("loadButton")->click();
  emit m_engine.loadProgressed(m_engine.loads[0].id, 250 * kMiB, kGiB);
  EXPECT_EQ(text(), "Loading: 24 %");
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  EXPECT_EQ(chip()->text(), fits.mid(QStringLiteral("Fits: ").size()) + QStringLiteral(", exact"));
  m_controller->calculator().setPresentDevices({make_cpu_device("CPU", 16 * kGiB, 9 * kGiB, 8)});
  m_controller->calculator().planNow();
  EXPECT_EQ(chip()->text(), find<QLabel>("deviceFigures")->text() + QStringLiteral(", exact")) << "of what is free now";
  m_controller->calculator().setContext(1000);
  m_controller->calculator().planNow();
  EXPECT_EQ(chip()->text(), fits.mid(QStringLiteral("Fits: ").size()) + QStringLiteral(", exact"))
      << "another plan changes nothing of what is loaded";
  dropAndWait(kLarge);
  EXPECT_TRUE(text().starts_with("Fits: ")) << "the open one is another: " << text();
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kLarge]), kMiB);
  EXPECT_FALSE(text().ends_with("exact")) << text();
}

TEST_F(MemoryChipTest, a_click_shows_and_hides_the_pane) {
  dropAndWait(kSmall);
  auto* dock = find<QDockWidget>("memoryDock");
  ASSERT_TRUE(dock->isVisible());
  chip()->click();
  EXPECT_FALSE(dock->isVisible());
  chip()->click();
  EXPECT_TRUE(dock->isVisible());
}

TEST_F(MemoryChipTest, of_two_devices_the_fullest_stands_there_and_both_in_its_tip) {
  m_gpus = {presentGpu("cuda:0", 3 * kGiB)};
  makeWindow({});
  dropAndWait(kLarge);
  ASSERT_TRUE(m_controller->calculator().plan());
  EXPECT_TRUE(chip()->toolTip().contains(QStringLiteral("cuda:0: "))) << chip()->toolTip().toStdString();
  EXPECT_TRUE(chip()->text().endsWith(QStringLiteral("of 3.00 GiB"))) << text();
}

}  // namespace
}  // namespace headroom::ui
