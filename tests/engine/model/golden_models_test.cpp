// The headers of the models in tests/golden, against what transformers says of them. Their logits are compared where
// the forward pass is tested.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/model_info.h"

namespace headroom {
namespace {

const std::filesystem::path kGolden = std::filesystem::path(HEADROOM_SOURCE_DIR) / "tests" / "golden";

nlohmann::json golden_models() { return nlohmann::json::parse(std::ifstream(kGolden / "golden.json")).at("models"); }

TEST(GoldenModels, every_file_of_the_folder_is_listed) {
  const auto models = golden_models();
  std::size_t n_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kGolden / "models"))
    n_files += entry.path().extension() == ".gguf" ? 1 : 0;
  EXPECT_EQ(models.size(), n_files);
  EXPECT_GE(n_files, 14U);
}

TEST(GoldenModels, sizes_and_rotary_frequencies_are_those_of_transformers) {
  for (const auto& golden : golden_models()) {
    const auto name = golden.at("name").get<std::string>();
    SCOPED_TRACE(name);
    const auto path = kGolden / "models" / (name + ".gguf");
    EXPECT_LT(std::filesystem::file_size(path), 400'000U);
    const auto file = open_model_file(path);
    ASSERT_TRUE(file.ok()) << file.error().message.text();
    const auto model = read_model_info(*file);
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    EXPECT_EQ(model->n_vocab, golden.at("n_vocab").get<std::uint32_t>());
    EXPECT_EQ(model->n_params, golden.at("n_params").get<std::uint64_t>());
    const char* const of_windows = "window_rope_frequencies";
    for (const LayerSpec& layer : model->layers) {
      const bool is_apart = layer.attention == AttentionKind::kWindow && golden.contains(of_windows);
      const auto frequencies =
          rope_frequencies(model->ropes.at(layer.rope), static_cast<std::uint32_t>(golden.at("tokens").size()));
      if (frequencies.per_pair.empty()) continue;  // turns nothing
      const auto expected = golden.at(is_apart ? of_windows : "rope_frequencies").get<std::vector<float>>();
      ASSERT_EQ(frequencies.per_pair.size(), expected.size());
      // transformers computes them in f32: a few units in the last place of each. What stands still there turns by
      // its frequency divided by 1e30 in files.
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(frequencies.per_pair[i], expected[i], 2e-6F * expected[i] + 1e-29F) << i;
      // Layers whose frequencies are apart are not scaled.
      EXPECT_FLOAT_EQ(frequencies.magnitude, is_apart ? 1.0F : golden.at("rope_magnitude").get<float>());
    }
    const auto n_tokens = golden.at("tokens").size();
    EXPECT_EQ(std::filesystem::file_size(kGolden / "logits" / (name + ".bin")),
              n_tokens * model->n_vocab * sizeof(float));
  }
}

}  // namespace
}  // namespace headroom
