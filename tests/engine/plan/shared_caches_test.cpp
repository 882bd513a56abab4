// Plans of models whose last layers read caches of earlier ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/layout.h"
#include "support/model_specs.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

// Of six layers the last two read those of layers 2 and 3: the last four stand together.
ModelInfo six_layers() {
  test::ModelShape shape = test::kTinyLlama;
  shape.n_layers = 6;
  ModelInfo model = test::make_model(shape);
  model.layers[4].kv_layer = 2;
  model.layers[5].kv_layer = 3;
  std::erase_if(model.weights, [](const WeightTensor& weight) {
    return weight.layer >= 4 && (weight.role == TensorRole::kK || weight.role == TensorRole::kV);
  });
  return model;
}

std::vector<DeviceInfo> cpu_and_two_gpus(Bytes first) {
  std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB), test::gpu_with(first, 10 * kMiB),
                                  test::gpu_with(8 * kGiB, 10 * kMiB)};
  devices[1].id = "cuda:0", devices[2].id = "cuda:1";
  return devices;
}

std::ptrdiff_t layers_on(const MemoryPlan& plan, DeviceIndex device) {
  return std::ranges::count(plan.placement.layers, device, &LayerPlacement::attention);
}

TEST(SharedCaches, have_a_region_where_they_are_written_alone) {
  const ModelInfo model = six_layers();
  const auto plan = plan_memory(model, cpu_and_two_gpus(8 * kGiB), {.n_ctx = 1024, .n_batch = 64, .devices = {{0}}});
  ASSERT_TRUE(plan.ok()) << plan.error().message.text();
  for (std::int32_t layer = 0; layer < 6; ++layer)
    EXPECT_EQ(find_kv_region(*plan, layer, KvPart::kKeys, 0).has_value(), layer < 4) << layer;
  // K and V of 4 heads of 64 elements, F16, of 1,024 positions: 2 * 4 * 64 * 2 * 1,024 = 1 MiB a layer.
  EXPECT_EQ(plan->bytes_of(RegionGroup::kKv), 4 * kMiB);
  EXPECT_THAT(plan->notes, Contains(Field(&Note::words,
                                          "The last 2 layers have no cache: they read those of earlier "
                                          "ones.")));
}

TEST(SharedCaches, fewer_layers_than_stand_together_are_on_no_gpu) {
  const ModelInfo model = six_layers();
  const auto devices = cpu_and_two_gpus(8 * kGiB);
  for (const auto& [asked, planned] : {std::pair{1, 0}, {3, 0}, {4, 4}, {5, 5}, {6, 6}}) {
    const auto plan = plan_memory(model, devices, {.n_ctx = 256, .n_gpu_layers = asked, .devices = {{1}}});
    ASSERT_TRUE(plan.ok()) << plan.error().message.text();
    EXPECT_EQ(plan->options.n_gpu_layers, planned) << asked;
    EXPECT_EQ(layers_on(*plan, 1), planned) << asked;
    const auto says_why = Contains(Field(&Note::words, HasSubstr("The last 4 layers read caches of each other")));
    if (asked < 4) {
      EXPECT_THAT(plan->notes, says_why);
    } else {
      EXPECT_THAT(plan->notes, Not(says_why));
    }
  }
}

// However much the first of two devices holds, what stands together is on one of them.
TEST(SharedCaches, stand_with_their_readers_over_several_devices) {
  const ModelInfo model = six_layers();
  for (Bytes first = 32 * kMiB; first <= 2 * kGiB; first *= 2) {
    SCOPED_TRACE(format_bytes(first));
    const auto plan =
        plan_memory(model, cpu_and_two_gpus(first), {.n_ctx = 256, .devices = {{1, KeepFree{}}, {2, KeepFree{}}}});
    ASSERT_TRUE(plan.ok()) << plan.error().message.text();
    for (const std::size_t reader : {4U, 5U}) {
      const LayerSpec& spec = model.layers[reader];
      EXPECT_EQ(plan->placement.layers[reader].attention, plan->placement.layers[*spec.kv_layer].attention);
    }
    EXPECT_TRUE(layers_on(*plan, 2) == 0 || layers_on(*plan, 2) >= 4) << layers_on(*plan, 2);
  }
}

TEST(SharedCaches, a_split_that_tears_them_apart_is_refused) {
  const auto plan = plan_memory(
      six_layers(), cpu_and_two_gpus(8 * kGiB),
      {.n_ctx = 256, .n_gpu_layers = 6, .devices = {{.device = 1, .n_layers = 3}, {.device = 2, .n_layers = 3}}});
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().message.text(), HasSubstr("expected at least 4 layers on the last GPU"));
}

}  // namespace
}  // namespace headroom
