#include "ui/chat/attachment.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>

namespace headroom::ui {
namespace {

class AttachmentTest : public testing::Test {
 protected:
  QString write(const QString& name, const QByteArray& bytes) {
    QFile file(m_folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    return file.fileName();
  }
  QTemporaryDir m_folder;
};

TEST_F(AttachmentTest, a_text_file_is_read_with_its_name) {
  const auto read = readAttachment(write("notes.txt", "one\r\ntwo é"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->name, "notes.txt");
  EXPECT_EQ(read->text, "one\ntwo é");
}

TEST_F(AttachmentTest, binary_files_are_refused_by_name) {
  for (const QByteArray& bytes : {QByteArray("a\0b", 3), QByteArray("\xff\xfe\x80")}) {
    const auto read = readAttachment(write("x.bin", bytes));
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.error().message.find("x.bin is not text"), std::string::npos);
  }
}

TEST_F(AttachmentTest, a_file_of_the_limit_is_read_and_one_byte_more_is_refused_with_both_sizes) {
  EXPECT_TRUE(readAttachment(write("full.txt", QByteArray(kMaxAttachmentBytes, 'a'))).ok());
  const auto read = readAttachment(write("big.txt", QByteArray(kMaxAttachmentBytes + 1, 'a')));
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("at most 1.00 MiB"), std::string::npos) << read.error().message;
}

TEST_F(AttachmentTest, empty_files_folders_and_absent_files_are_refused) {
  EXPECT_FALSE(readAttachment(write("empty.txt", "")).ok());
  EXPECT_FALSE(readAttachment(m_folder.path()).ok());
  EXPECT_FALSE(readAttachment(m_folder.filePath("absent")).ok());
}

}  // namespace
}  // namespace headroom::ui
