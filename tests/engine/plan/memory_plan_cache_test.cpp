// What caches take of a plan: by type, window, context and scheme.
#include <gtest/gtest.h>

#include "format/dtype_table.h"
#include "plan/kv_regions.h"
#include "plan/memory_plan.h"
#include "support/model_specs.h"
#include "support/plans.h"

namespace headroom {
namespace {

using test::cpu_only;

TEST(MemoryPlan, llama_3_8b_takes_131072_bytes_of_f16_cache_per_token) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  for (const std::uint32_t n_ctx : {256U, 8192U, 131072U}) {
    EXPECT_EQ(test::planned(model, cpu_only(), {.n_ctx = n_ctx}).bytes_of(RegionGroup::kKv), Bytes{131072} * n_ctx);
  }
}

struct KnownKv {
  test::ModelShape shape;
  DType dtype;
  Bytes per_token, per_exact_token;  // the latter beside a quantized cache: F16, and an eighth of 2,048 positions
};

TEST(MemoryPlan, cache_bytes_of_known_models_are_the_hand_computed_ones) {
  const KnownKv known[] = {
      {test::kTinyLlama, DType::kF16, 22 * 2 * 4 * 64 * 2, 0},
      {test::kLlama32_1B, DType::kF16, 32768, 0},
      {test::kLlama32_1B, DType::kF32, 65536, 0},
      {test::kQwen25_7B, DType::kF16, 57344, 0},
      {test::kQwen3_8B, DType::kF16, 147456, 0},
      {test::kLlama3_70B, DType::kF16, 327680, 0},
      {test::kLlama3_8B, DType::kQ8_0, 32 * 2 * 8 * 136, 131072},
      {test::kLlama3_8B, DType::kQ4_0, 32 * 2 * 8 * 72, 131072},
      {test::kLlama3_8B, DType::kF8E4M3, 32 * 2 * 8 * 130, 131072},
      {test::kLlama32_1B, DType::kQ8_0, 16 * 2 * 8 * 2 * 34, 32768},
  };
  for (const KnownKv& row : known) {
    const ModelInfo model = test::make_model(row.shape);
    const MemoryPlan plan =
        test::planned(model, cpu_only(), {.n_ctx = 2048, .n_slots = 2, .kv_k = row.dtype, .kv_v = row.dtype});
    EXPECT_EQ(plan.bytes_of(RegionGroup::kKv), 2 * (2048 * row.per_token + 256 * row.per_exact_token))
        << row.shape.name << " " << dtype_row(row.dtype).label;
  }
}

TEST(MemoryPlan, a_q4_0_cache_with_its_exact_ends_takes_at_most_31_percent_of_f16_at_32k) {
  for (const test::ModelShape& shape : {test::kLlama3_8B, test::kLlama32_1B, test::kQwen25_7B}) {
    const ModelInfo model = test::make_model(shape);
    const auto bytes = [&](DType kv) {
      return test::planned(model, cpu_only(), {.n_ctx = 32768, .kv_k = kv, .kv_v = kv}).bytes_of(RegionGroup::kKv);
    };
    EXPECT_LE(100 * bytes(DType::kQ4_0), 31 * bytes(DType::kF16)) << shape.name;
  }
}

TEST(MemoryPlan, a_quantized_cache_is_never_larger_than_f16_and_grows_with_the_context) {
  for (const test::ModelShape& shape : {test::kLlama3_8B, test::kMistral7B}) {
    const ModelInfo model = test::make_model(shape);
    const LayerSpec& layer = model.layers.front();
    for (const DType kv : {DType::kQ8_0, DType::kF8E4M3, DType::kQ4_0}) {
      for (const std::uint32_t n_batch : {1U, 256U, 4096U}) {
        Bytes last = 0;
        for (std::uint32_t n_ctx = 1; n_ctx < 20000; n_ctx += n_ctx < 1200 ? 1 : 97) {
          const PlanOptions options{.n_ctx = n_ctx, .n_batch = n_batch, .kv_k = kv, .kv_v = kv};
          Bytes bytes = 0;
          for (const KvRegion& region : kv_regions(layer, options)) bytes += *kv_region_bytes(layer, region, 1);
          ASSERT_LT(bytes, 2 * layer.kv_rows(n_ctx, n_batch) * layer.kv_row_bytes(DType::kF16))
              << shape.name << " " << n_ctx << " " << n_batch;
          ASSERT_GE(bytes, last) << shape.name << " " << n_ctx << " " << n_batch;
          last = bytes;
        }
      }
    }
  }
}

TEST(MemoryPlan, the_plain_scheme_and_f16_keep_no_exact_ends) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  PlanOptions options{.n_ctx = 8192, .kv_k = DType::kQ4_0, .kv_v = DType::kF16};
  MemoryPlan plan = test::planned(model, cpu_only(), options);
  EXPECT_TRUE(find_kv_region(plan, 0, KvPart::kExactKeys));
  EXPECT_FALSE(find_kv_region(plan, 0, KvPart::kExactValues)) << "values are F16 already";
  options.kv_scheme = KvScheme::kPlain;
  plan = test::planned(model, cpu_only(), options);
  EXPECT_FALSE(find_kv_region(plan, 0, KvPart::kExactKeys));
  EXPECT_EQ(plan.bytes_of(RegionGroup::kKv), Bytes{8192} * 32 * 8 * (72 + 256));
}

TEST(MemoryPlan, window_layers_hold_only_window_rows) {
  const ModelInfo model = test::make_model(test::kMistral7B);
  const Bytes per_row = Bytes{2} * 8 * 128 * 2;
  EXPECT_EQ(test::planned(model, cpu_only(), {.n_ctx = 32768, .n_batch = 256}).bytes_of(RegionGroup::kKv),
            32 * per_row * (4096 + 256));
  EXPECT_EQ(test::planned(model, cpu_only(), {.n_ctx = 1024, .n_batch = 256}).bytes_of(RegionGroup::kKv),
            32 * per_row * 1024);
}

// 52 of 62 layers see 1,024 positions: a cache of a fifth of what it would be.
TEST(MemoryPlan, a_pattern_of_windows_takes_its_cache_layer_by_layer) {
  const ModelInfo model = test::make_model(test::kGemma3_27B);
  const PlanOptions options{.n_ctx = 32768, .n_batch = 256};
  const MemoryPlan plan = test::planned(model, cpu_only(), options);
  const Bytes per_row = Bytes{16} * 128 * 2;
  EXPECT_EQ(plan.bytes_of(RegionGroup::kKv), 2 * per_row * (52 * (1024 + 256) + 10 * 32768));
  for (std::int32_t layer = 0; layer < 62; ++layer) {
    const std::optional<RegionRef> keys = find_kv_region(plan, layer, KvPart::kKeys);
    ASSERT_TRUE(keys.has_value());
    EXPECT_EQ(plan.arenas[keys->arena].regions[keys->region].size, per_row * (layer % 6 == 5 ? 32768 : 1280)) << layer;
  }
  EXPECT_GT(test::planned(model, cpu_only(), {.n_ctx = 65536, .n_batch = 256}).bytes_of(RegionGroup::kKv),
            plan.bytes_of(RegionGroup::kKv))
      << "the other layers grow";
}

// Gemma 4: heads of 256 elements in layers with a window of 1,024, of 512 in every sixth layer, which sees everything
// and has fewer of them. Bytes of a token are 2 x heads x 512 x 2 B x full layers, of windows 2 x heads x 256 x 2 B x
// positions x layers. Parameters as published: 11.9, 25.2 and 30.7 billion.
TEST(MemoryPlan, layers_of_two_kinds_of_heads_have_caches_of_two_sizes) {
  struct Case {
    const test::ModelShape& shape;
    std::uint64_t n_params;  // in hundreds of millions
    Bytes of_token, of_windows;
  };
  for (const Case& each : {Case{test::kGemma4_12B, 119, Bytes{8} * 2 * 1 * 512 * 2, Bytes{40} * 2 * 8 * 256 * 2},
                           {test::kGemma4_26B_A4B, 252, Bytes{5} * 2 * 2 * 512 * 2, Bytes{25} * 2 * 8 * 256 * 2},
                           {test::kGemma4_31B, 307, Bytes{10} * 2 * 4 * 512 * 2, Bytes{50} * 2 * 16 * 256 * 2}}) {
    SCOPED_TRACE(each.shape.name);
    const ModelInfo model = test::make_model(each.shape);
    EXPECT_EQ((model.n_params + 50'000'000) / 100'000'000, each.n_params);
    const MemoryPlan plan = test::planned(model, cpu_only(), {.n_ctx = 32768, .n_batch = 256});
    EXPECT_EQ(plan.bytes_of(RegionGroup::kKv), 32768 * each.of_token + (1024 + 256) * each.of_windows);
  }
}

}  // namespace
}  // namespace headroom
