#include "ui/format/sentence.h"

#include <gtest/gtest.h>

#include "ui/format/typed_number.h"
#include "ui/language/text_language.h"

namespace headroom::ui {
namespace {

TEST(Sentence, is_said_in_the_language_of_now) {
  TextLanguage language;
  const Sentence ofTheCore = Message::say_n("%n layer(s) to CPU", 3);
  const Sentence ofTheWindow = [] { return textLocale().toString(1.5); };
  const Sentence ofAServer = Sentence::plain("I am a teapot");
  EXPECT_EQ(ofTheCore.text(), "3 layers to CPU");
  EXPECT_EQ(ofTheWindow.text(), "1.5");
  language.set(Language::German);
  EXPECT_EQ(ofTheCore.text(), "3 Schichten zur CPU");
  EXPECT_EQ(ofTheWindow.text(), "1,5");
  EXPECT_EQ(ofAServer.text(), "I am a teapot");
}

TEST(Sentence, without_words_is_empty) {
  for (const Sentence& none : {Sentence(), Sentence(Message()), Sentence::plain({})}) {
    EXPECT_TRUE(none.isEmpty());
    EXPECT_EQ(none.text(), QString());
  }
  EXPECT_FALSE(Sentence::plain("x").isEmpty());
}

}  // namespace
}  // namespace headroom::ui
