// Which rows of which tensor a weight has, where converters have a choice.
#include "model/list_weights.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "format/dtype_table.h"
#include "read_written.h"
#include "support/random_model.h"

namespace headroom {
namespace {

using test::RandomModelSpec;

constexpr std::int32_t kLayer = 1;  // which has attention, whatever the row

class ListWeightsOf : public testing::TestWithParam<ArchRow> {};

TEST_P(ListWeightsOf, queries_keys_and_values_may_stand_in_one_tensor) {
  const ArchRow& row = GetParam();
  RandomModelSpec spec = test::small(std::string(row.architecture));
  spec.fuses_qkv = true;
  const auto model = test::read_written(spec);
  if (row.has_out_gate && !row.out_gate_is_apart) {
    EXPECT_EQ(test::refusal(model), "m.gguf: tensor 'blk.1.attn_q.weight' is missing");
    return;
  }
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  const LayerSpec& layer = model->layers[kLayer];
  std::uint64_t first = 0;
  for (const TensorRole role : {TensorRole::kQ, TensorRole::kK, TensorRole::kV}) {
    const WeightTensor& weight = *model->find_weight(role, kLayer);
    EXPECT_EQ(weight.name, "blk.1.attn_qkv.weight");
    EXPECT_EQ(weight.n_rows, role == TensorRole::kQ ? layer.q_dim() : layer.kv_dim());
    EXPECT_EQ(weight.rows.of(0), first);
    EXPECT_EQ(weight.rows.of(weight.n_rows - 1), first + weight.n_rows - 1);
    first += weight.n_rows;
  }
  EXPECT_EQ(layer.has_qkv_bias, row.qkv_bias == Presence::kRequired);
}

// All that fills the roles of layer 1, as the file has it.
std::vector<std::vector<std::byte>> bytes_of(const RandomModelSpec& spec, std::initializer_list<TensorRole> roles) {
  const test::TempFolder folder;
  const auto file = open_model_file(test::make_random_model(spec, folder.path()));
  EXPECT_TRUE(file.ok());
  const auto model = read_model_info(*file);
  EXPECT_TRUE(model.ok()) << model.error().message.text();
  std::vector<std::vector<std::byte>> all;
  for (const TensorRole role : roles) {
    const WeightTensor* weight = model->find_weight(role, kLayer);
    if (weight == nullptr) continue;
    const Bytes row = row_bytes(weight->dtype, weight->n_cols);
    for (std::uint64_t i = 0; i < weight->n_rows; ++i) {
      const Status read =
          file->read_tensor(file->tensors()[weight->file_tensor], weight->rows.of(i) * row, all.emplace_back(row));
      EXPECT_TRUE(read.ok());
    }
  }
  return all;
}

TEST_P(ListWeightsOf, biases_in_one_tensor_are_those_of_three) {
  const ArchRow& row = GetParam();
  if (row.qkv_bias == Presence::kNever) return;
  RandomModelSpec spec = test::small(std::string(row.architecture));
  spec.has_optional_parts = true;
  const auto roles = {TensorRole::kQ,     TensorRole::kK,     TensorRole::kV,
                      TensorRole::kQBias, TensorRole::kKBias, TensorRole::kVBias};
  const auto apart = bytes_of(spec, roles);
  spec.fuses_qkv = true;
  EXPECT_EQ(bytes_of(spec, roles), apart);
  EXPECT_EQ(apart.size(), 64U + 2 * 32 + 3);
}

INSTANTIATE_TEST_SUITE_P(Rows, ListWeightsOf, testing::ValuesIn(arch_rows().begin(), arch_rows().end()),
                         [](const auto& each) { return test::architecture_label(each.param.architecture); });

TEST(ListWeights, biases_of_another_number_are_refused_with_their_tensor) {
  RandomModelSpec spec = test::small("qwen2");
  spec.tensor_names = {{"attn_q.bias", "attn_qkv.bias"}};
  EXPECT_EQ(test::refusal(test::read_written(spec)),
            "m.gguf: tensor 'blk.0.attn_qkv.bias' has shape (64), expected (128, 1) from the metadata");
  GgufWriter writer = test::random_gguf(test::small("qwen3"));
  writer.add_hole("blk.0.attn_qkv.bias", 0, {128}, 512);
  EXPECT_NE(test::refusal(test::read_written(writer)).find("tensor 'blk.0.attn_qkv.bias' has no place"),
            std::string::npos);
}

}  // namespace
}  // namespace headroom
