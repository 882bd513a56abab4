// The golden models: small files, their tokens, and the logits that transformers computed from them in float32.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/registry.h"
#include "run/load_model.h"
#include "run/session.h"
#include "support/all_logits.h"

namespace headroom::test {

// A function: test suites are named before other variables of the program are made. HEADROOM_GOLDEN_FOLDER is where
// they stand on a machine without the sources.
inline std::filesystem::path golden_folder() {
  const char* elsewhere = std::getenv("HEADROOM_GOLDEN_FOLDER");
  return elsewhere != nullptr ? elsewhere : std::filesystem::path(HEADROOM_SOURCE_DIR) / "tests" / "golden";
}

inline std::vector<float> read_floats(const std::filesystem::path& path) {
  std::vector<float> values(std::filesystem::file_size(path) / sizeof(float));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

struct GoldenModel {
  std::string name;
  std::vector<TokenId> tokens;

  std::filesystem::path path() const { return golden_folder() / "models" / (name + ".gguf"); }
  // (tokens.size(), n_vocab) with a cache that rounds nothing, and with one in F16.
  std::vector<float> logits() const { return read_floats(golden_folder() / "logits" / (name + ".bin")); }
  std::vector<float> logits_with_f16_cache() const {
    return read_floats(golden_folder() / "logits" / (name + ".f16.bin"));
  }
};

inline std::vector<GoldenModel> golden_models() {
  std::vector<GoldenModel> models;
  const nlohmann::json file = nlohmann::json::parse(std::ifstream(golden_folder() / "golden.json"));
  for (const auto& entry : file.at("models"))
    models.push_back({entry.at("name").get<std::string>(), entry.at("tokens").get<std::vector<TokenId>>()});
  return models;
}

inline std::vector<std::string> golden_model_names() {
  std::vector<std::string> names;
  for (const GoldenModel& model : golden_models()) names.push_back(model.name);
  return names;
}

inline GoldenModel golden_model(const std::string& name) {
  const std::vector<GoldenModel> models = golden_models();
  return *std::find_if(models.begin(), models.end(), [&](const GoldenModel& each) { return each.name == name; });
}

inline float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

// The likeliest token at each of `n_rows` positions, from logits (n_rows, n_vocab).
inline std::vector<TokenId> likeliest_tokens(const std::vector<float>& logits, std::size_t n_rows) {
  const auto n_vocab = static_cast<std::ptrdiff_t>(logits.size() / n_rows);
  std::vector<TokenId> tokens;
  for (auto row = logits.begin(); row != logits.end(); row += n_vocab)
    tokens.push_back(static_cast<TokenId>(std::max_element(row, row + n_vocab) - row));
  return tokens;
}

// An open session of a golden model on `devices`, placed as `options` say. Options of a step are filled in: n_batch
// tokens, all of which may ask for logits. `change` makes another model of it.
inline Result<std::unique_ptr<Session>> open_golden(
    const GoldenModel& golden, const std::vector<DeviceInfo>& devices, std::uint32_t n_batch, PlanOptions options,
    const std::function<void(ModelInfo&)>& change = [](ModelInfo&) {}) {
  const auto file = open_model_file(golden.path());
  if (!file) return file.error();
  auto info = read_model_info(*file);
  if (!info) return info.error();
  change(*info);
  options.n_ctx = 64;
  options.n_batch = n_batch;
  options.n_logit_rows = n_batch;
  auto plan = plan_memory(*info, devices, options);
  if (!plan) return plan.error();
  const auto shared_plan = std::make_shared<const MemoryPlan>(*std::move(plan));
  const LoadInputs inputs{std::make_shared<const ModelInfo>(*std::move(info)), shared_plan, make_backend};
  const auto model = load_model(*file, inputs, StopToken(), [](Bytes) {});
  if (!model) return model.error();
  return Session::open(*model, shared_plan);
}

// Logits of all tokens, read in steps of n_batch.
inline Result<std::vector<float>> logits_of_all(Session& session, const std::vector<TokenId>& tokens) {
  const auto reused = session.begin_prompt(0, tokens);
  if (!reused) return reused.error();
  const std::size_t n_batch = session.plan().options.n_batch;
  std::vector<float> logits;
  for (std::size_t first = 0; first < tokens.size(); first += n_batch) {
    const std::size_t n = std::min<std::size_t>(n_batch, tokens.size() - first);
    const auto step = session.step({0, std::span(tokens).subspan(first, n), static_cast<std::uint32_t>(n)}, {});
    if (!step) return step.error();
    const std::vector<float> rows = all_logits(session, n);
    logits.insert(logits.end(), rows.begin(), rows.end());
  }
  return logits;
}

}  // namespace headroom::test
