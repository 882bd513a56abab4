// Headers of models that are refused: keys of published ones, as their converters write them, and a few tensors with
// holes in the place of weights.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "file/gguf_writer.h"

namespace headroom::test {

struct RefusedSpec {
  std::string architecture, name;
  std::map<std::string, std::uint32_t> uints{};                // below the prefix of the architecture
  std::map<std::string, std::vector<std::uint32_t>> arrays{};  // likewise
  std::vector<std::string> layer_tensors{};                    // F32 of (64), one in each block
  std::map<std::string, std::uint32_t> tensors{};              // types of matrices of 64 x 1024 beside the layers

  std::uint32_t n_blocks() const { return uints.at("block_count"); }
};

// One for each row of refused_archs().
RefusedSpec glm47_flash();  // 47 layers and one that predicts further tokens; K and V are made by two tensors
RefusedSpec mistral_small4();
RefusedSpec glm5();  // every fourth layer has an indexer
RefusedSpec deepseek_v4();
RefusedSpec qwen38_flash();
RefusedSpec granite4_small();
RefusedSpec nemotron_h();
RefusedSpec nemotron3_nano();
RefusedSpec scout();
RefusedSpec gpt_oss_of_ollama();  // 20B
std::vector<RefusedSpec> refused_specs();

// Old layouts of latent attention: one tensor makes K and V.
RefusedSpec deepseek_v3();
RefusedSpec deepseek_v2_lite();

GgufWriter refused_gguf(const RefusedSpec& spec);

}  // namespace headroom::test
