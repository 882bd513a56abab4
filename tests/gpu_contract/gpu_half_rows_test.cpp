// What rows of F16 keep of small activations beside a large one, and that large weights do not overflow with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "backend/gpu/gpu_args.h"
#include "format/decode.h"
#include "format/encode.h"
#include "gpu_contract/gpu_fixture.h"
#include "run/random.h"

namespace headroom {
namespace {

constexpr std::uint32_t kDim = 256, kVocab = 288, kMostRows = 256;
constexpr double kEpsilon = 1e-5;  // of random_gguf()
// Weights are numbers that F16 has, and activations are rounded by 2^-11 of themselves at most, three times in a row.
constexpr double kKeptTolerance = 1e-3;
// Where products are added up in F16, bits of small ones are lost anyway.
constexpr double kHalfSumsTolerance = 5e-2;

// One layer that is a feed-forward network alone, since the matrices of its attention are zeros; d_ff is d_model, and
// its norms are ones. Matrices are (kDim, kDim), those of tokens (kVocab, kDim).
struct FfnModel {
  std::vector<float> embedding, gate, up, down, head;

  std::filesystem::path write(const std::filesystem::path& folder) const {
    test::RandomModelSpec spec;
    spec.weight_type = DType::kF16;
    spec.role_types[TensorRole::kTokenEmbedding] = DType::kF32;
    spec.n_layers = 1;
    spec.d_model = spec.d_ff = kDim;
    spec.n_vocab = kVocab;
    spec.has_holes = true;
    const auto path = test::make_random_model(spec, folder);
    const std::vector<float> ones(kDim, 1.0F);
    const std::map<std::string, const std::vector<float>*> written{
        {"token_embd.weight", &embedding}, {"blk.0.ffn_norm.weight", &ones}, {"blk.0.ffn_gate.weight", &gate},
        {"blk.0.ffn_up.weight", &up},      {"blk.0.ffn_down.weight", &down}, {"output_norm.weight", &ones},
        {"output.weight", &head}};
    const ModelFile file = test::take(open_model_file(path));
    std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
    for (const auto& [name, values] : written) {
      const TensorInfo* tensor = file.find_tensor(name);
      EXPECT_NE(tensor, nullptr) << name;
      std::vector<std::byte> bytes(tensor->n_bytes);
      encode_row(*tensor->dtype, values->data(), values->size(), bytes.data());
      stream.seekp(static_cast<std::streamoff>(tensor->offset));
      stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    EXPECT_TRUE(stream.flush());
    return path;
  }

  std::vector<double> logits(std::uint32_t token) const {
    const float* row = embedding.data() + std::size_t{token} * kDim;
    std::vector<double> x(row, row + kDim);
    const std::vector<double> normed_x = normed(x), of_gate = product(gate, normed_x), of_up = product(up, normed_x);
    std::vector<double> hidden(kDim);
    for (std::uint32_t i = 0; i < kDim; ++i) hidden[i] = of_gate[i] / (1 + std::exp(-of_gate[i])) * of_up[i];
    const std::vector<double> added = product(down, hidden);
    for (std::uint32_t i = 0; i < kDim; ++i) x[i] += added[i];
    return product(head, normed(x));
  }

 private:
  static std::vector<double> normed(std::vector<double> x) {
    double sum = 0;
    for (const double each : x) sum += each * each;
    for (double& each : x) each /= std::sqrt(sum / kDim + kEpsilon);
    return x;
  }
  static std::vector<double> product(const std::vector<float>& matrix, const std::vector<double>& x) {
    std::vector<double> sums(matrix.size() / kDim);
    for (std::size_t i = 0; i < matrix.size(); ++i) sums[i / kDim] += matrix[i] * x[i % kDim];
    return sums;
  }
};

class GpuHalfRows : public testing::Test {
 protected:
  // Of numbers up to `most` that F16 has.
  std::vector<float> matrix(std::uint32_t n_rows, float most) {
    std::vector<float> values(std::size_t{n_rows} * kDim);
    for (float& x : values) x = rounded(most * static_cast<float>(2 * random_.next_unit() - 1));
    return values;
  }
  static float rounded(float x) { return f16_to_f32(f32_to_f16(x)); }
  // 2^-18 to 2^-20, of either sign.
  float small() {
    return std::copysign(std::exp2(-18 - 2 * static_cast<float>(random_.next_unit())),
                         static_cast<float>(random_.next_unit() - 0.5));
  }
  static void clear_column(std::vector<float>& matrix, std::uint32_t col) {
    for (std::size_t i = col; i < matrix.size(); i += kDim) matrix[i] = 0;
  }

  static double relative_error_of_rows(const FfnModel& model, std::uint32_t n_rows) {
    PlanOptions options;
    options.n_ctx = options.n_batch = options.n_logit_rows = kMostRows;
    const test::TempFolder folder;
    const auto rows = test::rows_of(0, 0, n_rows, kVocab);
    std::vector<std::uint32_t> all;
    std::vector<float> expected;
    for (std::uint32_t i = 0; i < n_rows; ++i) {
      all.push_back(i);
      for (const double logit : model.logits(rows[i].token)) expected.push_back(static_cast<float>(logit));
    }
    return test::relative_error(test::load_on_gpu(model.write(folder.path()), options)->step(rows, all), expected);
  }

  static void expect_exact(const FfnModel& model) {
    test::with_every_arithmetic(DType::kF16, [&](double /*most*/) {
      const bool adds_halves = test::gpu_arithmetic().half_rows != HalfRows::kNone &&
                               test::gpu_arithmetic().half_exponent < args::kHalfExponent;
      for (const std::uint32_t n_rows : {8U, kMostRows})
        EXPECT_LT(relative_error_of_rows(model, n_rows), adds_halves ? kHalfSumsTolerance : kKeptTolerance)
            << n_rows << " rows";
    });
  }

  Random random_{1};
};

TEST_F(GpuHalfRows, of_a_norm_keep_the_bits_of_activations_beside_one_that_is_half_a_million_times_as_large) {
  FfnModel model{.embedding = matrix(kVocab, 1),
                 .gate = matrix(kDim, 0),
                 .up = matrix(kDim, 0),
                 .down = matrix(kDim, 0),
                 .head = matrix(kVocab, 1)};
  for (std::size_t i = 0; i < model.embedding.size(); ++i) model.embedding[i] = i % kDim == 0 ? 1.0F : small();
  clear_column(model.head, 0);                       // logits are of the small ones alone
  std::fill_n(model.embedding.begin(), kDim, 0.0F);  // and a row of zeros stays one
  expect_exact(model);
}

TEST_F(GpuHalfRows, of_an_ffn_keep_the_bits_of_activations_beside_one_that_is_half_a_million_times_as_large) {
  FfnModel model{.embedding = matrix(kVocab, 1),
                 .gate = matrix(kDim, 0.1F),
                 .up = matrix(kDim, 0x1p-10F),
                 .down = matrix(kDim, 32),
                 .head = matrix(kVocab, 1)};
  for (std::uint32_t i = 0; i < kDim; ++i) model.up[i] = rounded(model.up[i] * 0x1p19F);
  clear_column(model.down, 0);
  expect_exact(model);
}

// Where products are added up in F16 the sum of 16 of them stays below 65,504.
TEST_F(GpuHalfRows, times_large_weights_do_not_overflow) {
  FfnModel model{.embedding = std::vector<float>(std::size_t{kVocab} * kDim, 1.0F),
                 .gate = matrix(kDim, 0),
                 .up = matrix(kDim, 0),
                 .down = matrix(kDim, 0),
                 .head = std::vector<float>(std::size_t{kVocab} * kDim, 1024.0F)};
  expect_exact(model);
}

}  // namespace
}  // namespace headroom
