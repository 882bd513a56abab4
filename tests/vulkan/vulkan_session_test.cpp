// What a session over a Vulkan device promises beside its numbers: slots, copies, stops, context ends, windows of
// weights, several devices, faults, memory.
#include <gtest/gtest.h>

#include <array>

#include "backend/vulkan/vulkan_arena.h"
#include "engine/run/loaded_fixture.h"
#include "engine/run/sampled_rows.h"
#include "format/dtype_table.h"
#include "support/reference_devices.h"
#include "support/stopping_backend.h"
#include "vulkan/vulkan_fixture.h"

namespace headroom {
namespace {

using test::OpenedFile;
using test::RandomModelSpec;

constexpr std::uint32_t kContext = 320, kBatch = 24;

PlanOptions options_of(DType kv, std::int32_t n_gpu_layers) {
  PlanOptions options;
  options.n_ctx = kContext;
  options.n_batch = kBatch;
  options.n_slots = 2;
  options.kv_k = options.kv_v = kv;
  options.n_gpu_layers = n_gpu_layers;
  options.n_cpu_ffn = 0;
  options.devices = {{n_gpu_layers > 0 ? 1U : 0U}};
  return options;
}

RandomModelSpec four_layers() {
  RandomModelSpec spec;
  spec.n_layers = 4;
  spec.d_model = 64;
  spec.d_ff = 96;
  spec.n_ctx_trained = 1024;
  return spec;
}

std::vector<TokenId> tokens_of(std::size_t n, std::uint32_t seed) {
  std::vector<TokenId> tokens(n);
  for (std::size_t i = 0; i < n; ++i) tokens[i] = static_cast<TokenId>(3 + (i * 37 + seed * 101 + i * i) % 280);
  return tokens;
}

Result<std::vector<float>> try_read(Session& session, std::uint32_t slot, const std::vector<TokenId>& prompt,
                                    const StopToken& stop = {}) {
  const Result<std::uint32_t> n_reused = session.begin_prompt(slot, prompt);
  if (!n_reused) return n_reused.error();
  std::vector<float> last;
  for (std::size_t first = *n_reused; first < prompt.size(); first += kBatch) {
    const std::size_t n = std::min<std::size_t>(kBatch, prompt.size() - first);
    if (Status done = session.extend(slot, {prompt.data() + first, n}, 1, stop); !done) return done.error();
    const auto logits = session.logits(0);
    if (!logits) return logits.error();
    last.assign(logits->begin(), logits->end());
  }
  return last;
}

std::vector<float> read(Session& session, std::uint32_t slot, const std::vector<TokenId>& prompt) {
  return test::take(try_read(session, slot, prompt));
}

// A quantized cache rounds to another code where an activation differs in its last bits; on the CPU int8 queries meet
// it as well.
double tolerance(DType kv) {
  if (kv == DType::kQ4_0 || kv == DType::kF8E4M3) return 8e-2;
  return kv == DType::kQ8_0 ? 3e-2 : 2e-3;
}

class VulkanSession : public testing::TestWithParam<bool> {
 protected:
  VulkanSession() : opened_(test::open_or_die(test::make_random_model(four_layers(), folder_.path()))) {}

  std::shared_ptr<const MemoryPlan> plan(const OpenedFile& opened, const std::vector<DeviceInfo>& devices,
                                         const PlanOptions& options) {
    return std::make_shared<const MemoryPlan>(test::take(plan_memory(*opened.info, devices, options)));
  }
  std::unique_ptr<Session> open(const PlanOptions& options) { return open(options, test::cpu_and_vulkan(GetParam())); }
  std::unique_ptr<Session> open(const PlanOptions& options, const std::vector<DeviceInfo>& devices) {
    const auto made = plan(opened_, devices, options);
    return test::session_or_die(test::load_or_die(opened_, made), made);
  }

  test::TempFolder folder_;
  OpenedFile opened_;
};

TEST_P(VulkanSession, two_slots_of_every_cache_type_are_as_on_the_cpu_alone) {
  const std::vector<TokenId> first = tokens_of(290, 1), second = tokens_of(61, 2);
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_kv) continue;
    const auto alone = open(options_of(type.dtype, 0)), split = open(options_of(type.dtype, 2));
    for (Session* session : {alone.get(), split.get()}) read(*session, 0, first);
    EXPECT_LT(test::relative_error(read(*split, 1, second), read(*alone, 1, second)), tolerance(type.dtype))
        << type.label;
    const std::vector<SlotToken> next{{0, 17}, {1, 29}};
    ASSERT_TRUE(split->decode(next, {}).ok() && alone->decode(next, {}).ok());
    EXPECT_LT(test::relative_error(test::all_logits(*split, 2), test::all_logits(*alone, 2)), tolerance(type.dtype))
        << type.label;
    EXPECT_EQ(split->n_allocations_after_open(), 0U);
    for (const ArenaReport& arena : split->memory_report().arenas)
      EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes) << arena.device;
  }
}

TEST_P(VulkanSession, rows_of_one_step_are_sampled_where_they_are_each_as_its_settings_say) {
  for (const std::int32_t n_gpu_layers : {1, 4}) {
    PlanOptions options = options_of(DType::kF16, n_gpu_layers);
    options.n_logit_rows = test::kSampledRows;
    const auto session = open(options);
    test::expect_rows_sampled_as_their_settings_say(*session, tokens_of(kBatch, 8));
    for (const ArenaReport& arena : session->memory_report().arenas)
      EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes) << arena.device;
  }
}

TEST_P(VulkanSession, a_device_that_is_lost_while_it_looks_for_candidates_is_an_error) {
  const auto session = open(options_of(DType::kF16, 2));
  ASSERT_TRUE(session->extend(0, tokens_of(kBatch, 8), 1, {}).ok());
  Sampler sampler({}, 1, session->sampler_scratch());
  SampledRow row{0, &sampler, session->cache().tokens(0)};
  vulkan_faults().lose_at_submit = 1;
  const Status lost = session->sample({&row, 1});
  vulkan_faults().lose_at_submit = 0;
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::kDeviceLost);
}

// Few rows are multiplied by other kernels than many: sums differ in their last bits.
TEST_P(VulkanSession, a_prompt_in_pieces_gives_the_logits_of_one_step) {
  for (const DType kv : {DType::kF32, DType::kQ4_0}) {
    const auto whole = open(options_of(kv, 4)), pieces = open(options_of(kv, 4));
    const std::vector<TokenId> prompt = tokens_of(kBatch, 3);
    const std::vector<float> expected = read(*whole, 0, prompt);
    for (std::size_t n = 1; n < prompt.size(); n += 6)
      read(*pieces, 1, {prompt.begin(), prompt.begin() + static_cast<std::ptrdiff_t>(n)});
    EXPECT_LT(test::relative_error(read(*pieces, 1, prompt), expected), kv == DType::kF32 ? 1e-4 : 8e-2);
  }
}

TEST_P(VulkanSession, a_shared_prompt_goes_on_as_where_it_came_from) {
  std::vector<TokenId> prompt = tokens_of(300, 3);
  prompt.push_back(5);
  for (const DType kv : {DType::kF16, DType::kQ4_0}) {
    const auto session = open(options_of(kv, 3));
    read(*session, 0, {prompt.begin(), prompt.end() - 1});
    ASSERT_EQ(*session->begin_prompt(1, prompt), 300U);
    const std::vector<SlotToken> next{{0, 5}, {1, 5}};
    ASSERT_TRUE(session->decode(next, {}).ok());
    const std::vector<float> logits = test::all_logits(*session, 2);
    const auto second = logits.begin() + static_cast<std::ptrdiff_t>(logits.size() / 2);
    EXPECT_EQ(std::vector<float>(logits.begin(), second), std::vector<float>(second, logits.end()));
  }
}

TEST_P(VulkanSession, the_end_of_the_context_is_where_the_plan_says) {
  const auto session = open(options_of(DType::kF16, 4)), alone = open(options_of(DType::kF16, 0));
  EXPECT_EQ(session->begin_prompt(0, tokens_of(kContext + 1, 4)).error().code, ErrorCode::kDoesNotFit);
  for (const std::uint32_t n : {kContext - 1, kContext}) {
    const std::vector<TokenId> prompt = tokens_of(n, n);
    EXPECT_LT(test::relative_error(read(*session, 0, prompt), read(*alone, 0, prompt)), 2e-3) << n;
  }
}

TEST_P(VulkanSession, a_prompt_goes_on_after_a_stop_behind_any_segment) {
  const std::vector<TokenId> prompt = tokens_of(120, 6);
  const auto whole = open(options_of(DType::kQ4_0, 2));
  const std::vector<float> expected = read(*whole, 0, prompt);
  const auto made = plan(opened_, test::cpu_and_vulkan(GetParam()), options_of(DType::kQ4_0, 2));
  test::StopBehind stop;
  const auto make = [&](const DeviceInfo& device) -> Result<std::unique_ptr<Backend>> {
    return std::unique_ptr<Backend>(std::make_unique<test::StoppingBackend>(test::take(make_backend(device)), stop));
  };
  for (const std::uint32_t behind : {1U, 2U, 3U, 4U, 9U}) {  // two segments a step
    stop.source = {};
    stop.submit = behind;
    const auto session =
        test::session_or_die(test::take(load_model(opened_.file, {opened_.info, made, make}, {}, [](Bytes) {})), made);
    const auto stopped = try_read(*session, 0, prompt, stop.source.token());
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
    EXPECT_EQ(read(*session, 0, prompt), expected) << "stopped behind segment " << behind;
  }
}

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
    std::vector<DeviceInfo> devices = test::cpu_and_vulkan(GetParam());
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

// What one device of a shared pool may use at most, all of them may.
using VulkanOnCard = VulkanSession;
TEST_P(VulkanOnCard, two_devices_on_one_card_and_a_reference_device_work_together) {
  const test::ReferenceDevices reference("64MiB");
  RandomModelSpec spec = four_layers();
  spec.n_layers = 8;
  const OpenedFile opened = test::open_or_die(test::make_random_model(spec, folder_.path(), "eight"));
  const test::UseDevices use("0,0");
  std::vector<DeviceInfo> devices = test::take(probe_devices(2));
  ASSERT_EQ(devices.size(), 4U);
  EXPECT_EQ(devices[2].id, "vulkan:1");
  for (DeviceInfo& device : devices) device.has_unified_memory = false;
  PlanOptions options = options_of(DType::kF16, 4);
  const auto alone_plan = plan(opened, devices, options_of(DType::kF16, 0));
  const auto alone = test::session_or_die(test::load_or_die(opened, alone_plan), alone_plan);
  // Two of them have room for what one layer and the head take; the last one gets what is left.
  options.n_gpu_layers = 1;
  const Bytes of_one = plan(opened, devices, options)->budgets.front().peak();
  options.n_gpu_layers = 7;
  options.devices = {{1, AtMost{of_one}}, {3, AtMost{of_one}}, {2}};
  const auto made = plan(opened, devices, options);
  for (const DeviceIndex device : {0U, 1U, 2U, 3U})
    EXPECT_GT(made->bytes_of(RegionKind::kWeights, device), 0U) << device;
  const auto session = test::session_or_die(test::load_or_die(opened, made), made);
  const std::vector<TokenId> prompt = tokens_of(70, 5);
  EXPECT_LT(test::relative_error(read(*session, 0, prompt), read(*alone, 0, prompt)), 2e-3);
}

TEST_P(VulkanSession, a_lost_device_ends_the_request_and_the_next_load_works) {
  const std::vector<TokenId> prompt = tokens_of(50, 5);
  const auto session = open(options_of(DType::kF16, 2));
  const std::vector<float> expected = read(*session, 0, prompt);
  session->truncate(0, 0);
  vulkan_faults().lose_at_submit = GetParam() ? 2 : 3;
  const auto lost = try_read(*session, 0, prompt);
  vulkan_faults().lose_at_submit = 0;
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::kDeviceLost);
  EXPECT_NE(lost.error().message.find("vulkan:0: the device was lost"), std::string::npos) << lost.error().message;
  EXPECT_EQ(try_read(*session, 1, prompt).error().code, ErrorCode::kDeviceLost) << "it stays lost";
  const auto again = open(options_of(DType::kF16, 2));
  EXPECT_EQ(read(*again, 0, prompt), expected);
}

TEST_P(VulkanSession, memory_that_the_driver_refuses_is_an_error_that_names_both_sizes) {
  const std::vector<DeviceInfo> devices = test::cpu_and_vulkan(GetParam());
  const auto backend = test::take(make_backend(devices[1]));
  for (const Memory memory : {Memory::kDevice, Memory::kPageLocked}) {
    ArenaPlan arena;
    arena.memory = memory;
    arena.size = kGiB << 12;
    const auto mapped = backend->map_arena(arena);
    ASSERT_FALSE(mapped.ok());
    EXPECT_EQ(mapped.error().code, ErrorCode::kResource);
    EXPECT_NE(mapped.error().message.find("vulkan:0: asked for 4.00 TiB"), std::string::npos) << mapped.error().message;
    EXPECT_NE(mapped.error().message.find("free "), std::string::npos);
  }
  EXPECT_EQ(backend->n_allocations(), 0U);
}

TEST_P(VulkanOnCard, a_thousand_turns_take_nothing_more) {
  const auto session = open(options_of(DType::kQ8_0, 2));
  for (std::uint32_t turn = 0; turn < 1000; ++turn) {
    ASSERT_TRUE(try_read(*session, turn % 2, tokens_of(2 + turn % 5, turn)).ok()) << turn;
    const std::vector<SlotToken> next{{turn % 2, 9}};
    ASSERT_TRUE(session->decode(next, {}).ok()) << turn;
  }
  EXPECT_EQ(session->n_allocations_after_open(), 0U);
  for (const ArenaReport& arena : session->memory_report().arenas) EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes);
}

TEST_P(VulkanSession, memory_is_counted_while_it_is_mapped) {
  const auto backend = test::take(make_backend(test::cpu_and_vulkan(GetParam())[1]));
  const Bytes before = test::take(backend->sample_memory()).ours;
  {
    const auto session = open(options_of(DType::kF16, 2));
    const MemorySample now = test::take(backend->sample_memory());
    EXPECT_GE(now.ours, before + session->plan().planned_bytes(1));
    EXPECT_GE(now.total - now.free, session->plan().planned_bytes(1));
  }
  EXPECT_EQ(test::take(backend->sample_memory()).ours, before);
}

// lavapipe counts nothing: all is the host's, or nobody tells.
TEST_P(VulkanSession, how_surely_its_memory_is_known_is_told) {
  const DeviceInfo device = test::cpu_and_vulkan(GetParam())[1];
  const auto backend = test::take(make_backend(device));
  ASSERT_TRUE(backend->measure_speed().ok());
  const MemoryAccount account = test::take(backend->sample_memory()).account;
  EXPECT_EQ(account.spilled, 0U);
  EXPECT_EQ(account.doubt.empty(), account.confidence == MemoryConfidence::kMeasured) << account.doubt;
  EXPECT_FALSE(device.driver.empty());
  if (!vulkan_cards().cards.front().is_software) return;
  EXPECT_EQ(account.confidence, GetParam() ? MemoryConfidence::kMeasured : MemoryConfidence::kAssumed);
  EXPECT_EQ(backend->driver_bytes(), std::nullopt) << "the assumption stays";
}

TEST_P(VulkanSession, steps_and_contexts_beyond_what_the_driver_computes_are_refused) {
  const std::vector<DeviceInfo> devices = test::cpu_and_vulkan(GetParam());
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
  EXPECT_NE(loops.message.find("beyond 65535 rounds: expected n_ctx of at most "), std::string::npos) << loops.message;
}

TEST_P(VulkanSession, a_load_can_be_stopped) {
  const auto made = plan(opened_, test::cpu_and_vulkan(GetParam()), options_of(DType::kF16, 4));
  StopSource stop;
  const auto stopped =
      load_model(opened_.file, {opened_.info, made, make_backend}, stop.token(), [&](Bytes) { stop.request_stop(); });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
}

TEST_P(VulkanSession, the_speed_of_the_device_is_measured) {
  const auto backend = test::take(make_backend(test::cpu_and_vulkan(GetParam())[1]));
  const DeviceSpeed speed = test::take(backend->measure_speed());
  EXPECT_GT(speed.read_bytes_per_s, 1e8);
  EXPECT_GT(speed.copy_bytes_per_s, 1e7);
  EXPECT_GT(speed.op_seconds, 0);
  EXPECT_EQ(backend->n_allocations(), 0U);
}

std::string memory_name_of(const testing::TestParamInfo<bool>& each) { return each.param ? "shared" : "own"; }
INSTANTIATE_TEST_SUITE_P(Memory, VulkanSession, testing::Bool(), memory_name_of);
INSTANTIATE_TEST_SUITE_P(Memory, VulkanOnCard, testing::Values(false), memory_name_of);

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
    EXPECT_NE(found.refused.back().find(std::string("found \"") + wrong + "\""), std::string::npos);
  }
}

}  // namespace
}  // namespace headroom
