// Interrupts at the moments that matter, raised from inside the load and the answer: no clock decides what is seen.
#include "chat.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "support/fake_backend.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace headroom::cli {
namespace {

class ChatTest : public testing::Test {
 protected:
  ChatTest() : m_path(test::make_random_model({}, m_folder.path())) { m_interrupts.hear(); }

  Chat chat() {
    PlanArguments arguments;
    arguments.nCtx = 64;
    arguments.batch = "4";
    Result<PlannedModel> planned = planModel(m_path, arguments, {});
    CHECK(planned.ok(), planned.error().message.text().c_str());
    return {std::move(*planned), m_interrupts, [this](const DeviceInfo& device) {
              return Result<std::unique_ptr<Backend>>(std::make_unique<fake::FakeBackend>(device, m_machine));
            }};
  }
  static GenerateRequest ask(const std::string& prompt) {
    GenerateRequest request;
    request.prompt.raw_text = prompt;
    request.max_tokens = 8;
    return request;
  }
  // Runs `action` when the engine thread maps the arena of that number.
  void atArena(int number, std::function<void()> action) {
    m_machine.refuse = [this, number, action = std::move(action)] {
      if (++m_nArenas == number) action();
      return false;
    };
  }

  test::TempFolder m_folder;
  std::string m_path;
  Interrupts m_interrupts;
  fake::Machine m_machine;
  int m_nArenas = 0;
};

TEST_F(ChatTest, an_interrupt_anywhere_in_a_load_cancels_it) {
  for (const int number : {1, 2}) {  // of the weights, and of the session: the last thing that a load does
    m_nArenas = 0;
    atArena(number, [] { std::raise(SIGINT); });
    Chat chat = this->chat();
    const std::optional<Error> error = chat.load();
    ASSERT_TRUE(error.has_value()) << "arena " << number;
    EXPECT_EQ(error->code, ErrorCode::kCancelled);
    EXPECT_TRUE(m_interrupts.take());
  }
}

TEST_F(ChatTest, an_interrupt_that_came_before_is_not_lost) {
  Chat chat = this->chat();
  ASSERT_FALSE(chat.load().has_value());
  std::raise(SIGINT);
  const Answer answer = chat.answer(ask("hello"), false);
  ASSERT_TRUE(answer.error.has_value());
  EXPECT_EQ(answer.error->code, ErrorCode::kCancelled);
  EXPECT_EQ(m_machine.n_steps, 0U) << "nothing is computed";
  EXPECT_TRUE(m_interrupts.take());
  EXPECT_TRUE(chat.answer(ask("hello"), false).finished.has_value()) << "once taken it is over";
}

TEST_F(ChatTest, an_interrupt_ends_a_verification_and_the_model_goes_on) {
  Chat chat = this->chat();
  ASSERT_FALSE(chat.load().has_value());
  m_machine.before_step = [this] {
    if (m_machine.n_steps == 10) std::raise(SIGINT);
    if (m_machine.n_steps >= 10) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // until that is seen
  };
  const Result<Verification> stopped = chat.verify([](const VerifyProgress&) {});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(m_interrupts.take());
  m_machine.before_step = [] {};
  const Result<Verification> whole = chat.verify([](const VerifyProgress&) {});
  ASSERT_TRUE(whole.ok()) << whole.error().message.text();
  EXPECT_TRUE(verify_differences(*whole, VerifyProcess::kWithWindow).empty());
}

}  // namespace
}  // namespace headroom::cli
