#include "run/kv_rings.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

// 1,024 positions keep a ring of 96 rows where a cache is quantized; a window of 300 with a batch of 48 one of its own.
class KvRingsTest : public ::testing::Test {
 protected:
  KvRingsTest() {
    LayerSpec layer{.n_heads = 2, .n_kv_heads = 2, .head_dim = 32};
    model.layers.push_back(layer);
    layer.attention = AttentionKind::kWindow;
    layer.window = 300;
    model.layers.push_back(layer);
    options = {.n_ctx = 1024, .n_slots = 2, .n_batch = 48, .kv_k = DType::kQ4_0, .kv_v = DType::kF16};
  }
  static std::vector<StepRow> rows(std::uint32_t slot, std::uint32_t first, std::uint32_t last) {
    std::vector<StepRow> made;
    for (; first < last; ++first) made.push_back({0, slot, first});
    return made;
  }

  ModelInfo model;
  PlanOptions options;
};

TEST_F(KvRingsTest, hold_the_newest_positions_of_each_slot) {
  const auto ring = static_cast<std::uint32_t>(model.layers[0].kv_f16_rows(1024, 48).n_ring);
  ASSERT_EQ(ring, 96U);
  KvRings rings(model, options);
  rings.advance(rows(0, 0, 48));
  EXPECT_EQ(rings.exact_from(0, 0), 0U);
  rings.advance(rows(0, 48, 130));
  EXPECT_EQ(rings.exact_from(0, 0), 130 - ring);
  EXPECT_EQ(rings.exact_from(0, 1), 0U);
}

TEST_F(KvRingsTest, a_step_back_brings_nothing_back) {
  KvRings rings(model, options);
  rings.advance(rows(0, 0, 500));
  rings.advance(rows(0, 450, 460));
  EXPECT_EQ(rings.exact_from(0, 0), 404U) << "positions before 404 were replaced by those up to 499";
  rings.advance(rows(0, 100, 110));
  EXPECT_EQ(rings.exact_from(0, 0), 100U) << "behind the ring: it fills afresh";
}

TEST_F(KvRingsTest, several_slots_in_one_step_and_a_copied_slot) {
  KvRings rings(model, options);
  rings.advance(rows(0, 0, 300));
  std::vector<StepRow> both = rows(0, 300, 301);
  both.push_back({0, 1, 0});
  rings.advance(both);
  EXPECT_EQ(rings.exact_from(0, 0), 205U);
  EXPECT_EQ(rings.exact_from(0, 1), 0U);
  rings.copy(0, 1);
  EXPECT_EQ(rings.exact_from(0, 1), 205U);
}

TEST_F(KvRingsTest, layers_with_other_rings_have_a_state_of_their_own_and_an_exact_cache_has_none) {
  const auto window_ring = static_cast<std::uint32_t>(model.layers[1].kv_f16_rows(1024, 48).n_ring);
  ASSERT_NE(window_ring, model.layers[0].kv_f16_rows(1024, 48).n_ring);
  KvRings rings(model, options);
  rings.advance(rows(0, 0, 700));
  EXPECT_EQ(rings.exact_from(1, 0), 700 - window_ring);
  options.kv_k = DType::kF16;
  KvRings none(model, options);
  none.advance(rows(0, 0, 700));
  EXPECT_EQ(none.exact_from(0, 0), 0U);
  EXPECT_EQ(none.exact_from(1, 0), 0U);
}

}  // namespace
}  // namespace headroom
