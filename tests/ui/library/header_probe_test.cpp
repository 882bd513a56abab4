#include "ui/library/header_probe.h"

#include <gtest/gtest.h>

#include "download_fixture.h"
#include "file/gguf_writer.h"
#include "file/model_file.h"
#include "model/model_fingerprint.h"
#include "support/random_model.h"

namespace headroom::ui {
namespace {

using test::Fault;

Result<ModelInfo> inspectFile(const QString& path) {
  const Result<ModelFile> file = open_model_file(path.toStdString());
  if (!file) return file.error();
  return read_model_info(*file);
}

class ProbeOfServer : public testing::Test {
 protected:
  ProbeOfServer() {
    path = test::make_random_model({}, folder.path(), "x");
    bytes = test::readAll(QString::fromStdString(path.string()));
    server.serve(QStringLiteral("/x.gguf"), {bytes, "\"e\""});
    spec = downloadOf(QStringLiteral("/nowhere"), server.url(QStringLiteral("/x.gguf")));
  }
  void probe(Bytes firstBytes, Bytes mostBytes = kMiB) {
    ProbeLimits limits;
    limits.http.silenceMs = 1000;
    limits.firstBytes = firstBytes;
    limits.mostBytes = mostBytes;
    HeaderProbe probe(network, inspectFile, limits);
    model.reset();
    problem.clear();
    QObject::connect(&probe, &HeaderProbe::read, &probe, [this](const auto& read) { model = read; });
    QObject::connect(&probe, &HeaderProbe::failed, &probe, [this](const Sentence& told) { problem = told.text(); });
    probe.start(spec, {});
    ASSERT_TRUE(QTest::qWaitFor([this] { return model != nullptr || !problem.isEmpty(); }, 10'000));
  }

  test::TempFolder folder;
  std::filesystem::path path;
  QByteArray bytes;
  test::FaultServer server;
  QNetworkAccessManager network;
  DownloadSpec spec;
  std::shared_ptr<const ModelInfo> model;
  QString problem;
};

TEST_F(ProbeOfServer, a_header_on_a_server_is_the_model_on_disk) {
  const Result<ModelInfo> onDisk = inspectFile(QString::fromStdString(path.string()));
  ASSERT_TRUE(onDisk.ok());
  for (const Bytes firstBytes : {Bytes{64}, Bytes{1000}, kMiB}) {
    probe(firstBytes);
    ASSERT_TRUE(model) << problem.toStdString();
    EXPECT_EQ(model_fingerprint(*model), model_fingerprint(*onDisk)) << firstBytes;
  }
}

TEST_F(ProbeOfServer, weights_are_not_fetched) {
  probe(4096);
  ASSERT_TRUE(model);
  for (const test::SeenRequest& request : server.requests()) {
    const qint64 last = request.range.section('-', 1).toLongLong();
    EXPECT_LT(last, bytes.size() / 2) << request.range.toStdString();
  }
}

TEST_F(ProbeOfServer, a_header_like_one_that_was_read_takes_one_request) {
  HeaderProbe first(network, inspectFile, {}), second(network, inspectFile, {});
  bool isRead = false;
  QObject::connect(&first, &HeaderProbe::read, &first, [&] { isRead = true; });
  first.start(spec, {});
  ASSERT_TRUE(QTest::qWaitFor([&] { return isRead; }, 10'000));
  EXPECT_GT(first.headerBytes(), 0U);
  const auto nBefore = server.requests().size();
  isRead = false;
  QObject::connect(&second, &HeaderProbe::read, &second, [&] { isRead = true; });
  second.start(spec, {}, first.headerBytes());
  ASSERT_TRUE(QTest::qWaitFor([&] { return isRead; }, 10'000));
  ASSERT_EQ(server.requests().size(), nBefore + 1);
  EXPECT_EQ(server.requests().back().range.toStdString(),
            "bytes=0-" + std::to_string(first.headerBytes() + 16 * kKiB - 1));
}

TEST_F(ProbeOfServer, a_server_that_knows_no_stretches_is_cut_off) {
  server.setFaults(QStringLiteral("/x.gguf"), std::vector<test::ServerFault>(20, {Fault::NoRange}));
  probe(1000);
  EXPECT_TRUE(model) << problem.toStdString();
}

TEST_F(ProbeOfServer, what_is_no_model_is_told_without_a_path_of_this_machine) {
  server.serve(QStringLiteral("/x.gguf"), {"<html>" + QByteArray(5000, 'x'), {}});
  probe(1000);
  EXPECT_FALSE(model);
  EXPECT_NE(problem.indexOf(QStringLiteral("not a GGUF file")), -1) << problem.toStdString();
  EXPECT_EQ(problem.indexOf(QDir::tempPath()), -1) << problem.toStdString();
}

TEST_F(ProbeOfServer, headers_without_an_end_and_servers_without_a_file_are_given_up) {
  probe(64, 256);
  EXPECT_NE(problem.indexOf(QStringLiteral("longer than")), -1) << problem.toStdString();
  for (const test::ServerFault& fault :
       {test::ServerFault{Fault::Status, 404}, {Fault::Status, 403}, {Fault::Stall, 10}, {Fault::WrongStart, 5}}) {
    server.setFaults(QStringLiteral("/x.gguf"), std::vector(8, fault));
    probe(1000);
    EXPECT_FALSE(problem.isEmpty());
  }
}

TEST_F(ProbeOfServer, the_headers_of_all_parts_of_a_set_are_read) {
  GgufWriter first = test::random_gguf({}), second;
  first.set_raw("split.no", GgufType::kU16, std::string_view("\0\0", 2));
  first.set_raw("split.count", GgufType::kU16, std::string_view("\2\0", 2));
  second.set_raw("split.no", GgufType::kU16, std::string_view("\1\0", 2));
  second.set_raw("split.count", GgufType::kU16, std::string_view("\2\0", 2));
  spec.parts.clear();
  int number = 0;
  for (const GgufWriter* writer : {&first, &second}) {
    const QString name = QStringLiteral("s-0000%1-of-00002.gguf").arg(++number);
    const std::filesystem::path part = folder.path() / name.toStdString();
    ASSERT_TRUE(writer->write(part).ok());
    const QByteArray written = test::readAll(QString::fromStdString(part.string()));
    server.serve('/' + name, {written, {}});
    spec.parts.push_back({name, server.url('/' + name), static_cast<Bytes>(written.size()), {}, {}, {}});
  }
  const Result<ModelInfo> onDisk =
      inspectFile(QString::fromStdString((folder.path() / "s-00001-of-00002.gguf").string()));
  ASSERT_TRUE(onDisk.ok()) << onDisk.error().message.text();
  probe(1000);
  ASSERT_TRUE(model) << problem.toStdString();
  EXPECT_EQ(model_fingerprint(*model), model_fingerprint(*onDisk));
}

}  // namespace
}  // namespace headroom::ui
