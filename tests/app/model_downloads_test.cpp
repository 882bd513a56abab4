#include "app/model_downloads.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include "support/fake_engine_port.h"
#include "support/fault_server.h"
#include "support/random_model.h"
#include "support/temp_folder.h"
#include "ui/library/download_panel.h"
#include "ui/library/model_folders.h"
#include "ui/model/model_controller.h"
#include "ui/settings/settings_model.h"

namespace headroom::app {
namespace {

Keyring noKeyring() {
  Keyring keyring;
  keyring.read = [](const auto& then) { then(false, {}); };
  keyring.write = [](const QByteArray&, const auto& then) { then(false); };
  return keyring;
}

class ModelDownloadsTest : public testing::Test {
 protected:
  ModelDownloadsTest() {
    ui::LibrarySettings library;
    library.hubAddress = server.url(QString()).toString();
    settings.setLibrary(library);
    ui::ModelServices services;
    services.engine = &engine;
    services.inspectModel = inspect;
    services.probeDevices = [] { return std::vector<DeviceInfo>(); };
    models = std::make_unique<ui::ModelController>(std::move(services), settings);
    const std::filesystem::path path = test::make_random_model({}, temp.path(), "made");
    QFile file(QString::fromStdString(path.string()));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    bytes = file.readAll();
    server.serve(QStringLiteral("/org/name/resolve/main/x.gguf"), {bytes, "\"e\""});
    server.serve(QStringLiteral("/api/models/org/name/tree/main?recursive=true"),
                 {R"([{"type":"file","path":"x.gguf","size":)" + QByteArray::number(bytes.size()) + "}]", {}});
  }
  static Result<ModelInfo> inspect(const QString& path) {
    const Result<ModelFile> file = open_model_file(path.toStdString());
    if (!file) return file.error();
    return read_model_info(*file);
  }
  QString folder() const { return QString::fromStdString(temp.path().string()); }
  std::unique_ptr<ModelDownloads> make() {
    return std::make_unique<ModelDownloads>(settings, *models, inspect, folder(),
                                            QStringLiteral(HEADROOM_SOURCE_DIR "/resources/models_to_start.json"),
                                            noKeyring());
  }

  test::TempFolder temp;
  test::FaultServer server;
  ui::SettingsModel settings;
  test::FakeEnginePort engine;
  std::unique_ptr<ui::ModelController> models;
  QByteArray bytes;
};

TEST_F(ModelDownloadsTest, models_go_beside_the_conversations_or_where_the_user_wants_them) {
  const auto downloads = make();
  EXPECT_EQ(downloads->folder(), QDir(folder()).filePath(QStringLiteral("models")));
  ui::LibrarySettings library = settings.library();
  library.downloadFolder = QStringLiteral("/elsewhere");
  settings.setLibrary(library);
  EXPECT_EQ(downloads->folder(), QStringLiteral("/elsewhere"));
}

TEST_F(ModelDownloadsTest, what_the_panel_fetches_from_a_mirror_is_found_again_when_it_is_unfinished) {
  {
    server.setFaults(QStringLiteral("/org/name/resolve/main/x.gguf"),
                     {{}, {test::ServerFault::Kind::Stall, 1000}});  // the header, then the file
    const auto downloads = make();
    const std::unique_ptr<ui::DownloadPanel> panel(downloads->makePanel());
    EXPECT_GE(panel->findChildren<QPushButton*>(QStringLiteral("fetch")).size(), 6);
    auto* field = panel->findChild<QLineEdit*>(QStringLiteral("hubField"));
    field->setText(QStringLiteral("org/name"));
    QTest::keyClick(field, Qt::Key_Return);
    QPushButton* fetch = nullptr;
    ASSERT_TRUE(QTest::qWaitFor(
        [&] {
          fetch = panel->findChild<QPushButton*>(QStringLiteral("fetch"));
          return server.requests().size() >= 2 && fetch != nullptr && fetch->text() == QLatin1String("Download");
        },
        5000));
    fetch->click();
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return downloads->downloads().count() == 1 && downloads->downloads().at(0).bytesDone() > 0; }, 5000));
  }
  const auto downloads = make();
  downloads->findUnfinished();
  ASSERT_TRUE(QTest::qWaitFor([&] { return downloads->downloads().count() == 1; }, 5000));
  ui::Download& download = downloads->downloads().at(0);
  downloads->downloads().resume(download);
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return std::holds_alternative<ui::download_stage::Done>(download.stage()); }, 10'000));
  QFile file(QDir(folder()).filePath(QStringLiteral("models/org/name/x.gguf")));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_EQ(file.readAll(), bytes);
}

TEST_F(ModelDownloadsTest, what_is_unfinished_where_downloads_went_before_is_found) {
  const auto change = [this](const QString& to) {
    ui::LibrarySettings library = settings.library();
    ui::changeDownloadFolder(library, to, ui::libraryPlaces(folder()));
    settings.setLibrary(library);
  };
  for (const char* name : {"models", "one", "two"}) {
    const ui::DownloadSpec spec{QStringLiteral("org/name"),
                                QDir(folder()).filePath(QLatin1StringView(name)),
                                {{QStringLiteral("x.gguf"), server.url(QStringLiteral("/x.gguf")), 0, {}, {}, {}}}};
    ASSERT_TRUE(QDir().mkpath(spec.folder));
    QFile record(spec.recordPath());
    ASSERT_TRUE(record.open(QIODevice::WriteOnly));
    record.write(toJson(spec));
  }
  change(QDir(folder()).filePath(QStringLiteral("one")));
  change(QDir(folder()).filePath(QStringLiteral("two")));
  const auto downloads = make();
  downloads->findUnfinished();
  EXPECT_TRUE(QTest::qWaitFor([&] { return downloads->downloads().count() == 3; }, 60'000));
}

TEST_F(ModelDownloadsTest, what_ends_where_downloads_went_before_is_listed) {
  server.serve(QStringLiteral("/x.gguf"), {bytes, "\"e\""});
  const QString before = QDir(folder()).filePath(QStringLiteral("models"));
  const ui::DownloadSpec spec{QStringLiteral("org/name"),
                              before,
                              {{QStringLiteral("x.gguf"), server.url(QStringLiteral("/x.gguf")), 0, {}, {}, {}}}};
  ASSERT_TRUE(QDir().mkpath(spec.folder));
  QFile record(spec.recordPath());
  ASSERT_TRUE(record.open(QIODevice::WriteOnly));
  record.write(toJson(spec));
  record.close();
  ui::LibrarySettings library = settings.library();
  ui::changeDownloadFolder(library, QDir(folder()).filePath(QStringLiteral("one")), ui::libraryPlaces(folder()));
  settings.setLibrary(library);
  const auto downloads = make();
  downloads->findUnfinished();
  ASSERT_TRUE(QTest::qWaitFor([&] { return downloads->downloads().count() == 1; }, 60'000));
  EXPECT_TRUE(settings.library().folders.isEmpty());
  ui::Download& download = downloads->downloads().at(0);
  downloads->downloads().resume(download);
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return std::holds_alternative<ui::download_stage::Done>(download.stage()); }, 60'000));
  EXPECT_TRUE(QTest::qWaitFor([&] { return settings.library().folders == QStringList{before}; }, 60'000));
}

TEST_F(ModelDownloadsTest, a_token_of_another_program_goes_to_no_mirror) {
  qputenv("HF_TOKEN", "hf_of_another_program");
  const auto downloads = make();
  const std::unique_ptr<ui::DownloadPanel> panel(downloads->makePanel());
  auto* field = panel->findChild<QLineEdit*>(QStringLiteral("hubField"));
  field->setText(QStringLiteral("org/name"));
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_TRUE(QTest::qWaitFor([&] { return server.requests().size() >= 2; }, 5000));
  for (const test::SeenRequest& seen : server.requests()) EXPECT_EQ(seen.authorization, QString());
  qunsetenv("HF_TOKEN");
}

}  // namespace
}  // namespace headroom::app
