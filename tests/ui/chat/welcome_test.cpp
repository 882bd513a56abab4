#include "ui/chat/welcome.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

namespace headroom::ui {
namespace {

QList<QPushButton*> questionsOf(const Welcome& welcome) {
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  return welcome.findChildren<QPushButton*>("starterQuestion");
}

TEST(WelcomeTest, a_question_is_sent_as_it_is_written) {
  Welcome welcome;
  welcome.showModel("Model", "A note", {"What is R&D?", "Why?"});
  QSignalSpy chosen(&welcome, &Welcome::questionChosen);
  ASSERT_EQ(questionsOf(welcome).size(), 2);
  EXPECT_EQ(questionsOf(welcome)[0]->text(), "What is R&&D?") << "no letter for Alt";
  questionsOf(welcome)[0]->click();
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen[0][0].toString(), "What is R&D?");
}

TEST(WelcomeTest, what_there_is_nothing_of_takes_no_room) {
  Welcome welcome;
  welcome.show();
  welcome.showModel("Model", "A note", {"Why?"});
  welcome.showModel("Other", "", {});
  EXPECT_TRUE(questionsOf(welcome).isEmpty());
  EXPECT_FALSE(welcome.findChild<QLabel*>("modelNote")->isVisible());
}

// Each piece of an answer shows the model again: what has the keyboard stays.
TEST(WelcomeTest, the_same_questions_keep_their_buttons) {
  Welcome welcome;
  welcome.showModel("Model", "A note", {"one", "two"});
  const QList<QPushButton*> before = questionsOf(welcome);
  welcome.showModel("Model", "Another note", {"one", "two"});
  EXPECT_EQ(questionsOf(welcome), before);
}

TEST(WelcomeTest, a_click_that_replaces_the_questions_is_no_harm) {
  Welcome welcome;
  welcome.showModel("Model", "", {"one", "two"});
  QObject::connect(&welcome, &Welcome::questionChosen, &welcome,
                   [&](const QString& question) { welcome.showModel("Model", question, {"three"}); });
  questionsOf(welcome)[1]->click();
  ASSERT_EQ(questionsOf(welcome).size(), 1);
  EXPECT_EQ(questionsOf(welcome)[0]->text(), "three");
}

TEST(WelcomeTest, long_names_wrap_where_the_pane_is_narrow) {
  Welcome welcome;
  welcome.showModel(QString("a long name ").repeated(20), QString("a note ").repeated(60), {});
  welcome.resize(240, 400);
  for (const QLabel* label : welcome.findChildren<QLabel*>()) {
    EXPECT_TRUE(label->wordWrap());
    EXPECT_EQ(label->textFormat(), Qt::PlainText);
  }
  EXPECT_LE(welcome.minimumSizeHint().width(), 240);
}

}  // namespace
}  // namespace headroom::ui
