#include "format/rotation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace headroom {
namespace {

// Those of the models that the issue names, and sizes with other factors: narrow blocks, many of them, a single
// element.
constexpr std::uint32_t kHeadDims[] = {1, 2, 6, 8, 20, 32, 64, 72, 80, 96, 112, 128, 160, 192, 256, 1024};

std::vector<float> numbered(std::uint32_t n) {
  std::vector<float> head(n);
  for (std::uint32_t i = 0; i < n; ++i) head[i] = std::sin(static_cast<float>(7 * i + 3));
  return head;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

TEST(Rotation, keeps_every_product_of_two_heads) {
  for (const std::uint32_t head_dim : kHeadDims) {
    std::vector<float> a = numbered(head_dim), b = numbered(head_dim + 5);
    b.erase(b.begin(), b.begin() + 5);
    const double before = dot(a, b), size = std::sqrt(dot(a, a) * dot(b, b));
    rotate_head(a);
    rotate_head(b);
    EXPECT_NEAR(dot(a, b), before, 1e-5 * size) << head_dim;
  }
}

TEST(Rotation, is_undone) {
  for (const std::uint32_t head_dim : kHeadDims) {
    const std::vector<float> original = numbered(head_dim);
    std::vector<float> head = original;
    rotate_head(head);
    unrotate_head(head);
    for (std::uint32_t i = 0; i < head_dim; ++i) EXPECT_NEAR(head[i], original[i], 1e-5F) << head_dim << " at " << i;
  }
}

// The best is 1 / sqrt(head_dim). The reflection leaves 1 - 2 / m of a spike in its own block: 0.6 for five blocks.
TEST(Rotation, spreads_a_channel_that_stands_out) {
  for (const std::uint32_t head_dim : {64U, 80U, 96U, 128U, 256U}) {
    for (std::uint32_t spike = 0; spike < head_dim; spike += 5) {
      std::vector<float> head(head_dim);
      head[spike] = 1.0F;
      rotate_head(head);
      float largest = 0.0F;
      for (const float x : head) largest = std::max(largest, std::abs(x));
      EXPECT_LE(largest, 1.4F / std::sqrt(static_cast<float>(head_dim))) << head_dim << " at " << spike;
    }
  }
}

TEST(Rotation, signs_are_mixed_and_fixed) {
  std::uint32_t n_negative = 0;
  for (std::uint32_t i = 0; i < 1024; ++i) n_negative += rotation_factor(1024, i) < 0 ? 1 : 0;
  EXPECT_NEAR(n_negative, 512, 4 * 16) << "four deviations of a fair coin";
  // A cache that was written by one build is read by no other, but results are to stay the same from one build to the
  // next.
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < 16; ++i) first |= (rotation_factor(64, i) < 0 ? 1U : 0U) << i;
  EXPECT_EQ(first, 0x699DU);
}

}  // namespace
}  // namespace headroom
