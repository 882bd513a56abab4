#include "text/chat_prompt.h"

#include <gtest/gtest.h>

#include <string_view>

#include "text/vocabulary.h"
#include "text/vocabulary_tokenizer.h"

namespace headroom {
namespace {

constexpr std::string_view kTurns =
    "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}</s>{% endfor %}{% if add_generation_prompt "
    "%}<assistant>{% endif %}";

ModelFile file_with(const std::map<std::string, MetaValue, std::less<>>& metadata) {
  auto some_file = InputFile::open(std::string(HEADROOM_SOURCE_DIR) + "/LICENSE");  // error messages name the file
  EXPECT_TRUE(some_file);
  std::vector<InputFile> parts;
  parts.push_back(std::move(*some_file));
  return ModelFile(std::move(parts), metadata, {});
}
ModelFile file_with_template(std::string_view source) {
  return file_with({{"tokenizer.chat_template", std::string(source)}});
}

std::unique_ptr<const Tokenizer> small_tokenizer() {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  vocabulary.texts = {"<unk>", "<s>", "</s>", "a", "b"};
  vocabulary.types = {TokenType::kUnknown, TokenType::kControl, TokenType::kControl, TokenType::kNormal,
                      TokenType::kNormal};
  vocabulary.scores = {0, 0, 0, -1, -2};
  vocabulary.special.unknown = 0;
  vocabulary.special.bos = 1;
  vocabulary.special.eos = 2;
  vocabulary.special.add_bos = true;
  vocabulary.special.add_eos = true;
  EXPECT_TRUE(complete_vocabulary(vocabulary));
  auto tokenizer = make_tokenizer(std::move(vocabulary));
  EXPECT_TRUE(tokenizer);
  return std::move(*tokenizer);
}

TEST(ChatPrompt, a_template_that_writes_the_first_token_gets_no_second_one) {
  const auto tokenizer = small_tokenizer();
  const auto writer = ChatPromptWriter::read(file_with_template(kTurns), *tokenizer);
  EXPECT_EQ(writer.problem(), "");
  const auto prompt = writer.write({{"user", "a"}}, {});
  ASSERT_TRUE(prompt) << prompt.error().message;
  EXPECT_EQ(prompt->text, "<s><user>a</s><assistant>");
  EXPECT_FALSE(prompt->add_bos);
  const auto ids = encode_prompt(*tokenizer, *prompt);
  EXPECT_EQ(ids.front(), 1U);
  EXPECT_NE(ids[1], 1U);
  EXPECT_NE(ids.back(), 2U);  // the answer follows, not the end of the text
}

TEST(ChatPrompt, a_template_without_the_first_token_gets_one) {
  const auto tokenizer = small_tokenizer();
  const auto writer = ChatPromptWriter::read(file_with_template("{{ messages[0].content }}"), *tokenizer);
  const auto prompt = writer.write({{"user", "b"}}, {});
  ASSERT_TRUE(prompt);
  EXPECT_TRUE(prompt->add_bos);
  EXPECT_EQ(encode_prompt(*tokenizer, *prompt), (std::vector<TokenId>{1, 4}));
}

TEST(ChatPrompt, a_continued_answer_has_no_end_marker) {
  const auto writer = ChatPromptWriter::read(file_with_template(kTurns), *small_tokenizer());
  ChatPromptOptions options;
  options.continue_last = true;
  const auto prompt = writer.write({{"user", "a"}, {"assistant", "b, and"}}, options);
  ASSERT_TRUE(prompt);
  EXPECT_EQ(prompt->text, "<s><user>a</s><assistant>b, and");
  const auto refused = writer.write({{"user", "a"}}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
}

TEST(ChatPrompt, a_continued_thought_is_opened_once) {
  const auto writer = ChatPromptWriter::read(
      file_with_template("{% if add_generation_prompt %}<assistant><think>\n{% endif %}"), *small_tokenizer());
  ChatPromptOptions options;
  options.continue_last = true;
  EXPECT_EQ(writer.write({{"assistant", "<think>\nhm"}}, options)->text, "<assistant><think>\nhm");
  EXPECT_EQ(writer.write({{"assistant", "hm"}}, options)->text, "<assistant><think>\nhm");
}

TEST(ChatPrompt, an_absent_or_impossible_template_is_a_problem_and_the_plain_form_an_offer) {
  const auto tokenizer = small_tokenizer();
  const std::vector<ModelFile> files = [] {
    std::vector<ModelFile> all;
    all.push_back(file_with({}));
    all.push_back(file_with_template("{% include 'x' %}"));
    all.push_back(file_with_template("\n{{ messages | nofilter }}"));
    all.push_back(file_with({{"tokenizer.chat_template", std::uint64_t{1}}}));
    return all;
  }();
  for (const ModelFile& file : files) {
    const auto writer = ChatPromptWriter::read(file, *tokenizer);
    EXPECT_NE(writer.problem(), "");
    const auto refused = writer.write({{"user", "a"}}, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
    ChatPromptOptions options;
    options.allow_plain = true;
    EXPECT_EQ(writer.write({{"user", "a"}}, options)->text, "user: a\n\nassistant:");
  }
  const auto writer = ChatPromptWriter::read(files[2], *tokenizer);
  EXPECT_NE(writer.problem().find("line 2"), std::string::npos) << writer.problem();
}

}  // namespace
}  // namespace headroom
