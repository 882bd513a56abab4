#include "text/thinking_marks.h"

#include <gtest/gtest.h>

#include "text/vocabulary.h"
#include "text/vocabulary_tokenizer.h"

namespace headroom {
namespace {

// Ids from 5 on are added tokens.
std::unique_ptr<const Tokenizer> tokenizer_with(const std::vector<std::pair<std::string, TokenType>>& added) {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  vocabulary.texts = {"<unk>", "<s>", "</s>", "a", "b"};
  vocabulary.types = {TokenType::kUnknown, TokenType::kControl, TokenType::kControl, TokenType::kNormal,
                      TokenType::kNormal};
  for (const auto& [text, type] : added) {
    vocabulary.texts.push_back(text);
    vocabulary.types.push_back(type);
  }
  vocabulary.scores.resize(vocabulary.texts.size(), -1);
  vocabulary.special.unknown = 0;
  vocabulary.special.bos = 1;
  vocabulary.special.eos = 2;
  EXPECT_TRUE(complete_vocabulary(vocabulary));
  auto tokenizer = make_tokenizer(std::move(vocabulary));
  EXPECT_TRUE(tokenizer);
  return std::move(*tokenizer);
}

constexpr TokenType kControl = TokenType::kControl, kUser = TokenType::kUserDefined;
using Kind = ThinkingMarks::Kind;

std::string text_of(const TracedText& prompt) {
  std::string text;
  for (const TextPiece& piece : prompt.pieces())
    text += (piece.origin == TextOrigin::kTemplate ? "T:" : "M:") + std::string(piece.text);
  return text;
}

TEST(ThinkingMarks, tags_that_the_template_mentions_are_marks) {
  const auto plain = tokenizer_with({});
  const auto marks = ThinkingMarks::find("{{ content.split('</think>')[-1] }}", *plain);
  EXPECT_EQ(marks.kind, Kind::kTags);
  EXPECT_EQ(marks.open, "<think>");
  EXPECT_TRUE(marks.tokens.empty()) << "they are ordinary text";
  EXPECT_TRUE(marks.answer_open.empty());
  EXPECT_EQ(ThinkingMarks::find("<think></think><answer>{{ x }}</answer>", *plain).answer_close, "</answer>");
  EXPECT_EQ(ThinkingMarks::find("<think></think><response>", *plain).answer_open, "<response>");
  // As Granite's asks for it in words, and as MiniMax's has it around what a tool returned.
  EXPECT_EQ(ThinkingMarks::find("between <think></think> and write your response between <response></response>", *plain)
                .answer_close,
            "</response>");
  EXPECT_TRUE(ThinkingMarks::find("'<think>' + thought + '</think>'" + std::string(200, ' ') + "'<response>'", *plain)
                  .answer_open.empty());
  EXPECT_EQ(ThinkingMarks::find("{{ messages }}", *plain).kind, Kind::kNone);
  EXPECT_EQ(ThinkingMarks::find("", *plain).kind, Kind::kNone);
}

TEST(ThinkingMarks, control_tokens_among_them_are_known) {
  const auto tokenizer = tokenizer_with({{"<|channel>", kControl}, {"<channel|>", kControl}, {"<turn|>", kControl}});
  const auto marks = ThinkingMarks::find("<|channel>thought\n<channel|>", *tokenizer);
  EXPECT_EQ(marks.open, "<|channel>thought");
  EXPECT_EQ(marks.tokens, (std::vector<TokenId>{5, 6}));
  EXPECT_TRUE(marks.is_mark(6));
  EXPECT_FALSE(marks.is_mark(7));
  EXPECT_FALSE(marks.is_mark(0)) << "the unknown token";
}

TEST(ThinkingMarks, a_template_that_says_nothing_leaves_it_to_the_vocabulary) {
  const auto tags = tokenizer_with({{"[THINK]", kControl}, {"[/THINK]", kControl}});
  EXPECT_EQ(ThinkingMarks::find("{{ messages }}", *tags).close, "[/THINK]");
  EXPECT_EQ(ThinkingMarks::find("", *tags).kind, Kind::kTags);
  EXPECT_EQ(ThinkingMarks::find("", *tokenizer_with({{"[THINK]", kControl}})).kind, Kind::kNone) << "one is missing";
}

TEST(ThinkingMarks, channels_need_all_their_tokens) {
  const char* const source = "<|start|>assistant<|channel|>final<|message|>";
  const auto whole = tokenizer_with(
      {{"<|start|>", kControl}, {"<|channel|>", kUser}, {"<|message|>", kControl}, {"<|end|>", kControl}});
  const auto marks = ThinkingMarks::find(source, *whole);
  EXPECT_EQ(marks.kind, Kind::kChannels);
  EXPECT_EQ(marks.tokens, (std::vector<TokenId>{5, 6, 7, 8}));
  EXPECT_EQ(ThinkingMarks::find("{{ messages }}", *whole).kind, Kind::kNone);
  EXPECT_EQ(ThinkingMarks::find(source, *tokenizer_with({{"<|start|>", kControl}})).kind, Kind::kNone);
}

TEST(ThinkingMarks, what_a_prompt_ends_with_says_how_the_answer_begins) {
  const auto plain = tokenizer_with({});
  const auto marks = ThinkingMarks::find("</think>", *plain);
  EXPECT_EQ(marks.start_behind("<assistant>\n<think>\n"), AnswerStart::kThinking);
  EXPECT_EQ(marks.start_behind("<assistant>\n<think>\n\n</think>\n\n"), AnswerStart::kNew);
  EXPECT_EQ(marks.start_behind("<assistant>\n"), AnswerStart::kNew);
  EXPECT_EQ(ThinkingMarks().start_behind("<think>"), AnswerStart::kNew);
}

struct PartialRow {
  const char* name;
  const char* prompt;
  const char *thinking, *answer;
  const char* written;
  AnswerStart start;
};

TEST(ThinkingMarks, a_stopped_answer_goes_on_where_it_was) {
  const auto plain = tokenizer_with({});
  const auto marks = ThinkingMarks::find("</think>", *plain);
  using enum AnswerStart;
  for (const auto& [name, prompt, thinking, answer, written, start] : {
           PartialRow{"in a thought", "<a>", "hm", "", "T:<a><think>M:\nhm", kGoesOnThinking},
           {"behind a thought", "<a>", "hm", "Yes", "T:<a><think>M:\nhmT:\n</think>\n\nM:Yes", kGoesOnAnswering},
           {"in a thought that the template opens", "<a><think>\n", "hm", "", "T:<a><think>M:\nhm", kGoesOnThinking},
           {"without a thought", "<a>", "", "Yes", "T:<a>M:Yes", kGoesOnAnswering},
           {"with none where the template opens one", "<a><think>\n", "", "Yes",
            "T:<a><think>M:\nT:\n</think>\n\nM:Yes", kGoesOnAnswering},
           {"where thinking was turned off since", "<a><think>\n\n</think>\n\n", "hm", "Yes",
            "T:<a><think>\n\n</think>\n\nM:Yes", kGoesOnAnswering},
       }) {
    TracedText text = TracedText::of_template(prompt);
    EXPECT_EQ(marks.append_partial(text, thinking, answer), start) << name;
    EXPECT_EQ(text_of(text), written) << name;
  }
}

TEST(ThinkingMarks, a_stopped_answer_of_channels_goes_on_in_its_channel) {
  const auto tokenizer = tokenizer_with(
      {{"<|start|>", kControl}, {"<|channel|>", kControl}, {"<|message|>", kControl}, {"<|end|>", kControl}});
  const auto marks = ThinkingMarks::find("<|channel|>", *tokenizer);
  using enum AnswerStart;
  for (const auto& [name, prompt, thinking, answer, written, start] : {
           PartialRow{"in a thought", "<|start|>assistant", "hm", "",
                      "T:<|start|>assistant<|channel|>analysis<|message|>M:hm", kGoesOnThinking},
           {"behind a thought", "<|start|>assistant", "hm", "Yes",
            "T:<|start|>assistant<|channel|>analysis<|message|>M:hm"
            "T:<|end|><|start|>assistant<|channel|>final<|message|>M:Yes",
            kGoesOnAnswering},
           {"without a thought", "<|start|>assistant", "", "Yes",
            "T:<|start|>assistant<|channel|>final<|message|>M:Yes", kGoesOnAnswering},
       }) {
    TracedText text = TracedText::of_template(prompt);
    EXPECT_EQ(marks.append_partial(text, thinking, answer), start) << name;
    EXPECT_EQ(text_of(text), written) << name;
    EXPECT_EQ(marks.start_behind(prompt), kNew);
  }
}

TEST(ThinkingMarks, a_thought_is_put_into_a_text_where_a_message_can_hold_its_tags) {
  const auto plain = tokenizer_with({});
  EXPECT_EQ(ThinkingMarks::find("</think>", *plain).as_text("hm", "Yes"), "<think>\nhm\n</think>\n\nYes");
  const auto tokens = tokenizer_with({{"[THINK]", kControl}, {"[/THINK]", kControl}});
  EXPECT_EQ(ThinkingMarks::find("", *tokens).as_text("hm", "Yes"), "Yes");
  EXPECT_EQ(ThinkingMarks().as_text("hm", "Yes"), "Yes");
}

}  // namespace
}  // namespace headroom
