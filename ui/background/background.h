// Work that would keep the window waiting: done on other threads, told on the thread of the context object.
#pragma once

#include <QFutureWatcher>
#include <QThreadPool>
#include <QtConcurrentRun>
#include <utility>

namespace headroom::ui {

// For reads. Nobody waits for these threads, not even the end of the program: a read of a dead network folder may never
// come back. Many threads, so that those that hang leave room for others.
QThreadPool& readingThreads();

// For writes: the end of the program waits until what was begun is on disk.
QThreadPool& writingThreads();

// For arithmetic: one thread, so that it takes one processor at most from whoever computes an answer meanwhile.
QThreadPool& planningThreads();

// For what nobody waits for and may take long: folders full of models, and plans for each. Behind whoever computes an
// answer; like readingThreads() they may hang on a dead disk, and nobody waits for them.
QThreadPool& libraryThreads();
void yieldToOthers();  // called on a thread of these: it is behind others of the program from then on

// Calls `work` on a thread of `threads` and `then` with its value on the thread of `context`, later. When `context`
// goes before, or the watcher that is returned is cancelled or deleted, `then` is not called. `work` owns all that it
// uses: it may outlive both.
template <class Work, class Then>
QFutureWatcherBase* runInBackground(QThreadPool& threads, QObject* context, Work work, Then then) {
  auto* watcher = new QFutureWatcher<std::invoke_result_t<Work>>(context);
  QObject::connect(watcher, &QFutureWatcherBase::finished, context, [watcher, then = std::move(then)]() mutable {
    watcher->deleteLater();
    if (!watcher->isCanceled()) then(watcher->result());
  });
  watcher->setFuture(QtConcurrent::run(&threads, std::move(work)));
  return watcher;
}

}  // namespace headroom::ui
