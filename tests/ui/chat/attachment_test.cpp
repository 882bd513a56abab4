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
  static std::string refusalOf(const QString& path, const AttachmentLimit& limit = {}, const ReadPdf& readPdf = {}) {
    const ReadAttachment read = readAttachment({path, limit}, readPdf);
    const auto* refusal = std::get_if<AttachmentRefusal>(&read);
    return refusal != nullptr ? refusal->sentence.text().toStdString() : "not refused";
  }
  QTemporaryDir m_folder;
};

TEST_F(AttachmentTest, a_text_file_is_read_with_its_name) {
  const ReadAttachment read = readAttachment({write("notes.txt", "one\r\ntwo é")});
  EXPECT_EQ(std::get<Attachment>(read), (Attachment{"notes.txt", "one\ntwo é"}));
}

TEST_F(AttachmentTest, binary_files_are_refused_by_name) {
  for (const QByteArray& bytes : {QByteArray("a\0b", 3), QByteArray("\xff\x81\x80")})
    EXPECT_EQ(refusalOf(write("x.bin", bytes)), "x.bin is neither text nor a PDF with text, so it cannot be attached.");
}

TEST_F(AttachmentTest, a_text_of_the_limit_is_read_and_one_byte_more_is_refused_with_figures) {
  const AttachmentLimit limit{2 * kMiB, 16'384};
  EXPECT_TRUE(
      std::holds_alternative<Attachment>(readAttachment({write("full.txt", QByteArray(2 * kMiB, 'a')), limit})));
  const QString path = write("big.txt", QByteArray(2 * kMiB + 11'000, 'a'));
  EXPECT_EQ(refusalOf(path, limit),
            "big.txt has 2.01 MiB of text; the context of 16,384 tokens takes 2.00 MiB of text at the very most. "
            "Attach a part of it, or plan a larger context.");
  EXPECT_EQ(refusalOf(path, {kMiB, 0}),
            "big.txt has 2.01 MiB of text; at most 1.00 MiB of text can be attached. Attach a part of it.");
  EXPECT_TRUE(std::holds_alternative<Attachment>(readAttachment({path}))) << "without a model";
}

TEST_F(AttachmentTest, text_of_two_bytes_a_letter_is_measured_as_what_it_says) {
  const QString text = QString("a").repeated(1000);
  const QByteArray utf16(reinterpret_cast<const char*>(text.utf16()), 2000);
  EXPECT_TRUE(std::holds_alternative<Attachment>(readAttachment({write("wide.txt", utf16), {1000, 64}})));
}

TEST_F(AttachmentTest, a_huge_file_is_refused_by_its_size_without_being_read) {
  const QString path = write("huge.log", "");
  ASSERT_TRUE(QFile::resize(path, 5LL << 40)) << "5 TiB of nothing";
  EXPECT_EQ(refusalOf(path), "huge.log is 5.00 TiB; at most 64.0 MiB of text can be attached. Attach a part of it.");
}

TEST_F(AttachmentTest, a_folder_is_told_from_a_file) {
  EXPECT_TRUE(std::holds_alternative<IsFolder>(readAttachment({m_folder.path()})));
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
  EXPECT_EQ(refusalOf(path), "pipe is a device or a pipe, not a file; only text and PDF files can be attached.");
  EXPECT_EQ(refusalOf("/dev/zero"), "zero is a device or a pipe, not a file; only text and PDF files can be attached.");
}

TEST_F(AttachmentTest, a_pdf_is_what_its_reader_finds) {
  const QString path = write("report.pdf", "%PDF-1.7\n\x81\x8d");
  AttachmentOrder order{path, {kMiB, 4096}};
  const ReadAttachment read = readAttachment(order, [&](const QString& file, Bytes most, const StopToken&) {
    EXPECT_EQ(file, path);
    EXPECT_EQ(most, kMiB);
    return PdfText{PdfText::End::Read, "[page 1]\nwords", 1, 1};
  });
  EXPECT_EQ(std::get<Attachment>(read), (Attachment{"report.pdf", "[page 1]\nwords"}));
  EXPECT_EQ(refusalOf(path), "report.pdf is a PDF, which cannot be read here.");
  const auto reader = [](const QString&, Bytes, const StopToken&) { return PdfText{PdfText::End::Read, "x", 1, 1}; };
  const ReadAttachment named = readAttachment({write("odd.PDF", "junk %PDF-1.2")}, reader);
  EXPECT_EQ(std::get<Attachment>(named).text, "x") << "junk before the mark";
  EXPECT_EQ(std::get<Attachment>(readAttachment({write("of pdf.txt", "about %PDF-1.2")}, reader)).text,
            "about %PDF-1.2");
}

TEST_F(AttachmentTest, a_pdf_that_cannot_be_read_is_refused_with_what_was_found) {
  using End = PdfText::End;
  const QString path = write("r.pdf", "%PDF-1.7");
  const auto refusal = [&](const PdfText& found) {
    return refusalOf(path, {2 * kMiB, 16'384}, [&](const QString&, Bytes, const StopToken&) { return found; });
  };
  EXPECT_EQ(refusal({End::Locked}),
            "r.pdf is a PDF with a password, so it cannot be read. Save a copy without one and attach that.");
  EXPECT_EQ(refusal({End::Damaged}), "r.pdf is a damaged PDF: no page could be found in it.");
  EXPECT_EQ(refusal({End::TooManyPages, {}, 21'000, 0}),
            "r.pdf has 21,000 pages; at most 20,000 are read. Attach a part of it.");
  EXPECT_EQ(
      refusal({End::TooLong, {}, 900, 412}),
      "r.pdf has more than 2.00 MiB of text on the first 412 of its 900 pages; the context of 16,384 tokens takes "
      "2.00 MiB of text at the very most. Attach a part of it, or plan a larger context.");
  EXPECT_EQ(refusal({End::Crashed, {}, 9, 0}), "r.pdf is a damaged PDF: the reader crashed while it opened it.");
  EXPECT_EQ(refusal({End::Crashed, {}, 9, 7}), "r.pdf is a damaged PDF: the reader crashed on page 7.");
  EXPECT_EQ(refusal({End::Slow, {}, 9, 7}), "r.pdf was given up: page 7 took longer than 1 min 0 s to read.");
  EXPECT_EQ(refusal({End::NoReader, {}, 0, 0, "it is gone"}), "r.pdf cannot be read: it is gone.");
  EXPECT_EQ(refusal({End::Stopped}), "r.pdf was not read to its end.");
  EXPECT_EQ(refusal({End::Read, " \n", 12, 12}),
            "r.pdf has no text on its 12 pages, as scanned pages have none; Headroom reads no pictures.");
}

// Of what may be opened and then fails: the memory of a process can be read only where it is mapped, and 0 is not.
TEST_F(AttachmentTest, a_file_that_fails_while_it_is_read_is_named_with_the_reason) {
  EXPECT_EQ(refusalOf("/proc/self/mem"), "mem cannot be read: Input/output error.");
}

}  // namespace
}  // namespace headroom::ui
