// Attention over one KV head by the kernels of every instruction set, against sums in double precision over what the
// cache holds.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "backend/cpu/attend.h"
#include "backend/cpu/plain_kernels.h"
#include "base/cpu_features.h"
#include "contract/isa_test.h"
#include "format/dtype_table.h"
#include "plan/device_rules.h"
#include "support/filled_cache.h"

namespace headroom {
namespace {

using test::FilledCache;

class Attend : public test::IsaTest {};

using Rows = std::vector<std::vector<float>>;

// Query i sees positions [from[i], to[i]).
struct Queries {
  Rows rows;
  std::vector<std::uint32_t> from, to;
  float scale = 1.0F, softcap = 0.0F;
  std::vector<float> sinks{};  // of each; empty: none
};

Rows attended(const KernelTable& kernels, const FilledCache& cache, const Queries& queries) {
  const std::uint32_t head_dim = cache.keys.all.head_dim;
  ModelInfo model;
  model.layers.emplace_back();
  model.layers[0].head_dim = head_dim;
  std::vector<std::byte> bytes(cpu_scratch(model, {}, 1, 1).attention_bytes + 64);
  Rows results(queries.rows.size(), std::vector<float>(head_dim));
  std::vector<const float*> inputs;
  std::vector<float*> outputs;
  for (const std::vector<float>& row : queries.rows) inputs.push_back(row.data());
  for (std::vector<float>& row : results) outputs.push_back(row.data());
  attend_many(kernels,
              {.keys = &cache.keys,
               .values = &cache.values,
               .exact_from = cache.exact_from,
               .scale = queries.scale,
               .softcap = queries.softcap,
               .sinks = queries.sinks.empty() ? nullptr : queries.sinks.data(),
               .n_queries = static_cast<std::uint32_t>(inputs.size()),
               .queries = inputs.data(),
               .seen_from = queries.from.data(),
               .seen_to = queries.to.data(),
               .first = *std::min_element(queries.from.begin(), queries.from.end()),
               .last = *std::max_element(queries.to.begin(), queries.to.end())},
              head_dim, bytes.data(), outputs.data());
  return results;
}

struct Norms {
  double sum = 0, root = 0, most = 0;  // of magnitudes, of squares, the largest
};
Norms norms_of(std::span<const float> row) {
  Norms norms;
  for (const float x : row) {
    norms.sum += std::abs(x);
    norms.most = std::max<double>(norms.most, std::abs(x));
  }
  norms.root = norm_plainly(row.data(), row.size());
  return norms;
}

enum class Form { kExact, kInt8Queries, kWords };
Form form_of(const FilledCache& cache, std::size_t n_queries) {
  const DType k = cache.keys.all.dtype;
  if (n_queries > most_queries(cache.keys, cache.values) || n_queries > kCpuFewQueries) return Form::kWords;
  return k == DType::kQ8_0 || k == DType::kQ4_0 ? Form::kInt8Queries : Form::kExact;
}

struct Expected {
  std::vector<double> result;
  double score_error = 0;  // at most
};

// Elements are rounded to 1/65534 of their row's norm, those of a quantized key of the norm that its largest would
// allow all of them, or int8 queries to 1/254 of the largest: what that moves a score by at most is the sum of the
// magnitudes that the errors meet.
Expected expect_one(const FilledCache& cache, const Queries& queries, std::size_t query, Form form) {
  const std::vector<float>& q = queries.rows[query];
  const Norms q_norms = norms_of(q);
  std::vector<double> scores;
  std::vector<const float*> values;
  Expected expected;
  for (std::uint32_t key = queries.from[query]; key < queries.to[query]; ++key) {
    const std::span<const float> k = cache.read(true, key);
    const Norms k_norms = norms_of(k);
    const float cap = queries.softcap;
    // The cap is never steeper than the score itself.
    scores.push_back(softcap_plainly(queries.scale * dot_plainly(q.data(), k.data(), q.size()), cap));
    values.push_back(cache.read(false, key).data());
    double error = 1e-6 * q_norms.root * k_norms.root;
    if (form == Form::kInt8Queries) error += k_norms.sum * q_norms.most / 254;
    const double k_bound =
        is_quantized_kv(cache.keys.all.dtype) ? k_norms.most * std::sqrt((q.size() + 31) / 32 * 32) : k_norms.root;
    if (form == Form::kWords) error += (q_norms.sum * k_bound + k_norms.sum * q_norms.root) / 65534;
    expected.score_error = std::max(expected.score_error, error * queries.scale + 5e-7 * cap);
  }
  const std::vector<float> nothing(q.size());
  if (!queries.sinks.empty()) {
    scores.push_back(queries.sinks[query]);
    values.push_back(nothing.data());
  }
  expected.result = attend_plainly(scores, values, q.size());
  return expected;
}

// Scores off by e move weights by a factor within exp(2 e). As words, the weights of a chunk of 128 keys are rounded to
// 1/32768 of the chunk's largest, which is 1/256 of all weights at most, once above and once below the fraction bar;
// values to 1/261632 of the sum of 128 magnitudes.
double share_of_largest(const Expected& expected, Form form) {
  return std::expm1(2 * expected.score_error) + 1e-5 + (form == Form::kWords ? 2.0 / 256 + 128.0 / 261632 : 0.0);
}

// In the mean square errors are independent. Words: weights are off by 1/16384/sqrt(12) each, 128 of them for one of 1:
// 0.02 %; values take 128 * 0.8 of 131072 steps for a deviation of 1: 0.02 %; scores of deviation 1.5 are off by 0.02
// %, of quantized keys 0.05 %. Int8: a query is off by 2.5/127/sqrt(12) of its deviation, 0.6 %, and so are scores of
// deviation 1.5: 0.9 %. Twice the sum of each.
double mean_tolerance(Form form) { return form == Form::kWords ? 8e-4 : form == Form::kInt8Queries ? 1.8e-2 : 1e-5; }

void expect_like_sums(const KernelTable& kernels, const FilledCache& cache, const Queries& queries) {
  const Form form = form_of(cache, queries.rows.size());
  const std::size_t head_dim = cache.keys.all.head_dim;
  std::vector<double> largest(head_dim);
  for (std::uint32_t key = 0; key < cache.keys.all.n_rows; ++key) {
    for (std::size_t i = 0; i < head_dim; ++i)
      largest[i] = std::max<double>(largest[i], std::abs(cache.read(false, key)[i]));
  }
  const Rows found = attended(kernels, cache, queries);
  double errors = 0, squares = 0, worst = 0;
  for (std::size_t query = 0; query < found.size(); ++query) {
    const Expected expected = expect_one(cache, queries, query, form);
    for (std::size_t i = 0; i < head_dim; ++i) {
      const double error = std::abs(found[query][i] - expected.result[i]);
      worst = std::max(worst, error / (largest[i] * share_of_largest(expected, form)));
      errors += error * error;
      squares += expected.result[i] * expected.result[i];
    }
  }
  EXPECT_LE(worst, 1.0) << "times the most that rounding can do";
  EXPECT_LE(std::sqrt(errors / squares), mean_tolerance(form));
}

FilledCache random_cache(const KernelTable& kernels, DType k, DType v, std::uint32_t head_dim, std::uint32_t n_keys) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  return FilledCache(kernels, {.k = k, .v = v, .head_dim = head_dim, .n_keys = n_keys},
                     [&](bool, std::span<float> head) {
                       for (float& x : head) x = normal(random);
                     });
}

// Four heads to a row, the last row at the end; each row sees at most `window` positions.
Queries last_rows(std::uint32_t n, std::uint32_t head_dim, std::uint32_t n_keys, std::uint32_t window) {
  std::mt19937 random(13);
  std::normal_distribution<float> normal;
  Queries queries;
  queries.scale = 1.5F / std::sqrt(static_cast<float>(head_dim));
  for (std::uint32_t i = 0; i < n; ++i) {
    std::vector<float>& row = queries.rows.emplace_back(head_dim);
    for (float& x : row) x = normal(random);
    queries.to.push_back(n_keys - (n - 1 - i) / 4);
    queries.from.push_back(queries.to.back() > window ? queries.to.back() - window : 0);
  }
  return queries;
}

constexpr std::uint32_t kAll = 1U << 30;

TEST_P(Attend, every_type_and_head_size_gives_the_sums) {
  const KernelTable kernels = make_kernel_table(GetParam());
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_kv) continue;
    for (const std::uint32_t head_dim : {20U, 64U, 80U, 96U, 128U, 256U}) {
      const FilledCache cache = random_cache(kernels, type.dtype, type.dtype, head_dim, 330);
      for (const std::uint32_t n_queries : {3U, 8U, 40U}) {
        if (n_queries > most_queries(cache.keys, cache.values)) continue;
        SCOPED_TRACE(std::string(type.label) + ", head of " + std::to_string(head_dim) + ", " +
                     std::to_string(n_queries) + " queries");
        expect_like_sums(kernels, cache, last_rows(n_queries, head_dim, 330, kAll));
      }
    }
  }
}

TEST_P(Attend, mixed_types_windows_and_depths_give_the_sums) {
  const KernelTable kernels = make_kernel_table(GetParam());
  for (const std::uint32_t n_keys : {17U, 128U, 1100U}) {
    const FilledCache cache = random_cache(kernels, DType::kQ8_0, DType::kF16, 64, n_keys);
    for (const std::uint32_t window : {5U, 150U, kAll}) {
      SCOPED_TRACE(std::to_string(n_keys) + " keys, window of " + std::to_string(window));
      expect_like_sums(kernels, cache, last_rows(36, 64, n_keys, window));
    }
  }
}

// Scores have a deviation of 1.5, so that a cap of 0.8 moves nearly all of them.
TEST_P(Attend, a_cap_bounds_the_scores_of_every_type_whether_all_keys_are_seen_or_some) {
  const KernelTable kernels = make_kernel_table(GetParam());
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_kv) continue;
    const FilledCache cache = random_cache(kernels, type.dtype, type.dtype, 64, 330);
    for (const std::uint32_t n_queries : {3U, 40U}) {
      if (n_queries > most_queries(cache.keys, cache.values)) continue;
      for (const std::uint32_t window : {50U, kAll}) {
        SCOPED_TRACE(std::string(type.label) + ", " + std::to_string(n_queries) + " queries, window of " +
                     std::to_string(window));
        Queries queries = last_rows(n_queries, 64, 330, window);
        const float without = attended(kernels, cache, queries)[0][0];
        queries.softcap = 0.8F;
        EXPECT_GT(std::abs(attended(kernels, cache, queries)[0][0] - without), 1e-3F) << "as if there were no cap";
        expect_like_sums(kernels, cache, queries);
      }
    }
  }
}

// From a sink that hardly counts to one that leaves little to the keys: a window of 5 leaves whole chunks unseen.
TEST_P(Attend, a_sink_counts_once_beside_keys_of_every_type) {
  const KernelTable kernels = make_kernel_table(GetParam());
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_kv) continue;
    const FilledCache cache = random_cache(kernels, type.dtype, type.dtype, 64, 330);
    for (const std::uint32_t n_queries : {3U, 40U}) {
      if (n_queries > most_queries(cache.keys, cache.values)) continue;
      for (const std::uint32_t window : {5U, 150U, kAll}) {
        SCOPED_TRACE(std::string(type.label) + ", " + std::to_string(n_queries) + " queries, window of " +
                     std::to_string(window));
        Queries queries = last_rows(n_queries, 64, 330, window);
        const float without = attended(kernels, cache, queries)[0][0];
        for (std::uint32_t i = 0; i < n_queries; ++i) queries.sinks.push_back(2.0F + static_cast<float>(i % 4));
        EXPECT_GT(std::abs(attended(kernels, cache, queries)[0][0] - without), 1e-4F) << "as if there were no sink";
        expect_like_sums(kernels, cache, queries);
      }
    }
  }
}

TEST_P(Attend, a_full_tile_gives_the_sums) {
  const KernelTable kernels = make_kernel_table(GetParam());
  const FilledCache cache = random_cache(kernels, DType::kQ4_0, DType::kQ4_0, 64, 200);
  expect_like_sums(kernels, cache, last_rows(kCpuQueryTile, 64, 200, kAll));
}

// All products of one sign and of the largest words: no sum leaves its 32 bits.
TEST_P(Attend, the_largest_sums_do_not_overflow) {
  const KernelTable kernels = make_kernel_table(GetParam());
  for (const std::uint32_t head_dim : {64U, 256U}) {
    for (const float sign : {1.0F, -1.0F}) {
      const FilledCache cache(kernels, {.head_dim = head_dim}, [&](bool is_keys, std::span<float> head) {
        std::fill(head.begin(), head.end(), is_keys ? sign : sign * 1000.0F);
      });
      Queries queries{.rows = Rows(20, std::vector<float>(head_dim, 3.0F)),
                      .from = std::vector(20, 0U),
                      .to = std::vector(20, 256U)};
      for (const std::vector<float>& row : attended(kernels, cache, queries)) {
        for (const float x : row) ASSERT_NEAR(x, sign * 1000.0F, 0.5F) << head_dim;  // a half of 1/130816 of 128 * 1000
      }
    }
  }
}

TEST_P(Attend, a_query_of_zeros_takes_the_mean_of_what_it_sees) {
  const KernelTable kernels = make_kernel_table(GetParam());
  const FilledCache cache = random_cache(kernels, DType::kF16, DType::kF16, 64, 300);
  Queries queries = last_rows(20, 64, 300, 130);
  for (std::vector<float>& row : queries.rows) std::fill(row.begin(), row.end(), 0.0F);
  expect_like_sums(kernels, cache, queries);
}

// A tail of small weights far below one large one: they are rounded by the chunk that they stand in.
TEST_P(Attend, weights_far_below_the_largest_keep_their_sum) {
  const KernelTable kernels = make_kernel_table(GetParam());
  std::uint32_t n = 0;
  const FilledCache cache(kernels, {.head_dim = 64, .n_keys = 1152}, [&](bool is_keys, std::span<float> head) {
    const bool first = n++ < 2;
    std::fill(head.begin(), head.end(), is_keys ? (first ? 1.0F : 0.0F) : (first ? 0.0F : 1.0F));
  });
  // The first weight is e^11 = 59,874 times each of the 1,151 others, which is less than a step of its words.
  const Queries queries{
      .rows = Rows(16, std::vector<float>(64, 11.0F / 64)), .from = std::vector(16, 0U), .to = std::vector(16, 1152U)};
  const double others = (1151 - 127) / std::exp(11.0);
  for (const std::vector<float>& row : attended(kernels, cache, queries)) {
    for (const float x : row)
      ASSERT_NEAR(x, others / (1 + others), 2e-2 * others) << "but for the 127 keys beside the first";
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, Attend, ::testing::ValuesIn(kIsas), test::isa_test_name);

}  // namespace
}  // namespace headroom
