// The reference device against what transformers computed in float32: what all backends are held against must itself be
// right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "format/dtype_table.h"
#include "support/reference_model.h"
#include "support/relative_error.h"

namespace headroom {
namespace {

using test::relative_error;

using test::ReferenceModel;
using Logits = std::vector<float>;

const std::filesystem::path kGolden = std::filesystem::path(HEADROOM_SOURCE_DIR) / "tests" / "golden";

Logits read_floats(const std::string& name) {
  const std::filesystem::path path = kGolden / "logits" / name;
  Logits values(std::filesystem::file_size(path) / sizeof(float));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

struct Golden {
  std::string name;
  std::vector<std::uint32_t> tokens;
  // (tokens, n_vocab), of a cache that rounds nothing, and of F16. Read by the test that needs them: all of them, four
  // megabytes, were read and copied at each start of this program, for every one of its tests.
  Logits logits() const { return read_floats(name + ".bin"); }
  Logits f16_logits() const { return read_floats(name + ".f16.bin"); }
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

std::vector<Golden> golden_models() {
  std::vector<Golden> models;
  const nlohmann::json listed = nlohmann::json::parse(std::ifstream(kGolden / "golden.json"));
  for (const auto& entry : listed.at("models")) {
    Golden model;
    model.name = entry.at("name");
    model.tokens = entry.at("tokens").get<std::vector<std::uint32_t>>();
    models.push_back(std::move(model));
  }
  return models;
}

// Logits of every token, n_batch of them in one step.
Result<Logits> compute(const Golden& golden, DType kv, std::uint32_t n_batch, std::uint32_t n_last_layers) {
  PlanOptions options;
  options.n_ctx = 64;
  options.n_batch = options.n_logit_rows = n_batch;
  options.kv_k = options.kv_v = kv;
  const auto model = ReferenceModel::open(kGolden / "models" / (golden.name + ".gguf"), options, n_last_layers);
  if (!model) return model.error();
  Logits logits;
  for (std::uint32_t first = 0; first < golden.tokens.size(); first += n_batch) {
    std::vector<StepRow> rows;
    std::vector<std::uint32_t> all;
    for (std::uint32_t at = first; at < std::min<std::size_t>(first + n_batch, golden.tokens.size()); ++at) {
      all.push_back(static_cast<std::uint32_t>(rows.size()));
      rows.push_back({golden.tokens[at], 0, at});
    }
    const Result<Logits> step = (*model)->step(rows, all);
    if (!step) return step.error();
    logits.insert(logits.end(), step->begin(), step->end());
  }
  return logits;
}

float largest_difference(const Logits& a, const Logits& b) {
  float largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

// Where layers have experts: the median over the rows of each one's error. The few that are near a tie go through other
// experts, and are off by as much as these differ.
double median_error(const Logits& found, const Logits& expected, std::size_t n_rows) {
  const std::size_t n_vocab = expected.size() / n_rows;
  std::vector<double> errors;
  for (std::size_t row = 0; row < n_rows; ++row) {
    errors.push_back(relative_error(std::span(found).subspan(row * n_vocab, n_vocab),
                                    std::span(expected).subspan(row * n_vocab, n_vocab)));
  }
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(n_rows / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return *middle;
}

class ReferenceLogits : public testing::TestWithParam<Golden> {};

TEST_P(ReferenceLogits, are_those_of_transformers_with_a_cache_that_rounds_nothing) {
  const auto found = compute(GetParam(), DType::kF32, 64, ReferenceModel::kAllLayers);
  ASSERT_TRUE(found.ok()) << found.error().message.text();
  const float difference = largest_difference(*found, GetParam().logits());
  RecordProperty("f32", std::to_string(difference));
  EXPECT_LE(difference, 1e-4F);
}

TEST_P(ReferenceLogits, are_those_of_transformers_with_an_f16_cache_split_or_not_in_one_step_or_in_pieces) {
  const float largest = largest_difference(GetParam().logits(), Logits(GetParam().logits().size()));
  for (const std::uint32_t n_last_layers : {ReferenceModel::kAllLayers, 1U}) {
    for (const std::uint32_t n_batch : {64U, 7U}) {
      SCOPED_TRACE(std::to_string(n_last_layers) + " last layers apart, steps of " + std::to_string(n_batch));
      const auto found = compute(GetParam(), DType::kF16, n_batch, n_last_layers);
      ASSERT_TRUE(found.ok()) << found.error().message.text();
      const float unexplained = largest_difference(*found, GetParam().f16_logits()) / largest;
      RecordProperty("f16_" + std::to_string(n_batch), std::to_string(unexplained));
      EXPECT_LE(unexplained, 2e-4F);
    }
  }
}

// How far a row of rotated heads is off once a type has kept it: 45.4 dB and 21.8 dB (encode.h), and for FP8 half a
// step of three mantissa bits, uniformly.
double row_error(DType kv) {
  switch (kv) {
    case DType::kQ8_0: return 0.0054;
    case DType::kF8E4M3: return 0.026;
    case DType::kQ4_0: return 0.081;
    default: return 0;  // a new type states its own
  }
}

ModelInfo info_of(const Golden& golden) {
  return *read_model_info(*open_model_file(kGolden / "models" / (golden.name + ".gguf")));
}

double share_with_cache(const ModelInfo& info) {
  const auto n = std::ranges::count_if(info.layers, &LayerSpec::has_cache);
  return static_cast<double>(n) / info.n_layers();
}

// Errors of keys and values add up over the layers, and the residual passes them by: found are 0.6 to 0.95 of a row's
// own error, 0.3 of it where a cap flattens the largest logits, and less where only some layers have a cache: there in
// proportion, and a fifth less again where a shared expert adds to every row what has no such error. A tenth is found
// where layers add a tenth as much to an embedding as elsewhere.
TEST_P(ReferenceLogits, of_a_quantized_cache_are_off_by_about_what_its_codes_leave) {
  const ModelInfo info = info_of(GetParam());
  for (const DTypeRow& kv : kDTypes) {
    if (!is_quantized_kv(kv.dtype)) continue;
    SCOPED_TRACE(kv.name);
    const auto found = compute(GetParam(), kv.dtype, 7, ReferenceModel::kAllLayers);
    ASSERT_TRUE(found.ok()) << found.error().message.text();
    const LayerSpec& layer = info.layers.back();  // the first ones may be dense where others have experts
    const double error = layer.has_experts() ? median_error(*found, GetParam().logits(), GetParam().tokens.size())
                                             : relative_error(*found, GetParam().logits());
    RecordProperty(std::string(kv.label), std::to_string(error));
    EXPECT_LT(error, 1.4 * row_error(kv.dtype));
    const bool has_large_embedding = info.embedding_scale > 1 && !layer.has_post_norms;
    const double least = has_large_embedding         ? 0.06
                         : info.logit_softcap > 0    ? 0.2
                         : layer.has_shared_expert() ? 0.3
                                                     : 0.4;
    EXPECT_GT(error, least * share_with_cache(info) * row_error(kv.dtype));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReferenceLogits, testing::ValuesIn(golden_models()), [](const auto& each) {
  std::string label = each.param.name;
  std::replace(label.begin(), label.end(), '-', '_');
  return label;
});

}  // namespace
}  // namespace headroom
