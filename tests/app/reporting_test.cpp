// A plan is verified and a report saved, through the real window and the real engine.
#include "app/reporting.h"

#include "support/report_bytes.h"
#include "tests/app/app_fixture.h"
#include "ui/chat/chat_sessions.h"
#include "ui/verify/verify_dialog.h"

namespace headroom::app {
namespace {

class ReportingTest : public AppWindowTest {
 protected:
  void SetUp() override {
    AppWindowTest::SetUp();
    ui::ChatSettings settings = m_app->settings().chat();
    settings.answers.maxTokens = 6;  // the context of this model is a short one
    m_app->settings().setChat(settings);
    m_app->sessions().newConversation();  // which has them
  }
  QPushButton* button(const char* name) { return dialog()->findChild<QPushButton*>(QLatin1StringView(name)); }
  ui::VerifyDialog* dialog() { return m_app->window().findChild<ui::VerifyDialog*>(); }
  QString verdictText() {
    const auto* label = dialog()->findChild<QLabel*>("verifyVerdict");
    return label != nullptr ? label->text() : QString();
  }
  // Taken from the menu as a user would.
  void askToVerify() {
    emit m_app->window().helpOpening();
    find<QAction>("actionVerify")->trigger();
  }
  test::ReportBytes savedReport() {
    const QString path = m_saved.filePath("report.zip");
    m_app->reporting().saveReport(path);
    EXPECT_TRUE(waitFor([&] { return QFileInfo::exists(path); }));
    return test::read_zip(path.toStdString());
  }
  QTemporaryDir m_saved;
};

TEST_F(ReportingTest, the_loaded_plan_is_verified_and_the_conversation_goes_on) {
  type("a");
  ASSERT_TRUE(answered());
  QSignalSpy readings(&m_app->engine(), &ui::EnginePort::memoryRead);
  askToVerify();
  ASSERT_NE(dialog(), nullptr);
  button("startVerify")->click();
  EXPECT_FALSE(m_app->reporting().canVerify()) << "it runs";
  ASSERT_TRUE(waitFor([&] { return button("saveReport")->isVisible(); }));
  EXPECT_TRUE(verdictText().startsWith("As planned")) << verdictText().toStdString();
  EXPECT_GE(readings.count(), 1) << "the chart goes on";
  dialog()->reject();
  ASSERT_TRUE(waitFor([&] { return dialog() == nullptr; }));
  const auto nTurns = tree().path().size();
  type("b");
  ASSERT_TRUE(answered());
  EXPECT_EQ(tree().path().size(), nTurns + 2);
}

TEST_F(ReportingTest, one_that_is_stopped_leaves_the_model_loaded_and_can_begin_again) {
  askToVerify();
  button("startVerify")->click();
  button("stopVerify")->click();
  ASSERT_TRUE(waitFor([&] { return button("startVerify")->isVisible(); }));
  EXPECT_TRUE(m_app->reporting().canVerify());
  type("hello");
  EXPECT_TRUE(answered());
}

TEST_F(ReportingTest, without_a_model_the_menu_does_not_offer_it) {
  QSignalSpy unloaded(&m_app->engine(), &ui::EnginePort::modelUnloaded);
  find<QAction>("actionClose")->trigger();
  ASSERT_TRUE(unloaded.count() > 0 || unloaded.wait());
  emit m_app->window().helpOpening();
  EXPECT_FALSE(find<QAction>("actionVerify")->isEnabled());
  m_app->reporting().verify();
  EXPECT_EQ(dialog(), nullptr);
  EXPECT_EQ(savedReport().count("plan.txt"), 0U) << "nothing is loaded";
}

TEST_F(ReportingTest, a_report_has_plan_and_chart_and_nothing_of_any_conversation) {
  ui::ChatSettings settings = m_app->settings().chat();
  settings.systemPrompt = "MARKED-SYSTEM-PROMPT";
  m_app->settings().setChat(settings);
  m_app->sessions().newConversation();
  type("MARKED-MESSAGE of mine");
  ASSERT_TRUE(answered());
  find<QPlainTextEdit>("messageEdit")->setPlainText("MARKED-DRAFT");
  askToVerify();
  button("startVerify")->click();
  ASSERT_TRUE(waitFor([&] { return button("saveReport")->isVisible(); }));
  const test::ReportBytes files = savedReport();
  for (const char* name : {"README.txt", "report.json", "plan.txt", "verify.txt", "chart.svg", "chart.csv"})
    EXPECT_EQ(files.count(name), 1U) << name;
  const std::string answer = tree().find(tree().lastId())->text.toStdString();
  for (const auto& [name, bytes] : files) {
    EXPECT_EQ(bytes.find("MARKED-"), std::string::npos) << name;
    EXPECT_EQ(bytes.find(m_data.path().toStdString()), std::string::npos) << name;
    EXPECT_EQ(bytes.find(QDir::homePath().toStdString()), std::string::npos) << name;
    EXPECT_EQ(bytes.find(QFileInfo(kGoldenModel).absolutePath().toStdString()), std::string::npos) << name;
    if (answer.size() > 8) {
      EXPECT_EQ(bytes.find(answer), std::string::npos) << name;
    }
  }
}

TEST_F(ReportingTest, a_name_with_a_dot_makes_a_file_and_no_folder) {
  m_app->reporting().askForReport();
  auto* chooser = m_app->window().findChild<QFileDialog*>("reportDialog");
  ASSERT_NE(chooser, nullptr);
  emit chooser->fileSelected(m_saved.filePath("report of v1.2"));
  chooser->close();
  const QString path = m_saved.filePath("report of v1.2.zip");
  ASSERT_TRUE(waitFor([&] { return QFileInfo(path).isFile(); }));
  EXPECT_FALSE(QFileInfo::exists(m_saved.filePath("report of v1.2")));
}

}  // namespace
}  // namespace headroom::app
