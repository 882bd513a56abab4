#include "ui/format/message_words.h"

#include <gtest/gtest.h>

#include "ui/language/text_language.h"

namespace headroom::ui {
namespace {

TEST(MessageWords, are_the_cores_own_in_english) {
  const Message message = Message::say("asked for {}, {} s", amount(3 * kGiB), decimal(0.5, 1));
  EXPECT_EQ(wordsOf(message), "asked for 3.00 GiB, 0.5 s");
  EXPECT_EQ(wordsOf(Message::say("{} billion", decimal(1026.4, 1))), "1026.4 billion");
  EXPECT_EQ(wordsOf(Message()), QString());
  EXPECT_EQ(wordsOf(Message::plain("100 % of {}: %n (s)")), "100 % of {}: %n (s)");
}

TEST(MessageWords, what_is_counted_has_a_form_for_one) {
  EXPECT_EQ(wordsOf(Message::say_n("%n layer(s) to CPU", 1)), "1 layer to CPU");
  EXPECT_EQ(wordsOf(Message::say_n("%n layer(s) to CPU", 3)), "3 layers to CPU");
}

TEST(MessageWords, are_in_the_windows_language_with_its_figures) {
  const TextLanguage german(Language::German);
  EXPECT_EQ(wordsOf(Message::say("{}: asked for {} ({} bytes){}", std::string("cpu"), amount(3 * kGiB), 7, Message())),
            "cpu: verlangt 3,00 GiB (7 Byte)");
  EXPECT_EQ(wordsOf(Message::say_n("%n layer(s) to CPU", 1)), "1 Schicht zur CPU");
  EXPECT_EQ(wordsOf(Message::say_n("%n layer(s) to CPU", 12)), "12 Schichten zur CPU");
  EXPECT_EQ(wordsOf(Message::of(Message::mark("rotary angles"))), QStringLiteral("Rotationswinkel"));
  EXPECT_EQ(wordsOf(Message::say("nobody has translated {}", decimal(1.5, 1))), "nobody has translated 1,5");
}

TEST(MessageWords, details_stand_apart) {
  const MessageInParts parts =
      partsOf(Message::plain("m.gguf: cannot run").with_details(Message::plain("It has more.")));
  EXPECT_EQ(parts.sentence, "m.gguf: cannot run.");
  EXPECT_EQ(parts.details, "It has more.");
  EXPECT_EQ(partsOf(Message::plain("a")).details, QString());
}

}  // namespace
}  // namespace headroom::ui
