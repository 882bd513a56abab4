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
