#include "run/load_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/run/loaded_fixture.h"
#include "format/dtype_table.h"
#include "model/model_fingerprint.h"
#include "plan/reload_need.h"
#include "plan/weight_stream.h"
#include "support/reference_devices.h"
#include "support/relative_error.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names
using testing::HasSubstr;

// Attention of two layers on the second device, all else on the CPU.
PlanOptions two_layers_there(std::int32_t stream_rows) {
  return {.n_ctx = 320,
          .n_batch = 48,
          .n_gpu_layers = 2,
          .n_cpu_ffn = 1,
          .stream_rows = stream_rows,
          .devices = {{0}, {1}}};
}

class PlannedLoad : public ::testing::Test {
 protected:
  PlannedLoad() : opened_(open_or_die(make_random_model(four_layers(), folder_.path()))) {
    Result<std::vector<DeviceInfo>> found = probe_devices(2);
    CHECK(found.ok(), found.error().message.text().c_str());
    machine_ = std::move(*found);
    // Prompts are faster with weights that are streamed.
    machine_[0].speed = {.read_bytes_per_s = 1e9, .copy_bytes_per_s = 16e9, .products_per_s = 1e6};
    machine_[1].speed = {.read_bytes_per_s = 500e9, .copy_bytes_per_s = 24e9, .products_per_s = 60e12};
  }
  static RandomModelSpec four_layers() {
    RandomModelSpec spec;
    spec.n_layers = 4;
    spec.n_ctx_trained = 1024;
    return spec;
  }
  std::shared_ptr<const MemoryPlan> plan(const ModelInfo& info, const PlanOptions& options) const {
    Result<MemoryPlan> made = plan_memory(info, machine_, options);
    CHECK(made.ok(), made.error().message.text().c_str());
    return std::make_shared<const MemoryPlan>(std::move(*made));
  }
  std::shared_ptr<const MemoryPlan> plan(const PlanOptions& options) const { return plan(*opened_.info, options); }

  ReferenceDevices reference_{"64MiB"};
  TempFolder folder_;
  OpenedFile opened_;
  std::vector<DeviceInfo> machine_;
};

// A loader knows nothing of the heap that the plan was made with. Here the host's limit leaves no room for streaming
// beside that heap, and would leave it without one.
TEST_F(PlannedLoad, a_plan_that_fits_is_accepted_whatever_heap_it_was_made_with) {
  const Bytes resident = plan(two_layers_there(0))->budgets.back().peak(),
              streaming = plan(two_layers_there(kAutoRows))->budgets.back().peak();
  ASSERT_GT(streaming, resident);
  std::mt19937_64 random(17);
  std::size_t n_without = 0;
  for (int i = 0; i < 64; ++i) {
    ModelInfo estimated = *opened_.info;
    estimated.heap_bytes = 1 + random() % (2 * (streaming - resident));
    PlanOptions options = two_layers_there(kAutoRows);
    options.devices[0].headroom = AtMost{resident + estimated.heap_bytes + random() % (2 * (streaming - resident))};
    const std::shared_ptr<const MemoryPlan> made = plan(estimated, options);
    ASSERT_TRUE(made->fits());
    n_without += made->streaming.is_used() ? 0 : 1;
    const auto prepared = prepare_model(opened_.file, {opened_.info, made, make_backend});
    ASSERT_TRUE(prepared.ok()) << "heap " << estimated.heap_bytes << ": " << prepared.error().message.text();
  }
  EXPECT_GT(n_without, 16U);
  EXPECT_LT(n_without, 48U);
}

TEST_F(PlannedLoad, a_stop_before_it_cancels_it) {
  StopSource source;
  source.request_stop();
  const auto prepared = prepare_model(
      opened_.file, {opened_.info, plan(*opened_.info, two_layers_there(0)), make_backend}, source.token());
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.error().code, ErrorCode::kCancelled);
}

TEST_F(PlannedLoad, a_plan_of_another_model_is_refused_by_its_fingerprint) {
  RandomModelSpec spec = four_layers();
  spec.window = 32;
  const OpenedFile other = open_or_die(make_random_model(spec, folder_.path()));
  const std::shared_ptr<const MemoryPlan> made = plan(*other.info, two_layers_there(0));
  const auto prepared = prepare_model(opened_.file, {opened_.info, made, make_backend});
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.error().code, ErrorCode::kUsage);
  EXPECT_THAT(prepared.error().message.text(), HasSubstr("the plan was made for another model"));
}

std::vector<float> read_prompt(Session& session, std::uint32_t n_at_once) {
  std::vector<TokenId> prompt(48);
  for (std::size_t i = 0; i < prompt.size(); ++i) prompt[i] = static_cast<TokenId>(3 + (i * 37) % 280);
  CHECK(session.begin_prompt(0, prompt).ok(), "a prompt of known tokens");
  for (std::size_t at = 0; at < prompt.size(); at += n_at_once) {
    const Status done = session.step({0, std::span(prompt).subspan(at, n_at_once), 1}, {});
    CHECK(done.ok(), done.error().message.text().c_str());
  }
  const auto logits = session.logits(0);
  CHECK(logits.ok(), "the last step had logits");
  return {logits->begin(), logits->end()};
}

// Weights that are streamed stand on the CPU as they did before: only caches, buffers and the room for what is on its
// way are others.
TEST_F(PlannedLoad, streaming_and_the_batch_change_under_the_weights_that_are_loaded) {
  const std::shared_ptr<const MemoryPlan> resident = plan(two_layers_there(0));
  const std::shared_ptr<const LoadedModel> loaded = load_or_die(opened_, resident);
  std::vector<float> expected;
  {
    const std::unique_ptr<Session> session = session_or_die(loaded, resident);
    expected = read_prompt(*session, 48);
  }
  PlanOptions small = two_layers_there(kLeastStreamRows);
  small.n_batch = 12;
  for (const PlanOptions& options : {two_layers_there(kLeastStreamRows), small, two_layers_there(0)}) {
    const std::shared_ptr<const MemoryPlan> wanted = plan(options);
    ASSERT_EQ(wanted->streaming.is_used(), options.stream_rows > 0);
    Result<std::unique_ptr<Session>> session = Session::open(loaded, wanted);
    ASSERT_TRUE(session.ok()) << session.error().message.text();
    EXPECT_LT(relative_error(read_prompt(**session, options.n_batch), expected), 2e-3);
  }
}

TEST_F(PlannedLoad, other_layers_need_the_weights_again) {
  const std::shared_ptr<const MemoryPlan> here = plan(two_layers_there(0));
  const std::shared_ptr<const LoadedModel> loaded = load_or_die(opened_, here);
  PlanOptions three = two_layers_there(0);
  three.n_gpu_layers = 3;
  const Result<std::unique_ptr<Session>> session = Session::open(loaded, plan(three));
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().code, ErrorCode::kUsage);
  EXPECT_THAT(session.error().message.text(), HasSubstr("load the model with it instead"));
}

}  // namespace
}  // namespace headroom
