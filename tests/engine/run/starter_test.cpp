// The model that ships, through the real engine: what a newcomer's first questions get.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "loaded_fixture.h"
#include "run/scheduler.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

const fs::path kStarterFolder = fs::path(HEADROOM_SOURCE_DIR) / "resources" / "starter";
const fs::path kStarter = kStarterFolder / "headroom-starter.gguf";
constexpr Bytes kMostBytes = 8 * kMiB;

// Greedy, so that the answer is the model's and not the dice's.
std::string answer_to(Session& session, const std::string& question) {
  std::string text;
  bool finished = false;
  const Scheduler::EventSink sink = [&](Event event) {
    if (const auto* delta = std::get_if<TextDelta>(&event.body)) text += delta->text;
    finished |= std::holds_alternative<GenerationFinished>(event.body);
  };
  Scheduler scheduler(session, sink);
  GenerateRequest request;
  request.prompt.messages = {{"user", question}};
  request.sampler.temperature = 0;
  const PromptText prompt = request.prompt;
  scheduler.add(1, std::move(request), {});
  scheduler.prompt_read(1, read_prompt(session.model().text(), prompt, session.plan().options));
  while (!scheduler.is_idle()) scheduler.advance();
  EXPECT_TRUE(finished) << question;
  return text;
}

TEST(Starter, is_small_enough_to_ship) { EXPECT_LE(fs::file_size(kStarter), kMostBytes); }

TEST(Starter, answers_a_newcomers_questions) {
  const test::OpenedFile opened = test::open_or_die(kStarter);
  const std::shared_ptr<const MemoryPlan> plan = test::plan_or_die(*opened.info, {});
  const std::unique_ptr<Session> session = test::session_or_die(test::load_or_die(opened, plan), plan);
  std::ifstream stream(kStarterFolder / "smoke.json");
  const nlohmann::json cases = nlohmann::json::parse(stream, nullptr, false);
  ASSERT_TRUE(cases.is_array());
  ASSERT_GE(cases.size(), 20U);
  for (const nlohmann::json& one : cases) {
    const std::string question = one.at("question");
    EXPECT_NE(answer_to(*session, question).find(one.at("keyword").get<std::string>()), std::string::npos) << question;
  }
  EXPECT_EQ(session->n_allocations_after_open(), 0U);
}

}  // namespace
}  // namespace headroom
