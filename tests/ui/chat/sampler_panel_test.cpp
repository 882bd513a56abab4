#include "ui/chat/sampler_panel.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QInputDialog>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>

#include "ui/chat/named_choice.h"

namespace headroom::ui {
namespace {

class SamplerPanelTest : public testing::Test {
 protected:
  template <class W>
  W* find(const char* name) {
    W* widget = m_panel.findChild<W*>(QLatin1String(name));
    EXPECT_NE(widget, nullptr) << name;
    return widget;
  }
  AnswerOptions last() const {
    return m_edited.isEmpty() ? AnswerOptions() : m_edited.last()[0].value<AnswerOptions>();
  }
  ChatSettings lastSettings() const {
    return m_settings.isEmpty() ? ChatSettings() : m_settings.last()[0].value<ChatSettings>();
  }
  void choose(const QString& preset) {
    auto* combo = find<QComboBox>("samplerPreset");
    ASSERT_GE(combo->findText(preset), 0) << preset.toStdString();
    emit combo->activated(combo->findText(preset));
  }
  QToolButton* rowButton(const char* row, const char* name) {
    return find<NamedChoice>(row)->findChild<QToolButton*>(QLatin1String(name));
  }
  void save(const QString& name, const char* row = "presetRow") {
    rowButton(row, "saveNamed")->click();
    auto* dialog = m_panel.findChild<QInputDialog*>();
    ASSERT_NE(dialog, nullptr);
    dialog->setTextValue(name);
    dialog->accept();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
  SamplerPanel m_panel;
  QSignalSpy m_edited{&m_panel, &SamplerPanel::optionsEdited};
  QSignalSpy m_settings{&m_panel, &SamplerPanel::settingsEdited};
};

TEST_F(SamplerPanelTest, a_preset_sets_the_numbers_and_keeps_the_seed) {
  find<QSpinBox>("seed")->setValue(42);
  choose("Creative");
  EXPECT_EQ(last().sampler.seed, 42U);
  EXPECT_NEAR(find<QDoubleSpinBox>("temperature")->value(), 1.1, 1e-6);
  EXPECT_EQ(find<QComboBox>("samplerPreset")->currentText(), "Creative");
  find<QDoubleSpinBox>("temperature")->setValue(0.55);
  EXPECT_EQ(find<QComboBox>("samplerPreset")->currentText(), "Custom");
  choose("Balanced");
  EXPECT_EQ(find<QComboBox>("samplerPreset")->currentText(), "Balanced");
}

TEST_F(SamplerPanelTest, what_a_template_takes_about_thinking_can_be_chosen) {
  auto* choice = find<QComboBox>("thinkingChoice");
  const auto offered = [&] {
    QStringList texts;
    for (int i = 0; i < choice->count(); ++i) texts.append(choice->itemText(i));
    return texts.join('|');
  };
  EXPECT_FALSE(choice->isVisibleTo(&m_panel)) << "there is nothing to choose";
  m_panel.setThinkingChoices(kThinkingSwitch);
  EXPECT_TRUE(choice->isVisibleTo(&m_panel));
  EXPECT_EQ(offered(), "As the model likes|Off|On");
  EXPECT_EQ(choice->accessibleName(), "Thinking");
  choice->setCurrentIndex(1);
  emit choice->activated(1);
  EXPECT_EQ(last().thinking, ThinkingChoice::kOff);
  m_panel.setThinkingChoices(kThinkingEfforts);
  EXPECT_EQ(offered(), "As the model likes|Low|Medium|High");
  EXPECT_EQ(choice->currentIndex(), 0) << "this template has no off";
  m_panel.setThinkingChoices(kThinkingSwitch);
  EXPECT_EQ(choice->currentText(), "Off") << "kept for the next one that has";
  m_panel.setThinkingChoices({ThinkingChoice::kOff, ThinkingChoice::kLow, ThinkingChoice::kHigh});
  EXPECT_EQ(offered(), "As the model likes|Off|Low|High") << "a switch and an effort, and no more than is taken";
  EXPECT_EQ(choice->currentText(), "Off");
  m_panel.setThinkingChoices({});
  EXPECT_FALSE(choice->isVisibleTo(&m_panel));
}

TEST_F(SamplerPanelTest, a_preset_of_ones_own_is_kept_replaced_and_deleted) {
  find<QDoubleSpinBox>("temperature")->setValue(0.55);
  save("  Mine ");
  ASSERT_EQ(lastSettings().presets.size(), 1);
  EXPECT_EQ(lastSettings().presets[0].name, "Mine");
  EXPECT_EQ(find<QComboBox>("samplerPreset")->currentText(), "Mine");
  find<QDoubleSpinBox>("temperature")->setValue(0.65);
  save("Mine");
  ASSERT_EQ(lastSettings().presets.size(), 1) << "the same name is the same preset";
  EXPECT_NEAR(lastSettings().presets[0].sampler.temperature, 0.65, 1e-6);
  EXPECT_FALSE(rowButton("presetRow", "removeNamed")->isHidden());
  rowButton("presetRow", "removeNamed")->click();
  EXPECT_TRUE(lastSettings().presets.isEmpty());
  EXPECT_TRUE(rowButton("presetRow", "removeNamed")->isHidden()) << "what is built in stays";
}

TEST_F(SamplerPanelTest, a_name_that_is_taken_or_empty_is_not_kept) {
  find<QDoubleSpinBox>("temperature")->setValue(0.55);
  for (const char* name : {"", "  ", "Balanced", "precise", "custom"}) save(name);
  EXPECT_TRUE(m_settings.isEmpty());
  EXPECT_EQ(find<QComboBox>("samplerPreset")->count(), 4) << "three that are built in, and Custom";
}

TEST_F(SamplerPanelTest, what_the_program_shows_is_not_told_as_edited) {
  QSignalSpy prompts(&m_panel, &SamplerPanel::systemPromptEdited);
  AnswerOptions options;
  options.sampler.temperature = 0.3F;
  options.maxTokens = 77;
  m_panel.setOptions(options);
  m_panel.setSystemPrompt("Be brief.");
  EXPECT_TRUE(m_edited.isEmpty() && prompts.isEmpty());
  EXPECT_EQ(find<QSpinBox>("maxTokens")->value(), 77);
  find<QPlainTextEdit>("systemPrompt")->setPlainText("Be long.");
  EXPECT_EQ(prompts.last()[0].toString(), "Be long.");
}

TEST_F(SamplerPanelTest, a_number_that_a_field_cannot_hold_is_not_changed_by_another_field) {
  AnswerOptions options;
  options.sampler.seed = 1ULL << 60;
  options.sampler.temperature = 0.123F;
  m_panel.setOptions(options);
  find<QSpinBox>("topK")->setValue(7);
  EXPECT_EQ(last().sampler.top_k, 7U);
  EXPECT_EQ(last().sampler.seed, 1ULL << 60);
  EXPECT_EQ(last().sampler.temperature, 0.123F);
}

TEST_F(SamplerPanelTest, zero_says_what_it_means) {
  find<QSpinBox>("seed")->setValue(0);
  EXPECT_EQ(find<QSpinBox>("seed")->text(), "new each time");
  find<QSpinBox>("topK")->setValue(0);
  EXPECT_EQ(find<QSpinBox>("topK")->text(), "off");
  find<QSpinBox>("maxTokens")->setValue(0);
  EXPECT_EQ(find<QSpinBox>("maxTokens")->text(), "until full");
}

TEST_F(SamplerPanelTest, what_is_done_at_the_end_of_the_context_is_chosen_once) {
  auto* choice = find<QComboBox>("whenFull");
  EXPECT_EQ(choice->currentText(), "Stop, and ask me");
  choice->setCurrentIndex(1);
  emit choice->activated(1);
  EXPECT_EQ(last().whenFull, WhenFull::DropOldest);
  AnswerOptions options;
  options.whenFull = WhenFull::Summarise;
  m_panel.setOptions(options);
  EXPECT_EQ(choice->currentText(), "Summarise the oldest turns");
}

TEST_F(SamplerPanelTest, prompts_of_the_library_fill_the_field_and_own_ones_are_kept_and_deleted) {
  QSignalSpy prompts(&m_panel, &SamplerPanel::systemPromptEdited);
  auto* combo = find<QComboBox>("promptChoice");
  EXPECT_EQ(combo->currentText(), "None");
  emit combo->activated(1);
  EXPECT_TRUE(prompts.last()[0].toString().startsWith("Answer in as few words"));
  EXPECT_EQ(combo->currentText(), "Short answers");
  auto* edit = find<QPlainTextEdit>("systemPrompt");
  edit->setPlainText("Speak like a pirate.");
  EXPECT_EQ(combo->currentText(), "As written below");
  save("Pirate", "promptRow");
  ASSERT_EQ(lastSettings().prompts, (QVector<SavedPrompt>{{"Pirate", "Speak like a pirate."}}));
  EXPECT_EQ(combo->currentText(), "Pirate");
  edit->clear();
  EXPECT_EQ(combo->currentText(), "None");
  emit combo->activated(combo->findText("Pirate"));
  EXPECT_EQ(edit->toPlainText(), "Speak like a pirate.");
  rowButton("promptRow", "removeNamed")->click();
  EXPECT_TRUE(lastSettings().prompts.isEmpty());
  EXPECT_EQ(edit->toPlainText(), "Speak like a pirate.") << "what is written stays";
}

TEST_F(SamplerPanelTest, the_options_become_those_of_new_conversations_or_are_those_again) {
  auto *asDefault = find<QToolButton>("asDefault"), *asNew = find<QToolButton>("asNew");
  EXPECT_FALSE(asDefault->isEnabled() || asNew->isEnabled());
  find<QSpinBox>("maxTokens")->setValue(64);
  find<QPlainTextEdit>("systemPrompt")->setPlainText("Be brief.");
  EXPECT_TRUE(asDefault->isEnabled() && asNew->isEnabled());
  asDefault->click();
  EXPECT_EQ(lastSettings().answers.maxTokens, 64U);
  EXPECT_EQ(lastSettings().systemPrompt, "Be brief.");
  EXPECT_FALSE(asDefault->isEnabled() || asNew->isEnabled());
  find<QSpinBox>("maxTokens")->setValue(99);
  asNew->click();
  EXPECT_EQ(last().maxTokens, 64U);
  EXPECT_EQ(find<QSpinBox>("maxTokens")->value(), 64);
}

}  // namespace
}  // namespace headroom::ui
