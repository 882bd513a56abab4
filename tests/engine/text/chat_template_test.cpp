#include "text/chat_template.h"

#include <gtest/gtest.h>

#include "engine/text/template_cases.h"
#include "support/comma_locale.h"

namespace headroom {
namespace {

ChatTemplateInputs small_inputs() {
  ChatTemplateInputs inputs;
  inputs.messages = {{"user", "Hi"}};
  inputs.bos_token = "<s>";
  inputs.eos_token = "</s>";
  return inputs;
}

Result<TracedText> render(std::string_view source, const ChatTemplateInputs& inputs = small_inputs()) {
  const auto parsed = ChatTemplate::parse(source);
  if (!parsed) return parsed.error();
  return parsed->render(inputs);
}

TEST(ChatTemplate, our_templates_give_what_jinja2_gives) {
  const auto cases = testing_support::read_template_cases(testing_support::kTextFolder / "templates");
  ASSERT_GT(cases.size(), 100U);
  for (const auto& each : cases) {
    const auto rendered = render(each.source, each.inputs);
    if (each.is_error) {
      ASSERT_FALSE(rendered) << each.name;
      EXPECT_NE(rendered.error().message.text().find(each.error), std::string::npos)
          << each.name << ": " << rendered.error().message.text();
    } else {
      ASSERT_TRUE(rendered) << each.name << ": " << rendered.error().message.text();
      EXPECT_EQ(rendered->bytes(), each.text) << each.name;
    }
  }
}

TEST(ChatTemplate, expressions_and_statements_give_what_jinja2_gives) {
  const auto fixture =
      nlohmann::json::parse(testing_support::read_whole_file(testing_support::kTextFolder / "templates/expected.json"));
  ChatTemplateInputs inputs = small_inputs();
  inputs.messages = testing_support::read_messages(fixture.at("conversations").at("thoughts"));
  inputs.now = testing_support::parse_time(fixture.at("now"));
  const auto cases =
      nlohmann::json::parse(testing_support::read_whole_file(testing_support::kTextFolder / "expressions.json"));
  ASSERT_GT(cases.size(), 100U);
  for (const auto& each : cases) {
    const std::string source = each.at("source");
    const auto rendered = render(source, inputs);
    if (each.contains("text")) {
      EXPECT_TRUE(rendered) << source << ": " << rendered.error().message.text();
      EXPECT_EQ(rendered ? rendered->bytes() : "", each.at("text").get<std::string>()) << source;
      continue;
    }
    EXPECT_FALSE(rendered) << source << "\n gave: " << rendered->bytes() << "\n for the error: " << each.at("error");
    if (rendered) continue;
    const bool raised = each.at("raised");
    EXPECT_EQ(rendered.error().code, raised ? ErrorCode::kUsage : ErrorCode::kUnsupported) << source;
    EXPECT_TRUE(!raised || rendered.error().message.text() == each.at("error").get<std::string>())
        << source << ": " << rendered.error().message.text();
  }
}

// What looks through a long text without making one costs steps by its length: so many rounds of it end.
TEST(ChatTemplate, looking_through_a_long_text_costs_steps) {
  ChatTemplateInputs inputs = small_inputs();
  inputs.most_steps = 100'000;
  for (const char* look : {"x.isupper()",
                           "x.islower()",
                           "x.isalpha()",
                           "x.startswith('b', 1)",
                           "x.endswith('b', 1)",
                           "x == y",
                           "x < y",
                           "x is lessthan y",
                           "x is sameas y",
                           "x[900000] == 'b'",
                           "x.find('b') == 0",
                           "x.count('b')",
                           "'b' in x",
                           "x.endswith(y)",
                           "{x: 1}[y] == 2",
                           "x.removeprefix(y) == 'b'",
                           "[x] == [y]",
                           "x.zfill(1) == 'b'",
                           "y.rfind(x) == 0",
                           "x.rstrip('abcdefghijklmnopqrstuvwxyz') == 'b'"}) {
    const auto rendered = render(std::string("{% set x = 'a' * 1000000 %}{% set y = 'a' * 1000001 %}") +
                                     "{% for i in range(2000) %}{% if " + look + " %}{% endif %}{% endfor %}",
                                 inputs);
    ASSERT_FALSE(rendered) << look;
    EXPECT_EQ(rendered.error().code, ErrorCode::kDoesNotFit) << look;
  }
}

TEST(ChatTemplate, parts_of_a_long_text_are_charged_one_by_one_and_are_those_of_python) {
  ChatTemplateInputs inputs = small_inputs();
  inputs.most_bytes = std::size_t{4} << 20;
  const auto refused = render("{% set x = ',' * 1000000 %}{{ x.split(',') | length }}", inputs);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDoesNotFit);
  const auto text = render(
      "{{ ' a  b c '.rsplit(None, 1) }} {{ ' a  b c '.split(None, 1) }} {{ ' a  '.split(None, 1) }} {{ "
      "'a,b,c'.rsplit(',', 1) }} {{ 'a,b,c'.split(',', 1) }} "
      "{{ 'a\\nb\\n'.splitlines() }} {{ 'äöü'[1] }} {{ 'äöü'[1:] }} {{ 'äöü'[::-1] }} {{ 'äöü'[5:] }}|"
      "{{ 'äöü'[-1] }} {{ 'äöüäöü'.find('ä', 1) }} {{ 'one two three' | truncate(9, leeway=0) }} {{ '%.2s' % 'äöü' }}");
  ASSERT_TRUE(text) << text.error().message.text();
  EXPECT_EQ(text->bytes(),
            "[' a  b', 'c'] ['a', 'b c '] ['a'] ['a,b', 'c'] ['a', 'b,c'] ['a', 'b'] ö öü üöä |ü 3 one... äö");
}

// The window's process has its user's locale.
TEST(ChatTemplate, numbers_and_dates_are_english_whatever_the_users_locale) {
  const test::CommaLocale german;
  if (!german.is_there()) GTEST_SKIP() << test::kNoCommaLocale;
  ChatTemplateInputs inputs = small_inputs();
  inputs.now.tm_mon = 2;
  inputs.now.tm_mday = 5;
  const auto text = render(
      "{{ '1.5' | float }} {{ '1,5' | float }} {{ '2.7' | int }} {{ 2.345 | round(1) }} {{ '%.1f' % 0.5 }} "
      "{{ 1.5 | tojson }} {{ strftime_now('%d %B') }}",
      inputs);
  ASSERT_TRUE(text) << text.error().message.text();
  EXPECT_EQ(text->bytes(), "1.5 0.0 2 2.3 0.5 1.5 05 March");
}

}  // namespace
}  // namespace headroom
