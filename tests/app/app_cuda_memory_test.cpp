// The window of a machine with a card of CUDA that other programs are on, too: whose memory is shown as whose. The card
// and NVML are those of tests/support/cuda, which knows what was allocated.
#include <QTabBar>

#include "tests/app/app_gpu_fixture.h"

#ifdef HEADROOM_FAKE_CUDA

namespace headroom::app {
namespace {

using ui::LegendModel;
using ui::Segment;

constexpr Bytes kTotal = 2 * kGiB, kOthers = 300 * kMiB;
constexpr int kNoPermission = 4, kNoSuchCard = 6;

class AppCudaMemory : public AppGpuWindow {
 protected:
  void SetUp() override {
    qputenv(kCudaVariable, "1");
    take(kOthers);
    AppWindowTest::SetUp();
    if (HasFatalFailure()) return;
    // Its speed is measured when the program starts for the first time, which the starter model may load on it, too.
    ASSERT_TRUE(waitFor([&] { return QFile::exists(m_data.filePath(QLatin1String(kDeviceSpeedFile))); }));
    m_app.reset();
    m_nOpened = m_fake.n_calls["cuDevicePrimaryCtxRetain"];
    start();
    ASSERT_FALSE(HasFatalFailure() || isChosen());
  }
  void TearDown() override {
    m_app.reset();
    take(0);
    m_fake.nvml_memory_error = m_fake.nvml_card_error = 0;
    qunsetenv(kCudaVariable);
  }
  QString gpu() const override { return QStringLiteral("cuda:0"); }
  void take(Bytes bytes) { m_fake.taken[0] = bytes; }

  // The card in the chart, and its figures there.
  void showCard() {
    auto* tabs = find<QTabBar>("deviceTabs");
    ASSERT_TRUE(waitFor([&] { return tabs->count() == 2; }));
    tabs->setCurrentIndex(tabs->tabText(0).contains("Fake") ? 0 : 1);
    ASSERT_TRUE(tabs->tabText(tabs->currentIndex()).contains("Fake")) << tabs->tabText(0).toStdString();
  }
  QString now(Segment segment) { return legend(segment, LegendModel::NowColumn, Qt::DisplayRole).toString(); }
  QString tip(Segment segment) { return legend(segment, LegendModel::NowColumn, Qt::ToolTipRole).toString(); }
  Bytes bytesNow(Segment segment) { return tip(segment).section(" B", 0, 0).remove(',').toULongLong(); }
  bool says(const QString& text) {
    for (const QLabel* label : m_app->window().findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().contains(text)) return true;
    }
    return false;
  }

  test::FakeCuda& m_fake = test::fake_cuda();
  std::uint64_t m_nOpened = 0;  // contexts, before the second start
};

TEST_F(AppCudaMemory, a_card_is_planned_for_without_being_opened_and_what_others_hold_of_it_is_shown) {
  addGpu(gpu());
  openSplit();
  ASSERT_TRUE(waitFor([&] { return verdict().startsWith("Fits:"); })) << verdict().toStdString();
  EXPECT_TRUE(verdict().contains("of 1.71 GiB")) << verdict().toStdString();
  showCard();
  ASSERT_TRUE(waitFor([&] { return now(Segment::Others) == "300 MiB"; })) << now(Segment::Others).toStdString();
  EXPECT_EQ(bytesNow(Segment::Headroom) + bytesNow(Segment::Free), kTotal - kOthers);
  for (const Segment ours :
       {Segment::Weights, Segment::KvUsed, Segment::KvReserved, Segment::Activations, Segment::Driver})
    EXPECT_EQ(bytesNow(ours), 0U) << segmentName(ours).toStdString();
  grabBothThemes("cuda-planned");
  take(kGiB);
  EXPECT_TRUE(waitFor([&] { return now(Segment::Others) == "1.00 GiB"; })) << now(Segment::Others).toStdString();
  EXPECT_TRUE(waitFor([&] { return verdict().contains("of 1.00 GiB"); })) << verdict().toStdString();
  EXPECT_EQ(m_fake.n_calls["cuDevicePrimaryCtxRetain"], m_nOpened);
  EXPECT_EQ(m_fake.n_contexts, 0);
}

TEST_F(AppCudaMemory, the_segments_of_a_loaded_card_are_what_is_in_use_of_it) {
  addGpu(gpu());
  openSplit();
  loadBy(loadButton());
  if (HasFatalFailure()) return;
  agreeToTemplate();
  showCard();
  ask("hello");
  ASSERT_TRUE(waitFor([&] { return bytesNow(Segment::KvUsed) > 0; }));
  EXPECT_EQ(bytesNow(Segment::Weights) + bytesNow(Segment::KvUsed) + bytesNow(Segment::KvReserved) +
                bytesNow(Segment::Activations),
            m_fake.device_bytes);
  for (const Segment ours : {Segment::Weights, Segment::KvReserved, Segment::Activations})
    EXPECT_GT(bytesNow(ours), 0U) << segmentName(ours).toStdString();
  EXPECT_EQ(bytesNow(Segment::Driver), test::kFakeContextBytes);
  EXPECT_EQ(bytesNow(Segment::Others), kOthers);
  EXPECT_EQ(bytesNow(Segment::Headroom) + bytesNow(Segment::Free),
            kTotal - kOthers - test::kFakeContextBytes - m_fake.device_bytes);
  EXPECT_TRUE(verdict().startsWith("Fits:") && verdict().contains("of 1.71 GiB"))
      << "for the plan the driver's share is not taken twice: " << verdict().toStdString();
  grabBothThemes("cuda-memory");
}

TEST_F(AppCudaMemory,
       what_another_program_takes_beside_a_loaded_model_is_shown_as_its_own_and_a_larger_plan_is_refused) {
  addGpu(gpu());
  openSplit();
  loadBy(loadButton());
  if (HasFatalFailure()) return;
  agreeToTemplate();
  showCard();
  ASSERT_TRUE(waitFor([&] { return bytesNow(Segment::Weights) > 0; }));
  const Bytes weights = bytesNow(Segment::Weights), activations = bytesNow(Segment::Activations);
  // All but 2 MiB: the smallest step in which this card is planned with.
  const Bytes taken = kTotal - test::kFakeContextBytes - m_fake.device_bytes - 2 * kMiB;
  take(taken);
  ASSERT_TRUE(waitFor([&] { return bytesNow(Segment::Others) == taken; })) << now(Segment::Others).toStdString();
  EXPECT_EQ(bytesNow(Segment::Weights), weights);
  EXPECT_EQ(bytesNow(Segment::Activations), activations);
  EXPECT_EQ(bytesNow(Segment::Driver), test::kFakeContextBytes);
  find<QSpinBox>("contextSpin")->setValue(262144);
  ASSERT_TRUE(waitFor([&] { return verdict().startsWith("Does not fit"); })) << verdict().toStdString();
  EXPECT_TRUE(verdict().contains("Fake GPU 0 is asked for") && verdict().contains("other programs hold 1."))
      << verdict().toStdString();
  EXPECT_FALSE(loadButton()->isEnabled());
  grabBothThemes("cuda-taken");
  ask("hello");
  EXPECT_GT(lastText().size(), 0);
}

TEST_F(AppCudaMemory, what_nvml_does_not_tell_is_said_to_be_unknown_until_it_tells) {
  addGpu(gpu());
  openSplit();
  loadBy(loadButton());
  if (HasFatalFailure()) return;
  agreeToTemplate();
  showCard();
  const QString unknown = "what other programs hold is not known";
  const QString remark = "What other programs hold of Fake GPU 0 is not known";
  EXPECT_FALSE(says(unknown) || says(remark));
  m_fake.nvml_memory_error = kNoPermission;
  ASSERT_TRUE(waitFor([&] { return now(Segment::Others) == "not known"; })) << now(Segment::Others).toStdString();
  EXPECT_TRUE(tip(Segment::Others).contains("NVML tells nothing of 0000:65:00.0 (error 4)"))
      << tip(Segment::Others).toStdString();
  EXPECT_EQ(legend(Segment::Others, LegendModel::PlanColumn, Qt::DisplayRole), "not known");
  EXPECT_TRUE(now(Segment::Free).startsWith(QString::fromUtf8("\u2264 "))) << now(Segment::Free).toStdString();
  EXPECT_EQ(bytesNow(Segment::Driver), test::kFakeContextBytes) << "what was seen of it";
  EXPECT_TRUE(says(unknown));
  EXPECT_TRUE(waitFor([&] { return says(remark); })) << find<QLabel>("remarks")->text().toStdString();
  grabBothThemes("cuda-unknown");
  m_fake.nvml_memory_error = 0;
  EXPECT_TRUE(waitFor([&] { return now(Segment::Others) == "300 MiB" && !says(unknown) && !says(remark); }));
}

// As where there is no NVML.
TEST_F(AppCudaMemory, a_card_of_which_nvml_never_told_is_planned_for_and_loaded_with_what_is_known) {
  m_fake.nvml_card_error = kNoSuchCard;
  addGpu(gpu());
  openSplit();
  ASSERT_TRUE(waitFor([&] { return says("What other programs hold of Fake GPU 0 is not known"); }));
  loadBy(loadButton());
  if (HasFatalFailure()) return;
  agreeToTemplate();
  showCard();
  ASSERT_TRUE(waitFor([&] { return bytesNow(Segment::Weights) > 0; }));
  EXPECT_EQ(now(Segment::Others), "not known");
  EXPECT_EQ(now(Segment::Driver), "not known");
  EXPECT_EQ(legend(Segment::Driver, LegendModel::PlanColumn, Qt::DisplayRole), "64.0 MiB") << "measured before";
  EXPECT_TRUE(verdict().startsWith("Fits:")) << verdict().toStdString();
  ask("hello");
  EXPECT_GT(lastText().size(), 0);
  // What the driver refuses is told with what was asked, and what it has left.
  take(kTotal - test::kFakeContextBytes - m_fake.device_bytes - 3 * kMiB);
  find<QSpinBox>("contextSpin")->setValue(262144);
  ASSERT_TRUE(waitFor([&] { return loadButton()->isEnabled() && find<QLabel>("loadText")->text().contains("keeps"); }))
      << find<QLabel>("loadText")->text().toStdString();
  loadButton()->click();
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("messageText")->text().contains("cuda:0: asked for"); }))
      << find<QLabel>("messageText")->text().toStdString();
  // 2 MiB of the old session are given back first.
  EXPECT_TRUE(find<QLabel>("messageText")->text().contains("free 5.00 MiB (5242880 bytes), refused by the driver"))
      << find<QLabel>("messageText")->text().toStdString();
  grabBothThemes("cuda-refused");
}

}  // namespace
}  // namespace headroom::app

#endif
