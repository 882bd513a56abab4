// What a reference cache gives back of each position: an F16 where an exact end holds it, else what is left of its
// codes.
#include "backend/reference/reference_kv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "format/decode.h"
#include "format/dtype_table.h"
#include "format/encode.h"
#include "plan/kv_regions.h"

namespace headroom {
namespace {

constexpr std::uint32_t kHeadDim = 40;  // no multiple of a block

LayerSpec layer_with(std::uint32_t window) {
  LayerSpec layer;
  layer.n_heads = layer.n_kv_heads = 2;
  layer.head_dim = kHeadDim;
  layer.attention = window > 0 ? AttentionKind::kWindow : AttentionKind::kFull;
  layer.window = window;
  return layer;
}

// A head that differs for each slot, head and position.
std::vector<float> head_of(std::uint32_t slot, std::uint32_t head, std::uint32_t position) {
  std::vector<float> elems(kHeadDim);
  for (std::uint32_t i = 0; i < kHeadDim; ++i)
    elems[i] = std::sin(static_cast<float>(i * i + 7 * position + 1000 * head + 3000 * slot));
  return elems;
}

// Keys or values of one layer in regions of the plan's sizes, no byte more.
class FilledCache {
 public:
  FilledCache(KvPart part, const LayerSpec& layer, const PlanOptions& options) {
    for (const KvRegion& region : kv_regions(layer, options)) {
      const bool is_rows = region.part == part;
      const bool is_exact = region.part == (part == KvPart::kKeys ? KvPart::kExactKeys : KvPart::kExactValues);
      if (is_rows || is_exact) (is_rows ? rows_ : exact_).resize(*kv_region_bytes(layer, region, options.n_slots));
    }
    cache = ReferenceCache(part, layer, options, rows_.data(), exact_.data());
    EXPECT_EQ(cache.n_bytes(options.n_slots), rows_.size());
    EXPECT_EQ(cache.n_exact_bytes(options.n_slots), exact_.size());
  }

  void fill(std::uint32_t slot, std::uint32_t n_positions) const {
    for (std::uint32_t position = 0; position < n_positions; ++position) {
      for (std::uint32_t head = 0; head < 2; ++head)
        cache.put(slot, head, position, head_of(slot, head, position).data());
    }
  }
  std::vector<float> get(std::uint32_t slot, std::uint32_t head, std::uint32_t position,
                         std::uint32_t exact_from) const {
    std::vector<float> elems(kHeadDim);
    cache.get(slot, head, position, exact_from, elems.data());
    return elems;
  }

  ReferenceCache cache;

 private:
  std::vector<std::byte> rows_, exact_;
};

std::vector<float> what_is_left(std::vector<float> elems, DType dtype, KvScheme scheme, float shift) {
  std::vector<std::byte> kept(row_bytes(dtype, kHeadDim));
  if (scheme == KvScheme::kPlain) {
    encode_row(dtype, elems.data(), kHeadDim, kept.data());
  } else {
    encode_kv_row(dtype, elems.data(), kHeadDim, shift, kept.data());
  }
  decode_shifted_row(dtype, kept.data(), kHeadDim, shift, elems.data());
  return elems;
}

class ReferenceKv : public ::testing::TestWithParam<DType> {};

TEST_P(ReferenceKv, gives_back_exact_ends_as_f16_and_the_rest_as_its_codes) {
  for (const std::uint32_t window : {0U, 300U}) {
    for (const KvScheme scheme : {KvScheme::kRotated, KvScheme::kPlain}) {
      for (const KvPart part : {KvPart::kKeys, KvPart::kValues}) {
        const LayerSpec layer = layer_with(window);
        const PlanOptions options{
            .n_ctx = 700, .n_slots = 2, .n_batch = 16, .kv_k = GetParam(), .kv_v = GetParam(), .kv_scheme = scheme};
        const FilledCache filled(part, layer, options);
        filled.fill(0, 3);
        filled.fill(1, 650);
        filled.fill(0, 650);
        const KvF16Rows ends = kv_f16_rows_of(layer, GetParam(), options);
        EXPECT_EQ(ends.n_ring > 0, is_quantized_kv(GetParam()) && scheme == KvScheme::kRotated);
        EXPECT_EQ(filled.cache.is_rotated(), ends.n_ring > 0);
        const auto exact_from = static_cast<std::uint32_t>(650 - ends.n_ring);
        const auto n_rows = static_cast<std::uint32_t>(layer.kv_rows(options.n_ctx, options.n_batch));
        for (std::uint32_t position = 650 - std::min(650U, n_rows); position < 650; ++position) {
          const bool is_exact = position < ends.n_sinks || (ends.n_ring > 0 && position >= exact_from);
          const bool is_shifted = part == KvPart::kValues && GetParam() == DType::kQ4_0 && scheme == KvScheme::kRotated;
          for (const std::uint32_t head : {0U, 1U}) {
            const std::vector<float> expected =
                is_exact ? what_is_left(head_of(1, head, position), DType::kF16, KvScheme::kPlain, 0.0F)
                         : what_is_left(head_of(1, head, position), GetParam(), scheme,
                                        is_shifted ? value_shift(position) : 0.0F);
            ASSERT_EQ(filled.get(1, head, position, exact_from), expected) << window << " at " << position;
          }
        }
      }
    }
  }
}

TEST_P(ReferenceKv, copies_the_positions_that_are_asked_for) {
  const LayerSpec layer = layer_with(0);
  const PlanOptions options{.n_ctx = 700, .n_slots = 2, .n_batch = 16, .kv_k = GetParam(), .kv_v = GetParam()};
  const FilledCache filled(KvPart::kValues, layer, options);
  filled.fill(0, 650);
  filled.fill(1, 650);
  filled.cache.copy(0, 1, 40);
  constexpr std::uint32_t kAllCodes = 1000, kAllExact = 0;
  for (const std::uint32_t position : {0U, 20U, 39U}) {
    for (const std::uint32_t exact_from : {kAllCodes, kAllExact})
      EXPECT_EQ(filled.get(1, 1, position, exact_from), filled.get(0, 1, position, exact_from)) << position;
  }
  EXPECT_NE(filled.get(1, 1, 40, kAllCodes), filled.get(0, 1, 40, kAllCodes));
  const std::vector<float> before = filled.get(0, 0, 30, kAllCodes);
  filled.cache.copy(0, 0, 650);
  EXPECT_EQ(filled.get(0, 0, 30, kAllCodes), before);
}

std::vector<DType> kv_types() {
  std::vector<DType> types;
  for (const DTypeRow& row : kDTypes) {
    if (row.is_kv) types.push_back(row.dtype);
  }
  return types;
}
INSTANTIATE_TEST_SUITE_P(All, ReferenceKv, ::testing::ValuesIn(kv_types()),
                         [](const auto& each) { return std::string(dtype_row(each.param).name); });

}  // namespace
}  // namespace headroom
