#include "ui/library/download_record.h"

#include <gtest/gtest.h>

#include "download_fixture.h"

namespace headroom::ui {
namespace {

DownloadSpec recordedSpec(const QString& root) {
  HubReference reference;
  reference.repository = QStringLiteral("org/name");
  const QByteArray sha(64, 'b');
  return downloadOf(
      root, QUrl(QStringLiteral("https://hub.example")), reference,
      {QStringLiteral("Q8/x-00001-of-00002.gguf"),
       QStringLiteral("Q8_0"),
       ListedModel::Kind::Model,
       30,
       {{QStringLiteral("Q8/x-00001-of-00002.gguf"), 10, sha}, {QStringLiteral("Q8/x-00002-of-00002.gguf"), 20, {}}}});
}

TEST(DownloadRecord, a_listed_model_goes_below_the_folder_of_its_repository) {
  const DownloadSpec spec = recordedSpec(QStringLiteral("/models"));
  EXPECT_EQ(spec.path(), QStringLiteral("/models/org/name/Q8/x-00001-of-00002.gguf"));
  EXPECT_EQ(spec.recordPath(), QStringLiteral("/models/org/name/Q8/x-00001-of-00002.gguf.part.json"));
  EXPECT_EQ(spec.n_bytes(), 30U);
  EXPECT_EQ(spec.parts[1].url.toString(),
            QStringLiteral("https://hub.example/org/name/resolve/main/Q8/x-00002-of-00002.gguf"));
}

TEST(DownloadRecord, written_and_read_it_is_the_same) {
  DownloadSpec spec = recordedSpec(QStringLiteral("/models"));
  spec.parts[0].etag = "\"e\"";
  spec.parts[0].linkedEtag = "\"l\"";
  spec.parts[0].n_bytes = (Bytes{1} << 49) + 1;
  const auto read = parseDownloadRecord(toJson(spec), spec.folder);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(toJson(*read), toJson(spec));
  EXPECT_EQ(read->path(), spec.path());
}

TEST(DownloadRecord, a_hostile_record_is_refused) {
  const QByteArray good = toJson(recordedSpec(QStringLiteral("/models")));
  ASSERT_TRUE(parseDownloadRecord(good, QStringLiteral("/f")).ok());
  const auto with = [&](const char* before, const char* after) { return QByteArray(good).replace(before, after); };
  for (const QByteArray& bad :
       {QByteArray(), QByteArray("{}"), QByteArray("[]"), good.left(good.size() / 2),
        with("x-00001-of-00002.gguf\"", "../../evil.gguf\""), with("\"x-00001", "\"sub/x-00001"),
        with("https://hub.example", "file://"), with("bbbb", "bbb"), with("\"bytes\": 10", "\"bytes\": -1"),
        with("org/name\"", "../../x\"")})
    EXPECT_FALSE(parseDownloadRecord(bad, QStringLiteral("/f")).ok()) << bad.toStdString();
}

TEST(DownloadRecord, unfinished_ones_are_found_below_a_folder_and_damaged_ones_left_out) {
  const test::TempFolder folder;
  const QString root = QString::fromStdString(folder.path().string());
  const DownloadSpec spec = recordedSpec(root);
  test::write_file(spec.recordPath().toStdString(), toJson(spec).toStdString());
  test::write_file(folder.path() / "bad.gguf.part.json", "{");
  test::write_file(folder.path() / "renamed.gguf.part.json", toJson(spec).toStdString());
  const auto found = findUnfinished(root);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path(), spec.path());
  EXPECT_TRUE(findUnfinished(root + QStringLiteral("/none")).empty());
}

TEST(DownloadRecord, it_is_on_disk_when_every_part_is_there_with_its_length) {
  const test::TempFolder folder;
  const DownloadSpec spec = recordedSpec(QString::fromStdString(folder.path().string()));
  EXPECT_FALSE(isOnDisk(spec));
  test::write_file(spec.path().toStdString(), "0123456789");
  EXPECT_FALSE(isOnDisk(spec));
  const std::filesystem::path second = (spec.folder + QStringLiteral("/x-00002-of-00002.gguf")).toStdString();
  test::write_file(second, "short");
  EXPECT_FALSE(isOnDisk(spec));
  test::write_file(second, "01234567890123456789");
  EXPECT_TRUE(isOnDisk(spec));
}

}  // namespace
}  // namespace headroom::ui
