#include "backend/cpu/isa_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#include "backend/registry.h"

namespace headroom {
namespace {

using ::testing::HasSubstr;

// HEADROOM_ISA as a test needs it, and afterwards as it was.
class IsaChoiceTest : public ::testing::Test {
 protected:
  IsaChoiceTest() {
    if (const char* before = std::getenv("HEADROOM_ISA")) before_ = before;
    unsetenv("HEADROOM_ISA");
  }
  ~IsaChoiceTest() override { before_ ? setenv("HEADROOM_ISA", before_->c_str(), 1) : unsetenv("HEADROOM_ISA"); }

 private:
  std::optional<std::string> before_;
};

const KernelFault kFault{
    .kernel = "unpack", .format = "Q4_K", .where = "element 1 of 7 columns", .expected = 2, .found = 5};

// A check that finds these sets wrong.
FindFault wrong_sets(std::vector<Isa> sets) {
  return [sets = std::move(sets)](Isa isa) -> std::optional<KernelFault> {
    return std::find(sets.begin(), sets.end(), isa) == sets.end() ? std::nullopt : std::optional(kFault);
  };
}

std::vector<Isa> runnable() {
  std::vector<Isa> sets;
  for (const Isa isa : kIsas) {
    if (can_run(isa)) sets.push_back(isa);
  }
  return sets;
}

TEST_F(IsaChoiceTest, takes_the_fastest_set_where_all_are_right) {
  const Result<IsaChoice> choice = choose_isa(wrong_sets({}));
  ASSERT_TRUE(choice.ok()) << choice.error().message.text();
  EXPECT_EQ(choice->isa, detected_isa());
  EXPECT_TRUE(choice->refused.empty());
  EXPECT_EQ(refused_words(*choice), "");
}

TEST_F(IsaChoiceTest, passes_over_wrong_sets_down_to_the_plain_one_and_says_so) {
  std::vector<Isa> wrong = runnable();
  while (wrong.size() > 1) {
    wrong.erase(wrong.begin());  // all but the slowest, then all but two, and so on
    const Isa expected = *(std::find(kIsas.begin(), kIsas.end(), wrong.front()) - 1);
    const Result<IsaChoice> choice = choose_isa(wrong_sets(wrong));
    ASSERT_TRUE(choice.ok()) << choice.error().message.text();
    EXPECT_TRUE(can_run(choice->isa));
    EXPECT_LE(choice->isa, expected);
    ASSERT_EQ(choice->refused.size(), wrong.size());
    EXPECT_EQ(choice->refused.front(), kernel_fault_text(wrong.back(), kFault));
    EXPECT_THAT(refused_words(*choice), HasSubstr("computes with " + std::string(isa_name(choice->isa))));
    for (const Isa isa : wrong) EXPECT_THAT(refused_words(*choice), HasSubstr(kernel_fault_text(isa, kFault)));
  }
}

TEST_F(IsaChoiceTest, a_machine_without_a_right_set_is_an_error_that_names_each) {
  const Result<IsaChoice> choice = choose_isa(wrong_sets(runnable()));
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().code, ErrorCode::kUnsupported);
  for (const Isa isa : runnable())
    EXPECT_THAT(choice.error().message.text(), HasSubstr(kernel_fault_text(isa, kFault)));
}

TEST_F(IsaChoiceTest, a_forced_set_that_is_wrong_is_refused_and_no_other_is_taken) {
  for (const Isa isa : runnable()) {
    setenv("HEADROOM_ISA", std::string(isa_name(isa)).c_str(), 1);
    const Result<IsaChoice> refused = choose_isa(wrong_sets({isa}));
    ASSERT_FALSE(refused.ok()) << isa_name(isa);
    EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
    EXPECT_EQ(refused.error().message.text(),
              "HEADROOM_ISA=" + std::string(isa_name(isa)) +
                  ": this set would compute wrong answers and is not used: " + kernel_fault_text(isa, kFault));
    std::vector<Isa> others = runnable();
    std::erase(others, isa);
    const Result<IsaChoice> taken = choose_isa(wrong_sets(others));
    ASSERT_TRUE(taken.ok()) << taken.error().message.text();
    EXPECT_EQ(taken->isa, isa);
    EXPECT_TRUE(taken->refused.empty());
  }
}

TEST_F(IsaChoiceTest, a_forced_set_that_is_unknown_is_a_usage_error_and_nothing_is_checked) {
  setenv("HEADROOM_ISA", "sse9", 1);
  const Result<IsaChoice> choice = choose_isa([](Isa) -> std::optional<KernelFault> {
    ADD_FAILURE() << "checked";
    return std::nullopt;
  });
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().code, ErrorCode::kUsage);
}

TEST_F(IsaChoiceTest, threads_that_ask_at_once_get_the_same_set) {
  std::vector<Isa> chosen(8, Isa::kNeon);
  std::vector<std::thread> threads;
  for (Isa& isa : chosen) threads.emplace_back([&isa] { isa = choose_isa().value().isa; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(chosen, std::vector<Isa>(chosen.size(), chosen.front()));
}

TEST_F(IsaChoiceTest, the_probed_cpu_says_which_set_computes) {
  for (const Isa isa : runnable()) {
    setenv("HEADROOM_ISA", std::string(isa_name(isa)).c_str(), 1);
    const Result<std::vector<DeviceInfo>> devices = probe_devices(1);
    ASSERT_TRUE(devices.ok()) << devices.error().message.text();
    EXPECT_EQ(devices->front().kernels, isa_name(isa));
    EXPECT_EQ(devices->front().kernel_note, "");
  }
}

}  // namespace
}  // namespace headroom
