// System prompt, and how the next token is chosen: presets, and every number by itself.
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

// "Precise", "Balanced", "Creative", in this order.
QVector<SamplerPreset> builtInPresets();

class SamplerPanel : public QWidget {
  Q_OBJECT
 public:
  explicit SamplerPanel(QWidget* parent = nullptr);

  void setSettings(const ChatSettings& settings);
  void setSystemPrompt(const QString& text);
  void setThinkingControl(ThinkingControl control);  // what there is to choose; nothing is shown for none

 signals:
  void settingsEdited(const headroom::ui::ChatSettings& settings);
  void systemPromptEdited(const QString& text);

 private:
  QWidget* makeThinking();
  void showThinking();
  QWidget* makePresets();
  QDoubleSpinBox* addNumber(QFormLayout& form, const QString& label, const QString& tip, const char* name,
                            float SamplerSettings::*number, double from, double to, double step);
  QSpinBox* addCount(QFormLayout& form, const QString& label, const QString& tip, const char* name, int to,
                     const QString& atZero, std::function<void(int)> set);
  void showSampler();
  void tellEdited();
  void fillPresets();
  void choosePreset(int index);
  void savePreset();
  void removePreset();

  ChatSettings m_settings;
  bool m_isShowing = false;
  QPlainTextEdit* m_systemPrompt;
  QToolButton* m_asDefault;
  ThinkingControl m_thinkingControl = ThinkingControl::kNone;
  QWidget* m_thinkingArea;
  QComboBox* m_thinking;
  QComboBox* m_preset;
  QToolButton* m_remove;
  QDoubleSpinBox *m_temperature, *m_topP, *m_minP, *m_repetition, *m_presence;
  QSpinBox *m_topK, *m_seed, *m_maxTokens;
};

}  // namespace headroom::ui
