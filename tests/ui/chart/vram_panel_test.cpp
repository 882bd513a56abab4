#include "ui/chart/vram_panel.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QMenu>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "support/fake_engine_port.h"
#include "support/plans.h"
#include "ui/chart/device_bars.h"
#include "ui/chart/legend_model.h"
#include "ui/chart/region_dialog.h"
#include "ui/chart/segment_bar.h"
#include "ui/chart/timeline_chart.h"
#include "ui/format/format_bytes.h"
#include "ui/theme/elided_label.h"

namespace headroom::ui {
namespace {

class VramPanelTest : public testing::Test {
 protected:
  void SetUp() override {
    m_panel.resize(420, 800);
    m_panel.show();
  }
  template <class W>
  W* find(const char* name) {
    W* widget = m_panel.findChild<W*>(QLatin1String(name));
    EXPECT_NE(widget, nullptr) << name;
    return widget;
  }
  bool says(const QString& text) {
    for (const QLabel* label : m_panel.findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().contains(text)) return true;
    }
    return false;
  }
  void read(Bytes free, Bytes ours) {
    MemoryReading reading;
    reading.device = "cpu";
    reading.timeMs = 1'700'000'000'000;
    reading.total = 16 * kGiB;
    reading.free = free;
    reading.ours = ours;
    m_chart.addReading(reading);
  }
  const std::shared_ptr<const ModelInfo> m_model =
      std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B));
  Theme m_theme{ThemeChoice::Light};
  test::FakeEnginePort m_engine;
  LoadState m_load{m_engine};
  ChartState m_chart;
  VramPanel m_panel{m_theme, m_chart, m_load};
};

TEST_F(VramPanelTest, it_says_what_it_waits_for_and_what_cannot_be_measured) {
  m_chart.setDevices({test::cpu_with(16 * kGiB)});
  EXPECT_TRUE(says("Waiting for the first reading."));
  EXPECT_FALSE(find<SegmentBar>("nowBar")->isVisible());
  DeviceInfo absent = test::gpu_with(8 * kGiB);
  absent.name = "RTX 9090";
  absent.is_present = false;
  PlanOptions onGpu;
  onGpu.devices = {{1}};
  m_chart.setCandidate(test::plan_for(*m_model, {test::cpu_with(16 * kGiB), absent}, onGpu));
  EXPECT_TRUE(says("RTX 9090 is not in this machine"));
}

TEST_F(VramPanelTest, several_devices_have_bars_each_and_tabs_choose_whose_history_and_figures) {
  const DeviceInfo host = test::cpu_with(16 * kGiB);
  DeviceInfo one = test::gpu_with(700 * kMiB, 0), two = test::gpu_with(8 * kGiB, 0), unused = test::gpu_with(8 * kGiB);
  one.id = one.name = "one";
  two.id = two.name = "two";
  unused.id = unused.name = "unused";
  m_chart.setDevices({host, one, two, unused});
  PlanOptions options;
  options.devices = {{1}, {2}, {3}};
  options.n_ctx = 1024;
  const auto plan = test::plan_for(*m_model, {host, one, two, unused}, options);
  ASSERT_EQ(plan->budgets.size(), 3U);
  m_chart.setCandidate(plan);
  auto* tabs = find<QTabBar>("deviceTabs");
  ASSERT_TRUE(tabs->isVisible());
  QStringList names;
  for (int i = 0; i < tabs->count(); ++i) names << tabs->tabText(i);
  EXPECT_EQ(names, (QStringList{"one", "two", "Host"})) << "what is not in the plan does not crowd it";
  EXPECT_EQ(m_panel.findChildren<DeviceBars*>().size(), 3);
  const auto* legend = find<QTableView>("legend");
  const auto shownWeights = [&] {
    return legend->model()->index(static_cast<int>(segmentIndex(Segment::Weights)), LegendModel::PlanColumn).data();
  };
  EXPECT_EQ(legend->model()->headerData(0, Qt::Horizontal).toString(), "one");
  EXPECT_EQ(shownWeights(), formatBytes(plan->bytes_of(RegionGroup::kWeights, 1)));
  tabs->setFocus();
  QTest::keyClick(tabs, Qt::Key_Right);
  EXPECT_EQ(m_chart.selected(), 1U);
  EXPECT_EQ(legend->model()->headerData(0, Qt::Horizontal).toString(), "two");
  EXPECT_EQ(shownWeights(), formatBytes(plan->bytes_of(RegionGroup::kWeights, 2)));
  emit m_panel.findChildren<DeviceBars*>()[2]->segmentClicked(Segment::Weights);
  EXPECT_EQ(tabs->currentIndex(), 2) << "a click on a bar leads to its device";
  const auto* dialog = m_panel.findChild<RegionDialog*>();
  ASSERT_NE(dialog, nullptr);
  EXPECT_EQ(dialog->windowTitle(), "Weights on Host");
  m_chart.setCandidate(test::plan_for(*m_model, {host}));
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  EXPECT_FALSE(tabs->isVisible());
  EXPECT_EQ(m_panel.findChildren<DeviceBars*>().size(), 1);
}

TEST_F(VramPanelTest, the_history_of_a_device_begins_with_its_first_reading_whatever_the_plan_does) {
  m_chart.setDevices({test::cpu_with(16 * kGiB)});
  MemoryReading reading;
  reading.device = "cpu";
  reading.total = reading.free = 16 * kGiB;
  const auto* chart = m_panel.findChild<TimelineChart*>();
  ASSERT_NE(chart, nullptr);
  QCoreApplication::processEvents();
  for (const qint64 second : {0, 100}) {
    reading.timeMs = 1'700'000'000'000 + 1000 * second;
    m_chart.addReading(reading);
  }
  const auto hit = chart->hitAt(chart->rect().center());
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->segment, Segment::Free);
}

TEST_F(VramPanelTest, what_is_ours_can_be_looked_at_alone_and_the_figures_stay_those_of_the_device) {
  m_chart.setDevices({test::cpu_with(16 * kGiB)});
  read(12 * kGiB, 3 * kMiB);
  const auto* bar = find<SegmentBar>("nowBar");
  EXPECT_EQ(bar->frame().total(), 16 * kGiB);
  find<QToolButton>("oursAlone")->click();
  EXPECT_EQ(bar->frame().total(), 3 * kMiB);
  EXPECT_TRUE(says("Now: 4.00 of 16.00 GiB in use"));
  find<QToolButton>("oursAlone")->click();
  EXPECT_EQ(bar->frame().total(), 16 * kGiB);
}

TEST_F(VramPanelTest, a_reading_and_a_plan_are_told_in_words) {
  m_chart.setDevices({test::cpu_with(16 * kGiB)});
  read(12 * kGiB, 0);
  EXPECT_TRUE(says("Now: 4.00 of 16.00 GiB in use"));
  EXPECT_FALSE(says("Waiting"));
  m_chart.setCandidate(test::plan_for(*m_model, {test::cpu_with(16 * kGiB)}));
  EXPECT_TRUE(says("With this plan: "));
  EXPECT_TRUE(find<SegmentBar>("planBar")->isVisible());
  read(20 * kGiB, 0);
  EXPECT_TRUE(says("figures disagree")) << "more free than there is";
}

TEST_F(VramPanelTest, how_surely_other_programs_are_known_and_what_spilled_are_told) {
  m_chart.setDevices({test::cpu_with(16 * kGiB)});
  MemoryReading told;
  told.device = "cpu";
  told.total = 16 * kGiB;
  told.free = 12 * kGiB;
  told.account.confidence = MemoryConfidence::kAssumed;
  told.account.doubt = Message::plain("Nothing tells.");
  m_chart.addReading(told);
  const auto* legend = find<QTableView>("legend")->model();
  const QModelIndex others = legend->index(static_cast<int>(segmentIndex(Segment::Others)), LegendModel::NowColumn);
  EXPECT_EQ(others.data(), "not known");
  EXPECT_TRUE(others.data(Qt::ToolTipRole).toString().contains("Nothing tells."));
  EXPECT_FALSE(says("pushed out"));
  told.account.spilled = kGiB;
  m_chart.addReading(told);
  EXPECT_TRUE(says("1.00 GiB of the model was pushed out"));
}

TEST_F(VramPanelTest, a_plan_that_needs_more_than_there_is_says_needed) {
  const ModelInfo large = test::make_model(test::kLlama3_70B);
  m_chart.setDevices({test::cpu_with(16 * kGiB)});
  m_chart.setCandidate(test::plan_for(large, {test::cpu_with(16 * kGiB)}));
  EXPECT_TRUE(says("of 16.00 GiB needed"));
}

TEST_F(VramPanelTest, a_load_that_took_what_was_planned_differs_by_nothing) {
  const auto plan = test::plan_for(*m_model, {test::cpu_with(16 * kGiB)});
  EXPECT_TRUE(says("Nothing is loaded."));
  m_load.load("/m.gguf", plan);
  m_engine.sendLoadDone(m_model);
  EXPECT_EQ(find<QLabel>("predicted")->text(), find<QLabel>("actual")->text());
  EXPECT_EQ(find<QLabel>("difference")->text(), "0 B");
  EXPECT_EQ(find<QLabel>("difference")->property("tone").toString(), "good");
  m_load.load("/m2.gguf", plan);
  m_engine.sendLoadDone(m_model, 4096);
  EXPECT_EQ(find<QLabel>("difference")->text(), "+4.00 KiB");
  EXPECT_EQ(find<QLabel>("difference")->property("tone").toString(), "bad");
}

TEST_F(VramPanelTest, the_keyboard_lists_the_tensors_of_a_segment) {
  m_chart.setDevices({test::cpu_with(16 * kGiB)});
  auto* legend = find<QTableView>("legend");
  emit legend->activated(legend->model()->index(0, 0));
  EXPECT_EQ(m_panel.findChild<RegionDialog*>(), nullptr) << "there is no plan to list";
  m_chart.setCandidate(test::plan_for(*m_model, {test::cpu_with(16 * kGiB)}));
  emit legend->activated(legend->model()->index(static_cast<int>(segmentIndex(Segment::Free)), 0));
  EXPECT_EQ(m_panel.findChild<RegionDialog*>(), nullptr) << "what is free holds nothing";
  emit legend->activated(legend->model()->index(0, 0));
  EXPECT_NE(m_panel.findChild<RegionDialog*>(), nullptr);
}

TEST_F(VramPanelTest, the_legend_is_as_tall_as_its_rows) {
  const auto* legend = find<QTableView>("legend");
  const int last = legend->model()->rowCount() - 1;
  EXPECT_LE(legend->rowViewportPosition(last) + legend->rowHeight(last), legend->viewport()->height());
}

TEST_F(VramPanelTest, each_format_of_the_export_is_in_its_menu) {
  QStringList texts;
  for (const QAction* action : find<QToolButton>("exportButton")->menu()->actions()) texts.append(action->text());
  for (const char* format : {"PNG", "SVG", "CSV", "JSON"})
    EXPECT_EQ(texts.filter(QLatin1String(format)).size(), 1) << format;
}

}  // namespace
}  // namespace headroom::ui
