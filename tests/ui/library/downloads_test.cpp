#include "ui/library/downloads.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "download_fixture.h"

namespace headroom::ui {
namespace {

using test::Fault;

DownloadSpec specNamed(const test::DownloadFixture& f, const QString& name) {
  DownloadSpec spec = f.spec();
  spec.parts.front().file = name;
  spec.parts.front().url = f.server.url('/' + name);
  return spec;
}

TEST(Downloads, two_run_and_the_others_wait_their_turn) {
  test::DownloadFixture f;
  const auto downloads = f.downloads();
  for (const char* name : {"a.gguf", "b.gguf", "c.gguf", "d.gguf"}) {
    const QString path = QLatin1Char('/') + QLatin1String(name);
    f.server.serve(path, {f.bytes, "\"e\""});
    f.server.setFaults(path, {{Fault::Throttle, 10'000}});
    downloads->add(specNamed(f, QLatin1String(name)));
  }
  int mostActive = 0;
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        int nActive = 0, nDone = 0;
        for (int row = 0; row < downloads->count(); ++row) {
          nActive += isActive(downloads->at(row).stage()) ? 1 : 0;
          nDone += test::isDone(downloads->at(row)) ? 1 : 0;
        }
        mostActive = std::max(mostActive, nActive);
        return nDone == 4;
      },
      20'000));
  EXPECT_EQ(mostActive, kMostDownloads);
}

TEST(Downloads, what_is_asked_for_twice_is_one) {
  test::DownloadFixture f;
  const auto downloads = f.downloads();
  Download& first = downloads->add(f.spec());
  EXPECT_EQ(&downloads->add(f.spec()), &first);
  EXPECT_EQ(downloads->count(), 1);
  ASSERT_TRUE(test::waitUntilSettled(first));
  ASSERT_TRUE(QFile::remove(f.path()));
  Download& again = downloads->add(f.spec());
  ASSERT_TRUE(test::waitUntilSettled(again));
  EXPECT_EQ(test::readAll(f.path()), f.bytes);
}

TEST(Downloads, a_file_that_is_there_and_is_another_is_not_written_over) {
  test::DownloadFixture f;
  QFile mine(f.path());
  ASSERT_TRUE(mine.open(QIODevice::WriteOnly));
  mine.write("mine");
  mine.close();
  for (const bool hasChecksum : {true, false}) {
    const auto downloads = f.downloads();
    Download& download = downloads->add(f.spec(hasChecksum));
    ASSERT_TRUE(test::waitUntilSettled(download));
    const auto* failed = std::get_if<download_stage::Failed>(&download.stage());
    ASSERT_NE(failed, nullptr);
    EXPECT_TRUE(failed->sentence.text().contains("x.gguf is in the folder")) << failed->sentence.text().toStdString();
    EXPECT_EQ(test::readAll(f.path()), "mine");
  }
}

TEST(Downloads, what_an_earlier_start_left_is_not_gone_on_with_where_nothing_tells_files_apart) {
  test::DownloadFixture f;
  f.server.serve(QStringLiteral("/x.gguf"), {f.bytes, {}});
  f.server.setFaults(QStringLiteral("/x.gguf"), {{Fault::Stall, 100'000}});
  {
    const auto downloads = f.downloads();
    Download& download = downloads->add(f.spec(false));
    ASSERT_TRUE(QTest::qWaitFor([&] { return download.bytesDone() > 0; }, 5000));
  }
  const QByteArray other = test::randomBytes(8, f.bytes.size());
  f.server.serve(QStringLiteral("/x.gguf"), {other, {}});
  const auto downloads = f.downloads();
  downloads->findUnfinished(f.folder());
  ASSERT_TRUE(QTest::qWaitFor([&] { return downloads->count() == 1; }, 5000));
  downloads->resume(downloads->at(0));
  ASSERT_TRUE(test::waitUntilSettled(downloads->at(0)));
  EXPECT_TRUE(test::readAll(f.path()) == other) << "and no mixture of both";
}

TEST(Downloads, a_later_start_finds_what_is_unfinished_and_asks_nobody_until_it_is_told_to) {
  test::DownloadFixture f;
  f.server.setFaults(QStringLiteral("/x.gguf"), {{Fault::Stall, 100'000}});
  {
    const auto downloads = f.downloads();
    Download& download = downloads->add(f.spec());
    ASSERT_TRUE(QTest::qWaitFor([&] { return download.bytesDone() > 0; }, 5000));
  }
  const auto nRequests = f.server.requests().size();
  const auto downloads = f.downloads();
  downloads->findUnfinished(f.folder());
  ASSERT_TRUE(QTest::qWaitFor([&] { return downloads->count() == 1; }, 5000));
  Download& found = downloads->at(0);
  EXPECT_TRUE(std::holds_alternative<download_stage::Paused>(found.stage()));
  EXPECT_GT(found.bytesDone(), 0U);
  EXPECT_EQ(found.bytesTotal(), static_cast<Bytes>(f.bytes.size()));
  QTest::qWait(50);
  EXPECT_EQ(f.server.requests().size(), nRequests);
  downloads->resume(found);
  ASSERT_TRUE(test::waitUntilSettled(found));
  EXPECT_TRUE(test::isDone(found));
  EXPECT_EQ(test::readAll(f.path()), f.bytes);
}

TEST(Downloads, one_that_is_reached_by_two_names_of_its_folder_is_listed_once) {
  test::DownloadFixture f;
  const QString link = f.path(QStringLiteral("link"));
  ASSERT_TRUE(QDir(f.folder()).mkdir(QStringLiteral("real")));
  std::error_code failed;
  std::filesystem::create_directory_symlink(f.path(QStringLiteral("real")).toStdString(), link.toStdString(), failed);
  if (failed) GTEST_SKIP() << "no links can be made here";
  const auto leave = [&](const QString& name) {
    DownloadSpec spec = specNamed(f, name);
    spec.folder = f.path(QStringLiteral("real"));
    QFile record(spec.recordPath());
    ASSERT_TRUE(record.open(QIODevice::WriteOnly));
    record.write(toJson(spec));
  };
  const auto downloads = f.downloads();
  leave(QStringLiteral("x.gguf"));
  downloads->findUnfinished(f.path(QStringLiteral("real")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return downloads->count() == 1; }, 60'000));
  leave(QStringLiteral("y.gguf"));  // it comes together with what is known
  downloads->findUnfinished(link);
  ASSERT_TRUE(QTest::qWaitFor([&] { return downloads->find(link + QStringLiteral("/y.gguf")) != nullptr; }, 60'000));
  EXPECT_EQ(downloads->count(), 2);
  DownloadSpec same = f.spec();
  same.folder = link;
  EXPECT_EQ(&downloads->add(same), &downloads->at(0));
  EXPECT_EQ(downloads->count(), 2);
}

TEST(Downloads, removing_forgets_and_makes_room_for_who_waits) {
  test::DownloadFixture f;
  const auto downloads = f.downloads();
  for (const char* name : {"a.gguf", "b.gguf"}) {
    const QString path = QLatin1Char('/') + QLatin1String(name);
    f.server.serve(path, {f.bytes, "\"e\""});
    f.server.setFaults(path, {{Fault::Stall, 1000}});
    downloads->add(specNamed(f, QLatin1String(name)));
  }
  Download& waiting = downloads->add(f.spec());
  EXPECT_TRUE(std::holds_alternative<download_stage::Queued>(waiting.stage()));
  downloads->remove(downloads->at(0));
  EXPECT_EQ(downloads->count(), 2);
  ASSERT_TRUE(test::waitUntilSettled(waiting));
  EXPECT_TRUE(test::isDone(waiting));
  EXPECT_FALSE(QFile::exists(f.path(QStringLiteral("a.gguf.part"))));
  downloads->remove(waiting);
  EXPECT_TRUE(QFile::exists(f.path()));  // what is done stays
}

}  // namespace
}  // namespace headroom::ui
