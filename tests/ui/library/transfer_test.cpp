#include "ui/library/transfer.h"

#include <gtest/gtest.h>

#include "download_fixture.h"

namespace headroom::ui {
namespace {

using test::Fault;

const QString kX = QStringLiteral("/x.gguf");

// A transfer on this thread, run by run.
class TransferOfFile : public testing::Test {
 protected:
  void make(const DownloadSpec& spec, DiskPorts disk = test::roomyDisk()) {
    transfer = std::make_unique<Transfer>(spec, std::move(disk), test::quickLimits().http);
    QObject::connect(transfer.get(), &Transfer::ended, transfer.get(),
                     [this](quint64, const TransferEnd& told) { end = told; });
    QObject::connect(transfer.get(), &Transfer::noticed, transfer.get(),
                     [this](quint64, const Sentence& told) { notice = told.text(); });
  }
  TransferEnd::Kind run() {
    end.reset();
    transfer->start(++m_run, f.access);
    EXPECT_TRUE(QTest::qWaitFor([this] { return end.has_value(); }, 10'000));
    return end ? end->kind : TransferEnd::Kind::Stopped;
  }
  TransferEnd::Kind runWith(const test::ServerFault& fault) {
    f.server.setFaults(kX, {fault});
    return run();
  }
  QByteArray partBytes() const { return test::readAll(PartFile::pathOf(f.path())); }

  test::DownloadFixture f;
  std::unique_ptr<Transfer> transfer;
  std::optional<TransferEnd> end;
  QString notice;

 private:
  quint64 m_run = 0;
};

TEST_F(TransferOfFile, it_fetches_a_file_and_leaves_nothing_beside_it) {
  make(f.spec());
  EXPECT_EQ(run(), TransferEnd::Kind::Done);
  EXPECT_EQ(test::readAll(f.path()), f.bytes);
  EXPECT_EQ(QDir(f.folder()).entryList(QDir::Files | QDir::Hidden), QStringList{QStringLiteral("x.gguf")});
}

TEST_F(TransferOfFile, an_address_without_a_checksum_is_held_to_the_length_that_the_server_says) {
  make(f.spec(false));
  EXPECT_EQ(runWith({Fault::Cut, 1000}), TransferEnd::Kind::Cut);
  EXPECT_EQ(run(), TransferEnd::Kind::Done);
  EXPECT_EQ(test::readAll(f.path()), f.bytes);
}

TEST_F(TransferOfFile, a_cut_connection_keeps_what_came_and_goes_on_there) {
  make(f.spec());
  EXPECT_EQ(runWith({Fault::Cut, 100'000}), TransferEnd::Kind::Cut);
  EXPECT_EQ(partBytes(), f.bytes.left(100'000));
  EXPECT_EQ(run(), TransferEnd::Kind::Done);
  EXPECT_EQ(f.server.requests().back().range, QStringLiteral("bytes=100000-"));
  EXPECT_EQ(test::readAll(f.path()), f.bytes);
}

TEST_F(TransferOfFile, lies_about_lengths_are_refused_by_name_and_keep_what_came) {
  make(f.spec());
  const std::pair<test::ServerFault, const char*> whole[] = {{{Fault::LongLength, 5}, "announces"},
                                                             {{Fault::ShortLength, 5}, "announces"},
                                                             {{Fault::TooMuch, 5}, "sends more"}};
  for (const auto& [fault, word] : whole) {
    EXPECT_EQ(runWith(fault), TransferEnd::Kind::Refused) << word;
    EXPECT_NE(end->sentence.text().indexOf(QLatin1StringView(word)), -1) << end->sentence.text().toStdString();
    QFile::remove(PartFile::pathOf(f.path()));
    make(f.spec());
  }
  ASSERT_EQ(runWith({Fault::Cut, 1000}), TransferEnd::Kind::Cut);
  for (const test::ServerFault& fault : {test::ServerFault{Fault::WrongWhole, 5},
                                         {Fault::WrongStart, 5},
                                         {Fault::LongLength, 5},
                                         {Fault::ShortLength, 5}}) {
    EXPECT_EQ(runWith(fault), TransferEnd::Kind::Refused) << static_cast<int>(fault.kind);
    EXPECT_EQ(partBytes(), f.bytes.left(1000));
  }
  EXPECT_EQ(run(), TransferEnd::Kind::Done);
}

TEST_F(TransferOfFile, a_server_that_knows_no_range_is_read_past_what_is_here) {
  make(f.spec());
  ASSERT_EQ(runWith({Fault::Cut, 100'000}), TransferEnd::Kind::Cut);
  EXPECT_EQ(runWith({Fault::NoRange}), TransferEnd::Kind::Done);
  EXPECT_TRUE(notice.isEmpty());
  EXPECT_EQ(test::readAll(f.path()), f.bytes);
}

TEST_F(TransferOfFile, a_file_that_changed_on_its_server_begins_anew_and_says_so) {
  const QByteArray changed = test::randomBytes(8, 250'000);
  f.server.serveAfterChange(kX, {changed, "\"two\""});
  make(f.spec(false));
  ASSERT_EQ(runWith({Fault::Cut, 100'000}), TransferEnd::Kind::Cut);
  EXPECT_EQ(runWith({Fault::Change}), TransferEnd::Kind::Done);
  EXPECT_NE(notice.indexOf(QStringLiteral("changed on its server")), -1);
  EXPECT_EQ(test::readAll(f.path()), changed);
}

TEST_F(TransferOfFile, a_hub_tells_of_the_change_itself_and_its_new_checksum_counts) {
  const QByteArray changed = test::randomBytes(8, 250'000);
  f.server.serve(kX, {f.bytes, "\"cdn\"", '"' + test::sha256Of(f.bytes) + '"'});
  f.server.serveAfterChange(kX, {changed, "\"cdn\"", '"' + test::sha256Of(changed) + '"'});
  make(f.spec());
  ASSERT_EQ(runWith({Fault::Cut, 100'000}), TransferEnd::Kind::Cut);
  EXPECT_EQ(runWith({Fault::Change}), TransferEnd::Kind::Done);
  EXPECT_EQ(test::readAll(f.path()), changed);
}

TEST_F(TransferOfFile, a_server_whose_file_became_shorter_is_asked_from_the_beginning) {
  const QByteArray changed = test::randomBytes(8, 50'000);
  f.server.serve(kX, {f.bytes, {}});
  f.server.serveAfterChange(kX, {changed, {}});
  make(f.spec(false));
  ASSERT_EQ(runWith({Fault::Cut, 100'000}), TransferEnd::Kind::Cut);
  EXPECT_EQ(runWith({Fault::Change}), TransferEnd::Kind::Done);
  EXPECT_FALSE(notice.isEmpty());
  EXPECT_EQ(test::readAll(f.path()), changed);
}

TEST_F(TransferOfFile, a_wrong_checksum_deletes_what_came) {
  DownloadSpec spec = f.spec();
  spec.parts.front().sha256 = QByteArray(64, 'a');
  make(spec);
  EXPECT_EQ(run(), TransferEnd::Kind::WrongChecksum);
  EXPECT_FALSE(QFile::exists(f.path()));
  EXPECT_FALSE(QFile::exists(PartFile::pathOf(f.path())));
}

TEST_F(TransferOfFile, a_damaged_part_of_an_earlier_start_is_found_by_its_checksum) {
  test::write_file(PartFile::pathOf(f.path()).toStdString(), std::string(1000, 'x'));
  make(f.spec());
  EXPECT_EQ(run(), TransferEnd::Kind::WrongChecksum);
  EXPECT_EQ(run(), TransferEnd::Kind::Done);
}

TEST_F(TransferOfFile, space_is_asked_for_before_a_byte_is) {
  DiskPorts disk = test::roomyDisk();
  disk.freeBytes = [](const QString&) { return kSpareDiskBytes; };
  make(f.spec(), disk);
  EXPECT_EQ(run(), TransferEnd::Kind::NoSpace);
  EXPECT_NE(end->sentence.text().indexOf(QStringLiteral("lacks 293 KiB")), -1) << end->sentence.text().toStdString();
  EXPECT_TRUE(f.server.requests().empty());
}

TEST_F(TransferOfFile, a_disk_that_fills_up_keeps_what_it_has_and_goes_on_later) {
  DiskPorts disk = test::roomyDisk();
  auto room = std::make_shared<qint64>(120'000);
  disk.write = [room](QFile& file, const char* bytes, qint64 n, bool& isFull) {
    const qint64 written = file.write(bytes, std::min(n, *room));
    *room -= written;
    isFull = written < n;
    return written;
  };
  make(f.spec(), disk);
  EXPECT_EQ(run(), TransferEnd::Kind::NoSpace);
  EXPECT_EQ(partBytes(), f.bytes.left(120'000));
  *room = 1'000'000;
  EXPECT_EQ(run(), TransferEnd::Kind::Done);
  EXPECT_EQ(test::readAll(f.path()), f.bytes);
}

TEST_F(TransferOfFile, two_starts_of_the_program_do_not_both_write) {
  make(f.spec());
  QLockFile other(PartFile::pathOf(f.path()) + QStringLiteral(".lock"));
  ASSERT_TRUE(other.tryLock());
  EXPECT_EQ(run(), TransferEnd::Kind::Refused);
  EXPECT_NE(end->sentence.text().indexOf(QStringLiteral("Another Headroom")), -1);
  other.unlock();
  EXPECT_EQ(run(), TransferEnd::Kind::Done);
}

TEST_F(TransferOfFile, another_server_than_the_hub_gets_no_sentence_about_tokens) {
  f.access = {QUrl(QStringLiteral("https://hub.example")), "hf_secret"};
  make(f.spec());
  EXPECT_EQ(runWith({Fault::Status, 403}), TransferEnd::Kind::Refused);
  EXPECT_TRUE(end->sentence.text().contains("does not give this file")) << end->sentence.text().toStdString();
}

TEST_F(TransferOfFile, statuses_end_a_run_by_what_can_be_done) {
  f.access.hub = f.server.url(QString());
  make(f.spec());
  const std::pair<int, TransferEnd::Kind> rows[] = {
      {401, TransferEnd::Kind::NeedsToken}, {403, TransferEnd::Kind::NeedsToken},  {404, TransferEnd::Kind::Refused},
      {410, TransferEnd::Kind::Refused},    {429, TransferEnd::Kind::AskedToWait}, {500, TransferEnd::Kind::Cut},
      {503, TransferEnd::Kind::Cut},        {418, TransferEnd::Kind::Refused}};
  for (const auto& [status, kind] : rows) {
    EXPECT_EQ(runWith({Fault::Status, status, "Retry-After: 2\r\n"}), kind) << status;
    EXPECT_EQ(end->waitMs, status == 429 ? 2000 : 0);
  }
  EXPECT_EQ(run(), TransferEnd::Kind::Done);
}

TEST_F(TransferOfFile, a_set_gets_its_names_when_all_of_it_is_there) {
  const QByteArray second = test::randomBytes(9, 150'000);
  f.server.serve(QStringLiteral("/y.gguf"), {second, "\"y\""});
  DownloadSpec spec = f.spec();
  spec.parts.push_back(
      {QStringLiteral("y.gguf"), f.server.url(QStringLiteral("/y.gguf")), 150'000, test::sha256Of(second), {}, {}});
  make(spec);
  f.server.setFaults(QStringLiteral("/y.gguf"), {{Fault::Cut, 1000}});
  EXPECT_EQ(run(), TransferEnd::Kind::Cut);
  EXPECT_FALSE(QFile::exists(f.path()));
  EXPECT_EQ(run(), TransferEnd::Kind::Done);
  EXPECT_EQ(test::readAll(f.path()), f.bytes);
  EXPECT_EQ(test::readAll(f.path(QStringLiteral("y.gguf"))), second);
  EXPECT_FALSE(QFile::exists(spec.recordPath()));
}

TEST_F(TransferOfFile, the_token_reaches_neither_another_server_nor_a_file_nor_a_sentence) {
  f.access = {f.server.url(QString()), "hf_secret"};
  DownloadSpec spec = f.spec();
  spec.parts.front().url = f.server.url(QStringLiteral("/hub.gguf"));
  const QByteArray elsewhere = f.server.url(kX, QStringLiteral("localhost")).toEncoded();
  f.server.serve(QStringLiteral("/hub.gguf"), {f.bytes, {}});
  f.server.setFaults(QStringLiteral("/hub.gguf"),
                     {{Fault::Redirect, 0, elsewhere}, {Fault::Status, 403}, {Fault::Redirect, 0, elsewhere}});
  make(spec);
  EXPECT_EQ(runWith({Fault::Cut, 1000}), TransferEnd::Kind::Cut);
  EXPECT_EQ(end->sentence.text().indexOf(QStringLiteral("hf_secret")), -1);
  EXPECT_FALSE(test::readAll(spec.recordPath()).contains("hf_secret"));
  EXPECT_EQ(run(), TransferEnd::Kind::NeedsToken);
  EXPECT_EQ(end->sentence.text().indexOf(QStringLiteral("hf_secret")), -1);
  EXPECT_EQ(run(), TransferEnd::Kind::Done);
  for (const test::SeenRequest& request : f.server.requests())
    EXPECT_EQ(request.authorization.isEmpty(), request.host.startsWith(QLatin1String("localhost")));
}

TEST_F(TransferOfFile, stopped_before_it_began_it_says_nothing) {
  make(f.spec());
  transfer->start(1, f.access);
  transfer->stop();
  QTest::qWait(50);
  EXPECT_FALSE(end.has_value());
  EXPECT_TRUE(f.server.requests().empty());
}

}  // namespace
}  // namespace headroom::ui
