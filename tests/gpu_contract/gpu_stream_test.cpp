// Steps of many rows that have a GPU compute FFNs whose weights stand on the CPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "format/dtype_table.h"
#include "gpu_contract/gpu_session.h"
#include "plan/weight_stream.h"
#include "support/decode_step.h"
#include "support/stopping_backend.h"

namespace headroom {
namespace {

using test::GpuSession;
using test::kBatch;
using test::options_of;
using test::RandomModelSpec;
using test::read;
using test::tokens_of;
using test::try_read;

constexpr auto kRows = static_cast<std::int32_t>(kLeastStreamRows);

PlanOptions streaming(DType kv, std::int32_t n_gpu_layers, std::int32_t n_cpu_ffn) {
  PlanOptions options = options_of(kv, n_gpu_layers);
  options.n_cpu_ffn = n_cpu_ffn;
  options.stream_rows = kRows;
  return options;
}

// All of the model on the device, but for FFNs that are streamed: the same kernels see the same bits.
void expect_as_if_it_stood_there(const RandomModelSpec& spec) {
  const test::TempFolder folder;
  const auto path = test::make_random_model(spec, folder.path());
  PlanOptions options;
  options.n_ctx = 64;
  options.n_batch = 32;
  const auto prompt = test::rows_of(0, 0, 11, spec.n_vocab), more = test::rows_of(0, 11, 9, spec.n_vocab);
  const auto whole = [&] {
    const auto loaded = test::load_on_gpu(path, options);
    const auto first = loaded->step(prompt, {10});
    return std::pair{first, loaded->step(more, {8})};
  }();
  options.devices = {{1}};
  options.n_gpu_layers = options.n_cpu_ffn = static_cast<std::int32_t>(spec.n_layers);
  options.stream_rows = kRows;
  const auto streamed = test::load_on(path, test::cpu_and_gpu(false), options);
  EXPECT_EQ(streamed->step(prompt, {10}), whole.first);
  EXPECT_EQ(streamed->step(more, {8}), whole.second);
}

TEST(GpuStream, streamed_weights_of_every_type_are_those_of_the_file) {
  for (const DTypeRow& row : kDTypes) {
    if (!row.is_weight) continue;
    RandomModelSpec spec;
    spec.weight_type = row.dtype;
    spec.n_layers = 2;
    spec.d_model = 256;
    spec.n_heads = 8;
    spec.n_kv_heads = 2;
    spec.head_dim = 32;
    spec.d_ff = 512;
    spec.n_vocab = 288;
    SCOPED_TRACE(row.name);
    test::with_some_arithmetics(row.dtype, static_cast<std::size_t>(row.dtype),
                                [&](double) { expect_as_if_it_stood_there(spec); });
  }
}

// Post-norms, experts with a router, one of them shared, norms of branches, odd sizes.
TEST(GpuStream, ffns_of_other_kinds_are_streamed) {
  for (const char* architecture : {"gemma2", "qwen3moe", "qwen35moe", "gemma4"}) {
    RandomModelSpec spec;
    spec.architecture = architecture;
    spec.n_layers = 2;
    spec.has_optional_parts = true;
    SCOPED_TRACE(architecture);
    expect_as_if_it_stood_there(spec);
  }
}

TEST_P(GpuSession, prompts_that_stream_are_as_on_the_cpu_alone_and_take_nothing_more) {
  const std::vector<TokenId> first = tokens_of(290, 1), second = tokens_of(kBatch + 3, 2);
  const auto alone = open(options_of(DType::kF16, 0));
  for (const auto& [n_gpu_layers, n_cpu_ffn] : {std::pair{4, 4}, {4, 2}, {2, 0}, {3, 1}}) {
    SCOPED_TRACE(fmt::format("{} layers, the FFN of {} on the CPU", n_gpu_layers, n_cpu_ffn));
    const auto session = open(streaming(DType::kF16, n_gpu_layers, n_cpu_ffn));
    // What shares the host's memory has nothing to bring.
    EXPECT_EQ(session->plan().program.n_streaming_ops == 0, GetParam());
    EXPECT_LT(test::relative_error(read(*session, 0, first), read(*alone, 0, first)), 2e-3);
    EXPECT_LT(test::relative_error(read(*session, 1, second), read(*alone, 1, second)), 2e-3);
    const std::vector<test::SlotToken> next{{0, 17}, {1, 29}};
    ASSERT_TRUE(test::decode(*session, next).ok() && test::decode(*alone, next).ok());
    EXPECT_LT(test::relative_error(test::all_logits(*session, 2), test::all_logits(*alone, 2)), 2e-3);
    EXPECT_EQ(session->n_allocations_after_open(), 0U);
    for (const ArenaReport& arena : session->memory_report().arenas)
      EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes) << arena.device;
    for (Session* each : {session.get(), alone.get()}) each->clear(0);
    for (Session* each : {session.get(), alone.get()}) each->clear(1);
  }
}

TEST_P(GpuSession, a_prompt_that_streams_goes_on_after_a_stop_behind_any_segment) {
  const std::vector<TokenId> prompt = tokens_of(2 * kBatch, 6);
  for (const std::int32_t n_gpu_layers : {2, 4}) {
    const PlanOptions options = streaming(DType::kF16, n_gpu_layers, n_gpu_layers / 2);
    const auto whole = open(options);
    const std::vector<float> expected = read(*whole, 0, prompt);
    const auto made = plan(opened_, test::cpu_and_gpu(GetParam()), options);
    test::StopBehind stop;
    const auto make = [&](const DeviceInfo& device) -> Result<std::unique_ptr<Backend>> {
      return std::unique_ptr<Backend>(std::make_unique<test::StoppingBackend>(test::take(make_backend(device)), stop));
    };
    const auto session =
        test::session_or_die(test::take(load_model(opened_.file, {opened_.info, made, make}, {}, [](Bytes) {})), made);
    const bool streams = made->program.n_streaming_ops > 0;
    const std::size_t n_segments =
        cut_subgraphs(made->program, streams ? ExecutionMode::kStreamed : ExecutionMode::kResident).size();
    for (std::uint32_t behind = 1; behind <= n_segments; ++behind) {
      stop.source = {};
      stop.submit = behind;
      const auto stopped = try_read(*session, 0, prompt, stop.source.token());
      ASSERT_FALSE(stopped.ok());
      EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
      EXPECT_EQ(read(*session, 0, prompt), expected) << "stopped behind subgraph " << behind;
      session->clear(0);
    }
  }
}

TEST_P(GpuSession, a_device_that_is_lost_while_weights_are_uploaded_ends_the_request) {
  const std::vector<TokenId> prompt = tokens_of(kBatch, 5);
  const PlanOptions options = streaming(DType::kF16, 4, 4);
  std::vector<float> expected;
  for (const std::uint32_t n : {2U, 5U}) {
    const auto session = open(options);
    const std::vector<float> found = read(*session, 0, prompt);
    if (!expected.empty()) {
      EXPECT_EQ(found, expected) << "after the device was lost and opened anew";
    }
    expected = found;
    session->clear(0);
    test::lose_gpu_at(n);
    const auto lost = try_read(*session, 0, prompt);
    test::lose_gpu_at(0);
    ASSERT_FALSE(lost.ok());
    EXPECT_EQ(lost.error().code, ErrorCode::kDeviceLost);
    EXPECT_EQ(try_read(*session, 1, prompt).error().code, ErrorCode::kDeviceLost) << "it stays lost";
  }
}

}  // namespace
}  // namespace headroom
