#include "base/message.h"

#include <gmock/gmock.h>

#include <sstream>

#include "base/message_parts.h"

namespace headroom {
namespace {

using testing::ElementsAre;

TEST(Message, words_stand_around_what_is_said) {
  const Message message = Message::say("{}: {} of {} layers, {} s", std::string("m.gguf"), 3, 4U, decimal(0.126, 2));
  EXPECT_EQ(message.text(), "m.gguf: 3 of 4 layers, 0.13 s");
  EXPECT_STREQ(message.form(), "{}: {} of {} layers, {} s");
  EXPECT_EQ(message.fields().size(), 4U);
}

TEST(Message, figures_are_kept_as_figures) {
  const Message message = Message::say("{} and {}", amount(3 * kGiB), -2);
  EXPECT_EQ(std::get<Message::Amount>(message.fields()[0]).bytes, 3 * kGiB);
  EXPECT_EQ(std::get<std::int64_t>(message.fields()[1]), -2);
  EXPECT_EQ(message.text(), "3.00 GiB and -2");
  EXPECT_EQ(Message::say("{} {}", 0.1F, 1e-5).text(), "0.1 1e-05");
}

TEST(Message, braces_of_fields_are_left_as_they_are) {
  EXPECT_EQ(Message::say("{}", std::string("{} %n (s) {{}}")).text(), "{} %n (s) {{}}");
  EXPECT_EQ(Message::say("{{\"a\": {}}}", 1).text(), "{\"a\": 1}");
  EXPECT_EQ(Message::plain("100 %n of {} }{").text(), "100 %n of {} }{");
}

TEST(Message, a_number_of_things_has_its_form) {
  EXPECT_EQ(Message::say_n("%n layer(s) to {}", 1, std::string("CPU")).text(), "1 layer to CPU");
  EXPECT_EQ(Message::say_n("%n layer(s) to {}", 0, std::string("CPU")).text(), "0 layers to CPU");
  EXPECT_EQ(Message::say_n("%n layer(s)", 12).text(), "12 layers");
}

TEST(Message, translations_may_have_another_order) {
  const std::vector<std::string> fields{"a", "b"};
  EXPECT_EQ(message_forms::fill("{1} vor {0}", fields), "b vor a");
  EXPECT_EQ(message_forms::fill("{} {} {}", fields), "a b {}") << "a field that is not there stays";
  EXPECT_EQ(message_forms::fill("{7} {x} {", fields), "{7} {x} {");
}

TEST(Message, messages_stand_in_messages) {
  const Message inner = Message::say("metadata '{}' is missing", std::string("k"));
  const Message outer = inner.said_of("m.gguf");
  EXPECT_EQ(outer.text(), "m.gguf: metadata 'k' is missing");
  EXPECT_EQ(outer.behind_context(), inner);
  EXPECT_EQ(inner.behind_context(), inner);
  EXPECT_EQ(Message::say("{}: {}", std::string("a"), std::string("b")).behind_context().text(), "a: b");
}

TEST(Message, lists_are_joined) {
  const auto names = [](std::vector<std::string> texts) {
    std::vector<Message> items;
    for (std::string& text : texts) items.push_back(Message::plain(std::move(text)));
    return items;
  };
  EXPECT_EQ(Message::joined(names({"a", "b", "c"}), "; ").text(), "a; b; c");
  EXPECT_EQ(Message::listed(names({"a", "b", "c"})).text(), "a, b and c");
  EXPECT_EQ(Message::listed(names({"a"})).text(), "a");
  EXPECT_TRUE(Message::listed({}).empty());
  EXPECT_THAT(texts_of(names({"a", "b"})), ElementsAre("a", "b"));
}

TEST(Message, nothing_is_said_by_default) {
  const Message none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.text(), "");
  EXPECT_EQ((none + Message::plain("a")).text(), "a");
  EXPECT_EQ((Message::plain("a") + none).text(), "a");
  EXPECT_EQ((Message::plain("a") + Message::plain("b")).text(), "ab");
}

TEST(Message, is_equal_by_words_and_what_they_say) {
  EXPECT_EQ(Message::say("{} layers", 3), Message::say("{} layers", 3));
  EXPECT_NE(Message::say("{} layers", 3), Message::say("{} layers", 4));
  EXPECT_NE(Message::say("{} layers", 3), Message::say("{} heads", 3));
  EXPECT_NE(Message::say_n("%n layer(s)", 3), Message::say_n("%n layer(s)", 2));
  EXPECT_EQ(Message::say("{} layers", 3), "3 layers");
}

TEST(Message, details_go_on_behind_the_sentence) {
  const Message message = Message::say("cannot run").with_details(Message::say("It has {}.", amount(kMiB)));
  const std::string text = message.text();
  const auto [sentence, details] = message_parts(text);
  EXPECT_EQ(sentence, "cannot run.");
  EXPECT_EQ(details, "It has 1.00 MiB.");
}

TEST(Message, streams_write_english) {
  std::ostringstream out;
  out << Message::say("{} s", two_digits(0.0342));
  EXPECT_EQ(out.str(), "0.034 s");
  EXPECT_EQ(Message::say("{}", two_digits(27.3)).text(), "27");
  EXPECT_EQ(Message::say("{}", two_digits(1.46)).text(), "1.5");
  EXPECT_EQ(Message::say("{}", two_digits(0)).text(), "0");
  EXPECT_EQ(Message::say("{}", two_digits(9.96)).text(), "10");
  EXPECT_EQ(Message::say("{}", two_digits(0.0996)).text(), "0.10");
  EXPECT_EQ(Message::say("{}", two_digits(99.6)).text(), "100");
  EXPECT_EQ(Message::say("{}", two_digits(123.4)).text(), "123");
}

}  // namespace
}  // namespace headroom
