#include "ui/verify/verify_dialog.h"

#include <QDir>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>

#include "support/verified.h"
#include "ui/main_window/window_fixture.h"
#include "ui/verify/verify_words.h"

namespace headroom::ui {
namespace {

class VerifyDialogTest : public WindowFixture {
 protected:
  void SetUp() override {
    WindowFixture::SetUp();
    open({"Llama 3 8B", 4096, 2, 95.0});
  }
  void open(const VerifySubject& subject) {
    delete m_dialog;
    m_dialog = new VerifyDialog(subject, m_window.get());
    m_dialog->show();
    m_dialog->activateWindow();
  }
  QPushButton* button(const char* name) { return m_dialog->findChild<QPushButton*>(QLatin1StringView(name)); }
  QString textOf(const char* name) { return m_dialog->findChild<QLabel*>(QLatin1StringView(name))->text(); }
  QString allText() {
    QStringList texts;
    for (const QLabel* label : m_dialog->findChildren<QLabel*>()) texts << label->text();
    return texts.join('\n');
  }
  void grab(const QString& name) {
    const QDir folder(QCoreApplication::applicationDirPath() + "/../screenshots");
    ASSERT_TRUE(QDir().mkpath(folder.path()));
    for (const bool isDark : {false, true}) {
      m_theme.setChoice(isDark ? ThemeChoice::Dark : ThemeChoice::Light);
      QCoreApplication::processEvents();
      const QString path = folder.filePath(name + (isDark ? "-dark.png" : "-light.png"));
      ASSERT_TRUE(m_dialog->grab().save(path));
      std::printf("screenshot: %s\n", qPrintable(path));
    }
  }
  QPointer<VerifyDialog> m_dialog;
};

TEST_F(VerifyDialogTest, says_before_it_begins_what_it_does_how_long_and_what_becomes_of_conversations) {
  EXPECT_TRUE(allText().contains("all 2 slots, of 4,096 tokens each"));
  EXPECT_TRUE(allText().contains("It takes about 1 min 35 s"));
  EXPECT_TRUE(allText().contains("the next answer of each reads its conversation again first"));
  EXPECT_TRUE(button("startVerify")->isVisible());
  EXPECT_TRUE(button("startVerify")->isDefault());
  EXPECT_FALSE(button("stopVerify")->isVisible());
  EXPECT_FALSE(button("saveReport")->isVisible());
  grab("14-verify-question");
  open({"A model", 512, 1, std::nullopt});
  EXPECT_TRUE(allText().contains("The context of 512 tokens"));
  EXPECT_TRUE(allText().contains("How long it takes is not known"));
}

TEST_F(VerifyDialogTest, while_it_runs_the_step_and_the_part_are_shown_and_it_can_be_stopped) {
  QSignalSpy started(m_dialog, &VerifyDialog::startWanted), stopped(m_dialog, &VerifyDialog::stopWanted);
  button("startVerify")->click();
  EXPECT_EQ(started.count(), 1);
  EXPECT_FALSE(button("startVerify")->isVisible());
  m_dialog->showProgress({VerifyStage::kAllSlots, 3, 10});
  EXPECT_EQ(textOf("verifyStep"), "Step 2 of 3: filling all slots to their end");
  EXPECT_EQ(m_dialog->findChild<QProgressBar*>("verifyProgress")->value(), 300);
  grab("14-verify-running");
  button("stopVerify")->click();
  EXPECT_EQ(stopped.count(), 1);
  m_dialog->showFailure({ErrorCode::kCancelled, Message::plain("stopped")});
  EXPECT_EQ(textOf("verifyEnd"), "Stopped. The model is loaded as before.");
  EXPECT_TRUE(button("startVerify")->isVisible()) << "it can be begun again";
}

TEST_F(VerifyDialogTest, the_result_has_a_verdict_and_can_be_saved_and_found_again) {
  button("startVerify")->click();
  m_dialog->showResult(test::verified_as_planned());
  EXPECT_EQ(textOf("verifyVerdict"), verifyVerdict(test::verified_as_planned()));
  QSignalSpy wanted(m_dialog, &VerifyDialog::reportWanted);
  button("saveReport")->click();
  EXPECT_EQ(wanted.count(), 1);
  grab("14-verify-result");
  Verification other = test::verified_as_planned();
  other.grown.n_arenas = 2;
  other.devices[1].mapped_bytes += kMiB;
  button("startVerify")->click();
  EXPECT_TRUE(button("stopVerify")->isVisible());
  m_dialog->showResult(other);
  EXPECT_EQ(textOf("verifyVerdict"), "Not as planned");
  EXPECT_TRUE(allText().contains("Allocations since load: 2."));
  grab("14-verify-differs");
  EXPECT_FALSE(button("stopVerify")->isVisible()) << "also behind a change of the theme";
  EXPECT_TRUE(button("saveReport")->isDefault());
}

TEST_F(VerifyDialogTest, who_closes_it_stops_what_runs) {
  QSignalSpy stopped(m_dialog, &VerifyDialog::stopWanted);
  button("startVerify")->click();
  QTest::keyClick(m_dialog, Qt::Key_Escape);
  EXPECT_EQ(stopped.count(), 1);
  open({"A model", 512, 1, std::nullopt});
  QSignalSpy none(m_dialog, &VerifyDialog::stopWanted);
  QTest::keyClick(m_dialog, Qt::Key_Escape);
  EXPECT_EQ(none.count(), 0) << "nothing ran";
}

TEST_F(VerifyDialogTest, the_menu_offers_it_where_it_can_be_done_and_a_report_always) {
  QSignalSpy opening(m_window.get(), &MainWindow::helpOpening), verify(m_window.get(), &MainWindow::verifyWanted),
      report(m_window.get(), &MainWindow::reportWanted);
  auto* action = find<QAction>("actionVerify");
  EXPECT_FALSE(action->isEnabled());
  m_window->setVerifyAvailable(true);
  action->trigger();
  find<QAction>("actionReport")->trigger();
  EXPECT_EQ(verify.count(), 1);
  EXPECT_EQ(report.count(), 1);
  EXPECT_FALSE(m_window->chartBytes("csv")().isEmpty());
  EXPECT_TRUE(m_window->chartBytes("svg")().contains("<svg"));
}

}  // namespace
}  // namespace headroom::ui
