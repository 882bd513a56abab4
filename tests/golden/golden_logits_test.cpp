// The whole way from file to logits, against what transformers computed in float32: every architecture row and RoPE
// variant, every instruction set that this machine has, in one step and in pieces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/registry.h"
#include "base/cpu_features.h"
#include "run/load_model.h"
#include "run/session.h"

namespace headroom {
namespace {

const std::filesystem::path kGolden = std::filesystem::path(HEADROOM_SOURCE_DIR) / "tests" / "golden";

nlohmann::json golden_models() { return nlohmann::json::parse(std::ifstream(kGolden / "golden.json")).at("models"); }

std::vector<float> read_floats(const std::filesystem::path& path) {
  std::vector<float> values(std::filesystem::file_size(path) / sizeof(float));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

// Tokens per step: all, and a number that divides neither the prompt nor the kernels' tiles.
Result<std::vector<float>> compute_logits(const std::filesystem::path& path, const std::vector<TokenId>& tokens,
                                          std::uint32_t n_batch, DType kv) {
  const auto file = open_model_file(path);
  if (!file) return file.error();
  auto info = read_model_info(*file);
  if (!info) return info.error();
  const auto model_info = std::make_shared<const ModelInfo>(*std::move(info));
  const auto devices = probe_devices(2);
  if (!devices) return devices.error();
  PlanOptions options;
  options.n_ctx = 64;
  options.n_batch = n_batch;
  options.n_logit_rows = n_batch;
  options.kv_k = options.kv_v = kv;
  auto plan = plan_memory(*model_info, *devices, options);
  if (!plan) return plan.error();
  const auto shared_plan = std::make_shared<const MemoryPlan>(*std::move(plan));
  const auto model =
      load_model(*file, {model_info, shared_plan, make_backend}, StopToken(), [](Bytes) {});
  if (!model) return model.error();
  const auto session = Session::open(*model, shared_plan);
  if (!session) return session.error();
  const auto reused = (*session)->begin_prompt(0, tokens);
  if (!reused) return reused.error();
  std::vector<float> logits;
  for (std::size_t first = 0; first < tokens.size(); first += n_batch) {
    const std::size_t n = std::min<std::size_t>(n_batch, tokens.size() - first);
    const auto step =
        (*session)->extend(0, std::span(tokens).subspan(first, n), static_cast<std::uint32_t>(n), StopToken());
    if (!step) return step.error();
    logits.insert(logits.end(), step->begin(), step->end());
  }
  return logits;
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

class GoldenLogits : public testing::TestWithParam<std::tuple<Isa, std::string>> {
 protected:
  void SetUp() override { setenv("HEADROOM_ISA", std::string(isa_name(std::get<Isa>(GetParam()))).c_str(), 1); }
  void TearDown() override { unsetenv("HEADROOM_ISA"); }
};

TEST_P(GoldenLogits, are_those_of_transformers) {
  const std::string& name = std::get<std::string>(GetParam());
  const auto models = golden_models();
  const auto golden =
      std::find_if(models.begin(), models.end(), [&](const auto& entry) { return entry.at("name") == name; });
  const auto tokens = golden->at("tokens").get<std::vector<TokenId>>();
  const std::vector<float> expected = read_floats(kGolden / "logits" / (name + ".bin"));
  const std::vector<float> with_f16_cache = read_floats(kGolden / "logits" / (name + ".f16.bin"));
  float largest = 0;
  for (const float x : expected) largest = std::max(largest, std::fabs(x));
  for (const std::uint32_t n_batch : {64U, 7U, 1U}) {
    SCOPED_TRACE(n_batch);
    const auto with_f32 = compute_logits(kGolden / "models" / (name + ".gguf"), tokens, n_batch, DType::kF32);
    ASSERT_TRUE(with_f32.ok()) << with_f32.error().message;
    ASSERT_EQ(with_f32->size(), expected.size());
    // With a cache that rounds nothing, only the order of sums is left: 1.9e-5 at most where it was measured, of logits
    // up to 57.
    const float difference = largest_difference(*with_f32, expected);
    RecordProperty("f32_" + std::to_string(n_batch), std::to_string(difference));
    EXPECT_LE(difference, 1e-4F);
    const auto with_f16 = compute_logits(kGolden / "models" / (name + ".gguf"), tokens, n_batch, DType::kF16);
    ASSERT_TRUE(with_f16.ok()) << with_f16.error().message;
    ASSERT_EQ(with_f16->size(), expected.size());
    EXPECT_LE(largest_difference(*with_f16, expected), 1e-3F * largest);
    // With the rounding of the cache on both sides, what is left is the order of sums, and the few keys and values that
    // it pushes over to the next f16: 1.1e-4 at most where it was measured.
    const float unexplained = largest_difference(*with_f16, with_f16_cache) / largest;
    RecordProperty("unexplained_" + std::to_string(n_batch), std::to_string(unexplained));
    EXPECT_LE(unexplained, 2e-4F);
  }
}

std::vector<Isa> present_isas() {
  std::vector<Isa> isas;
  std::copy_if(kIsas.begin(), kIsas.end(), std::back_inserter(isas), can_run);
  return isas;
}
std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : golden_models()) names.push_back(entry.at("name").get<std::string>());
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, GoldenLogits,
                         testing::Combine(testing::ValuesIn(present_isas()), testing::ValuesIn(model_names())),
                         [](const auto& each) {
                           std::string label =
                               std::string(isa_name(std::get<0>(each.param))) + "_" + std::get<1>(each.param);
                           std::replace(label.begin(), label.end(), '-', '_');
                           return label;
                         });

}  // namespace
}  // namespace headroom
