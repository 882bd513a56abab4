// A sentence of the core as a value: English words with fields, and what stands in the fields. The command line writes
// it in English; the window looks the words up in its language and writes the figures as one writes them there
// (ui/format/message_words.h). Words that translators have to see stand in say(), say_n() and mark(): the form is its
// own key.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.h"

namespace headroom {

namespace message_forms {

// How many "{}" stand in a form; "{{" and "}}" are braces.
constexpr std::size_t count_fields(std::string_view form) {
  std::size_t n = 0;
  for (std::size_t i = 0; i + 1 < form.size(); ++i) {
    if (form[i] == '{' && form[i + 1] == '}') ++n;
    if (form[i] == form[i + 1] && (form[i] == '{' || form[i] == '}')) ++i;
  }
  return n;
}

// A literal with as many fields as it is given; another number does not compile.
template <std::size_t kFields>
struct Form {
  consteval Form(const char* form) : text(form) {  // NOLINT(google-explicit-constructor): say("...")
    if (count_fields(form) != kFields) throw "a form has as many {} as fields follow it";
  }
  const char* text;
};

// A literal: what is made of it may point to it for ever.
struct Literal {
  consteval Literal(const char* literal) : text(literal) {}  // NOLINT(google-explicit-constructor): joined(items, ", ")
  const char* text;
};

// `form` with what stands in its fields, in UTF-8: "{}" takes the next field, "{0}" the first (translations have
// another order now and then). A field that is not there stays as written.
std::string fill(std::string_view form, std::span<const std::string> fields);

}  // namespace message_forms

// A plain value; any thread.
class Message {
 public:
  struct Amount {  // "6.31 GiB"
    Bytes bytes = 0;
    bool operator==(const Amount&) const = default;
  };
  struct Decimal {  // "0.7"
    double value = 0;
    int n_decimals = 0;
    bool operator==(const Decimal&) const = default;
  };
  struct List {  // messages one behind the other
    std::vector<Message> items;
    std::string_view between;  // what stands between two, in any language
    bool operator==(const List& other) const;
    // `write` makes the text of one.
    std::string text(const std::function<std::string(const Message&)>& write) const;
  };
  // Text stands as it is in any language: names, paths, what other programs say.
  using Field = std::variant<std::string, std::int64_t, std::uint64_t, Amount, Decimal, List>;

  Message() = default;  // no words

  template <class... Fields>
  static Message say(std::type_identity_t<message_forms::Form<sizeof...(Fields)>> form, const Fields&... fields) {
    return Message(form.text, std::vector<Field>{to_field(fields)...});
  }
  // Of a number of things: "%n" in the form is the number, and "(s)" the end of an English word that is there for all
  // numbers but 1. Other languages have a form for each kind of number.
  template <class... Fields>
  static Message say_n(std::type_identity_t<message_forms::Form<sizeof...(Fields)>> form, std::uint64_t n,
                       const Fields&... fields) {
    Message message(form.text, std::vector<Field>{to_field(fields)...});
    message.n_ = n;
    message.counts_ = true;
    return message;
  }
  // Words that nobody translates: what another program, a driver or the user's file says, and what the command line
  // alone writes.
  static Message plain(std::string words);
  static Message joined(std::vector<Message> items, message_forms::Literal between);
  // "a, b and c".
  static Message listed(std::vector<Message> items);
  // Words that stand in a table, where translators have to see them: Message::mark("rotary angles"). One without words
  // is false.
  class Mark {
   public:
    constexpr Mark() = default;
    constexpr const char* words() const { return words_; }  // in English
    constexpr explicit operator bool() const { return words_ != nullptr; }

   private:
    friend class Message;
    consteval explicit Mark(const char* words) : words_(words) {}
    const char* words_ = nullptr;
  };
  static consteval Mark mark(const char* words) { return Mark(words); }
  static Message of(Mark mark) { return mark ? Message(mark.words(), {}) : Message(); }

  bool empty() const { return *form_ == '\0'; }
  // In English.
  std::string text() const;
  // "m.gguf: ...", where `context` is the file that the message is about.
  Message said_of(const std::string& context) const { return say("{}: {}", context, *this); }
  // Of a message that said_of() made the one behind the colon; any other is returned as it is.
  Message behind_context() const;
  // The details go on behind the sentence, which has no full stop: see base/message_parts.h.
  Message with_details(Message details) const;

  const char* form() const { return form_; }
  // With the number in it and its English words in the right form.
  std::string english_form() const;
  std::span<const Field> fields() const { return fields_; }
  // What "%n" stands for; not asked for where counts() is false.
  bool counts() const { return counts_; }
  std::uint64_t n() const { return n_; }

  friend bool operator==(const Message& a, const Message& b);
  friend bool operator==(const Message& message, std::string_view english) { return message.text() == english; }
  friend std::ostream& operator<<(std::ostream& out, const Message& message);  // in English
  explicit operator std::string() const { return text(); }

 private:
  Message(const char* form, std::vector<Field> fields) : form_(form), fields_(std::move(fields)) {}

  static Field to_field(const Field& field) { return field; }
  static Field to_field(Amount amount) { return amount; }
  static Field to_field(Decimal decimal) { return decimal; }
  static Field to_field(const Message& message) { return List{{message}, {}}; }
  static Field to_field(const std::string& text) { return text; }
  static Field to_field(std::string_view text) { return std::string(text); }
  static Field to_field(char text) { return std::string(1, text); }
  template <class Number>
  requires std::integral<Number> &&(!std::same_as<Number, bool>)&&(!std::same_as<Number, char>)static Field
      to_field(Number number) {
    if constexpr (std::is_signed_v<Number>) return static_cast<std::int64_t>(number);
    return static_cast<std::uint64_t>(number);
  }
  // As files and drivers write it: with a full stop, in as few digits as tell it.
  static Field to_field(double number);
  static Field to_field(float number);
  // Words belong into a form, where they are translated. What is no word is a string or a view.
  static Field to_field(const char* words) = delete;

  const char* form_ = "";
  std::vector<Field> fields_;
  std::uint64_t n_ = 0;
  bool counts_ = false;
};

inline Message::Amount amount(Bytes bytes) { return {bytes}; }
inline Message::Decimal decimal(double value, int n_decimals) { return {value, n_decimals}; }

// "0.034", "1.5", "27": as many decimals as two digits need.
Message::Decimal two_digits(double value);

// Each in English.
std::vector<std::string> texts_of(std::span<const Message> messages);

// One behind the other, with nothing between them.
Message operator+(Message a, Message b);

}  // namespace headroom
