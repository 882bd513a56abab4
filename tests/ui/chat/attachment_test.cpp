#include "ui/chat/attachment.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
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
  static std::string refusalOf(const QString& path) {
    const ReadAttachment read = readAttachment(path);
    const auto* error = std::get_if<Error>(&read);
    return error != nullptr ? error->message : "not refused";
  }
  QTemporaryDir m_folder;
};

TEST_F(AttachmentTest, a_text_file_is_read_with_its_name) {
  const ReadAttachment read = readAttachment(write("notes.txt", "one\r\ntwo é"));
  EXPECT_EQ(std::get<Attachment>(read), (Attachment{"notes.txt", "one\ntwo é"}));
}

TEST_F(AttachmentTest, binary_files_are_refused_by_name) {
  for (const QByteArray& bytes : {QByteArray("a\0b", 3), QByteArray("\xff\x81\x80")})
    EXPECT_EQ(refusalOf(write("x.bin", bytes)), "x.bin is not text, so it cannot be attached.");
}

TEST_F(AttachmentTest, a_file_of_the_limit_is_read_and_one_byte_more_is_refused_with_both_sizes) {
  const ReadAttachment full = readAttachment(write("full.txt", QByteArray(kMaxAttachmentBytes, 'a')));
  EXPECT_TRUE(std::holds_alternative<Attachment>(full));
  EXPECT_EQ(refusalOf(write("big.txt", QByteArray(kMaxAttachmentBytes + 1, 'a'))),
            "big.txt is 1.00 MiB; files of at most 1.00 MiB can be attached.");
}

TEST_F(AttachmentTest, a_huge_file_is_refused_by_its_size_without_being_read) {
  const QString path = write("huge.log", "");
  ASSERT_TRUE(QFile::resize(path, 5LL << 40)) << "5 TiB of nothing";
  EXPECT_EQ(refusalOf(path), "huge.log is 5.00 TiB; files of at most 1.00 MiB can be attached.");
}

TEST_F(AttachmentTest, a_folder_is_told_from_a_file) {
  EXPECT_TRUE(std::holds_alternative<IsFolder>(readAttachment(m_folder.path())));
}

TEST_F(AttachmentTest, empty_and_absent_files_are_refused_by_name) {
  EXPECT_EQ(refusalOf(write("empty.txt", " \n")), "empty.txt is empty; there is nothing to attach.");
  EXPECT_EQ(refusalOf(m_folder.filePath("absent.txt")), "absent.txt is not there: it was moved or deleted.");
  ASSERT_TRUE(QFile::link(m_folder.filePath("absent.txt"), m_folder.filePath("link.txt")));
  EXPECT_EQ(refusalOf(m_folder.filePath("link.txt")), "link.txt is not there: it was moved or deleted.");
}

TEST_F(AttachmentTest, a_pipe_is_refused_and_not_opened) {
  const QString path = m_folder.filePath("pipe");
  ASSERT_EQ(mkfifo(QFile::encodeName(path).constData(), 0600), 0);
  EXPECT_EQ(refusalOf(path), "pipe is a device or a pipe, not a file; only text files can be attached.");
  EXPECT_EQ(refusalOf("/dev/zero"), "zero is a device or a pipe, not a file; only text files can be attached.");
}

// Of what may be opened and then fails: the memory of a process can be read only where it is mapped, and 0 is not.
TEST_F(AttachmentTest, a_file_that_fails_while_it_is_read_is_named_with_the_reason) {
  EXPECT_EQ(refusalOf("/proc/self/mem"), "mem cannot be read: Input/output error.");
}

}  // namespace
}  // namespace headroom::ui
