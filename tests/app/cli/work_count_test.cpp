#include "work_count.h"

#include <gtest/gtest.h>

#include "format/dtype_table.h"
#include "model/weight_layout.h"
#include "support/model_specs.h"

namespace headroom::cli {
namespace {

TEST(WorkCount, a_decoded_token_reads_every_matrix_but_one_row_of_an_untied_embedding) {
  const ModelInfo model = test::make_model(test::kLlama3_8B, DType::kQ8_0);
  double all = 0;
  for (const WeightTensor& weight : model.weights)
    all += static_cast<double>(weight_bytes(weight, WeightLayout::kPanels));
  const WeightTensor& embedding = *model.find_weight(WeightSlot::kTokenEmbedding, -1);
  const auto row = static_cast<double>(row_bytes(embedding.dtype, embedding.n_cols));
  EXPECT_DOUBLE_EQ(decodeBytes(model, {}, 0),
                   all - static_cast<double>(weight_bytes(embedding, WeightLayout::kPanels)) + row);
}

TEST(WorkCount, cached_positions_add_their_rows_in_every_layer) {
  const ModelInfo model = test::make_model(test::kLlama3_8B, DType::kQ8_0);
  PlanOptions options;
  options.kv_v = DType::kQ8_0;
  // 32 layers of 8 KV heads of 128: f16 keys, and values as 4 blocks of 34 bytes per head.
  EXPECT_DOUBLE_EQ(decodeBytes(model, options, 1000) - decodeBytes(model, options, 0),
                   1000.0 * 32 * (8 * 128 * 2 + 8 * 4 * 34));
}

TEST(WorkCount, a_prompt_token_multiplies_every_layer_matrix_once_and_the_head_only_at_the_end) {
  const ModelInfo model = test::make_model(test::kLlama3_8B, DType::kQ8_0);
  // Per layer: q and out 4096 x 4096, k and v 1024 x 4096, gate, up and down 14336 x 4096.
  const double per_token = 2.0 * 32 * (2 * 4096.0 * 4096 + 2 * 1024.0 * 4096 + 3 * 14336.0 * 4096);
  const double head = 2.0 * 128256 * 4096;
  const double attention = 4.0 * 32 * 4096 * (1 + 2 + 3);  // causal: the third token sees three
  EXPECT_DOUBLE_EQ(prefillOps(model, 3, 0), 3 * per_token + head + attention);
}

TEST(WorkCount, of_experts_are_those_that_a_token_goes_through) {
  const ModelInfo model = test::make_model(test::kQwen3_30B_A3B, DType::kQ8_0);
  // Per layer: q and out 4096 x 2048, k and v 512 x 2048, the router of 128, and 8 experts of three matrices 768 x
  // 2048.
  const double elems = 2 * 4096.0 * 2048 + 2 * 512.0 * 2048 + 128.0 * 2048 + 8 * 3 * 768.0 * 2048;
  const double head = 151936.0 * 2048, attention = 4.0 * 48 * 4096;
  EXPECT_DOUBLE_EQ(prefillOps(model, 1, 0), 2.0 * 48 * elems + 2 * head + attention);
  // Norms of a layer are F32: two of 2048, two of 128; and of Q8_0 34 bytes are 32 elements.
  const double norms = 4.0 * (48 * (2 * 2048 + 2 * 128) + 2048);
  EXPECT_DOUBLE_EQ(decodeBytes(model, {}, 0), (48 * elems + head + 2048) * 34 / 32 + norms);
}

}  // namespace
}  // namespace headroom::cli
