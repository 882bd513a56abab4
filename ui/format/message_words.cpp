#include "ui/format/message_words.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <limits>

#include "base/message_parts.h"
#include "base/overloaded.h"
#include "ui/format/format_bytes.h"
#include "ui/format/typed_number.h"

namespace headroom::ui {
namespace {

// As lupdate calls what stands in Message::say(): with the namespace where it sees which class that is, else without.
constexpr std::array kContexts{"headroom::Message", "Message"};

constexpr int kMostCounted = std::numeric_limits<int>::max();

QString textOf(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

// As the core writes it, with the language's point: formatBytes() does not group either.
QString ungrouped(Message::Decimal decimal) {
  QLocale locale = textLocale();
  locale.setNumberOptions(locale.numberOptions() | QLocale::OmitGroupSeparator);
  return locale.toString(decimal.value, 'f', decimal.n_decimals);
}

std::string wordsOf(const Message::Field& field) {
  const auto shown = [](const QString& text) { return text.toStdString(); };
  return std::visit(Overloaded{[](const std::string& text) { return text; },
                               [](std::int64_t number) { return std::to_string(number); },
                               [](std::uint64_t number) { return std::to_string(number); },
                               [&](Message::Amount amount) { return shown(formatBytes(amount.bytes)); },
                               [&](Message::Decimal decimal) { return shown(ungrouped(decimal)); },
                               [&](const Message::List& list) {
                                 return list.text([&](const Message& item) { return shown(ui::wordsOf(item)); });
                               }},
                    field);
}

// A form as it is said in the window's language, with its number; empty where nobody translated it.
QString translated(const Message& message) {
  const int n = message.counts() ? static_cast<int>(std::min<std::uint64_t>(message.n(), kMostCounted)) : -1;
  const QString own =
      textOf(message.form()).replace(QLatin1String("%n"), n < 0 ? QStringLiteral("%n") : QString::number(n));
  for (const char* context : kContexts) {
    if (QString text = QCoreApplication::translate(context, message.form(), nullptr, n); text != own) return text;
  }
  return {};
}

std::string formOf(const Message& message) {
  const QString text = translated(message);
  return text.isEmpty() ? message.english_form() : text.toStdString();
}

}  // namespace

QString wordsOf(const Message& message) {
  if (message.empty()) return {};
  std::vector<std::string> fields;
  fields.reserve(message.fields().size());
  for (const Message::Field& field : message.fields()) fields.push_back(wordsOf(field));
  return textOf(message_forms::fill(formOf(message), fields));
}

MessageInParts partsOf(const Message& message) {
  const std::string text = wordsOf(message).toStdString();
  const auto [sentence, details] = message_parts(text);
  return {textOf(sentence), textOf(details)};
}

}  // namespace headroom::ui
