#include "work_count.h"

#include <gtest/gtest.h>

#include "plan/placement.h"
#include "plan/speed.h"
#include "support/model_specs.h"

namespace headroom::cli {
namespace {

// Both devices stand first in lists of devices: 0 the CPU, 1 a card.
Placement splitAt(const ModelInfo& model, std::uint32_t nGpuLayers) {
  const std::vector<DeviceInfo> devices{test::cpu_with(kGiB), test::gpu_with(kGiB)};
  LayerSplit split;
  if (nGpuLayers > 0) split.runs.push_back({1, nGpuLayers});
  return place_layers(model, devices, 0, split);
}

TEST(WorkCount, a_prompt_token_multiplies_every_layer_matrix_once_and_the_head_only_at_the_end) {
  const ModelInfo model = test::make_model(test::kLlama3_8B, DType::kQ8_0);
  // Per layer: q and out 4096 x 4096, k and v 1024 x 4096, gate, up and down 14336 x 4096.
  const double per_token = 2.0 * 32 * (2 * 4096.0 * 4096 + 2 * 1024.0 * 4096 + 3 * 14336.0 * 4096);
  const double head = 2.0 * 128256 * 4096;
  const double attention = 4.0 * 32 * 4096 * (1 + 2 + 3);  // causal: the third token sees three
  EXPECT_DOUBLE_EQ(prefillOps(model, splitAt(model, 0), 0, 3, 0), 3 * per_token + head + attention);
}

TEST(WorkCount, of_experts_are_those_that_a_token_goes_through) {
  const ModelInfo model = test::make_model(test::kQwen3_30B_A3B, DType::kQ8_0);
  // Per layer: q and out 4096 x 2048, k and v 512 x 2048, the router of 128, and 8 experts of three matrices 768 x
  // 2048.
  const double elems = 2 * 4096.0 * 2048 + 2 * 512.0 * 2048 + 128.0 * 2048 + 8 * 3 * 768.0 * 2048;
  const double head = 151936.0 * 2048, attention = 4.0 * 48 * 4096;
  EXPECT_DOUBLE_EQ(prefillOps(model, splitAt(model, 0), 0, 1, 0), 2.0 * 48 * elems + 2 * head + attention);
}

TEST(WorkCount, each_device_has_the_part_that_stands_there_and_together_all_of_it) {
  for (const test::ModelShape& shape : {test::kLlama32_1B, test::kLlama3_8B}) {  // with a tied head, and without
    const ModelInfo model = test::make_model(shape, DType::kQ8_0);
    const double all = prefillOps(model, splitAt(model, 0), 0, 100, 7);
    const double ofLayer = (all - 2.0 * shape.n_vocab * shape.d_model) / shape.n_layers;
    for (const std::uint32_t nGpuLayers : {0U, 1U, shape.n_layers}) {
      const Placement placement = splitAt(model, nGpuLayers);
      const double onCard = prefillOps(model, placement, 1, 100, 7), onCpu = prefillOps(model, placement, 0, 100, 7);
      EXPECT_NEAR(onCard + onCpu, all, 1e-9 * all);
      EXPECT_NEAR(onCard, nGpuLayers == 0 ? 0 : nGpuLayers * ofLayer + 2.0 * shape.n_vocab * shape.d_model, 1e-9 * all);
    }
  }
}

}  // namespace
}  // namespace headroom::cli
