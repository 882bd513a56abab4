// A program that is killed while it downloads: the next one goes on from what is on disk, to the right file.
#include <gtest/gtest.h>

#include <QProcess>

#include "download_fixture.h"

namespace headroom::ui {
namespace {

TEST(DownloadKill, killed_at_ten_random_moments_the_next_start_goes_on) {
  test::DownloadFixture f(4'000'000);
  const QStringList arguments{f.server.url(QStringLiteral("/x.gguf")).toString(),
                              QString::fromLatin1(test::sha256Of(f.bytes)), QString::number(f.bytes.size()),
                              f.folder()};
  std::mt19937_64 random(11);
  qint64 before = 0;
  int nWentOn = 0;
  for (int kill = 0; kill < 10; ++kill) {
    f.server.setFaults(QStringLiteral("/x.gguf"), {{test::Fault::Throttle, 30'000}});  // 1.3 s for all of it
    QProcess child;
    child.setProcessChannelMode(QProcess::ForwardedChannels);
    child.start(QStringLiteral(HEADROOM_DOWNLOAD_CHILD), arguments);
    ASSERT_TRUE(child.waitForStarted());
    QTest::qWait(static_cast<int>(20 + random() % 180));
    child.kill();
    ASSERT_TRUE(child.waitForFinished());
    EXPECT_FALSE(QFile::exists(f.path()));
    const QByteArray part = test::readAll(PartFile::pathOf(f.path()));
    EXPECT_TRUE(f.bytes.startsWith(part));
    EXPECT_GE(part.size(), before);
    nWentOn += part.size() > before && before > 0 ? 1 : 0;
    before = part.size();
  }
  EXPECT_GT(nWentOn, 2);
  QProcess child;
  child.setProcessChannelMode(QProcess::ForwardedChannels);
  child.start(QStringLiteral(HEADROOM_DOWNLOAD_CHILD), arguments);
  ASSERT_TRUE(child.waitForFinished());
  EXPECT_EQ(child.exitCode(), 0);
  EXPECT_EQ(test::readAll(f.path()), f.bytes);
  EXPECT_EQ(QDir(f.folder()).entryList(QDir::Files | QDir::Hidden), QStringList{QStringLiteral("x.gguf")});
}

}  // namespace
}  // namespace headroom::ui
