#include "ui/model/model_opener.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <semaphore>

#include "ui/background/background.h"

#include "ui/format/message_words.h"

namespace headroom::ui {
namespace {

// Reads of a name with "slow" in it wait until the test lets them go.
class ModelOpenerTest : public testing::Test {
 protected:
  void TearDown() override {
    m_gate->release(8);
    readingThreads().waitForDone();
  }
  static bool waitFor(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 60'000); }

  std::shared_ptr<std::counting_semaphore<16>> m_gate = std::make_shared<std::counting_semaphore<16>>(0);
  ModelOpener m_opener{[gate = m_gate](const QString& path) -> Result<ModelInfo> {
    if (path.contains(QLatin1StringView("slow"))) gate->acquire();
    if (path.contains(QLatin1StringView("bad")))
      return Error{ErrorCode::kBadFile, Message::plain(path.toStdString() + ": bad")};
    if (path.contains(QLatin1StringView("whole")))
      return Error{ErrorCode::kUnsupported,
                   Message::plain(path.toStdString() + ": caf\u00e9 cannot run.\nIt has 1.5 GiB. And more.")};
    ModelInfo model;
    model.name = path.toStdString();
    return model;
  }};
  QSignalSpy m_opened{&m_opener, &ModelOpener::opened}, m_refused{&m_opener, &ModelOpener::refused};
};

TEST_F(ModelOpenerTest, what_was_wanted_comes_with_the_model) {
  m_opener.open("/m/a.gguf", AfterOpen::Load);
  EXPECT_TRUE(m_opener.isBusy());
  ASSERT_TRUE(waitFor([this] { return m_opened.count() == 1; }));
  const auto model = m_opened[0][0].value<OpenedModel>();
  EXPECT_EQ(model.path, "/m/a.gguf");
  EXPECT_EQ(model.then, AfterOpen::Load);
  EXPECT_FALSE(m_opener.isBusy());
}

TEST_F(ModelOpenerTest, a_file_on_a_disk_that_hangs_does_not_hold_up_the_next_and_is_dropped_when_it_comes) {
  m_opener.open("/m/slow.gguf", AfterOpen::Load);
  m_opener.open("/m/b.gguf", AfterOpen::ShowPlan);
  ASSERT_TRUE(waitFor([this] { return m_opened.count() == 1; }));
  EXPECT_EQ(m_opened[0][0].value<OpenedModel>().path, "/m/b.gguf");
  m_gate->release(1);
  readingThreads().waitForDone();
  QCoreApplication::processEvents();
  EXPECT_EQ(m_opened.count(), 1);
}

TEST_F(ModelOpenerTest, a_cancelled_read_tells_nothing) {
  m_opener.open("/m/slow bad.gguf", AfterOpen::ShowPlan);
  m_opener.cancel();
  EXPECT_FALSE(m_opener.isBusy());
  m_gate->release(1);
  readingThreads().waitForDone();
  QCoreApplication::processEvents();
  EXPECT_EQ(m_opened.count() + m_refused.count(), 0);
}

TEST_F(ModelOpenerTest, what_cannot_be_a_model_is_refused_in_words_without_being_read) {
  QTemporaryDir folder;
  m_opener.open(folder.path(), AfterOpen::ShowPlan);
  ASSERT_TRUE(waitFor([this] { return m_refused.count() == 1; }));
  EXPECT_TRUE(partsOf(m_refused[0][1].value<Message>()).sentence.contains("Headroom opens GGUF files"))
      << qPrintable(partsOf(m_refused[0][1].value<Message>()).sentence);
  m_opener.open("/m/bad.gguf", AfterOpen::ShowPlan);
  ASSERT_TRUE(waitFor([this] { return m_refused.count() == 2; }));
  EXPECT_EQ(partsOf(m_refused[1][1].value<Message>()).sentence, "/m/bad.gguf: bad");
  EXPECT_EQ(partsOf(m_refused[1][1].value<Message>()).details, "");
}

TEST_F(ModelOpenerTest, details_of_a_refusal_come_apart_from_its_sentence) {
  m_opener.open("/m/whole.gguf", AfterOpen::ShowPlan);
  ASSERT_TRUE(waitFor([this] { return m_refused.count() == 1; }));
  EXPECT_EQ(partsOf(m_refused[0][1].value<Message>()).sentence, "/m/whole.gguf: caf\u00e9 cannot run.");
  EXPECT_EQ(partsOf(m_refused[0][1].value<Message>()).details, "It has 1.5 GiB. And more.");
}

}  // namespace
}  // namespace headroom::ui
