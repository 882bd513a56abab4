#include "ui/main_window/context_question.h"

#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>

#include "tests/ui/main_window/window_fixture.h"

namespace headroom::ui {
namespace {

class ContextQuestionTest : public WindowFixture {
 protected:
  // Llama 3 8B was trained with 8,192 tokens.
  void openLoaded(int nCtx) {
    m_freeBytes = 15 * kGiB;
    makeWindow({});
    dropAndWait(kLarge);
    find<QSpinBox>("contextSpin")->setValue(nCtx);
    ASSERT_TRUE(waitFor([&] { return find<QPushButton>("loadButton")->isEnabled(); }));
    find<QPushButton>("loadButton")->click();
    ASSERT_EQ(m_engine.loads.size(), 1U);
    m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kLarge]));
  }
  QMessageBox* asked() { return m_window->findChild<QMessageBox*>(QStringLiteral("contextQuestion")); }
  int planned() { return find<QSpinBox>("contextSpin")->value(); }
};

TEST_F(ContextQuestionTest, what_the_model_was_trained_with_is_planned_without_a_word) {
  openLoaded(4096);
  m_window->planForContext(8192);
  EXPECT_EQ(asked(), nullptr);
  EXPECT_EQ(planned(), 8192);
}

TEST_F(ContextQuestionTest, more_is_planned_when_the_user_says_so) {
  openLoaded(4096);
  m_window->planForContext(12'000);
  ASSERT_NE(asked(), nullptr);
  EXPECT_EQ(asked()->text(), "The model was trained with a context of 8,192 tokens, and 12,000 are asked for.");
  EXPECT_EQ(planned(), 4096) << "not before the answer";
  EXPECT_EQ(asked()->defaultButton()->objectName(), "planTrained");
  asked()->findChild<QPushButton*>("planWanted")->click();
  EXPECT_EQ(planned(), 12'000);
}

TEST_F(ContextQuestionTest, all_that_it_was_trained_with_is_offered_where_that_is_more_than_now) {
  openLoaded(4096);
  m_window->planForContext(12'000);
  ASSERT_NE(asked(), nullptr);
  asked()->findChild<QPushButton*>("planTrained")->click();
  EXPECT_EQ(planned(), 8192);
}

TEST_F(ContextQuestionTest, cancelled_it_changes_nothing) {
  openLoaded(8192);
  m_window->planForContext(12'000);
  ASSERT_NE(asked(), nullptr);
  EXPECT_EQ(asked()->findChild<QPushButton*>("planTrained"), nullptr) << "it has that";
  asked()->button(QMessageBox::Cancel)->click();
  EXPECT_EQ(planned(), 8192);
}

}  // namespace
}  // namespace headroom::ui
