#include "ui/library/hub_browser.h"

#include <gtest/gtest.h>

#include "download_fixture.h"
#include "file/model_file.h"
#include "support/model_specs.h"
#include "support/random_model.h"
#include "ui/calculator/calculator_state.h"

namespace headroom::ui {
namespace {

// A hub of "org/name" with a model in two quantizations, a helper and what is no model.
class BrowserOfHub : public testing::Test {
 protected:
  BrowserOfHub() {
    const std::filesystem::path path = test::make_random_model({}, folder.path(), "x");
    onDisk = QString::fromStdString(path.string());
    const QByteArray bytes = test::readAll(onDisk);
    QByteArray entries;
    for (const char* name : {"x-F32.gguf", "x-Q8_0.gguf", "mmproj-x.gguf"}) {
      server.serve(resolved(name), {bytes, {}});
      entries +=
          R"({"type":"file","path":")" + QByteArray(name) + R"(","size":)" + QByteArray::number(bytes.size()) + "},";
    }
    server.serve(resolved("bad-Q4_0.gguf"), {"<html>", {}});
    server.serve(QStringLiteral("/api/models/org/name/tree/main?recursive=true"),
                 {'[' + entries + R"({"type":"file","path":"bad-Q4_0.gguf","size":6}])", {}});
    access.hub = server.url(QString());
    std::vector<DeviceInfo> present{test::cpu_with(kGiB)};
    calculator.setPresentDevices(present);
  }
  static QString resolved(const char* name) { return QStringLiteral("/org/name/resolve/main/") + QLatin1String(name); }
  static BrowserLimits limits() {
    BrowserLimits made;
    made.hub.http.silenceMs = made.probe.http.silenceMs = 2000;
    made.hub.waitMs = 10;
    made.probe.firstBytes = 4096;
    return made;
  }
  BrowserPorts ports() {
    BrowserPorts made;
    made.findAccess = [this] { return access; };
    made.downloadFolder = [] { return QStringLiteral("/models"); };
    made.startingDevices = [this] { return calculator.startingDevices(); };
    made.inspectModel = inspect;
    return made;
  }
  static Result<ModelInfo> inspect(const QString& path) {
    const Result<ModelFile> file = open_model_file(path.toStdString());
    if (!file) return file.error();
    return read_model_info(*file);
  }
  bool waitForRows() {
    return QTest::qWaitFor(
        [this] {
          return !browser.rows().empty() &&
                 std::all_of(browser.rows().begin(), browser.rows().end(), [](const BrowserRow& row) {
                   return row.model.kind != ListedModel::Kind::Model || row.fit.kind != ModelFit::Kind::Unknown ||
                          !row.fitProblem.isEmpty();
                 });
        },
        10'000);
  }

  test::TempFolder folder;
  QString onDisk;
  test::FaultServer server;
  HubAccess access;
  CalculatorState calculator{{}};
  HubBrowser browser{ports(), limits()};
};

TEST_F(BrowserOfHub, nobody_is_asked_before_the_user_looks) {
  QTest::qWait(20);
  EXPECT_TRUE(server.requests().empty());
  EXPECT_TRUE(std::holds_alternative<browser_state::Empty>(browser.state()));
}

TEST_F(BrowserOfHub, each_model_says_how_it_fits_as_the_file_on_disk_would) {
  browser.look(QStringLiteral("org/name"));
  ASSERT_TRUE(waitForRows());
  ASSERT_EQ(browser.rows().size(), 4U);
  const ModelFit expected = findFit(std::make_shared<const ModelInfo>(*inspect(onDisk)), calculator.startingDevices());
  EXPECT_TRUE(expected.fits());
  EXPECT_EQ(browser.rows()[0].fit, expected);
  EXPECT_EQ(browser.rows()[1].fit, expected);
  EXPECT_EQ(browser.rows()[2].fit.kind, ModelFit::Kind::Unknown);  // no model
  EXPECT_FALSE(browser.rows()[3].fitProblem.isEmpty());
  EXPECT_EQ(browser.rows()[0].download.path(), QStringLiteral("/models/org/name/x-F32.gguf"));
}

TEST_F(BrowserOfHub, a_quantization_or_a_file_leaves_the_others_out) {
  browser.look(QStringLiteral("org/name:q8_0"));
  ASSERT_TRUE(waitForRows());
  ASSERT_EQ(browser.rows().size(), 1U);
  EXPECT_EQ(browser.rows()[0].model.path, QStringLiteral("x-Q8_0.gguf"));
  browser.look(server.url(QStringLiteral("/org/name/blob/main/x-F32.gguf")).toString());
  ASSERT_TRUE(waitForRows());
  ASSERT_EQ(browser.rows().size(), 1U);
  browser.look(QStringLiteral("org/name:Q3_K_S"));
  ASSERT_TRUE(waitForRows());
  EXPECT_EQ(browser.rows().size(), 4U);
  EXPECT_FALSE(std::get<browser_state::Listed>(browser.state()).note.isEmpty());
}

TEST_F(BrowserOfHub, an_address_outside_the_hub_is_one_row_without_a_token) {
  access.token = "hf_secret";
  const QUrl url = server.url(resolved("x-F32.gguf"), QStringLiteral("localhost"));
  browser.look(url.toString());
  ASSERT_TRUE(waitForRows());
  ASSERT_EQ(browser.rows().size(), 1U);
  EXPECT_TRUE(browser.rows()[0].fit.fits()) << browser.rows()[0].fitProblem.text().toStdString();
  EXPECT_EQ(browser.rows()[0].download.path(), QStringLiteral("/models/x-F32.gguf"));
  for (const test::SeenRequest& request : server.requests()) EXPECT_TRUE(request.authorization.isEmpty());
}

TEST_F(BrowserOfHub, what_cannot_be_understood_or_found_is_said) {
  browser.look(QStringLiteral("nonsense"));
  EXPECT_TRUE(std::holds_alternative<browser_state::Failed>(browser.state()));
  EXPECT_TRUE(server.requests().empty());
  browser.look(QStringLiteral("org/other"));
  ASSERT_TRUE(QTest::qWaitFor([this] { return std::holds_alternative<browser_state::Failed>(browser.state()); }, 5000));
}

TEST_F(BrowserOfHub, another_look_in_the_middle_ends_the_first) {
  for (int i = 0; i < 10; ++i) {
    browser.look(QStringLiteral("org/name"));
    QTest::qWait(i * 3);
  }
  browser.look(QStringLiteral("org/name:F32"));
  ASSERT_TRUE(waitForRows());
  EXPECT_EQ(browser.rows().size(), 1U);
  browser.stop();
  EXPECT_TRUE(browser.rows().empty());
}

}  // namespace
}  // namespace headroom::ui
