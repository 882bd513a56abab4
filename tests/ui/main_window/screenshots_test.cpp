// Pictures of the whole window in both themes, to be looked at; each is also checked for what a picture must show.
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPixmap>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTextBrowser>
#include <cstdio>

#include "tests/ui/main_window/refusal_of.h"
#include "tests/ui/main_window/window_fixture.h"

namespace headroom::ui {
namespace {

class Screenshots : public WindowFixture, public testing::WithParamInterface<ThemeChoice> {
 protected:
  void SetUp() override {
    WindowFixture::SetUp();
    m_theme.setChoice(GetParam());
  }

  void take(const QString& state, QSize size) {
    m_window->resize(size);
    // Layouts of scrolled pages settle over a few rounds, the chart's replot is queued, and fixes come from a worker:
    // on a busy machine a moment's picture was of rows that had not been given their height yet.
    QPixmap picture;
    QImage before;
    for (int i = 0; i < 30 && (i < 2 || picture.toImage() != before); ++i) {
      before = picture.toImage();
      QTest::qWait(60);
      picture = m_window->grab();
    }
    EXPECT_EQ(picture.deviceIndependentSize().toSize(), size) << "the window cannot be made this small";
    const QColor corner = picture.toImage().pixelColor(2, size.height() - 2);
    EXPECT_EQ(corner.lightness() < 128, GetParam() == ThemeChoice::Dark);
    QDir().mkpath(QStringLiteral(HEADROOM_SCREENSHOTS));
    const QString path = QStringLiteral("%1/%2-%3-%4.png")
                             .arg(QStringLiteral(HEADROOM_SCREENSHOTS), state,
                                  GetParam() == ThemeChoice::Dark ? QStringLiteral("dark") : QStringLiteral("light"))
                             .arg(size.width());
    ASSERT_TRUE(picture.save(path));
    std::printf("screenshot: %s\n", qPrintable(path));
  }

  void openLarge() { dropAndWait(kLarge); }
};

constexpr QSize kSmallScreen{1280, 800};
constexpr QSize kLargeScreen{1600, 1000};

TEST_P(Screenshots, before_anything_is_open) { take(QStringLiteral("1-empty"), kSmallScreen); }

TEST_P(Screenshots, a_plan_that_fits) {
  openLarge();
  take(QStringLiteral("2-fits"), kSmallScreen);
  take(QStringLiteral("2-fits"), kLargeScreen);
}

TEST_P(Screenshots, a_plan_that_does_not_fit) {
  m_freeBytes = 5 * kGiB;
  makeWindow({});
  openLarge();
  ASSERT_TRUE(
      waitFor([&] { return find<QLabel>("verdictSentence")->text().startsWith(QStringLiteral("Does not fit")); }));
  take(QStringLiteral("3-does-not-fit"), kSmallScreen);
  take(QStringLiteral("3-does-not-fit"), kLargeScreen);
}

TEST_P(Screenshots, loading) {
  openLarge();
  find<QPushButton>("loadButton")->click();
  emit m_engine.loadProgressed(m_engine.loads[0].id, kGiB + kGiB / 5,
                               m_engine.loads[0].plan->bytes_of(RegionGroup::kWeights));
  take(QStringLiteral("4-loading"), kSmallScreen);
}

TEST_P(Screenshots, loaded_with_readings) {
  openLarge();
  for (int i = 0; i < 40; ++i)
    emit m_engine.memoryRead(
        {1'700'000'000'000 + 1000 * i, QStringLiteral("cpu"), 16 * kGiB, m_freeBytes - 170 * kMiB, 170 * kMiB, 0, 0});
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kLarge]));
  for (int i = 0; i < 200; ++i) {
    emit m_engine.memoryRead(
        readingWith(*m_engine.loads[0].plan, static_cast<quint32>(20 * i), 1'700'000'040'000 + 200 * i));
  }
  find<QTabWidget>("planTabs")->setCurrentIndex(2);
  take(QStringLiteral("5-loaded"), kSmallScreen);
  take(QStringLiteral("5-loaded"), kLargeScreen);
}

TEST_P(Screenshots, a_catalogue_device_with_formulas) {
  openLarge();
  auto* picker = find<QComboBox>("devicePicker");
  picker->lineEdit()->setText(QStringLiteral("1650"));
  QTest::keyClick(picker->lineEdit(), Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return find<QSpinBox>("layersSpin")->isVisible(); }));
  find<QTabWidget>("planTabs")->setCurrentIndex(1);
  take(QStringLiteral("6-catalogue"), kLargeScreen);
}

TEST_P(Screenshots, two_gpus_and_the_host) {
  m_gpus = {presentGpu("cuda:0", 3 * kGiB), presentGpu("cuda:1", 2 * kGiB)};
  m_gpus[0].name = "RTX 3050";
  m_gpus[1].name = "Quadro P620 with a long name";
  makeWindow({});
  openLarge();
  find<QSpinBox>("ffnSpin")->setValue(6);
  const auto reading = [&](const DeviceInfo& device, Bytes ours, qint64 timeMs) {
    emit m_engine.memoryRead({timeMs, QString::fromStdString(device.id), device.total_bytes,
                              device.free_bytes - ours - 100 * kMiB, ours, 1024, 0});
  };
  ASSERT_TRUE(waitFor([&] { return find<QPushButton>("loadButton")->isEnabled(); }));
  find<QPushButton>("loadButton")->click();
  ASSERT_EQ(m_engine.loads.size(), 1U);
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kLarge]));
  const MemoryPlan& plan = *m_engine.loads[0].plan;
  for (int i = 0; i < 60; ++i) {
    for (const DeviceBudget& budget : plan.budgets)
      reading(plan.devices[budget.device], budget.planned + 150 * kMiB, 1'700'000'000'000 + 1000 * i);
  }
  take(QStringLiteral("10-two-gpus"), kSmallScreen);
  take(QStringLiteral("10-two-gpus"), QSize(1600, 1400));
}

TEST_P(Screenshots, a_card_that_pushed_some_of_the_model_out) {
  m_gpus = {presentGpu("vulkan:0", 6 * kGiB)};
  m_gpus[0].name = "AMD Radeon RX 6600";
  makeWindow({});
  openLarge();
  ASSERT_TRUE(waitFor([&] { return find<QPushButton>("loadButton")->isEnabled(); }));
  find<QPushButton>("loadButton")->click();
  ASSERT_EQ(m_engine.loads.size(), 1U);
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kLarge]));
  const MemoryPlan& plan = *m_engine.loads[0].plan;
  const auto card = std::find_if(plan.budgets.begin(), plan.budgets.end(), [&](const DeviceBudget& budget) {
    return plan.devices[budget.device].id == m_gpus[0].id;
  });
  ASSERT_NE(card, plan.budgets.end());
  const qint64 now = QDateTime::currentMSecsSinceEpoch();
  for (int i = 0; i < 60; ++i) {
    MemoryReading reading{now + 1000 * i, QStringLiteral("vulkan:0"), 6 * kGiB, 0, 0, 1024, 0};
    // Another program takes what it wants.
    reading.account.others = i < 30 ? 200 * kMiB : 2 * kGiB;
    reading.account.spilled = i < 30 ? 0 : kGiB + kGiB / 4;
    reading.account.confidence = MemoryConfidence::kEstimated;
    reading.account.doubt = Message::plain(
        "The system's figures disagree: the driver counts 1.00 GiB for this program, which holds 3.00 GiB.");
    reading.ours = card->planned + 150 * kMiB - reading.account.spilled;
    reading.free = reading.total - std::min(reading.total, reading.ours + *reading.account.others);
    emit m_engine.memoryRead(reading);
  }
  const auto* spill = find<QLabel>("spillText");
  EXPECT_TRUE(spill->isVisible() && spill->text().startsWith(QStringLiteral("1.25 GiB of the model was pushed out")));
  take(QStringLiteral("11-spilled"), kSmallScreen);
  take(QStringLiteral("11-spilled"), kLargeScreen);
}

TEST_P(Screenshots, a_quantized_cache_with_its_exact_ends) {
  openLarge();
  for (const char* name : {"keyType", "valueType"}) {
    auto* combo = find<QComboBox>(name);
    combo->setCurrentIndex(combo->findData(static_cast<int>(DType::kQ4_0)));
    emit combo->activated(combo->currentIndex());
  }
  auto* tabs = find<QTabWidget>("planTabs");
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("verdictSentence")->text().startsWith(QStringLiteral("Fits")); }));
  take(QStringLiteral("8-quantized-segments"), kLargeScreen);
  tabs->setCurrentIndex(1);
  auto* formulas = find<QTextBrowser>("formulaView");
  EXPECT_TRUE(formulas->toPlainText().contains(QStringLiteral("(128 first + 384 newest positions)")));
  EXPECT_TRUE(formulas->find(QStringLiteral("KV cache, exact values"))) << "scrolled to what is new";
  take(QStringLiteral("8-quantized-formulas"), kLargeScreen);
}

TEST_P(Screenshots, an_error) {
  openLarge();
  drop(QStringLiteral("/models/hello.txt"));
  ASSERT_TRUE(waitFor([&] { return find<QFrame>("messageBar")->isVisible(); }));
  take(QStringLiteral("7-error"), kSmallScreen);
}

TEST_P(Screenshots, files_of_models_that_are_not_run) {
  openLarge();
  const auto show = [&](const QString& path, const GgufWriter& writer, const QString& state) {
    m_refusals[path] = test::refusalOf(path, writer);
    drop(path);
    const QString sentence = QString::fromStdString(m_refusals[path].message.text()).section(QLatin1Char('\n'), 0, 0);
    ASSERT_TRUE(waitFor([&] { return find<QLabel>("messageText")->text() == sentence; }));
    take(state, kSmallScreen);
  };
  show(QStringLiteral("/models/GLM-4.7-Flash-UD-Q4_K_XL.gguf"), test::refused_gguf(test::glm47_flash()),
       QStringLiteral("12-refused-latent"));
  test::RefusedSpec nano = test::nemotron3_nano();
  nano.tensors["output.weight"] = 40;
  show(QStringLiteral("/models/Nemotron-3-Nano-30B-A3B-NVFP4-00001-of-00002.gguf"), test::refused_gguf(nano),
       QStringLiteral("12-refused-mamba"));
  GgufWriter projector;
  projector.set_string("general.architecture", "clip");
  projector.add_hole("v.patch_embd.weight", 1, {1024, 200000}, 1024 * 200000 * 2);
  show(QStringLiteral("/models/mmproj-F16.gguf"), projector, QStringLiteral("12-refused-projector"));
}

TEST_P(Screenshots, a_model_with_a_warning) {
  m_models[kLarge].warnings = {Message::plain(
      "The file does not say how its tokenizer splits words (tokenizer.ggml.pre is missing): a common rule is used. If "
      "the model was trained with another one, it reads some text differently and answers worse.")};
  openLarge();
  take(QStringLiteral("9-warning"), kSmallScreen);
}

INSTANTIATE_TEST_SUITE_P(Themes, Screenshots, testing::Values(ThemeChoice::Light, ThemeChoice::Dark),
                         [](const auto& row) { return row.param == ThemeChoice::Dark ? "dark" : "light"; });

}  // namespace
}  // namespace headroom::ui
