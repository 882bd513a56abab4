#include "ui/library/download_row.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>

#include "download_fixture.h"

namespace headroom::ui {
namespace {

class RowOfDownload : public testing::Test {
 protected:
  void show(DownloadStage stage) {
    download = std::make_unique<Download>(
        f.spec(), std::move(stage), [] { return HubAccess(); }, test::roomyDisk(), test::quickLimits());
    row.show(*download);
  }
  bool isShown(const char* name) { return !row.findChild<QWidget*>(QLatin1String(name))->isHidden(); }
  QString text(const char* name) { return row.findChild<QLabel*>(QLatin1String(name))->text(); }

  test::DownloadFixture f{2'000'000};
  std::unique_ptr<Download> download;
  DownloadRow row;
};

TEST_F(RowOfDownload, each_state_has_its_buttons) {
  using namespace download_stage;
  const std::pair<DownloadStage, const char*> rows[] = {
      {Queued{}, "pause"},
      {AskingSpace{1, 0}, "pause"},
      {Running{1, 0}, "pause"},
      {Waiting{1, Sentence::plain(QStringLiteral("Cut")), 2000}, "pause"},
      {Paused{}, "resume"},
      {Verifying{1}, "pause"},
      {Failed{Sentence::plain(QStringLiteral("Gone")), false}, "resume"},
      {Done{}, "load"}};
  for (const auto& [stage, expected] : rows) {
    show(stage);
    for (const char* name : {"pause", "resume", "load"})
      EXPECT_EQ(isShown(name), std::string(name) == expected) << name;
    EXPECT_TRUE(isShown("remove"));
    EXPECT_FALSE(text("state").isEmpty());
  }
}

TEST_F(RowOfDownload, it_says_how_much_is_here_and_what_is_wrong) {
  show(download_stage::Paused{Sentence::plain(QStringLiteral("The disk is full"))});
  EXPECT_EQ(text("figures"), QStringLiteral("0.00 of 1.91 MiB"));
  EXPECT_EQ(text("state"), QStringLiteral("The disk is full"));
  show(download_stage::Failed{Sentence::plain(QStringLiteral("Gone")), false});
  EXPECT_EQ(row.findChild<QPushButton*>(QStringLiteral("resume"))->text(), QStringLiteral("Try again"));
}

TEST_F(RowOfDownload, buttons_say_of_what_they_are) {
  show(download_stage::Paused{});
  EXPECT_EQ(row.findChild<QPushButton*>(QStringLiteral("resume"))->accessibleName(), QStringLiteral("Resume: x.gguf"));
}

}  // namespace
}  // namespace headroom::ui
