// What a model thinks, in the chat pane.
#include <gtest/gtest.h>

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QTextBrowser>

#include "ui/chat/chat_widget_fixture.h"

namespace headroom::ui {
namespace {

TEST_F(ChatWidgetTest, a_thought_is_folded_in_and_copying_takes_the_answer_alone) {
  type("Is it?");
  emit m_engine.thinkingArrived(m_engine.lastId, "Let me think.");
  ASSERT_TRUE(waitForRowButton("thinkingFold"));
  EXPECT_TRUE(rowButton("thinkingFold")->text().startsWith("Thinking"));
  answer("It is.");
  ASSERT_TRUE(waitForRowButton("copyMessage"));
  EXPECT_TRUE(rowButton("thinkingFold")->text().startsWith("Thought")) << "in no time that could be measured, or some";
  QStringList copied;
  for (QToolButton* copy : m_widget->findChildren<QToolButton*>("copyMessage")) {
    copy->click();
    copied.append(QGuiApplication::clipboard()->text());
  }
  EXPECT_TRUE(copied.contains("It is.")) << copied.join('|').toStdString();
  QTest::keyClick(rowButton("thinkingFold"), Qt::Key_Space);
  settle();
  QStringList shown;
  for (const QTextBrowser* view : m_widget->findChildren<QTextBrowser*>()) shown.append(view->toPlainText());
  EXPECT_TRUE(shown.contains("Let me think.")) << shown.join('|').toStdString();
}

TEST_F(ChatWidgetTest, a_model_whose_template_takes_a_choice_about_thinking_offers_it) {
  find<QToolButton>("toggleChatSettings")->click();
  auto* choice = find<QComboBox>("thinkingChoice");
  EXPECT_FALSE(choice->isVisible());
  LoadedModel loaded{"/m.gguf", std::make_shared<ModelInfo>(), std::make_shared<MemoryPlan>(), {}, 1, {}};
  loaded.thinkingChoices = kThinkingEfforts;
  emit m_engine.modelLoaded(++m_engine.lastId, loaded);
  EXPECT_TRUE(choice->isVisible());
  choice->setCurrentIndex(choice->findText("Low"));
  emit choice->activated(choice->currentIndex());
  type("q");
  EXPECT_EQ(m_engine.generates.back().request.thinking, ThinkingChoice::kLow);
}

TEST_F(ChatWidgetTest, screenshots_of_thoughts_in_both_themes) {
  LoadedModel loaded{"/models/thinker.gguf", std::make_shared<ModelInfo>(), std::make_shared<MemoryPlan>(), {}, 1, {}};
  loaded.thinkingChoices = kThinkingEfforts;
  emit m_engine.modelLoaded(++m_engine.lastId, loaded);
  type("Does a model of 8 GiB fit into 6 GiB?");
  emit m_engine.thinkingArrived(m_engine.lastId, "The user asks whether it **fits**.\n\n1. The weights take 8 GiB.\n");
  emit m_engine.thinkingArrived(m_engine.lastId,
                                "2. The card has 6 GiB.\n\n```cpp\nbool fits = 8 <= 6;\n```\n\nSo it ");
  emit m_engine.thinkingArrived(m_engine.lastId, "does not, unless some layers stay on the processor.");
  answer("Not as a whole. With **20 of 32 layers** on the card it does.");
  for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
    m_theme.setChoice(choice);
    const QString suffix = choice == ThemeChoice::Light ? "light" : "dark";
    settle();
    grab("chat-thought-folded-" + suffix);
    ASSERT_TRUE(waitForRowButton("thinkingFold"));
    rowButton("thinkingFold")->click();
    find<QToolButton>("toggleChatSettings")->click();
    grab("chat-thought-" + suffix);
    find<QToolButton>("toggleChatSettings")->click();
    rowButton("thinkingFold")->click();
  }
  type("And now?");
  emit m_engine.thinkingArrived(m_engine.lastId, "They have a follow-up.");
  settle();
  grab("chat-thinking-dark");
}

}  // namespace
}  // namespace headroom::ui
