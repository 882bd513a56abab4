#include "ui/background/write_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

namespace headroom::ui {
namespace {

class WriteFile : public testing::Test {
 protected:
  QString at(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
  static QByteArray contentOf(const QString& path) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
    return file.readAll();
  }
  QStringList names() const {
    return QDir(m_folder.path()).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot);
  }
  QTemporaryDir m_folder;
};

TEST_F(WriteFile, a_file_is_written_over_the_one_before_and_nothing_else_is_left) {
  EXPECT_TRUE(writeWholeFile(at("a.txt"), "a long first text").empty());
  EXPECT_TRUE(writeWholeFile(at("a.txt"), "second").empty());
  EXPECT_EQ(contentOf(at("a.txt")), "second");
  EXPECT_EQ(names(), QStringList{"a.txt"});
}

TEST_F(WriteFile, a_folder_and_a_place_that_is_not_there_are_named) {
  ASSERT_TRUE(QDir(m_folder.path()).mkdir("sub"));
  EXPECT_EQ(writeWholeFile(at("sub"), "x"), "it is a folder");
  EXPECT_EQ(writeWholeFile(at("absent/a.txt"), "x"), "there is no folder " + at("absent").toStdString());
  EXPECT_EQ(names(), QStringList{"sub"});
}

TEST_F(WriteFile, a_pipe_or_a_device_is_not_replaced_by_a_file) {
  ASSERT_EQ(mkfifo(QFile::encodeName(at("pipe")).constData(), 0600), 0);
  EXPECT_EQ(writeWholeFile(at("pipe"), "x"), "it is a device or a pipe, not a file");
  EXPECT_EQ(writeWholeFile("/dev/null", "x"), "it is a device or a pipe, not a file");
  EXPECT_EQ(names(), QStringList{"pipe"});
}

TEST_F(WriteFile, a_link_is_followed_and_stays_a_link) {
  ASSERT_TRUE(writeWholeFile(at("target"), "old").empty());
  ASSERT_TRUE(QFile::link(at("target"), at("link")));
  EXPECT_TRUE(writeWholeFile(at("link"), "new").empty());
  EXPECT_TRUE(QFileInfo(at("link")).isSymLink());
  EXPECT_EQ(contentOf(at("target")), "new");
}

}  // namespace
}  // namespace headroom::ui
