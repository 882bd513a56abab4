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

}  // namespace
}  // namespace headroom::cli
