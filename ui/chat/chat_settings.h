// What the user chose for chatting; plain values with defaults, kept by app/settings_store.
#pragma once

#include <QString>
#include <QVector>

#include "text/sampler_settings.h"
#include "text/thinking.h"

namespace headroom::ui {

struct SamplerPreset {
  QString name;
  SamplerSettings sampler;
  bool operator==(const SamplerPreset&) const = default;
};

struct ChatSettings {
  SamplerSettings sampler;
  ThinkingChoice thinking = ThinkingChoice::kDefault;
  quint32 maxTokens = 0;           // of one answer; 0: until the context is full
  QString systemPrompt;            // of new conversations
  QVector<SamplerPreset> presets;  // the user's own
  bool listVisible = true, panelVisible = false;
  bool operator==(const ChatSettings&) const = default;
};

}  // namespace headroom::ui
