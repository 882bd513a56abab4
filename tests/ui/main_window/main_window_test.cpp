#include "ui/main_window/main_window.h"

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

#include "support/fake_conversation_port.h"
#include "tests/ui/main_window/refusal_of.h"
#include "tests/ui/main_window/window_fixture.h"
#include "ui/calculator/segment_table_model.h"
#include "ui/chart/region_dialog.h"
#include "ui/chart/segment_bar.h"
#include "ui/chart/vram_panel.h"
#include "ui/chat/chat_widget.h"
#include "ui/message/message_bar.h"

namespace headroom::ui {

void WindowFixture::dropAndWait(const QString& path) {
  drop(path);
  const QString name = QString::fromStdString(m_models.at(path).name);
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("modelName")->text() == name; }));
}

namespace {

TEST_F(WindowFixture, a_dropped_model_shows_its_card_and_verdict_and_loads_nothing) {
  dropAndWait(kSmall);
  EXPECT_TRUE(find<QLabel>("verdictSentence")->text().startsWith(QStringLiteral("Fits")));
  EXPECT_TRUE(find<QLabel>("verdictSentence")->isVisible());
  EXPECT_TRUE(m_engine.loads.empty());
  EXPECT_TRUE(find<QPushButton>("loadButton")->isEnabled());
}

TEST_F(WindowFixture, a_model_that_may_read_text_wrongly_says_so_on_its_card) {
  m_models[kSmall].warnings = {Message::plain("The first reason."), Message::plain("The second.")};
  dropAndWait(kSmall);
  EXPECT_TRUE(find<QLabel>("modelWarning")->isVisible());
  EXPECT_EQ(find<QLabel>("modelWarning")->text(), QStringLiteral("The first reason.\nThe second."));
  dropAndWait(kLarge);
  EXPECT_FALSE(find<QLabel>("modelWarning")->isVisible());
}

// What the window does each second while nobody uses it.
TEST_F(WindowFixture, a_reading_that_changes_no_text_paints_nothing_and_one_that_does_lays_out_nothing) {
  struct Counter : QObject {
    QStringList painted, laidOut;
    bool eventFilter(QObject* object, QEvent* event) override {
      const QString name = QString::fromLatin1(object->metaObject()->className()) + u' ' + object->objectName();
      if (event->type() == QEvent::Paint) painted << name;
      if (event->type() == QEvent::LayoutRequest) laidOut << name;
      return false;
    }
  } counter;
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  const std::shared_ptr<const MemoryPlan> plan = m_engine.loads[0].plan;
  MemoryReading reading = readingWith(*plan, 0, 1'700'000'000'000);
  const auto settle = [] {
    for (int i = 0; i < 20; ++i) QCoreApplication::processEvents();
  };
  const auto read = [&](Bytes free) {
    reading.free = free;
    emit m_engine.memoryRead(reading);
    settle();
  };
  const Bytes free = 8 * kGiB + 5 * kMiB;  // reads 8.00 whichever way it is rounded
  read(free);
  QTest::qWait(300);
  qApp->installEventFilter(&counter);
  read(free + 10 * kKiB);
  EXPECT_EQ(counter.painted, QStringList());
  EXPECT_EQ(counter.laidOut, QStringList());
  read(free - 100 * kMiB);
  qApp->removeEventFilter(&counter);
  EXPECT_TRUE(counter.painted.filter("legend").size() > 0 || counter.painted.filter("QTableView").size() > 0);
  counter.laidOut.removeIf([](const QString& name) { return name.contains("LayoutGuard"); });
  EXPECT_EQ(counter.laidOut, QStringList());
}

TEST_F(WindowFixture, no_name_that_looks_like_markup_formats_a_label) {
  test::FakeConversationPort store;
  ChatSessions sessions(m_engine, store, *m_settings);
  m_window->setChatWidget(new ChatWidget(sessions, store, m_theme));
  const QString markup = QStringLiteral("<b>x</b>");
  m_models[kSmall].name = markup.toStdString();
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  auto* edit = find<QPlainTextEdit>("messageEdit");
  edit->setPlainText(markup);
  QTest::keyClick(edit, Qt::Key_Return);
  m_engine.sendAnswer(QStringLiteral("Fine."));
  QTest::keyClick(find<QListView>("conversationList"), Qt::Key_Delete);
  m_window->showMessage(Tone::Bad, Sentence::plain(markup));
  int nNames = 0;
  for (const QLabel* label : m_window->findChildren<QLabel*>()) {
    if (!label->isVisible()) continue;
    EXPECT_EQ(label->textFormat(), Qt::PlainText) << label->objectName().toStdString();
    nNames += label->text().contains(markup);
  }
  EXPECT_GE(nNames, 4) << "the card, the status bar, the message and what can be undone";
  m_window->setChatWidget(new QWidget);  // it hears of the store
}

TEST_F(WindowFixture, the_cache_types_to_choose_from_are_those_that_are_offered) {
  dropAndWait(kSmall);
  for (const char* name : {"keyType", "valueType"}) {
    const auto* combo = find<QComboBox>(name);
    QStringList types;
    for (int i = 0; i < combo->count(); ++i) types.push_back(combo->itemText(i));
    EXPECT_EQ(types, (QStringList{QStringLiteral("F16"), QStringLiteral("Q8_0"), QStringLiteral("Q4_0"),
                                  QStringLiteral("FP8")}))
        << name;
  }
}

TEST_F(WindowFixture, moving_the_context_changes_the_verdict) {
  dropAndWait(kSmall);
  const QString before = find<QLabel>("deviceFigures")->text();
  auto* slider = find<QSlider>("contextSlider");
  slider->setValue(slider->maximum());
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("deviceFigures")->text() != before; }));
  EXPECT_EQ(find<QSpinBox>("contextSpin")->value(), 131072);
}

TEST_F(WindowFixture, the_first_fix_makes_a_plan_fit) {
  dropAndWait(kLarge);
  find<QSpinBox>("contextSpin")->setValue(131072);
  ASSERT_TRUE(waitFor([&] {
    return find<QLabel>("verdictSentence")->text().startsWith(QStringLiteral("Does not fit by"));
  })) << find<QLabel>("verdictSentence")->text().toStdString();
  EXPECT_FALSE(find<QPushButton>("loadButton")->isEnabled());
  ASSERT_TRUE(waitFor([&] {
    const auto* fix = m_window->findChild<QPushButton*>(QStringLiteral("fix0"));
    return fix != nullptr && fix->isVisible() && fix->isEnabled();
  })) << "advice comes a moment after the plan";
  find<QPushButton>("fix0")->click();
  EXPECT_TRUE(find<QLabel>("verdictSentence")->text().startsWith(QStringLiteral("Fits")))
      << find<QLabel>("verdictSentence")->text().toStdString();
  EXPECT_TRUE(find<QPushButton>("loadButton")->isEnabled());
}

TEST_F(WindowFixture, of_two_devices_the_bytes_are_still_in_sight) {
  m_catalogue.push_back(catalogueGpu("RTX 6000 Ada Generation with a long name", 3 * kGiB));
  makeWindow({});
  dropAndWait(kLarge);
  auto* picker = find<QComboBox>("devicePicker");
  const int row = picker->findText(QStringLiteral("RTX 6000"), Qt::MatchStartsWith);
  ASSERT_GE(row, 0);
  emit picker->activated(row);
  const auto* table = find<QTableView>("segmentTable");
  ASSERT_TRUE(waitFor([&] { return !table->isColumnHidden(SegmentTableModel::DeviceColumn); }));
  const QHeaderView* header = table->horizontalHeader();
  EXPECT_LE(header->sectionViewportPosition(SegmentTableModel::BytesColumn) +
                header->sectionSize(SegmentTableModel::BytesColumn),
            table->viewport()->width());
}

TEST_F(WindowFixture, two_gpus_are_planned_shown_and_remembered_in_their_order) {
  m_gpus = {presentGpu("cuda:0", 3 * kGiB), presentGpu("cuda:1", 2 * kGiB)};
  makeWindow({});
  dropAndWait(kLarge);
  auto* tabs = find<QTabBar>("deviceTabs");
  EXPECT_EQ(tabs->count(), 3) << "both and the host";
  inRow<QToolButton>("device1", "moveDeviceUp")->click();
  auto* edit = inRow<QLineEdit>("device0", "headroomEdit");
  edit->setFocus();
  edit->selectAll();
  QTest::keyClicks(edit, QStringLiteral("512 MiB"));
  QTest::keyClick(edit, Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return tabs->tabText(0) == QStringLiteral("cuda:1"); }));
  const ModelMemory kept = m_controller->memory();
  const std::vector<ChosenDevice> expected{{QStringLiteral("cuda:1"), KeepFree{512 * kMiB}},
                                           {QStringLiteral("cuda:0"), KeepFree{384 * kMiB}},
                                           {QStringLiteral("cpu"), KeepFree{kGiB}}};
  EXPECT_EQ(kept.devices, expected);
  makeWindow({}, kept);
  dropAndWait(kLarge);
  EXPECT_TRUE(inRow<QComboBox>("device0", "devicePicker")->currentText().startsWith(QStringLiteral("cuda:1")));
  EXPECT_EQ(find<QTabBar>("deviceTabs")->tabText(0), QStringLiteral("cuda:1"));
  find<QPushButton>("loadButton")->click();
  ASSERT_EQ(m_engine.loads.size(), 1U);
  const MemoryPlan& plan = *m_engine.loads[0].plan;
  EXPECT_EQ(plan.devices[plan.options.devices[0].device].id, "cuda:1");
  EXPECT_EQ(plan.options.devices[0].headroom, HeadroomRule(KeepFree{512 * kMiB}));
}

TEST_F(WindowFixture, a_click_on_the_device_selects_its_name_for_typing) {
  dropAndWait(kSmall);
  auto* edit = find<QComboBox>("devicePicker")->lineEdit();
  find<QSpinBox>("batchSpin")->setFocus();
  QTest::mouseClick(edit, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return edit->hasSelectedText(); }));
  QTest::keyClicks(edit, "4090");
  EXPECT_EQ(edit->text(), QStringLiteral("4090"));
}

TEST_F(WindowFixture, what_is_taken_after_a_load_is_seen) {
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]), 4096);
  EXPECT_EQ(find<QLabel>("difference")->text(), QStringLiteral("+4.00 KiB"));
  MemoryReading reading = readingWith(*m_engine.loads[0].plan, 100, 1000);
  reading.grown = {.n_arenas = 3, .driver = 2 * kMiB, .heap = kMiB, .mapped = 2 * kMiB};
  emit m_engine.memoryRead(reading);
  EXPECT_EQ(find<QLabel>("takenSinceLoad")->text(),
            QStringLiteral("Taken since load: drivers 2.00 MiB, program 3.00 MiB, arenas 3"));
}

TEST_F(WindowFixture, cancel_asks_the_engine_and_leaves_the_plan) {
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  find<QPushButton>("cancelButton")->click();
  ASSERT_EQ(m_engine.stops.size(), 1U);
  emit m_engine.failed(m_engine.loads[0].id, {ErrorCode::kCancelled, Message::plain("stopped")});
  EXPECT_TRUE(find<QPushButton>("loadButton")->isEnabled());
  EXPECT_EQ(find<MessageBar>("messageBar")->count(), 0) << "the user's own doing is no error";
}

TEST_F(WindowFixture, errors_are_whole_sentences_that_wait_for_the_reader) {
  drop(QStringLiteral("/models/hello.txt"));
  auto* bar = find<MessageBar>("messageBar");
  ASSERT_TRUE(waitFor([&] { return bar->count() == 1; }));
  EXPECT_TRUE(bar->isVisible());
  EXPECT_TRUE(bar->sentence().contains(QStringLiteral("expected the magic")));
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  emit m_engine.failed(m_engine.loads[0].id,
                       {ErrorCode::kResource, Message::plain("cpu: asked for 5 GiB, 3 GiB free")});
  EXPECT_EQ(bar->count(), 2);
  EXPECT_TRUE(bar->sentence().contains(QStringLiteral("asked for 5 GiB")));
}

TEST_F(WindowFixture, a_file_of_a_model_that_is_not_run_is_told_whole_beside_what_is_loaded) {
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  const auto* bar = find<MessageBar>("messageBar");
  const auto *sentence = find<QLabel>("messageText"), *details = find<QLabel>("messageDetails");
  int n_told = 0;
  for (const test::RefusedSpec& spec : test::refused_specs()) {
    const QString path = QStringLiteral("/models/%1.gguf").arg(QString::fromStdString(spec.name));
    m_refusals[path] = test::refusalOf(path, spec);
    drop(path);
    ASSERT_TRUE(waitFor([&] { return bar->count() == n_told + 1; }));
    ++n_told;
    const std::string whole = (sentence->text() + QLatin1Char('\n') + details->text()).toStdString();
    EXPECT_EQ(whole, m_refusals[path].message);
    for (const QLabel* label : {sentence, details}) {
      EXPECT_TRUE(label->isVisible() && !label->text().isEmpty());
      EXPECT_TRUE(waitFor([label] { return label->height() >= label->heightForWidth(label->width()); }))
          << "cut off: " << spec.name;
    }
  }
  EXPECT_EQ(n_told, 10);
  EXPECT_EQ(find<QLabel>("modelName")->text().toStdString(), m_models[kSmall].name);
  EXPECT_EQ(m_engine.unloads, 0);
  EXPECT_EQ(m_engine.loads.size(), 1U);
}

TEST_F(WindowFixture, a_folder_with_safetensors_is_refused_with_what_can_be_opened) {
  QTemporaryDir folder;
  QFile file(folder.filePath(QStringLiteral("model.safetensors")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  drop(folder.path());
  auto* bar = find<MessageBar>("messageBar");
  ASSERT_TRUE(waitFor([bar] { return bar->count() == 1; }));
  EXPECT_TRUE(bar->sentence().contains(QStringLiteral("not yet supported")));
  EXPECT_TRUE(bar->sentence().contains(QStringLiteral("GGUF")));
}

TEST_F(WindowFixture, a_catalogue_device_answers_and_cannot_be_loaded_on) {
  dropAndWait(kLarge);
  auto* picker = find<QComboBox>("devicePicker");
  picker->lineEdit()->setText(QStringLiteral("3060"));
  QTest::keyClick(picker->lineEdit(), Qt::Key_Return);
  ASSERT_TRUE(
      waitFor([&] { return find<QLabel>("loadText")->text().contains(QStringLiteral("not in this machine")); }));
  EXPECT_TRUE(inRow<QComboBox>("device0", "devicePicker")->currentText().contains(QStringLiteral("RTX 3060")));
  EXPECT_FALSE(find<QPushButton>("loadButton")->isEnabled());
  EXPECT_TRUE(find<QSpinBox>("layersSpin")->isVisible());
}

TEST_F(WindowFixture, headroom_is_typed_exactly_and_has_two_meanings) {
  dropAndWait(kSmall);
  auto* edit = find<QLineEdit>("headroomEdit");
  edit->setFocus();
  edit->selectAll();
  QTest::keyClicks(edit, QStringLiteral("10.5 GiB"));
  QTest::keyClick(edit, Qt::Key_Return);
  ASSERT_TRUE(
      waitFor([&] { return find<QLabel>("verdictSentence")->text().startsWith(QStringLiteral("Does not fit by")); }));
  auto* rule = find<QComboBox>("headroomRule");
  rule->setCurrentIndex(1);
  emit rule->activated(1);
  // The other reading of the same limit.
  EXPECT_EQ(edit->text(), QStringLiteral("512 MiB"));
}

TEST_F(WindowFixture, readings_reach_the_chart_and_a_segment_lists_its_tensors) {
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  const auto plan = m_engine.loads[0].plan;
  emit m_engine.memoryRead(readingWith(*plan, 2048, 1'700'000'000'000));
  auto* bar = find<SegmentBar>("nowBar");
  EXPECT_EQ(bar->frame().of(Segment::Weights), plan->bytes_of(RegionGroup::kWeights));
  EXPECT_EQ(bar->frame().of(Segment::KvUsed), plan->bytes_of(RegionGroup::kKv) / 2);
  emit bar->segmentClicked(Segment::Weights);
  auto* dialog = m_window->findChild<RegionDialog*>();
  ASSERT_NE(dialog, nullptr);
  EXPECT_EQ(dialog->findChild<QTableView*>(QStringLiteral("regionTable"))->model()->rowCount(),
            static_cast<int>(m_models[kSmall].weights.size()));
  dialog->close();
}

TEST_F(WindowFixture, the_chart_is_written_in_four_formats) {
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  for (int i = 0; i < 10; ++i)
    emit m_engine.memoryRead(readingWith(*m_engine.loads[0].plan, 100, 1'700'000'000'000 + 200 * i));
  QTemporaryDir folder;
  QSignalSpy written(m_window.get(), &MainWindow::chartExported);
  const auto* bar = find<MessageBar>("messageBar");
  const std::map<QString, QByteArray> magic{{QStringLiteral("png"), "\x89PNG"},
                                            {QStringLiteral("svg"), "<?xml"},
                                            {QStringLiteral("csv"), "time_ms,"},
                                            {QStringLiteral("json"), "{"}};
  for (const auto& [ending, start] : magic) {
    const QString path = folder.filePath(QStringLiteral("chart.") + ending);
    written.clear();
    m_window->exportChart(path);
    ASSERT_TRUE(waitFor([&] { return written.count() == 1; })) << ending.toStdString();
    EXPECT_EQ(written[0][0].toString(), path);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly)) << ending.toStdString();
    EXPECT_EQ(file.read(start.size()), start) << ending.toStdString();
  }
  m_window->exportChart(folder.filePath(QStringLiteral("chart.bmp")));
  EXPECT_EQ(bar->count(), 1);
  EXPECT_TRUE(bar->sentence().contains(QStringLiteral(".svg"))) << bar->sentence().toStdString();
  m_window->exportChart(QStringLiteral("/nowhere/at/all/chart.csv"));
  ASSERT_TRUE(waitFor([&] { return bar->count() == 2; }));
  EXPECT_TRUE(bar->sentence().endsWith(QStringLiteral("there is no folder /nowhere/at/all.")))
      << bar->sentence().toStdString();
}

TEST_F(WindowFixture, opened_files_are_remembered_newest_first_and_the_layout_at_close) {
  dropAndWait(kSmall);
  dropAndWait(kLarge);
  dropAndWait(kSmall);
  EXPECT_EQ(m_controller->memory().recentFiles, (QStringList{kSmall, kLarge}));
  m_window->close();
  EXPECT_FALSE(m_settings->window().docks.isEmpty());
  EXPECT_FALSE(m_settings->window().geometry.isEmpty());
}

TEST_F(WindowFixture, closing_the_model_gives_everything_back) {
  dropAndWait(kSmall);
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  find<QAction>("actionClose")->trigger();
  EXPECT_EQ(m_engine.unloads, 1);
  EXPECT_FALSE(find<QLabel>("verdictSentence")->isVisible());
  EXPECT_FALSE(find<QAction>("actionClose")->isEnabled());
}

TEST_F(WindowFixture, no_field_of_the_docks_takes_a_dropped_file_for_text) {
  dropAndWait(kSmall);
  for (const char* name : {"memoryDock", "vramDock"}) {
    for (const QWidget* widget : m_window->findChild<QWidget*>(QLatin1String(name))->findChildren<QWidget*>()) {
      EXPECT_FALSE(widget->acceptDrops())
          << widget->metaObject()->className() << " " << widget->objectName().toStdString();
    }
  }
}

TEST_F(WindowFixture, every_control_has_a_name_for_screen_readers) {
  dropAndWait(kLarge);
  for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus || widget->inherits("QScrollArea") ||
        widget->inherits("QTabBar") || widget->inherits("QTabWidget") || widget->inherits("QLabel") ||
        widget->parentWidget()->inherits("QAbstractSpinBox") || widget->parentWidget()->inherits("QComboBox")) {
      continue;
    }
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    const bool isNamed = !widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty());
    EXPECT_TRUE(isNamed) << widget->metaObject()->className() << " " << widget->objectName().toStdString();
  }
}

}  // namespace
}  // namespace headroom::ui
