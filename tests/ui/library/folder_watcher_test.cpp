#include "ui/library/folder_watcher.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include "tests/ui/library/library_folders.h"

namespace headroom::ui {
namespace {

class FolderWatcherTest : public testing::Test {
 protected:
  void watch(const QStringList& folders) {
    QSignalSpy begun(&m_watcher, &FolderWatcher::begun);
    m_watcher.setFolders(folders);
    ASSERT_TRUE(QTest::qWaitFor([&] { return begun.count() == 1; }, 60'000));
  }
  bool isTold(const char* folder) {
    return QTest::qWaitFor(
        [&] {
          return std::any_of(m_told.begin(), m_told.end(),
                             [&](const QVariantList& call) { return call[0].toString() == m_disk.text(folder); });
        },
        60'000);
  }

  test::LibraryFolders m_disk;
  FolderWatcher m_watcher;
  QSignalSpy m_told{&m_watcher, &FolderWatcher::changed};
};

TEST_F(FolderWatcherTest, a_file_that_is_made_in_a_watched_folder_is_told_on_this_thread) {
  m_disk.addText("a/0");
  QThread* told = nullptr;
  QObject::connect(&m_watcher, &FolderWatcher::changed, &m_watcher, [&] { told = QThread::currentThread(); });
  watch({m_disk.text("a")});
  m_disk.addText("a/1");
  EXPECT_TRUE(isTold("a"));
  EXPECT_EQ(told, QThread::currentThread());
}

TEST_F(FolderWatcherTest, other_folders_take_the_place_of_those_before_and_one_that_is_not_there_is_left_out) {
  m_disk.addText("a/0");
  m_disk.addText("b/0");
  watch({m_disk.text("a"), m_disk.text("gone")});
  watch({m_disk.text("b")});
  m_disk.addText("a/1");
  m_disk.addText("b/1");
  EXPECT_TRUE(isTold("b"));
  for (const QVariantList& call : m_told) EXPECT_EQ(call[0].toString(), m_disk.text("b"));
}

TEST_F(FolderWatcherTest, it_goes_without_having_watched_anything) {
  const FolderWatcher idle;
  m_watcher.setFolders({});
}

}  // namespace
}  // namespace headroom::ui
