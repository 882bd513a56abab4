// The whole program with a model on the CPU and a GPU, of each kind that every machine has: a reference device, the
// Vulkan driver that computes on the CPU, and, where CUDA's kernels are compiled, the CUDA driver of
// tests/support/cuda.
#include <QDockWidget>
#include <ctime>

#include "backend/device_wait.h"
#include "backend/reference/reference_device.h"
#include "run/engine_thread.h"
#include "tests/app/app_gpu_fixture.h"
#if HEADROOM_HAS_VULKAN
#include "backend/vulkan/vulkan_faults.h"
#endif
#ifdef HEADROOM_FAKE_CUDA
#include "app/device_speed_store.h"
#include "app/native_path.h"
#include "base/usable_cores.h"
#endif

namespace headroom::app {
namespace {

// What the tests need of a kind of device.
struct GpuOfTests {
  const char* id;
  const char* variable;  // that makes it appear
  const char* value;
  const char* kernels;  // a part of what is said of them
  void (*loseAtSubmit)(std::uint32_t n);
  void (*take)(Bytes bytes);  // by another program
};
std::shared_ptr<ReferenceDevice> referenceDevice() { return shared_reference_device("reference:0", 64 * kMiB); }

class AppOnGpu : public AppGpuWindow, public testing::WithParamInterface<GpuOfTests> {
 protected:
  void SetUp() override {
    qputenv(GetParam().variable, GetParam().value);
    AppWindowTest::SetUp();
    if (HasFatalFailure()) return;
    // Until it is measured a device may be chosen or not; then by speeds, which neighbours of this machine share in.
    ASSERT_TRUE(waitFor([&] { return isMeasured(); }));
    if (!isChosen()) addGpu(gpu());
    ASSERT_TRUE(isChosen());
  }
  void TearDown() override {
    GetParam().loseAtSubmit(0);
    GetParam().take(0);
    m_app.reset();
    qunsetenv(GetParam().variable);
  }

  QString gpu() const override { return QLatin1StringView(GetParam().id); }
};

TEST_P(AppOnGpu, a_model_is_split_planned_loaded_chatted_with_loaded_anew_and_closed) {
  const auto* picker = find<QWidget>("device0")->findChild<QComboBox*>("devicePicker");
  EXPECT_TRUE(picker->toolTip().contains(GetParam().kernels)) << picker->toolTip().toStdString();
  openSplit();
  EXPECT_TRUE(waitFor([&] { return verdict().startsWith("Fits:"); })) << verdict().toStdString();
  EXPECT_FALSE(find<QLabel>("remarks")->text().contains("planned for")) << "the user has chosen";

  // "At most" of one device, then what fits again.
  auto* edit = find<QWidget>("device0")->findChild<QLineEdit*>("headroomEdit");
  auto* rule = find<QWidget>("device0")->findChild<QComboBox*>("headroomRule");
  const auto allow = [&](const char* most) {
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, most);
    QTest::keyClick(edit, Qt::Key_Return);
  };
  choose(rule, 1);
  allow("4 KiB");
  ASSERT_TRUE(waitFor([&] { return verdict().startsWith("Does not fit"); })) << verdict().toStdString();
  EXPECT_FALSE(loadButton()->isEnabled());
  allow("1 GiB");  // a driver that computes on the CPU holds tens of MiB of the same memory
  ASSERT_TRUE(waitFor([&] { return verdict().startsWith("Fits:"); })) << verdict().toStdString();

  const auto plannedCache = [&] {
    return legend(ui::Segment::KvReserved, ui::LegendModel::PlanColumn, Qt::DisplayRole).toString();
  };
  const QString before = plannedCache();
  for (const char* type : {"keyType", "valueType"}) choose(find<QComboBox>(type), find<QComboBox>(type)->count() - 1);
  ASSERT_TRUE(waitFor([&] { return plannedCache() != before; }));
  loadBy(loadButton());
  if (HasFatalFailure()) return;
  agreeToTemplate();

  // The chart has the device, live and planned.
  auto* tabs = find<QTabBar>("deviceTabs");
  EXPECT_GE(tabs->count(), 2);
  EXPECT_TRUE(waitFor([&] { return find<QLabel>("actual")->text() != QStringLiteral("\u2013"); }));
  for (int tab = 0; tab < tabs->count(); ++tab) {
    tabs->setCurrentIndex(tab);
    EXPECT_TRUE(waitFor([&] { return find<QLabel>("predicted")->text() == find<QLabel>("actual")->text(); }))
        << tabs->tabText(tab).toStdString() << ": " << find<QLabel>("actual")->text().toStdString();
  }

  ask("hello");
  EXPECT_GT(lastText().size(), 0);
  type("other");
  ASSERT_TRUE(waitFor([&] { return m_app->chat().session().activity() != ui::Activity::Reading; }));
  QTest::keyClick(find<QPlainTextEdit>("messageEdit"), Qt::Key_Escape);
  ASSERT_TRUE(answered());

  // Another context keeps the weights.
  find<QSpinBox>("contextSpin")->setValue(384);
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("loadText")->text().contains("keeps the weights"); }))
      << find<QLabel>("loadText")->text().toStdString() << '\n'
      << verdict().toStdString();
  loadBy(loadButton());
  if (HasFatalFailure()) return;
  EXPECT_EQ(m_app->chat().session().context().length, 384U);
  ask("more");
  EXPECT_GT(lastText().size(), 0);

  QSignalSpy unloaded(&m_app->engine(), &ui::EnginePort::modelUnloaded);
  find<QAction>("actionClose")->trigger();
  EXPECT_TRUE(waitFor([&] { return unloaded.count() == 1; }));
}

// As after the machine slept, or a driver was reset.
TEST_P(AppOnGpu, a_device_that_is_lost_in_an_answer_is_named_and_one_click_loads_the_model_again) {
  openSplit();
  loadBy(loadButton());
  if (HasFatalFailure()) return;
  agreeToTemplate();
  ask("hello");
  const QStringList before = tree().path();
  const QString told = lastText();

  GetParam().loseAtSubmit(8);
  ask("other");
  auto* banner = find<QWidget>("troubleBar");
  ASSERT_TRUE(banner->isVisible());
  const QString sentence = find<QLabel>("troubleText")->text();
  EXPECT_TRUE(sentence.contains(gpu()) && sentence.contains(": the device was lost")) << sentence.toStdString();
  EXPECT_EQ(tree().path().mid(0, before.size()), before);
  EXPECT_EQ(tree().find(before.last())->text, told);
  EXPECT_TRUE(loadButton()->isEnabled()) << "the calculator offers it, too";
  EXPECT_TRUE(find<QLabel>("loadText")->text().contains("was lost")) << find<QLabel>("loadText")->text().toStdString();
  grabBothThemes("lost-" + gpu().section(':', 0, 0));

  loadBy(find<QPushButton>("loadAgain"));
  if (HasFatalFailure()) return;
  EXPECT_FALSE(banner->isVisible()) << find<QLabel>("troubleText")->text().toStdString();
  EXPECT_FALSE(loadButton()->isEnabled()) << "as planned";
  EXPECT_EQ(tree().path().mid(0, before.size()), before);
  ask("again");
  EXPECT_FALSE(banner->isVisible()) << find<QLabel>("troubleText")->text().toStdString();
  EXPECT_GT(lastText().size(), 0);
}

TEST_P(AppOnGpu, a_device_that_is_lost_can_be_done_without_and_the_conversation_goes_on_on_the_cpu) {
  openSplit();
  loadBy(loadButton());
  if (HasFatalFailure()) return;
  agreeToTemplate();
  ask("hello");
  const QStringList before = tree().path();
  GetParam().loseAtSubmit(8);
  ask("other");
  loadBy(find<QPushButton>("loadWithout"), {"cpu"});
  if (HasFatalFailure()) return;
  EXPECT_FALSE(isChosen());
  EXPECT_FALSE(find<QWidget>("troubleBar")->isVisible()) << find<QLabel>("troubleText")->text().toStdString();
  EXPECT_EQ(tree().path().mid(0, before.size()), before);
  ask("again");
  EXPECT_FALSE(find<QWidget>("troubleBar")->isVisible()) << find<QLabel>("troubleText")->text().toStdString();
  EXPECT_GT(lastText().size(), 0);

  // It is chosen again, and what it had before is given back.
  addGpu(gpu());
  find<QSlider>("layersSlider")->setValue(find<QSlider>("layersSlider")->maximum() / 2);
  loadBy(loadButton());
  if (HasFatalFailure()) return;
  ask("and again");
  EXPECT_GT(lastText().size(), 0);
}

TEST_P(AppOnGpu, memory_that_another_program_took_is_told_and_what_is_loaded_answers_on) {
  openSplit();
  ASSERT_TRUE(waitFor([&] { return loadButton()->isEnabled(); }));
  GetParam().take(1024 * kGiB);
  loadButton()->click();
  ASSERT_TRUE(waitFor([&] { return verdict().startsWith("Does not fit"); })) << verdict().toStdString();
  ask("hello");
  EXPECT_GT(lastText().size(), 0) << "of the model that was loaded before";
}

const GpuOfTests kReference{"reference:0",
                            kReferenceVariable,
                            "64MiB",
                            "",
                            [](std::uint32_t n) { referenceDevice()->faults().lose_at_submit = n; },
                            [](Bytes bytes) { referenceDevice()->faults().taken = std::min(bytes, 64 * kMiB); }};
std::string kindOf(const testing::TestParamInfo<GpuOfTests>& each) {
  return QString(QLatin1StringView(each.param.id)).section(':', 0, 0).toStdString();
}
INSTANTIATE_TEST_SUITE_P(Reference, AppOnGpu, testing::Values(kReference), kindOf);

// tests/gpu_contract holds that nothing waits again for a device of Vulkan or CUDA, either.
class AppThatHangs : public AppOnGpu {
 protected:
  void SetUp() override {
    AppOnGpu::SetUp();
    if (HasFatalFailure()) return;
    openSplit();
    loadBy(loadButton());
    if (HasFatalFailure()) return;
    agreeToTemplate();
    ask("hello");
    m_before = tree().path();
    device_wait_limit() = std::chrono::milliseconds(300);
    referenceDevice()->faults().hang_at_submit = 8;
    ask("other");
    device_wait_limit() = kDeviceWaitLimit;  // whoever waits again, waits for a minute
  }
  void TearDown() override {
    device_wait_limit() = kDeviceWaitLimit;
    referenceDevice()->faults().hang_at_submit = 0;
    AppOnGpu::TearDown();
    referenceDevice()->faults().hangs = false;
  }

  QStringList m_before;  // the conversation up to the answer that did not come
};

TEST_P(AppThatHangs, a_device_that_never_answers_is_named_and_the_conversation_goes_on_on_the_cpu) {
  EXPECT_TRUE(find<QWidget>("troubleBar")->isVisible());
  const QString sentence = find<QLabel>("troubleText")->text();
  EXPECT_TRUE(sentence.contains("reference:0: no answer within 0.3 s while computing a step"))
      << sentence.toStdString();
  EXPECT_EQ(tree().path().mid(0, m_before.size()), m_before);
  grab("device-that-hangs");
  loadBy(find<QPushButton>("loadWithout"), {"cpu"});
  if (HasFatalFailure()) return;
  EXPECT_FALSE(find<QWidget>("troubleBar")->isVisible()) << find<QLabel>("troubleText")->text().toStdString();
  ask("again");
  EXPECT_GT(lastText().size(), 0);
}

TEST_P(AppThatHangs, neither_the_next_question_nor_the_end_of_the_window_waits_for_a_device_that_was_given_up) {
  const auto start = std::chrono::steady_clock::now();
  ask("again");
  const QString sentence = find<QLabel>("troubleText")->text();
  EXPECT_TRUE(sentence.contains("reference:0: the device was given up")) << sentence.toStdString();
  m_app->window().close();
  m_app.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, kEndLimit);
  EXPECT_EQ(EngineThread::n_left_behind(), 0U);
}
INSTANTIATE_TEST_SUITE_P(Reference, AppThatHangs, testing::Values(kReference), kindOf);
#if HEADROOM_HAS_VULKAN
const GpuOfTests kVulkan{"vulkan:0",
                         "HEADROOM_VULKAN_SOFTWARE",
                         "1",
                         "Vulkan, tier",
                         [](std::uint32_t n) { vulkan_faults().lose_at_submit = n; },
                         [](Bytes bytes) { vulkan_faults().taken = bytes; }};
INSTANTIATE_TEST_SUITE_P(Vulkan, AppOnGpu, testing::Values(kVulkan), kindOf);
#endif
#ifdef HEADROOM_FAKE_CUDA
const GpuOfTests kCuda{"cuda:0",
                       kCudaVariable,
                       "1",
                       "CUDA, compute capability 9.0",
                       [](std::uint32_t n) { test::fake_cuda().lose_at_launch = n; },
                       [](Bytes bytes) { test::fake_cuda().taken[0] = bytes; }};
INSTANTIATE_TEST_SUITE_P(Cuda, AppOnGpu, testing::Values(kCuda), kindOf);

// The card is there still, and so is what was loaded.
using AppOnCuda = AppOnGpu;
TEST_P(AppOnCuda, a_launch_that_fails_ends_the_answer_by_the_devices_name_and_the_next_one_comes) {
  openSplit();
  loadBy(loadButton());
  if (HasFatalFailure()) return;
  agreeToTemplate();
  ask("hello");
  const QStringList before = tree().path();
  test::FakeCuda& driver = test::fake_cuda();
  driver.failing_call = "cuLaunchKernelEx";
  driver.failure = 701;  // too many resources were asked for
  driver.fail_at = 1;
  ask("other");
  EXPECT_EQ(driver.fail_at, 0U) << "it was reached";
  const auto* banner = find<QWidget>("troubleBar");
  EXPECT_TRUE(banner->isVisible());
  const QString sentence = find<QLabel>("troubleText")->text();
  EXPECT_TRUE(sentence.contains("Fake GPU 0 (cuda:0): ") && sentence.contains("701")) << sentence.toStdString();
  EXPECT_TRUE(find<QPushButton>("loadWithout")->isVisible());
  EXPECT_EQ(m_app->window().findChild<QPushButton*>("loadAgain"), nullptr);
  EXPECT_EQ(tree().path().mid(0, before.size()), before);
  ask("again");
  EXPECT_FALSE(banner->isVisible()) << find<QLabel>("troubleText")->text().toStdString();
  EXPECT_GT(lastText().size(), 0);
}

// With speeds that an earlier start kept: a card for which a small model's prompts are worth the way.
class AppThatStreams : public AppOnGpu {
 protected:
  void SetUp() override {
    qputenv(GetParam().variable, GetParam().value);
    const Result<std::vector<DeviceInfo>> devices = probe_devices(usable_cores());
    ASSERT_TRUE(devices.ok());
    DeviceSpeedStore speeds =
        DeviceSpeedStore::read(toNativePath(QDir(m_data.path()).filePath(QLatin1StringView(kDeviceSpeedFile))));
    for (const DeviceInfo& device : *devices) {
      const bool isCpu = device.kind == DeviceKind::kCpu;
      speeds.put_measured(device, {isCpu ? DeviceSpeed{1e9, 16e9, 2e-6, 1e8} : DeviceSpeed{5e11, 24e9, 4e-6, 6e13}, {}},
                          std::time(nullptr));
    }
    ASSERT_TRUE(speeds.write().ok());
    AppOnGpu::SetUp();
  }
};

TEST_P(AppThatStreams, a_prompt_is_read_with_weights_that_are_streamed_and_the_plan_says_so) {
  openSplit();
  EXPECT_TRUE(waitFor([&] { return find<QLabel>("remarks")->text().contains("are streamed to Fake GPU 0"); }))
      << find<QLabel>("remarks")->text().toStdString();
  loadBy(loadButton());
  if (HasFatalFailure()) return;
  agreeToTemplate();
  std::uint64_t& nWaits = test::fake_cuda().n_calls["cuStreamWaitEvent"];
  const std::uint64_t before = nWaits;
  ask("a prompt that is long enough for streaming: it has some tens of tokens, most of them a byte");
  EXPECT_GT(nWaits, before) << "weights were uploaded";
  EXPECT_FALSE(find<QWidget>("troubleBar")->isVisible()) << find<QLabel>("troubleText")->text().toStdString();
  EXPECT_GT(lastText().size(), 0);
  grab("streamed-weights");
}
INSTANTIATE_TEST_SUITE_P(Cuda, AppThatStreams, testing::Values(kCuda), kindOf);
INSTANTIATE_TEST_SUITE_P(Cuda, AppOnCuda, testing::Values(kCuda), kindOf);
#endif

}  // namespace
}  // namespace headroom::app
