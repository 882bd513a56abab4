#include "plan/reload_need.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/plans.h"

namespace headroom {
namespace {

struct Change {
  const char* name;
  ReloadNeed need;
  std::function<void(PlanOptions&)> options = [](PlanOptions&) {};
  std::function<void(std::vector<DeviceInfo>&)> devices = [](std::vector<DeviceInfo>&) {};
  std::function<void(ModelInfo&)> model = [](ModelInfo&) {};
};

constexpr ReloadNeed kNothing = ReloadNeed::kNothing, kSession = ReloadNeed::kSession, kModel = ReloadNeed::kModel;

// Every option of a plan, each device and the model.
const std::vector<Change>& changes() {
  static const std::vector<Change> all{
      {"nothing", kNothing},
      {"context", kSession, [](PlanOptions& o) { o.n_ctx = 2048; }},
      {"slots", kSession, [](PlanOptions& o) { o.n_slots = 3; }},
      {"a smaller batch", kSession, [](PlanOptions& o) { o.n_batch = 64; }},
      {"a larger batch", kSession, [](PlanOptions& o) { o.n_batch = 512; }},
      {"drafts", kSession, [](PlanOptions& o) { o.n_draft = 4; }},
      {"rows of logits", kSession, [](PlanOptions& o) { o.n_logit_rows = 8; }},
      {"keys", kSession, [](PlanOptions& o) { o.kv_k = DType::kQ8_0; }},
      {"values", kSession, [](PlanOptions& o) { o.kv_v = DType::kQ4_0; }},
      {"a plain cache", kSession,
       [](PlanOptions& o) {
         o.kv_k = DType::kQ8_0;
         o.kv_scheme = KvScheme::kPlain;
       }},
      {"streaming", kSession, [](PlanOptions& o) { o.stream_rows = 64; }},
      {"headroom", kSession, [](PlanOptions& o) { o.set_headroom(1, AtMost{12 * kGiB}); }},
      {"layers on the GPU", kModel, [](PlanOptions& o) { o.n_gpu_layers = 21; }},
      {"FFNs on the CPU", kModel, [](PlanOptions& o) { o.n_cpu_ffn = 4; }},
      {"another GPU", kModel, [](PlanOptions& o) { o.devices = {{2}}; }},
      {"no GPU", kModel,
       [](PlanOptions& o) {
         o.devices = {{0}};
         o.n_gpu_layers = o.n_cpu_ffn = 0;
       }},
      {"free memory", kNothing, {}, [](std::vector<DeviceInfo>& list) { list[0].free_bytes -= kGiB; }},
      {"speeds", kNothing, {}, [](std::vector<DeviceInfo>& list) { list[0].speed.read_bytes_per_s = 1e9; }},
      {"a device behind those in use", kNothing, {}, [](std::vector<DeviceInfo>& list) { list.pop_back(); }},
      {"threads", kModel, {}, [](std::vector<DeviceInfo>& list) { list[0].n_threads = 4; }},
      {"another card in its place", kModel, {}, [](std::vector<DeviceInfo>& list) { list[1].id = "cuda:7"; }},
      {"the heap", kNothing, {}, {}, [](ModelInfo& model) { model.heap_bytes += kGiB; }},
      {"the type of a weight", kModel, {}, {}, [](ModelInfo& model) { model.weights[3].dtype = DType::kF16; }},
      {"the turn of the heads", kModel, {}, {}, [](ModelInfo& model) { model.ropes[0].theta = 5e5 + 1; }},
  };
  return all;
}

TEST(ReloadNeed, each_change_loads_again_what_it_must_and_no_more) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices = test::cpu_and_gpu();
  devices.push_back(test::gpu_with(24 * kGiB));
  devices.back().id = "cuda:1";
  const PlanOptions options{.n_ctx = 1024, .n_gpu_layers = 20, .n_cpu_ffn = 5, .stream_rows = 0, .devices = {{1}}};
  const MemoryPlan loaded = test::planned(model, devices, options);
  for (const Change& change : changes()) {
    PlanOptions other_options = options;
    std::vector<DeviceInfo> other_devices = devices;
    ModelInfo other_model = model;
    if (change.options) change.options(other_options);
    if (change.devices) change.devices(other_devices);
    if (change.model) change.model(other_model);
    const MemoryPlan wanted = test::planned(other_model, other_devices, other_options);
    EXPECT_EQ(what_to_load_again(loaded, wanted), change.need) << change.name;
    EXPECT_EQ(what_to_load_again(wanted, loaded), change.need) << change.name << ", and back";
  }
}

// What the batch makes of streaming when it is left to the plan.
TEST(ReloadNeed, a_batch_with_which_steps_stream_keeps_the_weights) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices = test::cpu_and_gpu();
  devices[0].speed = {.read_bytes_per_s = 60e9, .copy_bytes_per_s = 16e9, .op_seconds = 2e-6, .products_per_s = 1.5e12};
  devices[1].speed = {.read_bytes_per_s = 500e9, .copy_bytes_per_s = 24e9, .op_seconds = 4e-6, .products_per_s = 60e12};
  PlanOptions options{.n_ctx = 1024, .n_batch = 16, .n_gpu_layers = 20, .n_cpu_ffn = 0, .devices = {{1}}};
  const MemoryPlan small = test::planned(model, devices, options);
  options.n_batch = 512;
  const MemoryPlan large = test::planned(model, devices, options);
  ASSERT_FALSE(small.streaming.is_used());
  ASSERT_TRUE(large.streaming.is_used());
  EXPECT_EQ(what_to_load_again(small, large), kSession);
  EXPECT_EQ(what_to_load_again(large, small), kSession);
}

TEST(ReloadNeed, another_model_is_read) {
  const MemoryPlan one = test::planned(test::make_model(test::kTinyLlama), test::cpu_only(), {}),
                   other = test::planned(test::make_model(test::kLlama32_1B), test::cpu_only(), {});
  EXPECT_EQ(what_to_load_again(one, other), kModel);
}

}  // namespace
}  // namespace headroom
