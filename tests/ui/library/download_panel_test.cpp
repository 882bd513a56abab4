#include "ui/library/download_panel.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPixmap>
#include <QPushButton>
#include <QSignalSpy>

#include "download_fixture.h"
#include "file/model_file.h"
#include "support/model_specs.h"
#include "support/random_model.h"
#include "ui/calculator/calculator_state.h"
#include "ui/library/download_row.h"
#include "ui/library/listed_model_row.h"
#include "ui/theme/theme.h"

namespace headroom::ui {
namespace {

using test::Fault;

class FakeTokens : public TokenPort {
 public:
  void prepare() override {
    isKnown = true;
    emit ready();
  }
  bool isReady() const override { return isKnown; }
  QByteArray token() const override { return held; }
  TokenSource source() const override { return held.isEmpty() ? other : TokenSource::Keyring; }
  void setToken(const QByteArray& token) override {
    held = token;
    isKnown = true;
    emit changed();
  }
  bool isStillKept() const override { return keepsAll; }
  QByteArray held;
  bool isKnown = false, keepsAll = false;
  TokenSource other = TokenSource::None;  // where there is none of the user's own
};

// The panel over a hub of "org/name" with one model in two quantizations.
class PanelOfHub : public testing::Test {
 protected:
  PanelOfHub() {
    const std::filesystem::path path = test::make_random_model({}, f.temp.path(), "made");
    model = test::readAll(QString::fromStdString(path.string()));
    QByteArray entries;
    for (const char* name :
         {"Tiny-Model-1B-Instruct-F32.gguf", "Tiny-Model-1B-Instruct-Q8_0.gguf", "mmproj-F16.gguf"}) {
      f.server.serve(resolved(name), {model, "\"e\""});
      entries += R"({"type":"file","path":")" + QByteArray(name) + R"(","size":)" + QByteArray::number(model.size()) +
                 R"(,"lfs":{"oid":")" + test::sha256Of(model) + R"(","size":)" + QByteArray::number(model.size()) +
                 "}},";
    }
    f.server.serve(page, {'[' + entries.chopped(1) + ']', {}});
    calculator.setPresentDevices({test::cpu_with(kGiB)});
    panel.resize(720, 640);
    panel.show();
  }
  static QString resolved(const char* name) { return QStringLiteral("/org/name/resolve/main/") + QLatin1String(name); }
  BrowserPorts ports() {
    BrowserPorts made;
    made.findAccess = [this] { return HubAccess{f.server.url(QString()), tokens.held}; };
    made.downloadFolder = [this] { return f.folder(); };
    made.startingDevices = [this] { return calculator.startingDevices(); };
    made.inspectModel = [](const QString& path) -> Result<ModelInfo> {
      const Result<ModelFile> file = open_model_file(path.toStdString());
      if (!file) return file.error();
      return read_model_info(*file);
    };
    return made;
  }
  static std::vector<ModelToStart> toStart() {
    return {{QStringLiteral("Tiny 1B"),
             QStringLiteral("org/name"),
             QStringLiteral("Tiny-Model-1B-Instruct-Q8_0.gguf"),
             {{QStringLiteral("en"), QStringLiteral("Answers at once, and knows little")}},
             1'200'000'000},
            {QStringLiteral("Large 30B"),
             QStringLiteral("org/large"),
             QStringLiteral("Large-Q4_K_M.gguf"),
             {{QStringLiteral("en"), QStringLiteral("Knows more")}},
             18'600'000'000}};
  }
  template <class Widget>
  Widget* find(const char* name) {
    return panel.findChild<Widget*>(QLatin1String(name));
  }
  std::vector<QPushButton*> fetchButtons() {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    const auto found = panel.findChildren<QPushButton*>(QStringLiteral("fetch"));
    return {found.begin(), found.end()};
  }
  void look(const QString& typed) {
    find<QLineEdit>("hubField")->setText(typed);
    QTest::keyClick(find<QLineEdit>("hubField"), Qt::Key_Return);
  }
  bool waitForFits(int n) {
    return QTest::qWaitFor(
        [&] {
          const auto labels = panel.findChildren<QLabel*>(QStringLiteral("fit"));
          return std::count_if(labels.begin(), labels.end(), [](const QLabel* label) {
                   return label->text().startsWith(QLatin1String("Fits"));
                 }) == n;
        },
        10'000);
  }
  bool waitForDownload() {
    return QTest::qWaitFor([&] { return downloads->count() > 0 && test::isDone(downloads->at(0)); }, 10'000);
  }

  test::DownloadFixture f;
  QByteArray model;
  const QString page = QStringLiteral("/api/models/org/name/tree/main?recursive=true");
  FakeTokens tokens;
  CalculatorState calculator{{}};
  Theme theme{ThemeChoice::Light};
  std::unique_ptr<Downloads> downloads = std::make_unique<Downloads>(
      [this] {
        return HubAccess{f.server.url(QString()), tokens.held};
      },
      test::roomyDisk(), test::quickLimits());
  HubBrowser browser{ports(), {}};
  DownloadPanel panel{browser, *downloads, tokens, toStart()};
};

TEST_F(PanelOfHub, before_anything_was_looked_for_it_shows_a_short_list_and_asks_nobody) {
  panel.setMemory(8 * kGiB);
  EXPECT_EQ(fetchButtons().size(), 2U);
  const auto fits = panel.findChildren<QLabel*>(QStringLiteral("fit"));
  EXPECT_TRUE(fits.back()->text().startsWith(QLatin1String("Larger than")));
  QTest::keyClicks(find<QLineEdit>("hubField"), QStringLiteral("org/name"));
  QTest::qWait(30);
  EXPECT_TRUE(f.server.requests().empty());
  EXPECT_FALSE(tokens.isKnown);
}

TEST_F(PanelOfHub, enter_lists_the_files_with_how_each_fits_and_a_button_fetches_one) {
  look(QStringLiteral("org/name"));
  ASSERT_TRUE(waitForFits(2));
  auto buttons = fetchButtons();
  ASSERT_EQ(buttons.size(), 3U);
  QSignalSpy downloaded(&panel, &DownloadPanel::downloaded), load(&panel, &DownloadPanel::loadWanted);
  buttons[1]->click();
  ASSERT_TRUE(waitForDownload());
  const QString path = f.path(QStringLiteral("org/name/Tiny-Model-1B-Instruct-Q8_0.gguf"));
  EXPECT_EQ(test::readAll(path), model);
  ASSERT_EQ(downloaded.count(), 1);
  EXPECT_EQ(downloaded[0][0].toString(), path);
  EXPECT_EQ(buttons[1]->text(), QStringLiteral("On disk"));
  EXPECT_FALSE(buttons[1]->isEnabled());
  find<QPushButton>("load")->click();
  ASSERT_EQ(load.count(), 1);
  EXPECT_EQ(load[0][0].toString(), path);
  find<QPushButton>("remove")->click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return downloads->count() == 0; }));
  EXPECT_TRUE(QFile::exists(path));
}

TEST_F(PanelOfHub, an_entry_of_the_short_list_looks_for_its_file) {
  fetchButtons().front()->click();
  EXPECT_EQ(find<QLineEdit>("hubField")->text(), QStringLiteral("org/name:Q8_0"));
  ASSERT_TRUE(waitForFits(1));
  find<QLineEdit>("hubField")->clear();
  EXPECT_EQ(fetchButtons().size(), 2U);  // the short list is back
}

TEST_F(PanelOfHub, a_token_that_the_keyring_did_not_delete_is_said_to_be_kept) {
  tokens.keepsAll = true;
  tokens.setToken({});
  EXPECT_TRUE(find<QLabel>("tokenNote")->text().contains("has not deleted yours"));
  tokens.other = TokenSource::Environment;
  tokens.setToken({});
  EXPECT_TRUE(find<QLabel>("tokenNote")->text().contains("HF_TOKEN is used")) << "which one is used is said too";
  EXPECT_TRUE(find<QLabel>("tokenNote")->text().contains("has not deleted yours"));
  tokens.keepsAll = false;
  tokens.setToken({});
  EXPECT_FALSE(find<QLabel>("tokenNote")->text().contains("has not deleted yours"));
}

TEST_F(PanelOfHub, a_closed_repository_asks_for_a_token_and_goes_on_with_it) {
  f.server.setFaults(page, {{Fault::Status, 401}});
  EXPECT_FALSE(find<QLineEdit>("tokenField")->isVisible());
  look(QStringLiteral("org/name"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return find<QLineEdit>("tokenField")->isVisible(); }, 5000));
  EXPECT_EQ(find<QLineEdit>("tokenField")->echoMode(), QLineEdit::Password);
  QTest::keyClicks(find<QLineEdit>("tokenField"), QStringLiteral("hf_secret"));
  QTest::keyClick(find<QLineEdit>("tokenField"), Qt::Key_Return);
  ASSERT_TRUE(waitForFits(2));
  EXPECT_EQ(tokens.held, "hf_secret");
  EXPECT_TRUE(find<QLineEdit>("tokenField")->text().isEmpty());
  for (const QLabel* label : panel.findChildren<QLabel*>())
    EXPECT_FALSE(label->text().contains(QLatin1String("hf_secret")));
  EXPECT_EQ(f.server.requests().back().authorization, QStringLiteral("Bearer hf_secret"));
}

TEST_F(PanelOfHub, trouble_is_said_and_a_download_is_paused_resumed_and_removed_by_its_buttons) {
  look(QStringLiteral("nonsense"));
  EXPECT_TRUE(find<QLabel>("message")->isVisible());
  EXPECT_NE(find<QLabel>("message")->text().indexOf(QStringLiteral("expected a repository")), -1);
  look(QStringLiteral("org/name"));
  ASSERT_TRUE(waitForFits(2));
  f.server.setFaults(resolved("Tiny-Model-1B-Instruct-F32.gguf"), {{Fault::Stall, 1000}});
  fetchButtons().front()->click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return downloads->at(0).bytesDone() > 0; }, 5000));
  find<QPushButton>("pause")->click();
  EXPECT_TRUE(find<QPushButton>("resume")->isVisible());
  EXPECT_FALSE(find<QPushButton>("pause")->isVisible());
  const auto ask = [&] {
    find<QPushButton>("remove")->click();
    return QTest::qWaitFor([&] { return panel.findChild<QMessageBox*>("removeQuestion") != nullptr; });
  };
  ASSERT_TRUE(ask());
  panel.findChild<QMessageBox*>("removeQuestion")->reject();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  EXPECT_EQ(downloads->count(), 1);
  ASSERT_TRUE(ask());
  panel.findChild<QPushButton*>("removeAgreed")->click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return downloads->count() == 0; }));
  EXPECT_FALSE(find<QWidget>("downloadsArea")->isVisible());
  EXPECT_TRUE(QDir(f.path(QStringLiteral("org/name"))).isEmpty());
}

TEST_F(PanelOfHub, everything_can_be_reached_by_the_keyboard_and_has_a_name) {
  look(QStringLiteral("org/name"));
  ASSERT_TRUE(waitForFits(2));
  fetchButtons().front()->click();
  ASSERT_TRUE(waitForDownload());
  for (const QWidget* widget : panel.findChildren<QWidget*>()) {
    if (!widget->isVisible() || qobject_cast<const QPushButton*>(widget) == nullptr) continue;
    EXPECT_TRUE(widget->focusPolicy() & Qt::TabFocus) << widget->objectName().toStdString();
    const QString name = widget->accessibleName().isEmpty() ? qobject_cast<const QPushButton*>(widget)->text()
                                                            : widget->accessibleName();
    EXPECT_FALSE(name.isEmpty());
  }
}

// To be looked at.
TEST_F(PanelOfHub, pictures_in_both_themes_and_two_widths) {
  const auto grab = [&](const QString& state) {
    for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
      theme.setChoice(choice);
      for (const int width : {500, 1000}) {
        panel.resize(width, 760);
        QTest::qWait(60);
        EXPECT_EQ(panel.width(), width);
        QDir().mkpath(QStringLiteral(HEADROOM_SCREENSHOTS));
        const QString path = QStringLiteral("%1/download-%2-%3-%4.png")
                                 .arg(QStringLiteral(HEADROOM_SCREENSHOTS), state,
                                      choice == ThemeChoice::Dark ? QStringLiteral("dark") : QStringLiteral("light"))
                                 .arg(width);
        EXPECT_TRUE(panel.grab().save(path));
      }
    }
  };
  panel.setMemory(8 * kGiB);
  grab(QStringLiteral("1-start"));
  look(QStringLiteral("org/name"));
  ASSERT_TRUE(waitForFits(2));
  f.server.setFaults(resolved("Tiny-Model-1B-Instruct-F32.gguf"), {{Fault::Throttle, 3000}});
  auto buttons = fetchButtons();
  buttons[1]->click();
  ASSERT_TRUE(waitForDownload());
  buttons[0]->click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return downloads->at(1).msLeft().has_value(); }, 5000));
  grab(QStringLiteral("2-found"));
  f.server.setFaults(page, {{Fault::Status, 401}});
  look(QStringLiteral("org/name"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return find<QLineEdit>("tokenField")->isVisible(); }, 5000));
  grab(QStringLiteral("3-token"));
}

}  // namespace
}  // namespace headroom::ui
