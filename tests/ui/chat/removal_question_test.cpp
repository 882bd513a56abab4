#include "ui/chat/removal_question.h"

#include <gtest/gtest.h>

#include <QMessageBox>
#include <QPushButton>
#include <optional>

namespace headroom::ui {
namespace {

class RemovalQuestionTest : public testing::Test {
 protected:
  QMessageBox* ask(const RemovalQuestion& question) {
    askForRemoval(question, &m_parent, [this](bool isAlone) { m_chosen = isAlone; });
    return m_parent.findChild<QMessageBox*>("removalQuestion");
  }
  QWidget m_parent;
  std::optional<bool> m_chosen;
};

TEST_F(RemovalQuestionTest, the_last_message_goes_by_one_button) {
  QMessageBox* box = ask({0, false});
  EXPECT_EQ(box->findChild<QPushButton*>("deleteAlone"), nullptr);
  EXPECT_EQ(box->informativeText(), QString());
  box->findChild<QPushButton*>("deleteAll")->click();
  EXPECT_EQ(m_chosen, false);
}

TEST_F(RemovalQuestionTest, what_follows_goes_or_stays_where_it_can) {
  QMessageBox* box = ask({1234, true});
  EXPECT_TRUE(box->informativeText().contains("1,234")) << box->informativeText().toStdString();
  box->findChild<QPushButton*>("deleteAlone")->click();
  EXPECT_EQ(m_chosen, true);
}

TEST_F(RemovalQuestionTest, what_cannot_stay_is_said_to_go_and_cancelling_deletes_nothing) {
  QMessageBox* box = ask({2, false});
  EXPECT_EQ(box->findChild<QPushButton*>("deleteAlone"), nullptr);
  EXPECT_TRUE(box->informativeText().contains("goes with it"));
  EXPECT_EQ(box->defaultButton(), box->button(QMessageBox::Cancel));
  box->reject();
  EXPECT_EQ(m_chosen, std::nullopt);
}

}  // namespace
}  // namespace headroom::ui
