// What the user chose for chatting; plain values with defaults, kept by app/settings_store.
#pragma once

#include <QString>
#include <QVector>

#include "ui/chat/answer_options.h"

namespace headroom::ui {

struct SamplerPreset {
  QString name;
  SamplerSettings sampler;
  bool operator==(const SamplerPreset&) const = default;
};

struct SavedPrompt {
  QString name, text;
  bool operator==(const SavedPrompt&) const = default;
};

struct ChatSettings {
  AnswerOptions answers;           // of conversations that have no options of their own
  QString systemPrompt;            // of new conversations
  QVector<SamplerPreset> presets;  // the user's own
  QVector<SavedPrompt> prompts;    // likewise
  bool listVisible = true, panelVisible = false;
  int listWidth = 0, panelWidth = 0;  // in pixels at a text size of 100 %; 0: never dragged
  bool operator==(const ChatSettings&) const = default;
};

}  // namespace headroom::ui
