#include "ui/chat/answer_options.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <array>
#include <cmath>

namespace headroom::ui {
namespace {

using S = SamplerSettings;
using O = AnswerOptions;

// A float as its shortest decimal: 0.7, and not 0.699999988.
QVariant number(float value) { return QString::number(static_cast<double>(value), 'g', 6).toDouble(); }

void setFloat(float& target, const QVariant& value, float from, float to) {
  bool ok = false;
  const float number = value.toFloat(&ok);
  if (ok && std::isfinite(number) && number >= from && number <= to) target = number;
}

void setCount(std::uint32_t& target, const QVariant& value) {
  bool ok = false;
  const uint count = value.toUInt(&ok);
  if (ok && count <= 1'000'000) target = count;
}

constexpr std::array<const char*, 3> kWhenFullNames = {"ask", "drop_oldest", "summarise"};

constexpr KeptField<S> kSamplerFields[] = {
    {"temperature", [](const S& s) { return number(s.temperature); },
     [](S& s, const QVariant& v) { setFloat(s.temperature, v, 0, 5); }},
    {"top_k", [](const S& s) { return QVariant(s.top_k); }, [](S& s, const QVariant& v) { setCount(s.top_k, v); }},
    {"top_p", [](const S& s) { return number(s.top_p); }, [](S& s, const QVariant& v) { setFloat(s.top_p, v, 0, 1); }},
    {"min_p", [](const S& s) { return number(s.min_p); }, [](S& s, const QVariant& v) { setFloat(s.min_p, v, 0, 1); }},
    {"repetition_penalty", [](const S& s) { return number(s.repetition_penalty); },
     [](S& s, const QVariant& v) { setFloat(s.repetition_penalty, v, 0.5F, 2); }},
    {"presence_penalty", [](const S& s) { return number(s.presence_penalty); },
     [](S& s, const QVariant& v) { setFloat(s.presence_penalty, v, -2, 2); }},
    {"repetition_window", [](const S& s) { return QVariant(s.repetition_window); },
     [](S& s, const QVariant& v) { setCount(s.repetition_window, v); }},
    // 64 bits do not fit a number of JSON.
    {"seed", [](const S& s) { return QVariant(QString::number(s.seed)); },
     [](S& s, const QVariant& v) {
       bool ok = false;
       const quint64 seed = v.toString().toULongLong(&ok);
       if (ok) s.seed = seed;
     }},
};

constexpr KeptField<O> kAnswerFields[] = {
    {"max_tokens", [](const O& o) { return QVariant(o.maxTokens); },
     [](O& o, const QVariant& v) { setCount(o.maxTokens, v); }},
    {"thinking",
     [](const O& o) {
       const std::string_view name = kThinkingChoiceNames[static_cast<std::size_t>(o.thinking)];
       return QVariant(QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size())));
     },
     [](O& o, const QVariant& v) {
       o.thinking = thinking_choice_named(v.toString().toStdString()).value_or(o.thinking);
     }},
    {"when_full",
     [](const O& o) { return QVariant(QLatin1StringView(kWhenFullNames[static_cast<std::size_t>(o.whenFull)])); },
     [](O& o, const QVariant& v) {
       for (std::size_t i = 0; i < kWhenFullNames.size(); ++i) {
         if (v.toString() == QLatin1StringView(kWhenFullNames[i])) o.whenFull = static_cast<WhenFull>(i);
       }
     }},
};

}  // namespace

std::span<const KeptField<SamplerSettings>> samplerFields() { return kSamplerFields; }
std::span<const KeptField<AnswerOptions>> answerFields() { return kAnswerFields; }

QJsonObject toJson(const AnswerOptions& options) {
  QJsonObject object;
  for (const auto& field : kSamplerFields)
    object.insert(QLatin1StringView(field.key), QJsonValue::fromVariant(field.get(options.sampler)));
  for (const auto& field : kAnswerFields)
    object.insert(QLatin1StringView(field.key), QJsonValue::fromVariant(field.get(options)));
  return object;
}

AnswerOptions answerOptionsFrom(const QJsonObject& object) {
  AnswerOptions options;
  for (const auto& field : kSamplerFields)
    field.set(options.sampler, object.value(QLatin1StringView(field.key)).toVariant());
  for (const auto& field : kAnswerFields) field.set(options, object.value(QLatin1StringView(field.key)).toVariant());
  return options;
}

QString toText(const std::optional<AnswerOptions>& options) {
  if (!options) return {};
  return QString::fromUtf8(QJsonDocument(toJson(*options)).toJson(QJsonDocument::Compact));
}

std::optional<AnswerOptions> answerOptionsFrom(const QString& text) {
  const QJsonDocument document = QJsonDocument::fromJson(text.toUtf8());
  if (!document.isObject()) return std::nullopt;
  return answerOptionsFrom(document.object());
}

}  // namespace headroom::ui
