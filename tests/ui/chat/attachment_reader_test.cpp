#include "ui/chat/attachment_reader.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <memory>

#include "tests/ui/chat/gates.h"

namespace headroom::ui {
namespace {

constexpr int kPatienceMs = 60'000;

TEST(AttachmentReaderTest, each_read_ends_with_one_signal_of_its_id) {
  AttachmentReader reader([](const AttachmentOrder& order) -> ReadAttachment {
    const QString& path = order.path;
    if (path == "folder") return IsFolder{};
    if (path == "bad") return AttachmentRefusal{Sentence::plain("bad is bad.")};
    return Attachment{path, "text"};
  });
  QSignalSpy arrived(&reader, &AttachmentReader::arrived), refused(&reader, &AttachmentReader::refused),
      folders(&reader, &AttachmentReader::folderFound);
  const quint64 file = reader.read("file"), bad = reader.read("bad"), folder = reader.read("folder");
  EXPECT_LT(file, bad);
  EXPECT_LT(bad, folder);
  EXPECT_TRUE(arrived.isEmpty() && refused.isEmpty() && folders.isEmpty()) << "nothing is waited for";
  ASSERT_TRUE(QTest::qWaitFor([&] { return arrived.count() + refused.count() + folders.count() == 3; }, kPatienceMs));
  ASSERT_EQ(arrived.count(), 1);
  EXPECT_EQ(arrived[0][0].toULongLong(), file);
  EXPECT_EQ(arrived[0][1].value<Attachment>().name, "file");
  EXPECT_EQ(refused[0][0], QVariant(bad));
  EXPECT_EQ(refused[0][1].value<Sentence>().text(), "bad is bad.");
  EXPECT_EQ(folders[0], (QList<QVariant>{folder, "folder"}));
}

TEST(AttachmentReaderTest, files_are_read_up_to_the_limit_that_holds_when_they_come) {
  AttachmentReader reader([](const AttachmentOrder& order) -> ReadAttachment {
    return Attachment{order.path, QString::number(order.limit.nCtx)};
  });
  QSignalSpy arrived(&reader, &AttachmentReader::arrived);
  reader.setLimit({kMiB, 4096});
  reader.read("a");
  reader.setLimit({kMiB, 128});
  ASSERT_TRUE(QTest::qWaitFor([&] { return arrived.count() == 1; }, kPatienceMs));
  EXPECT_EQ(arrived[0][1].value<Attachment>().text, "4096");
}

TEST(AttachmentReaderTest, what_was_cancelled_is_silent_when_the_disk_answers_late) {
  const auto gates = std::make_shared<Gates>();
  const auto stopped = std::make_shared<std::atomic<bool>>(false);
  AttachmentReader reader([gates, stopped](const AttachmentOrder& order) -> ReadAttachment {
    if (order.path == "slow") {
      gates->begun.release();
      gates->open.acquire();
      *stopped = order.stop.stop_requested();
    }
    return Attachment{order.path, "text"};
  });
  QSignalSpy arrived(&reader, &AttachmentReader::arrived);
  const quint64 slow = reader.read("slow");
  gates->begun.acquire();
  reader.cancel(slow);
  reader.cancel(slow);
  reader.cancel(4711);
  gates->open.release();
  reader.read("next");
  ASSERT_TRUE(QTest::qWaitFor([&] { return arrived.count() == 1; }, kPatienceMs));
  EXPECT_EQ(arrived[0][1].value<Attachment>().name, "next");
  EXPECT_TRUE(QTest::qWaitFor([&] { return stopped->load(); }, kPatienceMs)) << "who reads is told";
}

}  // namespace
}  // namespace headroom::ui
