// The options of the open conversation: its system prompt, how it thinks, how the next token is chosen, and what is
// done when its context is full.
#pragma once

#include <QWidget>
#include <functional>

#include "ui/chat/chat_settings.h"

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QPlainTextEdit;
class QSpinBox;
class QToolButton;

namespace headroom::ui {

class NamedChoice;

// "Precise", "Balanced", "Creative", in this order.
QVector<SamplerPreset> builtInPresets();
QVector<SavedPrompt> builtInPrompts();  // the first is none

class SamplerPanel : public QWidget {
  Q_OBJECT
 public:
  explicit SamplerPanel(QWidget* parent = nullptr);

  void setSettings(const ChatSettings& settings);  // the user's presets and prompts, and what new conversations have
  void setOptions(const AnswerOptions& options);
  void setSystemPrompt(const QString& text);
  void setThinkingChoices(ThinkingChoices choices);  // what there is to choose; nothing is shown for none

 signals:
  void settingsEdited(const headroom::ui::ChatSettings& settings);
  void optionsEdited(const headroom::ui::AnswerOptions& options);
  void systemPromptEdited(const QString& text);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* makeThinking();
  void showThinking();
  void makePrompt();
  QWidget* makePresets();
  QWidget* makeWhenFull();
  QWidget* makeDefaults();
  QDoubleSpinBox* addNumber(QFormLayout& form, const QString& label, const QString& tip, const char* name,
                            float SamplerSettings::*number, double from, double to, double step);
  QSpinBox* addCount(QFormLayout& form, const QString& label, const QString& tip, const char* name, int to,
                     const QString& atZero, std::function<void(int)> set);
  void showSampler();
  void tellEdited();
  void replacePrompt(const QString& text);
  void showPrompts();
  void showPresets();
  void showDefaults();
  void choosePreset(int index);

  ChatSettings m_settings;
  AnswerOptions m_options;
  bool m_isShowing = false;
  QPlainTextEdit* m_systemPrompt;
  NamedChoice* m_prompt;
  QToolButton *m_asDefault, *m_asNew;
  ThinkingChoices m_thinkingChoices;
  QWidget* m_thinkingArea;
  QComboBox* m_thinking;
  NamedChoice* m_preset;
  QComboBox* m_whenFull;
  QDoubleSpinBox *m_temperature, *m_topP, *m_minP, *m_repetition, *m_presence;
  QSpinBox *m_topK, *m_seed, *m_maxTokens;
};

}  // namespace headroom::ui
