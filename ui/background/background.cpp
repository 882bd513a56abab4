#include "ui/background/background.h"

namespace headroom::ui {

namespace {

constexpr int kMostReads = 64;

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

}  // namespace headroom::ui
