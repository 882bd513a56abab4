#include "ui/calculator/memory_panel.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "support/fake_engine_port.h"
#include "support/model_specs.h"
#include "ui/calculator/segment_table_model.h"

namespace headroom::ui {
namespace {

class MemoryPanelTest : public testing::Test {
 protected:
  void SetUp() override {
    m_panel.resize(420, 800);
    m_panel.show();
  }
  void open(const std::vector<DeviceInfo>& devices) {
    m_calculator.setPresentDevices(devices);
    m_calculator.setModel(m_model);
    m_calculator.planNow();
    m_panel.showModel("/m.gguf", false);
  }
  template <class W>
  W* find(const char* name) {
    W* widget = m_panel.findChild<W*>(QLatin1String(name));
    EXPECT_NE(widget, nullptr) << name;
    return widget;
  }
  std::shared_ptr<const ModelInfo> m_model = std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B));
  Theme m_theme{ThemeChoice::Light};
  CalculatorState m_calculator{{}};
  test::FakeEnginePort m_engine;
  LoadState m_load{m_engine};
  MemoryPanel m_panel{m_theme, m_calculator, m_load};
};

TEST_F(MemoryPanelTest, without_a_model_there_is_only_the_invitation) {
  for (const char* name : {"modelCard", "verdict", "optionsForm", "planTabs"})
    EXPECT_FALSE(find<QWidget>(name)->isVisible()) << name;
  QSignalSpy wanted(&m_panel, &MemoryPanel::openRequested);
  QTest::mouseClick(find<QWidget>("dropArea"), Qt::LeftButton);
  EXPECT_EQ(wanted.count(), 1);
  open({test::cpu_with(16 * kGiB)});
  for (const char* name : {"modelCard", "verdict", "optionsForm", "planTabs"})
    EXPECT_TRUE(find<QWidget>(name)->isVisible()) << name;
  m_calculator.setModel(nullptr);
  m_panel.showModel({}, false);
  EXPECT_FALSE(find<QWidget>("modelCard")->isVisible());
}

TEST_F(MemoryPanelTest, the_largest_segment_stands_first_and_the_device_only_where_there_are_two) {
  open({test::cpu_with(16 * kGiB)});
  const auto* table = find<QTableView>("segmentTable");
  EXPECT_TRUE(table->isColumnHidden(SegmentTableModel::DeviceColumn));
  Bytes before = ~Bytes{0};
  ASSERT_GT(table->model()->rowCount(), 3);
  for (int row = 0; row < table->model()->rowCount(); ++row) {
    const Bytes bytes = table->model()->index(row, 0).data(SegmentTableModel::BytesRole).toULongLong();
    EXPECT_LE(bytes, before) << row;
    before = bytes;
  }
  DeviceInfo gpu = test::gpu_with(kGiB);
  open({test::cpu_with(16 * kGiB), gpu});
  m_calculator.useDevice(0, QString::fromStdString(gpu.id));
  m_calculator.planNow();
  EXPECT_FALSE(table->isColumnHidden(SegmentTableModel::DeviceColumn));
}

TEST_F(MemoryPanelTest, after_a_load_the_arenas_stand_there_until_it_is_gone) {
  open({test::cpu_with(16 * kGiB)});
  EXPECT_TRUE(find<QLabel>("loadedText")->text().startsWith("Nothing is loaded yet"));
  m_load.load("/m.gguf", m_calculator.plan());
  auto measured = std::make_shared<ModelInfo>(*m_model);
  measured->heap_bytes = 12 * kMiB;
  m_engine.sendLoadDone(measured);
  const auto* arenas = find<QTableView>("arenaTable");
  EXPECT_EQ(arenas->model()->rowCount(), static_cast<int>(m_calculator.plan()->arenas.size()));
  EXPECT_EQ(find<QLabel>("loadedText")->text(),
            "Beside these arenas, tokenizer and tables hold 12.0 MiB of ordinary memory (measured). Taken since load: "
            "drivers 0 B, program 0 B");
}

TEST_F(MemoryPanelTest, a_narrow_dock_is_no_narrower_than_its_fields) {
  open({test::cpu_with(16 * kGiB)});
  m_panel.resize(m_panel.minimumSizeHint());
  for (int i = 0; i < 10; ++i) QCoreApplication::processEvents();
  const auto* form = find<QWidget>("optionsForm");
  for (const char* name : {"contextSpin", "batchSpin", "valueType", "headroomEdit"}) {
    const auto* field = find<QWidget>(name);
    EXPECT_LE(field->mapTo(form, QPoint(field->width(), 0)).x(), form->width()) << name;
    // Some have a smaller minimum than they would like, because they share a row.
    const int least = field->minimumWidth() > 0 ? field->minimumWidth() : field->minimumSizeHint().width();
    EXPECT_GE(field->width(), least) << name;
  }
}

}  // namespace
}  // namespace headroom::ui
