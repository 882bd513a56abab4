#include "text/chat_prompt.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  ASSERT_TRUE(prompt) << prompt.error().message.text();
  EXPECT_EQ(prompt->text.bytes(), "<s><user>a</s><assistant>");
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
  EXPECT_EQ(prompt->text.bytes(), "<s><user>a</s><assistant>b, and");
  const auto refused = writer.write({{"user", "a"}}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
}

TEST(ChatPrompt, a_continued_thought_is_opened_once) {
  const auto writer = ChatPromptWriter::read(
      file_with_template("{% if add_generation_prompt %}<assistant><think>\n{% endif %}"), *small_tokenizer());
  ChatPromptOptions options;
  options.continue_last = true;
  EXPECT_EQ(writer.write({{"assistant", "<think>\nhm"}}, options)->text.bytes(), "<assistant><think>\nhm");
  EXPECT_EQ(writer.write({{"assistant", "", "hm"}}, options)->text.bytes(), "<assistant><think>\nhm");
  EXPECT_EQ(writer.write({{"assistant", "Yes", "hm"}}, options)->text.bytes(),
            "<assistant><think>\nhm\n</think>\n\nYes");
  EXPECT_EQ(writer.write({{"assistant", "Yes"}}, options)->text.bytes(), "<assistant><think>\n\n</think>\n\nYes");
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
    EXPECT_EQ(writer.write({{"user", "a"}}, options)->text.bytes(), "user: a\n\nassistant:");
  }
  const auto writer = ChatPromptWriter::read(files[2], *tokenizer);
  EXPECT_NE(writer.problem().text().find("line 2"), std::string::npos) << writer.problem();
}

TEST(ChatPrompt, a_message_that_begins_like_the_first_token_does_not_count_as_it) {
  const auto tokenizer = small_tokenizer();
  const auto writer = ChatPromptWriter::read(file_with_template("{{ messages[0].content }}"), *tokenizer);
  const auto prompt = writer.write({{"user", "<s>a"}}, {});
  ASSERT_TRUE(prompt);
  EXPECT_TRUE(prompt->add_bos);
  const auto ids = encode_prompt(*tokenizer, *prompt);
  EXPECT_EQ(ids.front(), 1U);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 1U), 1);
}

TEST(ChatPrompt, control_tokens_in_messages_count_only_when_asked_for) {
  const auto tokenizer = small_tokenizer();
  const auto writer = ChatPromptWriter::read(file_with_template(kTurns), *tokenizer);
  const std::vector<ChatMessage> messages = {{"system", "</s>"}, {"user", "a</s>b<s>"}, {"assistant", "b</s>"}};
  for (const bool continues : {false, true}) {
    ChatPromptOptions options;
    options.continue_last = continues;
    const auto n_ends = [&](bool parses) {
      options.parse_control_tokens_in_messages = parses;
      const auto prompt = writer.write(messages, options);
      EXPECT_TRUE(prompt);
      const auto ids = encode_prompt(*tokenizer, *prompt);
      return std::count(ids.begin(), ids.end(), 2U);
    };
    EXPECT_EQ(n_ends(false), continues ? 2 : 3);  // the template's own
    EXPECT_EQ(n_ends(true), continues ? 5 : 6);
  }
}

TEST(ChatPrompt, a_thought_that_the_template_opened_stays_the_templates_when_it_goes_on) {
  const auto writer = ChatPromptWriter::read(file_with_template("{% if add_generation_prompt %}<think>\n{% endif %}"),
                                             *small_tokenizer());
  ChatPromptOptions options;
  options.continue_last = true;
  const auto prompt = writer.write({{"assistant", "<think>\nhm"}}, options);
  ASSERT_TRUE(prompt);
  const auto pieces = prompt->text.pieces();
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].text, "<think>");
  EXPECT_EQ(pieces[1].text, "\nhm");
}

// ---- thinking of earlier turns, and what a template lets one choose about it ----

constexpr std::string_view kStrips =
    "{% for m in messages %}<{{ m.role }}>{{ m.content.split('</think>')[-1].strip() }}{% endfor %}<assistant>";
constexpr std::string_view kKeeps = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<a>{# <think> #}";
constexpr std::string_view kReads =
    "{% for m in messages %}<{{ m.role }}>{% if m.reasoning_content is string %}[{{ m.reasoning_content }}]{% endif %}"
    "{{ m.content }}{% endfor %}<assistant>{# <think> #}";

TEST(ChatPrompt, a_template_gets_the_thinking_of_earlier_turns_where_it_looks_for_it) {
  const auto tokenizer = small_tokenizer();
  const std::vector<ChatMessage> apart = {{"user", "a"}, {"assistant", "b", "hm"}, {"user", "c"}},
                                 as_text = {{"user", "a"}, {"assistant", "<think>\nhm\n</think>\n\nb"}, {"user", "c"}};
  const auto written = [&](std::string_view source, const std::vector<ChatMessage>& messages) {
    const auto prompt = ChatPromptWriter::read(file_with_template(source), *tokenizer).write(messages, {});
    EXPECT_TRUE(prompt);
    return prompt ? prompt->text.bytes() : "";
  };
  EXPECT_EQ(written(kStrips, apart), "<user>a<assistant>b<user>c<assistant>");
  EXPECT_EQ(written(kStrips, apart), written(kStrips, as_text));
  EXPECT_EQ(written(kKeeps, apart), written(kKeeps, as_text)) << "the cache has that, and keeps it";
  EXPECT_EQ(written(kReads, apart), "<user>a<assistant>[hm]b<user>c<assistant>");
  EXPECT_EQ(written("{{ messages[1].thinking }}{# <think> #}", apart), "hm");
  EXPECT_EQ(written(kTurns, apart), "<s><user>a</s><assistant>b</s><user>c</s><assistant>") << "no marks are known";
}

TEST(ChatPrompt, a_choice_about_thinking_is_one_that_changes_a_prompt) {
  const auto tokenizer = small_tokenizer();
  struct Row {
    const char* source;
    ThinkingChoices choices;
    ThinkingChoice choice;
    const char* written;
  };
  using Choice = ThinkingChoice;
  const std::string generation =
      "{{ '<think></think>' if enable_thinking is defined and not enable_thinking else '<think>' }}";
  for (const auto& [source, choices, choice, written] : {
           Row{generation.c_str(), kThinkingSwitch, Choice::kOff, "<think></think>"},
           {generation.c_str(), kThinkingSwitch, Choice::kOn, "<think>"},
           {generation.c_str(), kThinkingSwitch, Choice::kDefault, "<think>"},
           {generation.c_str(), kThinkingSwitch, Choice::kLow, "<think>"},
           {"{% if thinking %}T{% else %}N{% endif %}", kThinkingSwitch, Choice::kOn, "T"},
           {"{{ reasoning_effort | default('medium') }}", kThinkingEfforts, Choice::kHigh, "high"},
           {"{{ reasoning_effort | default('medium') }}", kThinkingEfforts, Choice::kDefault, "medium"},
           {"{{ reasoning_effort | default('medium') }}", kThinkingEfforts, Choice::kOff, "medium"},
           // In the template's own system prompt alone.
           {"{% if messages[0].role == 'system' %}S{% elif thinking %}T{% endif %}", kThinkingSwitch, Choice::kOn, "T"},
           {"{# enable_thinking #}x", ThinkingChoices{}, Choice::kOff, "x"},
           // An effort that is named and changes nothing beyond the switch.
           {"{% if thinking %}T{% endif %}{# reasoning_effort #}", kThinkingSwitch, Choice::kOn, "T"},
           {"{% set thinking = 1 %}{{ thinking }}", ThinkingChoices{}, Choice::kOff, "1"},
           {"{{ messages[0].thinking }}x", ThinkingChoices{}, Choice::kOff, "x"},
       }) {
    const auto writer = ChatPromptWriter::read(file_with_template(source), *tokenizer);
    EXPECT_EQ(writer.thinking_choices(), choices) << source;
    ChatPromptOptions options;
    options.thinking = choice;
    const auto prompt = writer.write({{"user", "a"}}, options);
    ASSERT_TRUE(prompt) << prompt.error().message.text();
    EXPECT_EQ(prompt->text.bytes(), written) << source;
  }
}

// A template that takes some values and refuses others, as one of the most used does.
std::string picky_about_thinking(const char* off, const char* efforts) {
  return "{%- set on = enable_thinking | default(true) -%}"
         "{%- if on %}{% set effort = reasoning_effort | default('medium') -%}"
         "{% if effort not in " +
         std::string(efforts) +
         " %}{{ raise_exception('no such effort') }}{% endif %}"
         "<think {{ effort }}>{% else %}" +
         off + "{% endif %}";
}

TEST(ChatPrompt, a_choice_about_thinking_is_one_that_the_template_renders) {
  using Choice = ThinkingChoice;
  const auto tokenizer = small_tokenizer();
  struct Row {
    std::string source;
    ThinkingChoices choices;
    std::vector<std::pair<Choice, const char*>> prompts;
  };
  const Row rows[] = {
      {picky_about_thinking("<no>", "('xhigh', 'medium', 'low')"),
       {Choice::kOff, Choice::kOn, Choice::kLow, Choice::kMedium, Choice::kHigh},
       {{Choice::kDefault, "<think medium>"},
        {Choice::kOff, "<no>"},
        {Choice::kOn, "<think medium>"},
        {Choice::kLow, "<think low>"},
        {Choice::kHigh, "<think xhigh>"}}},
      {picky_about_thinking("{{ raise_exception('it thinks') }}", "('high', 'medium')"),
       {Choice::kMedium, Choice::kHigh},
       {{Choice::kOff, "<think medium>"}, {Choice::kLow, "<think medium>"}, {Choice::kHigh, "<think high>"}}},
      {picky_about_thinking("{{ raise_exception('it thinks') }}", "('medium',)"),
       {},
       {{Choice::kOff, "<think medium>"}}},
      // Where a model does not think unless told to, an effort tells it to.
      {"{% if thinking %}<think {{ reasoning_effort | default('low') }}>{% else %}<no>{% endif %}",
       {Choice::kOff, Choice::kOn, Choice::kLow, Choice::kMedium, Choice::kHigh},
       {{Choice::kDefault, "<no>"}, {Choice::kOn, "<think low>"}, {Choice::kHigh, "<think high>"}}},
  };
  for (const auto& [source, choices, prompts] : rows) {
    const auto writer = ChatPromptWriter::read(file_with_template(source), *tokenizer);
    EXPECT_EQ(writer.thinking_choices(), choices) << source;
    for (const auto& [choice, written] : prompts) {
      ChatPromptOptions options;
      options.thinking = choice;
      const auto prompt = writer.write({{"user", "a"}}, options);
      ASSERT_TRUE(prompt) << prompt.error().message.text();
      EXPECT_EQ(prompt->text.bytes(), written) << source;
    }
  }
}

TEST(ThinkingChoices, the_least_of_them_is_off_else_the_lowest_effort) {
  EXPECT_EQ(kThinkingSwitch.least(), ThinkingChoice::kOff);
  EXPECT_EQ(kThinkingEfforts.least(), ThinkingChoice::kLow);
  EXPECT_EQ(ThinkingChoices({ThinkingChoice::kOff, ThinkingChoice::kLow}).least(), ThinkingChoice::kOff);
  EXPECT_EQ(ThinkingChoices({ThinkingChoice::kHigh}).least(), ThinkingChoice::kDefault);
  EXPECT_TRUE(ThinkingChoices().take(ThinkingChoice::kDefault));
}

TEST(ChatPrompt, how_the_answer_begins_is_known) {
  const auto tokenizer = small_tokenizer();
  const auto opens = ChatPromptWriter::read(file_with_template("<a><think>\n"), *tokenizer);
  EXPECT_EQ(opens.write({{"user", "a"}}, {})->start, AnswerStart::kThinking);
  const auto waits = ChatPromptWriter::read(file_with_template(kStrips), *tokenizer);
  EXPECT_EQ(waits.write({{"user", "a"}}, {})->start, AnswerStart::kNew);
  ChatPromptOptions options;
  options.continue_last = true;
  EXPECT_EQ(waits.write({{"user", "a"}, {"assistant", "", "hm"}}, options)->start, AnswerStart::kGoesOnThinking);
  EXPECT_EQ(waits.write({{"user", "a"}, {"assistant", "b", "hm"}}, options)->start, AnswerStart::kGoesOnAnswering);
}

// ---- what a chat sends, and templates that take only some of it ----

struct PickyTemplate {
  const char* name;
  const char* source;
};

TEST(ChatPrompt, a_template_that_takes_some_of_what_a_chat_sends_is_never_refused_for_that) {
  const PickyTemplate kTemplates[] = {
      {"needs two messages", "{{ messages[1].content.upper() }}"},
      {"needs a first answer", "{{ messages[1].content.strip() }}{{ messages[2].content.strip() }}"},
      {"needs a system prompt", "{{ {'system': messages[0].content}[messages[0].role].strip() }}"},
      {"takes no system prompt", "{{ {'user': messages[0].content}[messages[0].role].strip() }}"},
      {"raises without a system prompt",
       "{% if messages[0].role != 'system' %}{{ raise_exception('system first') }}{% endif %}x"},
      {"raises for everything", "{{ raise_exception('never') }}"}};
  const std::vector<std::vector<ChatMessage>> conversations = {
      {{"user", "a"}},
      {{"system", "s"}, {"user", "a"}},
      {{"user", "a"}, {"assistant", "b"}, {"user", "a"}},
      {{"system", "s"}, {"user", "a"}, {"assistant", "b"}, {"user", "a"}}};
  const auto tokenizer = small_tokenizer();
  for (const auto& [name, source] : kTemplates) {
    const auto writer = ChatPromptWriter::read(file_with_template(source), *tokenizer);
    EXPECT_EQ(writer.problem(), "") << name;
    const auto parsed = ChatTemplate::parse(source);
    ASSERT_TRUE(parsed);
    for (const auto& messages : conversations) {
      ChatTemplateInputs inputs;
      inputs.messages = messages;
      const auto expected = parsed->render(inputs);
      const auto written = writer.write(messages, {});
      ASSERT_EQ(written.ok(), expected.ok()) << name;
      EXPECT_EQ(written ? written->text.bytes() : "", expected ? expected->bytes() : "") << name;
    }
  }
}

TEST(ChatPrompt, a_refused_system_prompt_is_told_with_what_helps) {
  const auto tokenizer = small_tokenizer();
  const auto refuses = ChatPromptWriter::read(
      file_with_template("{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}"
                         "{% endif %}ok"),
      *tokenizer);
  EXPECT_EQ(refuses.problem(), "");
  EXPECT_EQ(refuses.limit(), "takes no system prompt: System role not supported");
  EXPECT_TRUE(refuses.write({{"user", "a"}}, {}));
  const auto refused = refuses.write({{"system", "s"}, {"user", "a"}}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_EQ(refused.error().message.text(),
            "The chat template of this model takes no system prompt. Leave it empty, or put it into the first message "
            "(System role not supported).");

  const auto needs = ChatPromptWriter::read(
      file_with_template("{% if messages[0].role != 'system' %}{{ raise_exception('system first') }}{% endif %}ok"),
      *tokenizer);
  EXPECT_EQ(needs.limit(), "needs a system prompt: system first");
  EXPECT_TRUE(needs.write({{"system", "s"}, {"user", "a"}}, {}));
  const auto missing = needs.write({{"user", "a"}}, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message.text(),
            "The chat template of this model needs a system prompt. Write one (system first).");

  EXPECT_EQ(ChatPromptWriter::read(file_with_template(kTurns), *tokenizer).limit(), "");
}

// It takes no shorter time with a system prompt, or without one.
TEST(ChatPrompt, a_conversation_that_is_too_long_is_told_as_such_and_is_no_fault_of_the_template) {
  const auto writer = ChatPromptWriter::read(file_with_template(kTurns), *small_tokenizer());
  ChatPromptOptions options;
  options.most_bytes = 4096;
  options.allow_plain = true;
  for (const bool has_system : {false, true}) {
    std::vector<ChatMessage> messages;
    if (has_system) messages.push_back({"system", "Be brief."});
    for (int turn = 0; turn < 50; ++turn) {
      messages.push_back({"user", std::string(100, 'a')});
      messages.push_back({"assistant", std::string(100, 'b')});
    }
    const auto refused = writer.write(messages, options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kDoesNotFit);
    EXPECT_EQ(
        refused.error().message.text(),
        "This conversation is too long for the chat template of this model: chat template, line 1: more than 4096 "
        "bytes of text and lists");
  }
  // A system prompt that alone is too much must not read as one that the template does not take.
  const auto refused = writer.write({{"system", std::string(5000, 's')}, {"user", "a"}}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDoesNotFit);
}

// A load tries a template some twenty times: one that never ends costs it little, and a stop ends it.
TEST(ChatPrompt, a_template_that_never_ends_is_a_problem_and_the_plain_form_an_offer) {
  const auto tokenizer = small_tokenizer();
  const auto file = file_with_template(
      "{% set x = 'a' * 1000000 %}{% for i in range(100000) %}{% if x.isupper() %}{% endif %}{% endfor %}"
      "{{ enable_thinking }}{{ reasoning_effort }}");
  const auto writer = ChatPromptWriter::read(file, *tokenizer);
  EXPECT_EQ(writer.problem().text(), "chat template, line 1: more than 200000 steps");
  EXPECT_TRUE(writer.thinking_choices().empty());
  ChatPromptOptions options;
  options.most_steps = 200'000;
  EXPECT_EQ(writer.write({{"user", "a"}}, options).error().code, ErrorCode::kDoesNotFit);
  options.allow_plain = true;
  const auto plain = writer.write({{"user", "a"}}, options);
  ASSERT_TRUE(plain) << plain.error().message.text();
  EXPECT_EQ(plain->text.bytes(), "user: a\n\nassistant:");

  StopSource source;
  source.request_stop();
  EXPECT_EQ(ChatPromptWriter::read(file, *tokenizer, source.token()).problem().text(), "stopped");
}

TEST(ChatPrompt, a_conversation_that_a_template_cannot_render_may_take_the_plain_form) {
  const auto writer =
      ChatPromptWriter::read(file_with_template("{{ messages[0].content }}{% if messages|length > 3 %}{{ 1|nofilter }}"
                                                "{% endif %}"),
                             *small_tokenizer());
  EXPECT_EQ(writer.problem(), "");
  const std::vector<ChatMessage> later = {
      {"user", "a"}, {"assistant", "b"}, {"user", "a"}, {"assistant", "b"}, {"user", "c"}};
  EXPECT_TRUE(writer.write({{"user", "a"}}, {}));
  const auto refused = writer.write(later, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message.text(),
            "The chat template of this model cannot render this conversation: chat template, line 1: No filter named "
            "'nofilter'.");
  ChatPromptOptions options;
  options.allow_plain = true;
  const auto plain = writer.write(later, options);
  ASSERT_TRUE(plain);
  EXPECT_TRUE(plain->text.bytes().starts_with("user: a\n\nassistant: b"));
  EXPECT_EQ(writer.write({{"user", "a"}}, options)->text.bytes(), "a");
}

}  // namespace
}  // namespace headroom
