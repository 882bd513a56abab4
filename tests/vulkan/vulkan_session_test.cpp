// What a session over a Vulkan device promises that is Vulkan's own: windows of weights, limits of drivers, what is
// told of memory.
#include <gtest/gtest.h>

#include "gpu_contract/gpu_session.h"
#include "vulkan/vulkan_fixture.h"

namespace headroom {
namespace {

using VulkanSession = test::GpuSession;
using test::four_layers;
using test::OpenedFile;
using test::options_of;
using test::RandomModelSpec;
using test::read;
using test::tokens_of;

// Weights in pieces; activations and caches are smaller.
TEST_P(VulkanSession, weights_that_no_binding_holds_are_read_in_windows) {
  for (const auto& [architecture, tier] :
       {std::pair{"llama", 0U}, std::pair{"llama", 1U}, std::pair{"llama", 2U}, std::pair{"qwen3moe", 0U},
        std::pair{"qwen3moe", 1U}, std::pair{"qwen3moe", 2U}}) {
    const test::UseTier use(tier);
    const DType weight = tier == 0 ? DType::kF32 : DType::kQ8_0;
    RandomModelSpec spec = four_layers();
    spec.architecture = architecture;
    spec.weight_type = weight;
    if (weight == DType::kQ8_0) spec.n_vocab = 600, spec.n_experts = 8;  // a quarter of the bytes each
    spec.n_layers = 2;
    spec.has_tied_head = true;
    const OpenedFile opened =
        test::open_or_die(test::make_random_model(spec, folder_.path(), std::string("windows-") + architecture));
    std::vector<DeviceInfo> devices = test::cpu_and_gpu(GetParam());
    PlanOptions options = options_of(DType::kF16, 2);
    options.n_ctx = 64;
    const auto whole_plan = plan(opened, devices, options);
    devices[1].max_binding_bytes = weight == DType::kF32 ? 40 * kKiB : 28 * kKiB;
    const auto cut_plan = plan(opened, devices, options);
    const auto whole = test::session_or_die(test::load_or_die(opened, whole_plan), whole_plan),
               cut = test::session_or_die(test::load_or_die(opened, cut_plan), cut_plan);
    const std::vector<TokenId> prompt = tokens_of(40, 3);
    EXPECT_LT(test::relative_error(read(*cut, 0, prompt), read(*whole, 0, prompt)), 1e-5) << architecture;
  }
}

// With the row of the embedding, which the CPU has, and what finds the likeliest tokens.
TEST_P(VulkanSession, a_token_of_an_answer_is_one_submission) {
  const auto session = open(options_of(DType::kF16, 4));
  read(*session, 0, tokens_of(30, 1));
  Sampler sampler({.temperature = 0.7F, .top_k = 40}, 1, session->sampler_scratch());
  TokenId token = 17;
  for (int i = 0; i < 4; ++i) {
    constexpr std::uint32_t kMany = 1000;
    vulkan_faults().lose_at_submit = kMany;  // which counts them
    const SlotRows part{0, {&token, 1}, 1};
    SampledRow row{.sampler = &sampler};
    ASSERT_TRUE(session->step_and_sample({&part, 1}, {&row, 1}, {}).ok());
    token = row.token;
    EXPECT_EQ(kMany - vulkan_faults().lose_at_submit.exchange(0), 1U) << i;
  }
}

// lavapipe counts nothing: all is the host's, or nobody tells.
TEST_P(VulkanSession, how_surely_its_memory_is_known_is_told) {
  const DeviceInfo device = test::cpu_and_gpu(GetParam())[1];
  const auto backend = test::take(make_backend(device));
  ASSERT_TRUE(backend->measure_speed(kMostMeasureBytes).ok());
  const MemoryAccount account = test::take(backend->sample_memory()).account;
  EXPECT_EQ(account.spilled, 0U);
  EXPECT_EQ(account.doubt.empty(), account.confidence == MemoryConfidence::kMeasured) << account.doubt;
  EXPECT_FALSE(device.driver.empty());
  if (!vulkan_cards().cards.front().is_software) return;
  EXPECT_EQ(account.confidence, GetParam() ? MemoryConfidence::kMeasured : MemoryConfidence::kAssumed);
  EXPECT_EQ(backend->driver_bytes(), std::nullopt) << "the assumption stays";
}

// Vulkan tells of no cache: an eighth of the memory is read, or as much of it as a kernel sees at once.
TEST_P(VulkanSession, the_rate_of_reading_is_unknown_where_a_cache_might_hold_what_is_read) {
  DeviceInfo device = test::cpu_and_gpu(GetParam())[1];
  const auto rate = [&](Bytes most_bytes) {
    return test::take(test::take(make_backend(device))->measure_speed(most_bytes)).read_bytes_per_s;
  };
  EXPECT_GT(rate(kMostMeasureBytes), 0);
  EXPECT_EQ(rate(72 * kMiB), 0) << "an eighth of its memory is more than 64 MiB";
  device.max_binding_bytes = 80 * kMiB;
  EXPECT_GT(rate(88 * kMiB), 0);
  EXPECT_EQ(rate(87 * kMiB), 0);
}

TEST_P(VulkanSession, steps_and_contexts_beyond_what_the_driver_computes_are_refused) {
  std::vector<DeviceInfo> devices = test::cpu_and_gpu(GetParam());
  devices[1].traits.max_groups = 0;  // or the plan refuses such steps itself
  const auto refusal = [&](const PlanOptions& options) {
    const auto made = plan(opened_, devices, options);
    const auto session = Session::open(test::load_or_die(opened_, made), made);
    return session.ok() ? Error{} : session.error();
  };
  PlanOptions options = options_of(DType::kQ4_0, 1);
  options.n_slots = 1;
  options.n_ctx = 66000;
  options.n_batch = 65536;
  const Error rows = refusal(options);
  EXPECT_EQ(rows.code, ErrorCode::kUnsupported);
  EXPECT_EQ(rows.message, "vulkan:0: expected steps of at most 65535 rows (n_batch and n_slots), found 65536");
  if (!vulkan_cards().cards.front().skips_long_loops) return;
  options.n_batch = 16;
  options.n_ctx = 100000;
  const Error loops = refusal(options);
  EXPECT_EQ(loops.code, ErrorCode::kUnsupported);
  EXPECT_NE(loops.message.text().find("beyond 65535 rounds: expected n_ctx of at most "), std::string::npos)
      << loops.message;
}

TEST_P(VulkanSession, a_driver_that_takes_more_for_a_buffer_than_its_size_is_refused) {
  const auto backend = test::take(make_backend(test::cpu_and_gpu(GetParam())[1]));
  ArenaPlan plan;
  plan.memory = Memory::kDevice;
  plan.size = kMiB;
  vulkan_faults().more_for_buffers = kMiB;
  const auto refused = backend->map_arena(plan);
  vulkan_faults().more_for_buffers = 0;
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(refused.error().message.text().find("vulkan:0: expected a driver that takes 1048576 bytes"),
            std::string::npos);
  EXPECT_TRUE(backend->map_arena(plan).ok());
}

INSTANTIATE_TEST_SUITE_P(Memory, VulkanSession, testing::Bool(), test::memory_name_of);

TEST(VulkanDevices, say_when_a_tier_is_none) {
  setenv(kVulkanTierVariable, "fast", 1);
  const VulkanCards found = vulkan_cards();
  unsetenv(kVulkanTierVariable);
  ASSERT_FALSE(found.cards.empty()) << "they take the tier that they would";
  ASSERT_FALSE(found.refused.empty());
  EXPECT_EQ(found.refused.back(), "HEADROOM_VULKAN_TIER: expected 0 to 3, found \"fast\"");
}

TEST(VulkanDevices, are_chosen_and_ordered_by_a_variable) {
  const auto with = [](const char* setting) {
    const test::UseDevices use(setting);
    return vulkan_cards();
  };
  const std::size_t n = with("").cards.size();
  ASSERT_GT(n, 0U);
  EXPECT_TRUE(with("none").cards.empty());
  EXPECT_EQ(with("0,0,0").cards.size(), 3U);
  EXPECT_EQ(with("0,0,0").cards[2].info.id, "vulkan:2");
  for (const char* wrong : {"99", "x", "0,", "0;1", "-1"}) {
    const VulkanCards found = with(wrong);
    if (std::string(wrong) == "0,") continue;  // one number and nothing behind it
    EXPECT_EQ(found.cards.size(), n) << wrong;
    ASSERT_FALSE(found.refused.empty()) << wrong;
    EXPECT_NE(found.refused.back().text().find(std::string("found \"") + wrong + "\""), std::string::npos);
  }
}

}  // namespace
}  // namespace headroom
