// The window while models are loaded, and what it offers once one is.
#include "ui/main_window/main_window.h"

#include <QComboBox>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStatusBar>
#include <QTableView>

#include "support/plans.h"
#include "tests/ui/main_window/window_fixture.h"
#include "ui/chat/chat_widget.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

TEST_F(WindowFixture, loading_shows_bytes_and_ends_with_planned_beside_mapped) {
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  ASSERT_EQ(m_engine.loads.size(), 1U);
  const auto plan = m_engine.loads[0].plan;
  EXPECT_EQ(m_engine.loads[0].path, kSmall);
  emit m_engine.loadProgressed(m_engine.loads[0].id, 300 * kMiB, kGiB);
  EXPECT_EQ(find<QProgressBar>("loadProgress")->text(), QStringLiteral("0.29 of 1.00 GiB"));
  EXPECT_TRUE(find<QPushButton>("cancelButton")->isVisible());
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  EXPECT_FALSE(find<QProgressBar>("loadProgress")->isVisible());
  const QAbstractItemModel* arenas = find<QTableView>("arenaTable")->model();
  EXPECT_EQ(arenas->rowCount(), static_cast<int>(plan->arenas.size()));
  for (int row = 0; row < arenas->rowCount(); ++row)
    EXPECT_EQ(arenas->index(row, 3).data().toString(), QStringLiteral("0 B"));
  EXPECT_EQ(find<QLabel>("difference")->text(), QStringLiteral("0 B"));
  EXPECT_EQ(find<QLabel>("takenSinceLoad")->text(), QStringLiteral("Taken since load: drivers 0 B, program 0 B"));
  EXPECT_FALSE(find<QPushButton>("loadButton")->isEnabled()) << "this very plan is loaded";
}

TEST_F(WindowFixture, what_a_plan_takes_is_one_number_in_the_verdict_before_and_after_the_load) {
  m_models[kSmall].heap_bytes = 40 * kMiB;
  dropAndWait(kSmall);
  const QString takes = find<QLabel>("loadText")->text();
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  const MemoryPlan& plan = *m_engine.loads[0].plan;
  const QString whole = formatBytes(plan.budgets[0].peak()), reserved = find<QLabel>("predicted")->text();
  EXPECT_EQ(takes,
            QStringLiteral("Takes %1: %2 reserved exactly, 40.0 MiB for tokenizer and tables.").arg(whole, reserved));
  EXPECT_EQ(find<QLabel>("actual")->text(), reserved);
  EXPECT_EQ(find<QLabel>("deviceFigures")->text(), formatPart(plan.budgets[0].peak(), m_freeBytes))
      << takes.toStdString();
}

TEST_F(WindowFixture, what_other_programs_hold_is_one_number_in_the_verdict_and_in_the_chart) {
  dropAndWait(kSmall);
  const MemoryPlan plan = *test::plan_for(m_models[kSmall], {hostDevice()});
  for (const Bytes others : {506 * kMiB, 389 * kMiB}) {
    MemoryReading reading = readingWith(plan, 0, 1000);
    reading.ours = 117 * kMiB;
    reading.free = reading.total - reading.ours - others;
    emit m_engine.memoryRead(reading);
    const QAbstractItemModel* legend = find<QTableView>("legend")->model();
    const auto cell = [&](Segment segment) {
      return legend->index(static_cast<int>(segmentIndex(segment)), 1).data().toString();
    };
    EXPECT_EQ(cell(Segment::Others), formatBytes(others));
    EXPECT_EQ(cell(Segment::Program), formatBytes(117 * kMiB)) << "our own process";
    EXPECT_EQ(cell(Segment::Driver), formatBytes(0));
    const QString detail = find<QLabel>("planDetail")->text();
    EXPECT_TRUE(detail.contains("Other programs hold " + formatBytes(others) + " of 16.0 GiB")) << detail.toStdString();
  }
}

TEST_F(WindowFixture, closing_during_a_load_ends_with_nothing_in_the_chart_and_nothing_loading) {
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  const quint64 load = m_engine.lastId;
  emit m_engine.loadProgressed(load, 300 * kMiB, kGiB);
  m_controller->close();
  EXPECT_EQ(m_engine.stops, std::vector<quint64>{load});
  emit m_engine.failed(load, {ErrorCode::kCancelled, Message::plain("cancelled")});
  emit m_engine.modelUnloaded(m_engine.lastId);
  EXPECT_EQ(m_window->statusBar()->currentMessage(), QStringLiteral("Closed; its memory is given back."));
  drop(kSmall);
  ASSERT_TRUE(waitFor([this] { return find<QPushButton>("loadButton")->isVisible(); }));
  EXPECT_FALSE(find<QProgressBar>("loadProgress")->isVisible());
  find<QPushButton>("loadButton")->click();
  EXPECT_EQ(m_engine.loads.size(), 2U);
}

TEST_F(WindowFixture, figures_in_the_status_bar_give_way_to_a_sentence_that_needs_their_room) {
  const QLabel* loaded = nullptr;
  for (const QLabel* label : m_window->statusBar()->findChildren<QLabel*>()) {
    if (label->text() == "Nothing is loaded") loaded = label;
  }
  ASSERT_NE(loaded, nullptr);
  m_window->showStatus("Short.");
  EXPECT_TRUE(loaded->isVisible());
  m_window->showStatus(QString("A long sentence. ").repeated(40));
  EXPECT_FALSE(loaded->isVisible());
  m_window->showStatus({});
  EXPECT_TRUE(loaded->isVisible());
}

TEST_F(WindowFixture, closing_what_is_only_open_asks_nothing_of_the_engine) {
  dropAndWait(kSmall);
  m_controller->close();
  EXPECT_EQ(m_engine.unloads, 0);
  EXPECT_EQ(m_window->statusBar()->currentMessage(), QStringLiteral("Closed."));
}

TEST_F(WindowFixture, a_larger_context_is_planned_for_the_loaded_model_with_its_own_options) {
  dropAndWait(kSmall);
  find<QSpinBox>("contextSpin")->setValue(2048);
  auto* keys = find<QComboBox>("keyType");
  emit keys->activated(keys->findText(QStringLiteral("Q8_0")));  // as a click does
  ASSERT_TRUE(waitFor([&] { return find<QPushButton>("loadButton")->isEnabled(); }));
  find<QPushButton>("loadButton")->click();
  ASSERT_EQ(m_engine.loads.size(), 1U);
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  const QString small = find<QLabel>("modelName")->text();
  dropAndWait(kLarge);
  EXPECT_NE(find<QLabel>("modelName")->text(), small);
  m_window->planForContext(8192);
  EXPECT_EQ(find<QLabel>("modelName")->text(), small);
  find<QPushButton>("loadButton")->click();
  ASSERT_EQ(m_engine.replans.size(), 1U) << "its weights stay";
  EXPECT_EQ(m_engine.replans[0].plan->options.n_ctx, 8192U);
  EXPECT_EQ(m_engine.replans[0].plan->options.kv_k, DType::kQ8_0);
}

TEST_F(WindowFixture, a_loaded_model_is_offered_a_card_that_passed_its_check_where_a_plan_takes_it) {
  m_gpus = {presentGpu("cuda:0", 8 * kGiB)};
  Proof proof = Proof::kMissing;
  m_learned = [&proof](std::vector<DeviceInfo>& devices) {
    for (DeviceInfo& device : devices) {
      if (device.id == "cuda:0") device.proof = proof;
    }
  };
  makeWindow({});
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  EXPECT_FALSE(m_controller->reloadBringsTo("cuda:0"));
  EXPECT_FALSE(find<QPushButton>("loadButton")->isEnabled());
  proof = Proof::kPassed;
  EXPECT_TRUE(m_controller->reloadBringsTo("cuda:0"));
  EXPECT_TRUE(find<QPushButton>("loadButton")->isEnabled());
  EXPECT_EQ(find<QPushButton>("loadButton")->text(), "Re&load");
  dropAndWait(kLarge);
  EXPECT_FALSE(m_controller->reloadBringsTo("cuda:0")) << "its button loads the other model";
  m_window.reset();  // it asks for what is learned
}

TEST_F(WindowFixture, a_second_model_that_is_opened_beside_the_loaded_one_is_loaded_and_not_reloaded) {
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  m_models[kLarge] = m_models[kSmall];  // fits, and has another name
  m_models[kLarge].name = "Other";
  dropAndWait(kLarge);
  EXPECT_EQ(find<QPushButton>("loadButton")->text().remove(QLatin1Char('&')), QStringLiteral("Load"));
  EXPECT_TRUE(find<QPushButton>("loadButton")->toolTip().startsWith(QStringLiteral("Takes exactly")));
}

TEST_F(WindowFixture, a_file_whose_header_is_still_being_read_does_not_appear_after_a_close) {
  QSignalSpy told(m_controller.get(), &ModelController::openModelChanged);
  drop(kSmall);
  m_controller->close();
  dropAndWait(kLarge);  // read behind it
  for (const auto& call : told) EXPECT_NE(call[0].toString(), QString::fromStdString(m_models[kSmall].name));
}

TEST_F(WindowFixture, enter_loads_and_then_the_keyboard_is_in_the_chat) {
  auto* chat = new QLineEdit;
  m_window->setChatWidget(chat);
  QSignalSpy told(m_controller.get(), &ModelController::openModelChanged);
  dropAndWait(kSmall);
  EXPECT_EQ(told.last()[0].toString(), find<QLabel>("modelName")->text());
  EXPECT_FALSE(told.last()[1].toBool());
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
  ASSERT_EQ(m_engine.loads.size(), 1U);
  EXPECT_TRUE(told.last()[1].toBool());
  EXPECT_EQ(QApplication::focusWidget(), chat) << "one may write while it loads";
  QTest::keyClicks(QApplication::focusWidget(), "two words");
  EXPECT_TRUE(m_engine.stops.empty()) << "a space cancels nothing";
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  EXPECT_EQ(QApplication::focusWidget(), chat);
  find<QSpinBox>("batchSpin")->setFocus();
  QTest::keyClick(m_window.get(), Qt::Key_L, Qt::ControlModifier);
  EXPECT_EQ(QApplication::focusWidget(), chat);
}

TEST_F(WindowFixture, weights_that_arrive_are_weights_in_the_chart) {
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  const auto plan = m_engine.loads[0].plan;
  const Bytes weights = plan->bytes_of(RegionGroup::kWeights);
  emit m_engine.loadProgressed(m_engine.loads[0].id, weights / 2, weights);
  MemoryReading reading = readingWith(*plan, 0, 1000);
  reading.ours = weights / 2 + 180 * kMiB;
  reading.free = m_freeBytes - reading.ours;
  emit m_engine.memoryRead(reading);
  const auto now = [this](Segment segment) {
    return find<QTableView>("legend")->model()->index(static_cast<int>(segmentIndex(segment)), 1).data().toString();
  };
  EXPECT_EQ(now(Segment::Weights), formatBytes(weights / 2));
  EXPECT_EQ(now(Segment::Program), formatBytes(180 * kMiB));
  emit m_engine.failed(m_engine.loads[0].id, {ErrorCode::kCancelled, Message::plain("stopped")});
  EXPECT_EQ(now(Segment::Weights), formatBytes(0));
}

}  // namespace
}  // namespace headroom::ui
