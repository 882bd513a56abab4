#include "model/key_balance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headroom {
namespace {

LayerSpec layer() {
  LayerSpec spec;
  spec.n_heads = 4;
  spec.n_kv_heads = 2;
  spec.head_dim = 8;
  return spec;
}

RopeSpec rope(RopePairing pairing) {
  RopeSpec spec;
  spec.pairing = pairing;
  spec.rope_dim = 8;
  return spec;
}

OutputSquares even() { return {.queries = std::vector<float>(32, 1.0F), .keys = std::vector<float>(16, 1.0F)}; }

TEST(KeyBalance, even_channels_stay_as_they_are) {
  EXPECT_EQ(balance_keys(layer(), rope(RopePairing::kHalves), even()), std::vector<float>(16, 1.0F));
}

TEST(KeyBalance, a_key_channel_that_stands_out_is_met_half_way_with_its_pair) {
  for (const RopePairing pairing : {RopePairing::kHalves, RopePairing::kNeighbours}) {
    OutputSquares squares = even();
    squares.keys[8 + 2] = 2 * 4096.0F;  // of the second KV head
    const std::vector<float> factors = balance_keys(layer(), rope(pairing), squares);
    const std::size_t partner = pairing == RopePairing::kHalves ? 8 + 6 : 8 + 3;
    for (std::size_t i = 0; i < factors.size(); ++i)
      EXPECT_EQ(factors[i], i == 8 + 2 || i == partner ? 8.0F : 1.0F) << i;
  }
}

TEST(KeyBalance, all_query_heads_of_a_group_count) {
  OutputSquares squares = even();
  for (const std::size_t channel : {0U, 4U})
    squares.queries[8 + channel] = 511.0F;  // of the second query head of the first KV head
  const std::vector<float> factors = balance_keys(layer(), rope(RopePairing::kHalves), squares);
  EXPECT_EQ(factors[0], 0.25F);
  EXPECT_EQ(factors[4], 0.25F);
  EXPECT_EQ(factors[1], 1.0F);
  EXPECT_EQ(factors[8], 1.0F);
}

TEST(KeyBalance, sizes_that_say_nothing_and_absurd_ones_are_bounded) {
  OutputSquares squares = even();
  squares.keys[1] = squares.keys[5] = 0.0F;
  squares.keys[2] = std::numeric_limits<float>::quiet_NaN();
  squares.queries[3] = squares.queries[7] = squares.queries[11] = squares.queries[15] = 0.0F;
  squares.keys[8] = squares.keys[12] = 1e30F;
  const std::vector<float> factors = balance_keys(layer(), rope(RopePairing::kHalves), squares);
  for (const std::size_t i : {1U, 2U, 3U, 5U, 6U, 7U}) EXPECT_EQ(factors[i], 1.0F) << i;
  EXPECT_EQ(factors[8], 1024.0F);
}

TEST(KeyBalance, an_outputs_square_follows_its_row_its_norm_and_its_bias) {
  const std::vector<float> row{1.0F, -2.0F}, norm{3.0F, 0.5F};
  EXPECT_FLOAT_EQ(output_square(row, norm, 8, 2.0F), (9.0F + 1.0F) * 4 + 4.0F);
}

TEST(KeyBalance, normed_heads_have_the_sizes_of_their_norms) {
  const std::vector<float> q_norm{1, 1, 1, 1, 1, 1, 1, 1}, k_norm{1, 16, 1, 1, 1, 16, 1, 1};
  const std::vector<float> factors =
      balance_keys(layer(), rope(RopePairing::kHalves), normed_squares(layer(), q_norm, k_norm));
  for (std::size_t i = 0; i < factors.size(); ++i) EXPECT_EQ(factors[i], i % 4 == 1 ? 4.0F : 1.0F) << i;
}

// What is normed behind the rotation has its size there: no other element of a pair comes to it.
TEST(KeyBalance, heads_that_are_normed_behind_their_rotation_share_nothing_in_pairs) {
  LayerSpec turned = layer();
  turned.has_qk_norm = turned.norms_turned_heads = true;
  const std::vector<float> q_norm{1, 1, 1, 1, 1, 1, 1, 1}, k_norm{1, 16, 1, 1, 1, 1, 1, 1};
  const std::vector<float> factors =
      balance_keys(turned, rope(RopePairing::kHalves), normed_squares(turned, q_norm, k_norm));
  for (std::size_t i = 0; i < factors.size(); ++i) EXPECT_EQ(factors[i], i % 8 == 1 ? 4.0F : 1.0F) << i;
}

}  // namespace
}  // namespace headroom
