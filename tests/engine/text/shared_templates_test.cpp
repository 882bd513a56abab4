// The public chat templates: every listed conversation gives exactly the listed text or error. They lie beside the
// repository, not in it.
#include <gtest/gtest.h>

#include "engine/text/template_cases.h"
#include "plan/prompt_memory.h"
#include "text/tokenizer.h"

namespace headroom {
namespace {

TEST(SharedTemplates, give_the_listed_texts_and_errors) {
  const std::filesystem::path folder = std::filesystem::path(HEADROOM_SHARED_DATA) / "chat-templates";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "no public chat templates at " << folder << " (HEADROOM_SHARED_DATA)";
  const auto cases = testing_support::read_template_cases(folder);
  ASSERT_GT(cases.size(), 60U);
  for (const auto& each : cases) {
    const auto parsed = ChatTemplate::parse(each.source);
    ASSERT_TRUE(parsed) << each.name << ": " << parsed.error().message.text();
    const auto rendered = parsed->render(each.inputs);
    if (each.is_error) {
      ASSERT_FALSE(rendered) << each.name;
      EXPECT_EQ(rendered.error().code, each.is_refusal ? ErrorCode::kUsage : ErrorCode::kUnsupported) << each.name;
      EXPECT_TRUE(!each.is_refusal || rendered.error().message.text() == each.error) << each.name;
    } else {
      ASSERT_TRUE(rendered) << each.name << ": " << rendered.error().message.text();
      EXPECT_EQ(rendered->bytes(), each.text) << each.name;
    }
  }
}

// Messages without the text of a control token: that they are known as messages must not show in any id.
TEST(SharedTemplates, give_the_ids_of_the_whole_text_under_every_public_vocabulary) {
  const std::filesystem::path shared = HEADROOM_SHARED_DATA;
  if (!std::filesystem::is_directory(shared / "chat-templates") ||
      !std::filesystem::is_directory(shared / "tokenizers"))
    GTEST_SKIP() << "no public templates and vocabularies at " << shared << " (HEADROOM_SHARED_DATA)";
  const auto cases = testing_support::read_template_cases(shared / "chat-templates");
  std::size_t n_compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shared / "tokenizers")) {
    if (entry.path().extension() != ".gguf") continue;
    const auto file = open_model_file(entry.path());
    ASSERT_TRUE(file) << file.error().message.text();
    const auto tokenizer = read_tokenizer(*file);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message.text();
    for (const auto& each : cases) {
      const auto parsed = ChatTemplate::parse(each.source);
      ASSERT_TRUE(parsed) << each.name;
      const auto text = parsed->render(each.inputs);
      if (!text) continue;
      EXPECT_EQ((*tokenizer)->encode(*text, false), (*tokenizer)->encode(text->bytes(), false, true))
          << entry.path() << " " << each.name;
      ++n_compared;
    }
  }
  EXPECT_GT(n_compared, 200U);
}

// Every public template with every control token of every public vocabulary in all messages: as many control tokens as
// with the same messages without them.
TEST(SharedTemplates, take_no_control_token_from_a_message) {
  const std::filesystem::path shared = HEADROOM_SHARED_DATA;
  if (!std::filesystem::is_directory(shared / "chat-templates") ||
      !std::filesystem::is_directory(shared / "tokenizers"))
    GTEST_SKIP() << "no public templates and vocabularies at " << shared << " (HEADROOM_SHARED_DATA)";
  const auto cases = testing_support::read_template_cases(shared / "chat-templates");
  for (const auto& entry : std::filesystem::directory_iterator(shared / "tokenizers")) {
    if (entry.path().extension() != ".gguf") continue;
    const auto file = open_model_file(entry.path());
    ASSERT_TRUE(file) << file.error().message.text();
    const auto tokenizer = read_tokenizer(*file);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message.text();
    std::string all_controls;
    for (TokenId id = 0; id < (*tokenizer)->n_vocab(); ++id)
      if ((*tokenizer)->is_control(id) || (*tokenizer)->ends_generation(id))
        all_controls += (*tokenizer)->token_bytes(id, true);
    ASSERT_FALSE(all_controls.empty()) << entry.path();
    const auto controls_of = [&](const TracedText& text) {
      std::vector<TokenId> ids = (*tokenizer)->encode(text, false);
      std::erase_if(ids,
                    [&](TokenId id) { return !(*tokenizer)->is_control(id) && !(*tokenizer)->ends_generation(id); });
      return ids;
    };
    for (const auto& each : cases) {
      const auto parsed = ChatTemplate::parse(each.source);
      ASSERT_TRUE(parsed) << each.name;
      ChatTemplateInputs hostile = each.inputs;
      for (ChatMessage& message : hostile.messages) message.content += all_controls;
      const auto calm_text = parsed->render(each.inputs), text = parsed->render(hostile);
      if (!calm_text || !text) continue;
      EXPECT_EQ(controls_of(*text), controls_of(*calm_text)) << entry.path() << " " << each.name;
    }
  }
}

// A conversation that fills a context, of few long turns or of many short ones, is within the memory that the plan has
// for rendering it.
TEST(SharedTemplates, render_what_fits_a_context_within_the_memory_that_is_planned_for_it) {
  const std::filesystem::path folder = std::filesystem::path(HEADROOM_SHARED_DATA) / "chat-templates";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "no public chat templates at " << folder << " (HEADROOM_SHARED_DATA)";
  constexpr std::uint32_t kLongestToken = 16, kBytesPerToken = 6;
  for (const auto& each : testing_support::read_template_cases(folder)) {
    if (each.is_error) continue;
    const auto parsed = ChatTemplate::parse(each.source);
    ASSERT_TRUE(parsed) << each.name;
    for (const std::uint32_t n_ctx : {512U, 8192U, 131072U}) {
      for (const std::uint32_t n_turns : {1U, n_ctx / 32}) {
        ChatTemplateInputs inputs = each.inputs;
        inputs.messages.clear();
        const std::string content(n_ctx * kBytesPerToken / (2 * n_turns), 'x');
        for (std::uint32_t turn = 0; turn < n_turns; ++turn) {
          inputs.messages.push_back({"user", content});
          inputs.messages.push_back({"assistant", content});
        }
        inputs.messages.push_back({"user", "And?"});
        inputs.most_bytes = prompt_memory(kLongestToken, {.n_ctx = n_ctx}).rendering;
        const auto rendered = parsed->render(inputs);
        EXPECT_TRUE(rendered) << each.name << ", " << n_ctx << " tokens in " << n_turns
                              << " turns: " << rendered.error().message.text();
      }
    }
  }
}

}  // namespace
}  // namespace headroom
