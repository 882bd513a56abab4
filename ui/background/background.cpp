#include "ui/background/background.h"

#ifdef Q_OS_LINUX
#include <sys/resource.h>
#endif

namespace headroom::ui {

namespace {

constexpr int kMostReads = 64;
constexpr int kMostLooks = 8;
constexpr uint kLookStackBytes = 1 << 20;  // the whole of a stack counts as taken since a load, and eight are usual

}  // namespace

QThreadPool& readingThreads() {
  // Never deleted: a pool that goes waits for its threads.
  static QThreadPool& pool = *[] {
    auto* made = new QThreadPool;
    made->setObjectName(QStringLiteral("reading"));
    made->setMaxThreadCount(kMostReads);
    return made;
  }();
  return pool;
}

QThreadPool& writingThreads() { return *QThreadPool::globalInstance(); }  // QCoreApplication waits for it at its end

QThreadPool& planningThreads() {
  static QThreadPool pool;
  pool.setObjectName(QStringLiteral("planning"));
  pool.setMaxThreadCount(1);
  return pool;
}

QThreadPool& libraryThreads() {
  static QThreadPool& pool = *[] {
    auto* made = new QThreadPool;
    made->setObjectName(QStringLiteral("library"));
    made->setMaxThreadCount(kMostLooks);
    made->setStackSize(kLookStackBytes);
    return made;
  }();
  return pool;
}

// Qt's priorities say nothing to Linux, whose niceness is one of each thread: setpriority(2), "C library/kernel
// differences".
void yieldToOthers() {
#ifdef Q_OS_LINUX
  constexpr int kNiceness = 10;
  static thread_local const bool isLow = setpriority(PRIO_PROCESS, 0, kNiceness) == 0;
  (void)isLow;
#endif
}

}  // namespace headroom::ui
