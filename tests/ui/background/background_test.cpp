#include "ui/background/background.h"

#include <gtest/gtest.h>

#include <QSemaphore>
#include <QTest>
#include <QThread>
#include <memory>
#ifdef Q_OS_LINUX
#include <sys/resource.h>
#endif

namespace headroom::ui {
namespace {

constexpr int kPatienceMs = 60'000;

// What a worker and the test both hold, whoever ends first.
struct Gates {
  QSemaphore begun, open;
};

TEST(Background, work_is_done_elsewhere_and_told_here) {
  QObject context;
  QThread *worker = nullptr, *told = nullptr;
  runInBackground(
      readingThreads(), &context, [] { return QThread::currentThread(); },
      [&](QThread* thread) {
        worker = thread;
        told = QThread::currentThread();
      });
  EXPECT_EQ(worker, nullptr) << "never before the event loop comes round";
  ASSERT_TRUE(QTest::qWaitFor([&] { return told != nullptr; }, kPatienceMs));
  EXPECT_NE(worker, QThread::currentThread());
  EXPECT_EQ(told, QThread::currentThread());
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  EXPECT_TRUE(context.children().isEmpty()) << "the watcher goes with its result";
}

TEST(Background, nothing_is_told_to_an_object_that_is_gone) {
  const auto gates = std::make_shared<Gates>();
  bool isTold = false;
  {
    QObject context;
    runInBackground(
        readingThreads(), &context,
        [gates] {
          gates->begun.release();
          gates->open.acquire();
          return 1;
        },
        [&](int) { isTold = true; });
    gates->begun.acquire();
  }
  gates->open.release();
  bool isAfter = false;
  QObject other;
  runInBackground(
      readingThreads(), &other, [] { return 2; }, [&](int) { isAfter = true; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return isAfter; }, kPatienceMs));
  EXPECT_FALSE(isTold);
}

TEST(Background, reads_that_hang_leave_room_for_others) {
  const auto gates = std::make_shared<Gates>();
  QObject context;
  constexpr int kHanging = 40;
  for (int i = 0; i < kHanging; ++i) {
    runInBackground(
        readingThreads(), &context,
        [gates] {
          gates->begun.release();
          gates->open.acquire();
          return 0;
        },
        [](int) {});
  }
  gates->begun.acquire(kHanging);
  bool isRead = false;
  runInBackground(
      readingThreads(), &context, [] { return 1; }, [&](int) { isRead = true; });
  EXPECT_TRUE(QTest::qWaitFor([&] { return isRead; }, kPatienceMs));
  gates->open.release(kHanging);
}

#ifdef Q_OS_LINUX
TEST(Background, the_library_stands_behind_whoever_computes_an_answer) {
  QObject context;
  const int before = getpriority(PRIO_PROCESS, 0);
  int niceness = before;
  bool isTold = false;
  runInBackground(
      libraryThreads(), &context,
      [] {
        yieldToOthers();
        return getpriority(PRIO_PROCESS, 0);
      },
      [&](int found) {
        niceness = found;
        isTold = true;
      });
  ASSERT_TRUE(QTest::qWaitFor([&] { return isTold; }, kPatienceMs));
  EXPECT_GE(niceness, 10);
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), before) << "this thread is as it was";
}
#endif

}  // namespace
}  // namespace headroom::ui
