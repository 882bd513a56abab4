// What a session over a GPU promises beside its numbers: slots, copies, stops, context ends, several devices, faults,
// memory.
#include <gtest/gtest.h>

#include "engine/run/sampled_rows.h"
#include "engine/run/taken_back.h"
#include "gpu_contract/gpu_session.h"
#include "support/decode_step.h"
#include "support/reference_devices.h"
#include "support/stopping_backend.h"

namespace headroom {
namespace {

using test::four_layers;
using test::GpuSession;
using test::kBatch;
using test::kContext;
using test::OpenedFile;
using test::options_of;
using test::RandomModelSpec;
using test::read;
using test::tokens_of;
using test::tolerance;
using test::try_read;

TEST_P(GpuSession, two_slots_of_every_cache_type_are_as_on_the_cpu_alone) {
  const std::vector<TokenId> first = tokens_of(290, 1), second = tokens_of(61, 2);
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_kv) continue;
    const auto alone = open(options_of(type.dtype, 0)), split = open(options_of(type.dtype, 2));
    for (Session* session : {alone.get(), split.get()}) read(*session, 0, first);
    EXPECT_LT(test::relative_error(read(*split, 1, second), read(*alone, 1, second)), tolerance(type.dtype))
        << type.label;
    const std::vector<test::SlotToken> next{{0, 17}, {1, 29}};
    ASSERT_TRUE(test::decode(*split, next).ok() && test::decode(*alone, next).ok());
    EXPECT_LT(test::relative_error(test::all_logits(*split, 2), test::all_logits(*alone, 2)), tolerance(type.dtype))
        << type.label;
    EXPECT_EQ(split->n_allocations_after_open(), 0U);
    for (const ArenaReport& arena : split->memory_report().arenas)
      EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes) << arena.device;
  }
}

// Beside another slot, in a session of its own. gpu_taken_back_test.cpp has each number of rows and all caches.
TEST_P(GpuSession, drafts_that_are_taken_back_leave_no_trace) {
  RandomModelSpec spec = four_layers();
  spec.architecture = "gemma2";
  spec.n_layers = 2;
  spec.window = 250;
  const OpenedFile opened = test::open_or_die(make_random_model(spec, folder_.path()));
  PlanOptions options = options_of(DType::kQ4_0, 1);
  options.n_ctx = 512;
  options.n_draft = test::kDrafts;
  const auto made = plan(opened, test::cpu_and_gpu(GetParam()), options);
  const auto drafting = test::session_or_die(test::load_or_die(opened, made), made);
  const auto plain = test::session_or_die(test::load_or_die(opened, made), made);
  for (Session* session : {drafting.get(), plain.get()}) {
    read(*session, 0, tokens_of(300, 1));
    read(*session, 1, tokens_of(40, 2));
  }
  test::expect_drafts_leave_no_trace(*drafting, *plain, test::few_draft_steps(), tolerance(options.kv_k));
}

TEST_P(GpuSession, rows_of_one_step_are_sampled_where_they_are_each_as_its_settings_say) {
  for (const std::int32_t n_gpu_layers : {1, 4}) {
    PlanOptions options = options_of(DType::kF16, n_gpu_layers);
    options.n_logit_rows = test::kSampledRows;
    const auto session = open(options);
    test::expect_rows_sampled_as_their_settings_say(*session, tokens_of(kBatch, 8));
    for (const ArenaReport& arena : session->memory_report().arenas)
      EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes) << arena.device;
  }
}

TEST_P(GpuSession, rows_that_are_asked_about_with_a_step_are_sampled_as_behind_it) {
  for (const std::int32_t n_gpu_layers : {1, 4}) {
    PlanOptions options = options_of(DType::kF16, n_gpu_layers);
    options.n_logit_rows = test::kSampledRows;
    test::expect_rows_sampled_with_the_step_as_behind_it(*open(options), tokens_of(kBatch, 8));
  }
}

// FFNs on the CPU cut the step into several subgraphs, the last of which has the head.
TEST_P(GpuSession, what_is_asked_with_a_step_in_parts_is_answered_by_its_last_part) {
  PlanOptions options = options_of(DType::kF16, 4);
  options.n_logit_rows = test::kSampledRows;
  options.n_cpu_ffn = 2;
  test::expect_rows_sampled_with_the_step_as_behind_it(*open(options), tokens_of(kBatch, 8));
}

TEST_P(GpuSession, a_device_that_is_lost_while_it_looks_for_candidates_is_an_error) {
  const auto session = open(options_of(DType::kF16, 2));
  ASSERT_TRUE(session->step({0, tokens_of(kBatch, 8), 1}, {}).ok());
  Sampler sampler({}, 1, session->sampler_scratch());
  SampledRow row{0, &sampler, session->cache().tokens(0)};
  test::lose_gpu_at(1);
  const Status lost = session->sample({&row, 1});
  test::lose_gpu_at(0);
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::kDeviceLost);
}

// Few rows are multiplied by other kernels than many: sums differ in their last bits.
TEST_P(GpuSession, a_prompt_in_pieces_gives_the_logits_of_one_step) {
  for (const DType kv : {DType::kF32, DType::kQ4_0}) {
    const auto whole = open(options_of(kv, 4)), pieces = open(options_of(kv, 4));
    const std::vector<TokenId> prompt = tokens_of(kBatch, 3);
    const std::vector<float> expected = read(*whole, 0, prompt);
    for (std::size_t n = 1; n < prompt.size(); n += 6)
      read(*pieces, 1, {prompt.begin(), prompt.begin() + static_cast<std::ptrdiff_t>(n)});
    EXPECT_LT(test::relative_error(read(*pieces, 1, prompt), expected), kv == DType::kF32 ? 1e-4 : 8e-2);
  }
}

TEST_P(GpuSession, a_shared_prompt_goes_on_as_where_it_came_from) {
  std::vector<TokenId> prompt = tokens_of(300, 3);
  prompt.push_back(5);
  for (const DType kv : {DType::kF16, DType::kQ4_0}) {
    const auto session = open(options_of(kv, 3));
    read(*session, 0, {prompt.begin(), prompt.end() - 1});
    ASSERT_EQ(*session->begin_prompt(1, prompt), 300U);
    const std::vector<test::SlotToken> next{{0, 5}, {1, 5}};
    ASSERT_TRUE(test::decode(*session, next).ok());
    const std::vector<float> logits = test::all_logits(*session, 2);
    const auto second = logits.begin() + static_cast<std::ptrdiff_t>(logits.size() / 2);
    EXPECT_EQ(std::vector<float>(logits.begin(), second), std::vector<float>(second, logits.end()));
  }
}

TEST_P(GpuSession, the_end_of_the_context_is_where_the_plan_says) {
  const auto session = open(options_of(DType::kF16, 4)), alone = open(options_of(DType::kF16, 0));
  EXPECT_EQ(session->begin_prompt(0, tokens_of(kContext + 1, 4)).error().code, ErrorCode::kDoesNotFit);
  for (const std::uint32_t n : {kContext - 1, kContext}) {
    const std::vector<TokenId> prompt = tokens_of(n, n);
    EXPECT_LT(test::relative_error(read(*session, 0, prompt), read(*alone, 0, prompt)), 2e-3) << n;
  }
}

TEST_P(GpuSession, a_prompt_goes_on_after_a_stop_behind_any_segment) {
  const std::vector<TokenId> prompt = tokens_of(120, 6);
  const auto whole = open(options_of(DType::kQ4_0, 2));
  const std::vector<float> expected = read(*whole, 0, prompt);
  const auto made = plan(opened_, test::cpu_and_gpu(GetParam()), options_of(DType::kQ4_0, 2));
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

// What one device of a shared pool may use at most, all of them may.
using GpuOnCard = GpuSession;
TEST_P(GpuOnCard, two_devices_on_one_card_and_a_reference_device_work_together) {
  const test::ReferenceDevices reference("64MiB");
  RandomModelSpec spec = four_layers();
  spec.n_layers = 8;
  const OpenedFile opened = test::open_or_die(test::make_random_model(spec, folder_.path(), "eight"));
  const test::UseDevices use("0,0");
  std::vector<DeviceInfo> devices = test::take(probe_devices(2));
  ASSERT_EQ(devices.size(), 4U);
  EXPECT_NE(devices[2].id, devices[1].id);
  for (DeviceInfo& device : devices) {
    device.has_unified_memory = false;
    device.driver_bytes = 0;
    device.granularity = std::min(device.granularity, 64 * kKiB);  // so that a small model has to be split
  }
  PlanOptions options = options_of(DType::kF16, 4);
  const auto alone_plan = plan(opened, devices, options_of(DType::kF16, 0));
  const auto alone = test::session_or_die(test::load_or_die(opened, alone_plan), alone_plan);
  // Two of them have room for what one layer and the head take; the last one gets what is left.
  options.n_gpu_layers = 1;
  const Bytes of_one = plan(opened, devices, options)->budgets.front().peak();
  options.n_gpu_layers = 7;
  options.n_logit_rows = test::kSampledRows;
  options.devices = {{1, AtMost{of_one}}, {3, AtMost{of_one}}, {2}};
  const auto made = plan(opened, devices, options);
  for (const DeviceIndex device : {0U, 1U, 2U, 3U})
    EXPECT_GT(made->bytes_of(RegionGroup::kWeights, device), 0U) << device;
  const auto session = test::session_or_die(test::load_or_die(opened, made), made);
  const std::vector<TokenId> prompt = tokens_of(70, 5);
  EXPECT_LT(test::relative_error(read(*session, 0, prompt), read(*alone, 0, prompt)), 2e-3);
  session->clear(0);
  EXPECT_EQ(made->program.buffers[made->program.logits].device, 2U) << "of which the first does not compute the head";
  test::expect_rows_sampled_with_the_step_as_behind_it(*session, tokens_of(kBatch, 8));
}

TEST_P(GpuSession, a_lost_device_ends_the_request_and_the_next_load_works) {
  const std::vector<TokenId> prompt = tokens_of(50, 5);
  const auto session = open(options_of(DType::kF16, 2));
  const std::vector<float> expected = read(*session, 0, prompt);
  session->clear(0);
  test::lose_gpu_at(GetParam() ? 2 : 3);
  const auto lost = try_read(*session, 0, prompt);
  test::lose_gpu_at(0);
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::kDeviceLost);
  EXPECT_NE(lost.error().message.text().find(std::string(test::kGpuId) + ": the device was lost"), std::string::npos)
      << lost.error().message.text();
  EXPECT_EQ(try_read(*session, 1, prompt).error().code, ErrorCode::kDeviceLost) << "it stays lost";
  const auto again = open(options_of(DType::kF16, 2));
  EXPECT_EQ(read(*again, 0, prompt), expected);
}

TEST_P(GpuSession, memory_that_the_driver_refuses_is_an_error_that_names_both_sizes) {
  const std::vector<DeviceInfo> devices = test::cpu_and_gpu(GetParam());
  const auto backend = test::take(make_backend(devices[1]));
  for (const Memory memory : {Memory::kDevice, Memory::kPageLocked}) {
    ArenaPlan arena;
    arena.memory = memory;
    arena.size = kGiB << 12;
    const auto mapped = backend->map_arena(arena);
    ASSERT_FALSE(mapped.ok());
    EXPECT_EQ(mapped.error().code, ErrorCode::kResource);
    EXPECT_NE(mapped.error().message.text().find(std::string(test::kGpuId) + ": asked for 4.00 TiB"), std::string::npos)
        << mapped.error().message.text();
    EXPECT_NE(mapped.error().message.text().find("free "), std::string::npos);
  }
  EXPECT_EQ(backend->n_allocations(), 0U);
}

TEST_P(GpuOnCard, a_thousand_turns_take_nothing_more) {
  const auto session = open(options_of(DType::kQ8_0, 2));
  for (std::uint32_t turn = 0; turn < 1000; ++turn) {
    ASSERT_TRUE(try_read(*session, turn % 2, tokens_of(2 + turn % 5, turn)).ok()) << turn;
    const std::vector<test::SlotToken> next{{turn % 2, 9}};
    ASSERT_TRUE(test::decode(*session, next).ok()) << turn;
  }
  EXPECT_EQ(session->n_allocations_after_open(), 0U);
  for (const ArenaReport& arena : session->memory_report().arenas) EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes);
}

TEST_P(GpuSession, memory_is_counted_while_it_is_mapped) {
  const DeviceInfo device = test::cpu_and_gpu(GetParam())[1];
  // A card's driver keeps what it took for the first kernels that ran: 2 MiB on an H100.
  const Bytes kept = device.is_software ? 0 : 2 * kMiB;
  const auto backend = test::take(make_backend(device));
  const Bytes before = test::take(backend->sample_memory()).ours;
  {
    const auto session = open(options_of(DType::kF16, 2));
    const MemorySample now = test::take(backend->sample_memory());
    ASSERT_GT(session->plan().planned_bytes(1), kept);
    EXPECT_GE(now.ours, before + session->plan().planned_bytes(1));
    EXPECT_GE(now.total - now.free, session->plan().planned_bytes(1));
  }
  const Bytes after = test::take(backend->sample_memory()).ours;
  EXPECT_GE(after, before);
  EXPECT_LE(after, before + kept);
}

TEST_P(GpuSession, a_load_can_be_stopped) {
  const auto made = plan(opened_, test::cpu_and_gpu(GetParam()), options_of(DType::kF16, 4));
  StopSource stop;
  const auto stopped =
      load_model(opened_.file, {opened_.info, made, make_backend}, stop.token(), [&](Bytes) { stop.request_stop(); });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
}

TEST_P(GpuSession, the_speed_of_the_device_is_measured) {
  const auto backend = test::take(make_backend(test::cpu_and_gpu(GetParam())[1]));
  const DeviceSpeed speed = test::take(backend->measure_speed(kMostMeasureBytes));
  EXPECT_GT(speed.read_bytes_per_s, 1e8);
  EXPECT_GT(speed.copy_bytes_per_s, 1e7);
  EXPECT_GT(speed.op_seconds, 0);
  if (!GetParam()) {
    EXPECT_GT(speed.products_per_s, 1e6);
  }
  EXPECT_EQ(backend->n_allocations(), 0U);
  const DeviceSpeed little = test::take(backend->measure_speed(kLeastMeasureBytes));
  EXPECT_EQ(little.read_bytes_per_s, 0) << "a cache may hold so little";
  EXPECT_GT(little.copy_bytes_per_s, 1e7);
}

INSTANTIATE_TEST_SUITE_P(Memory, GpuSession, testing::ValuesIn(test::ways_to_have_memory()), test::memory_name_of);
INSTANTIATE_TEST_SUITE_P(Memory, GpuOnCard, testing::Values(false), test::memory_name_of);

}  // namespace
}  // namespace headroom
