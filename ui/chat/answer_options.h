// How a conversation is answered: plain values with defaults, and as they are kept.
#pragma once

#include <QString>
#include <QVariant>
#include <optional>
#include <span>

#include "text/sampler_settings.h"
#include "text/thinking.h"

class QJsonObject;

namespace headroom::ui {

// What is done at the end of the context, before anybody is asked.
enum class WhenFull : quint8 { Ask, DropOldest, Summarise };

struct AnswerOptions {
  SamplerSettings sampler{};
  ThinkingChoice thinking = ThinkingChoice::kDefault;
  quint32 maxTokens = 0;  // of one answer; 0: until the context is full
  WhenFull whenFull = WhenFull::Ask;
  bool operator==(const AnswerOptions&) const = default;
};

// One member of `T` with the key that it is kept by. set() takes a value that somebody may have edited: one that is
// absent or out of range, a temperature of -1, leaves `T` as it is.
template <class T>
struct KeptField {
  const char* key;
  QVariant (*get)(const T&);
  void (*set)(T&, const QVariant&);
};
std::span<const KeptField<SamplerSettings>> samplerFields();
std::span<const KeptField<AnswerOptions>> answerFields();  // those beside the sampler

QJsonObject toJson(const AnswerOptions& options);
AnswerOptions answerOptionsFrom(const QJsonObject& object);

// Of one conversation, as the store keeps it; empty: it has none of its own.
QString toText(const std::optional<AnswerOptions>& options);
std::optional<AnswerOptions> answerOptionsFrom(const QString& text);

}  // namespace headroom::ui
