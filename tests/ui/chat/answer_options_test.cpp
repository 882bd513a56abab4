#include "ui/chat/answer_options.h"

#include <gtest/gtest.h>

#include <QJsonObject>

namespace headroom::ui {
namespace {

AnswerOptions changed() {
  AnswerOptions options;
  options.sampler = {1.3F, 7, 0.9F, 0.1F, 1.1F, -0.5F, 32, 0xffff'ffff'ffff'ffffULL};
  options.thinking = ThinkingChoice::kHigh;
  options.maxTokens = 512;
  options.whenFull = WhenFull::Summarise;
  return options;
}

TEST(AnswerOptionsTest, what_is_kept_is_read_again_every_bit_of_it) {
  EXPECT_EQ(answerOptionsFrom(toText(changed())), changed());
  EXPECT_EQ(answerOptionsFrom(toText(AnswerOptions())), AnswerOptions());
  EXPECT_EQ(answerOptionsFrom(toJson(changed())), changed());
}

TEST(AnswerOptionsTest, a_conversation_without_options_of_its_own_keeps_none) {
  EXPECT_EQ(toText(std::nullopt), QString());
  EXPECT_EQ(answerOptionsFrom(QString()), std::nullopt);
  EXPECT_EQ(answerOptionsFrom(QStringLiteral("not JSON")), std::nullopt);
  EXPECT_EQ(answerOptionsFrom(QStringLiteral("[1]")), std::nullopt);
}

TEST(AnswerOptionsTest, numbers_are_written_as_people_write_them) {
  EXPECT_EQ(toJson({})["temperature"].toDouble(), 0.7);
  EXPECT_EQ(toJson(changed())["seed"].toString(), "18446744073709551615");
}

TEST(AnswerOptionsTest, what_makes_no_sense_is_the_default_and_the_rest_is_taken) {
  const auto read = answerOptionsFrom(QStringLiteral(
      R"({"temperature":-1,"top_k":"many","top_p":0.5,"seed":-3,"thinking":"deep","when_full":"explode","max_tokens":9})"));
  ASSERT_TRUE(read);
  AnswerOptions expected;
  expected.sampler.top_p = 0.5F;
  expected.maxTokens = 9;
  EXPECT_EQ(*read, expected);
}

}  // namespace
}  // namespace headroom::ui
