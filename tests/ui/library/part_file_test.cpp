#include "ui/library/part_file.h"

#include <gtest/gtest.h>

#include "download_fixture.h"

namespace headroom::ui {
namespace {

const auto kNotStopped = [] { return false; };

TEST(PartFile, what_was_appended_is_hashed_also_by_a_later_start) {
  const test::TempFolder folder;
  const QString path = QString::fromStdString((folder.path() / "x.gguf").string());
  const QByteArray bytes = test::randomBytes(1, 3'000'000);
  {
    PartFile file(path, systemDisk());
    ASSERT_TRUE(file.open());
    EXPECT_EQ(file.append(bytes.left(1'000'000)), PartFile::Written::All);
  }
  PartFile file(path, systemDisk());
  ASSERT_TRUE(file.open());
  EXPECT_EQ(file.n_bytes(), 1'000'000U);
  EXPECT_EQ(file.append(bytes.mid(1'000'000)), PartFile::Written::All);
  EXPECT_EQ(file.sha256(kNotStopped), test::sha256Of(bytes));
  EXPECT_FALSE(PartFile(path, systemDisk()).sha256([] { return true; }).has_value());
  EXPECT_TRUE(file.sync());
  EXPECT_TRUE(file.giveFinalName());
  EXPECT_EQ(test::readAll(path), bytes);
  EXPECT_FALSE(QFile::exists(PartFile::pathOf(path)));
}

TEST(PartFile, begun_anew_it_is_empty_and_hashed_from_there) {
  const test::TempFolder folder;
  PartFile file(QString::fromStdString((folder.path() / "x.gguf").string()), systemDisk());
  ASSERT_TRUE(file.open());
  ASSERT_EQ(file.append("wrong"), PartFile::Written::All);
  ASSERT_TRUE(file.startAnew());
  ASSERT_EQ(file.append("right"), PartFile::Written::All);
  file.close();
  EXPECT_EQ(file.sha256(kNotStopped), test::sha256Of("right"));
}

TEST(PartFile, a_full_disk_keeps_what_there_was_room_for) {
  const test::TempFolder folder;
  DiskPorts disk = systemDisk();
  disk.write = [room = qint64{700}](QFile& file, const char* bytes, qint64 n, bool& isFull) mutable {
    const qint64 written = file.write(bytes, std::min(n, room));
    isFull = written < n;
    room -= written;
    return written;
  };
  PartFile file(QString::fromStdString((folder.path() / "x.gguf").string()), disk);
  ASSERT_TRUE(file.open());
  const QByteArray bytes = test::randomBytes(2, 1000);
  EXPECT_EQ(file.append(bytes), PartFile::Written::DiskFull);
  EXPECT_EQ(file.n_bytes(), 700U);
  EXPECT_EQ(file.sha256(kNotStopped), test::sha256Of(bytes.left(700)));
}

TEST(PartFile, the_system_says_when_a_disk_is_full) {
  QFile full(QStringLiteral("/dev/full"));
  ASSERT_TRUE(full.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
  bool isFull = false;
  EXPECT_LT(systemDisk().write(full, "abc", 3, isFull), 3);
  EXPECT_TRUE(isFull);
}

}  // namespace
}  // namespace headroom::ui
