#include "base/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>

#include "base/overloaded.h"

namespace headroom {
namespace {

constexpr const char* kFieldAlone = "{}";

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::string in_english(const Message::Field& field) {
  return std::visit(
      Overloaded{[](const std::string& text) { return text; },
                 [](std::int64_t number) { return std::to_string(number); },
                 [](std::uint64_t number) { return std::to_string(number); },
                 [](Message::Amount amount) { return format_bytes(amount.bytes); },
                 [](Message::Decimal decimal) { return fmt::format("{:.{}f}", decimal.value, decimal.n_decimals); },
                 [](const Message::List& list) { return list.text([](const Message& item) { return item.text(); }); }},
      field);
}

}  // namespace

std::string message_forms::fill(std::string_view form, std::span<const std::string> fields) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (i + 1 < form.size() && form[i] == form[i + 1] && (form[i] == '{' || form[i] == '}')) {
      text += form[i++];
      continue;
    }
    const std::size_t end = form[i] == '{' ? form.find('}', i) : std::string_view::npos;
    std::size_t index = next;
    if (end != std::string_view::npos) {
      const char *const first = form.data() + i + 1, *const last = form.data() + end;
      const auto [stop, error] = std::from_chars(first, last, index);
      const bool is_next = first == last, is_numbered = error == std::errc() && stop == last;
      if ((is_next || is_numbered) && index < fields.size()) {
        text += fields[index];
        if (is_next) ++next;
        i = end;
        continue;
      }
    }
    text += form[i];
  }
  return text;
}

Message::Field Message::to_field(double number) { return fmt::format("{}", number); }
Message::Field Message::to_field(float number) { return fmt::format("{}", number); }

Message Message::plain(std::string words) { return Message(kFieldAlone, std::vector<Field>{std::move(words)}); }

Message Message::joined(std::vector<Message> items, message_forms::Literal between) {
  if (items.empty()) return {};
  return Message(kFieldAlone, std::vector<Field>{List{std::move(items), between.text}});
}

Message Message::listed(std::vector<Message> items) {
  if (items.size() < 2) return joined(std::move(items), "");
  Message last = std::move(items.back());
  items.pop_back();
  return say("{} and {}", joined(std::move(items), ", "), last);
}

Message Message::behind_context() const {
  const List* list =
      fields_.size() == 2 && std::string_view(form_) == "{}: {}" ? std::get_if<List>(&fields_[1]) : nullptr;
  return list != nullptr && list->items.size() == 1 ? list->items.front() : *this;
}

Message Message::with_details(Message details) const { return joined({*this, std::move(details)}, ".\n"); }

std::string Message::english_form() const {
  std::string form = form_;
  if (!counts_) return form;
  replace_all(form, "%n", std::to_string(n_));
  replace_all(form, "(s)", n_ == 1 ? "" : "s");
  return form;
}

std::string Message::text() const {
  std::vector<std::string> fields;
  fields.reserve(fields_.size());
  for (const Field& field : fields_) fields.push_back(in_english(field));
  return message_forms::fill(english_form(), fields);
}

std::string Message::List::text(const std::function<std::string(const Message&)>& write) const {
  std::string text;
  for (const Message& item : items) {
    if (&item != &items.front()) text += between;
    text += write(item);
  }
  return text;
}

bool Message::List::operator==(const List& other) const { return items == other.items && between == other.between; }

bool operator==(const Message& a, const Message& b) {
  return std::string_view(a.form_) == b.form_ && a.fields_ == b.fields_ && a.counts_ == b.counts_ && a.n_ == b.n_;
}

std::ostream& operator<<(std::ostream& out, const Message& message) { return out << message.text(); }

Message::Decimal two_digits(double value) {
  if (!(value > 0)) return {value, 0};
  const int n_decimals = std::max(0, 1 - static_cast<int>(std::floor(std::log10(value))));
  // What is rounded up to the next power of ten has a digit more before the point: 9.96 is 10, and not 10.0.
  const bool is_rounded_up = n_decimals > 0 && std::round(value * std::pow(10, n_decimals)) >= 100;
  return {value, n_decimals - (is_rounded_up ? 1 : 0)};
}

std::vector<std::string> texts_of(std::span<const Message> messages) {
  std::vector<std::string> texts;
  texts.reserve(messages.size());
  for (const Message& message : messages) texts.push_back(message.text());
  return texts;
}

Message operator+(Message a, Message b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return Message::joined({std::move(a), std::move(b)}, "");
}

}  // namespace headroom
