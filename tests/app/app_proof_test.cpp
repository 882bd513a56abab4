// The window at the first sight of a card: the CPU answers while it is checked in another process, it is offered once
// it has passed, and a card that fails takes nothing with it. The card is that of tests/support/cuda.
#include <QFile>
#include <QProcess>
#include <QStatusBar>

#include "tests/app/app_gpu_fixture.h"

#ifdef HEADROOM_FAKE_CUDA

#include "app/prove/verdict_store.h"

namespace headroom::app {
namespace {

class AppProof : public AppWindowTest {
 protected:
  void SetUp() override {}  // each test says what the card does
  void TearDown() override {
    m_app.reset();
    for (const char* name : {test::kFakeCudaFault, kProofSizeVariable}) qunsetenv(name);
    test::fake_cuda().lose_at_launch = 0;
  }
  std::string program() const override { return HEADROOM_PROGRAM; }
  void startWith(const char* fault) {
    qunsetenv(kCudaVariable);
    qputenv(kProofSizeVariable, "brief");
    qputenv(test::kFakeCudaFault, fault);
    start();
  }
  QString said() { return m_app->window().findChild<ui::MessageBar*>()->sentence(); }
  Proof proofNow() {
    Result<std::vector<DeviceInfo>> devices = probe_devices();
    EXPECT_TRUE(devices.ok());
    VerdictStore::read(toNativePath(m_data.filePath(QLatin1String(kVerdictFile)))).fill(*devices);
    const auto card = std::ranges::find(*devices, "cuda:0", &DeviceInfo::id);
    return card == devices->end() ? Proof::kNotNeeded : card->proof;
  }
  QString itemOf(const QString& id) {
    auto* picker = find<QWidget>("hostRow")->findChild<QComboBox*>("devicePicker");
    const int row = picker->findData(id);
    return row < 0 ? QString() : picker->itemText(row);
  }
  bool isPlanned(const QString& id) {
    for (const QComboBox* picker : m_app->window().findChildren<QComboBox*>("devicePicker")) {
      if (picker->isVisible() && picker->currentData().toString() == id) return true;
    }
    return false;
  }
};

TEST_F(AppProof, a_card_that_passes_is_told_of_and_planned_for_and_the_cpu_answers_until_then) {
  startWith("");
  if (HasFatalFailure()) return;
  EXPECT_TRUE(itemOf("cuda:0").endsWith(", not checked yet")) << itemOf("cuda:0").toStdString();
  EXPECT_FALSE(isPlanned("cuda:0"));
  ASSERT_TRUE(waitFor([&] { return m_app->window().statusBar()->currentMessage().startsWith("Checking Fake GPU 0"); }));
  grabBothThemes("proof-running");
  type("hello");
  EXPECT_TRUE(answered());
  ASSERT_TRUE(waitFor([&] { return said().startsWith("Fake GPU 0 (CUDA) was checked: "); })) << said().toStdString();
  EXPECT_EQ(proofNow(), Proof::kPassed);
  EXPECT_TRUE(waitFor([&] { return !itemOf("cuda:0").contains("check"); })) << itemOf("cuda:0").toStdString();
  grabBothThemes("proof-passed");
}

TEST_F(AppProof, a_card_that_crashes_its_driver_takes_nothing_with_it_and_can_be_checked_again) {
  startWith("crash@20");
  if (HasFatalFailure()) return;
  ASSERT_TRUE(waitFor([&] { return said().startsWith("Fake GPU 0 (CUDA) failed its check"); })) << said().toStdString();
  const QString details = find<QLabel>("messageDetails")->text();
  EXPECT_TRUE(details.contains("the driver crashed (Segmentation fault) at ")) << details.toStdString();
  EXPECT_EQ(proofNow(), Proof::kFailed);
  ASSERT_TRUE(waitFor([&] { return itemOf("cuda:0").endsWith(", failed its check"); }));
  EXPECT_FALSE(isPlanned("cuda:0"));
  EXPECT_TRUE(find<QLabel>("failedCards")->text().startsWith("Fake GPU 0 (CUDA) failed its check"));
  type("hello");
  EXPECT_TRUE(answered());
  grabBothThemes("proof-failed");
  qunsetenv(test::kFakeCudaFault);
  find<QAction>("actionCheckGpus")->trigger();
  EXPECT_TRUE(waitFor([&] { return said().startsWith("Fake GPU 0 (CUDA) was checked: "); })) << said().toStdString();
  EXPECT_EQ(proofNow(), Proof::kPassed);
}

TEST_F(AppProof, a_window_that_closes_while_a_card_is_checked_leaves_no_verdict) {
  startWith("");
  if (HasFatalFailure()) return;
  ASSERT_TRUE(waitFor([&] { return m_app->window().statusBar()->currentMessage().startsWith("Checking Fake GPU 0"); }));
  m_app.reset();
  EXPECT_EQ(proofNow(), Proof::kMissing);
}

TEST_F(AppProof, a_program_that_is_asked_to_end_while_a_card_is_checked_leaves_no_verdict) {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.remove(kCudaVariable);
  environment.insert(kProofSizeVariable, "brief");
  environment.insert("HEADROOM_DATA_DIR", m_data.path());
  QProcess program;
  program.setProcessEnvironment(environment);
  program.start(HEADROOM_PROGRAM, QStringList());
  ASSERT_TRUE(waitFor([&] {
    QFile verdicts(m_data.filePath(QLatin1String(kVerdictFile)));
    return verdicts.open(QIODevice::ReadOnly) && verdicts.readAll().contains("running");
  }));
  program.terminate();
  ASSERT_TRUE(program.waitForFinished(60'000));
  EXPECT_EQ(program.exitStatus(), QProcess::NormalExit);
  EXPECT_EQ(proofNow(), Proof::kMissing);
}

TEST_F(AppProof, a_check_that_took_the_program_with_it_is_told_of_once) {
  qunsetenv(kCudaVariable);
  Result<std::vector<DeviceInfo>> devices = probe_devices();
  ASSERT_TRUE(devices.ok());
  const auto card = std::ranges::find(*devices, "cuda:0", &DeviceInfo::id);
  ASSERT_NE(card, devices->end());
  VerdictStore store = VerdictStore::read(toNativePath(m_data.filePath(QLatin1String(kVerdictFile))));
  store.put(*card, {.kind = Verdict::Kind::kRunning, .device = {}, .what_failed = {}, .process = "999999999 of 7"});
  ASSERT_TRUE(store.write().ok());
  startWith("");
  if (HasFatalFailure()) return;
  EXPECT_TRUE(said().startsWith("Fake GPU 0 (CUDA) failed its check")) << said().toStdString();
  EXPECT_TRUE(find<QLabel>("messageDetails")->text().contains("began and did not end"));
  EXPECT_EQ(proofNow(), Proof::kFailed);
  m_app.reset();
  startWith("");
  if (HasFatalFailure()) return;
  EXPECT_EQ(said(), "");
  EXPECT_EQ(proofNow(), Proof::kFailed);
}

TEST_F(AppProof, a_card_that_is_lost_while_it_computes_has_to_be_checked_again) {
  startWith("");
  if (HasFatalFailure()) return;
  ASSERT_TRUE(waitFor([&] { return said().startsWith("Fake GPU 0 (CUDA) was checked: "); })) << said().toStdString();
  // It may have been taken already, by what was measured of it.
  EXPECT_TRUE(waitFor([&] { return isPlanned("cuda:0") || !itemOf("cuda:0").isEmpty(); }));
  if (!isPlanned("cuda:0")) addGpu("cuda:0");
  auto* load = find<QPushButton>("loadButton");
  ASSERT_TRUE(waitFor([&] { return load->isEnabled(); }));
  QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
  load->click();
  ASSERT_TRUE(loaded.wait(120'000));
  test::fake_cuda().lose_at_launch = 1;
  type("hello");
  EXPECT_TRUE(answered());
  EXPECT_TRUE(waitFor([&] { return proofNow() == Proof::kFailed; }));
}

}  // namespace
}  // namespace headroom::app

#endif
