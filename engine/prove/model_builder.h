// Makes models with random weights in memory: any blocks that a forward pass has, of any format.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "prove/proof_model.h"

namespace headroom {

inline constexpr std::uint32_t kProofWidth = 256, kProofVocabulary = 300, kProofContext = 512;

// How tokens are drawn to experts. The device under test and the CPU must choose the same ones, so what decides stands
// far above what rounding moves. Expert e has a pattern of signs over the columns of a row. The embedding of token t
// holds the pattern of expert e times levels[(e - t) mod n_experts], and the router multiplies each pattern with a
// normed row: its logits are router_scale times the levels, divided by the magnitude of the residual.
struct ExpertDraw {
  std::vector<float> levels;  // (n_experts)
  float router_scale = 1.0F;
  // The columns that hold the patterns: the first ones. Where they are quiet, the embedding is not random there and
  // layers add nothing to them, so that logits of any two tokens are as far apart as the levels are.
  std::uint32_t n_cols = kProofWidth;
  bool are_quiet = false;
  // Deviation of an embedding beside quiet columns, and factor on the patterns. The larger it is beside what layers
  // add, the less do roundings of one layer grow in the next ones.
  float embedding = 1.0F;
};

// What a layer has beside its LayerSpec.
struct LayerWeights {
  DType of_attention = DType::kQ8_0, of_ffn = DType::kQ8_0;
  bool has_sinks = false, has_expert_biases = false;
  std::vector<float> router_bias{}, choice_bias{};  // (n_experts); empty: none
  // How many times as large as otherwise the elements of a role are.
  std::map<TensorRole, float> factors{};
};

class ModelBuilder {
 public:
  ModelBuilder(std::string name, ExpertDraw draw, std::uint32_t d_model = kProofWidth,
               std::uint32_t n_vocab = kProofVocabulary, std::uint32_t n_ctx = kProofContext);

  // For members that concern no layer by itself: ropes, scales, caps.
  ModelInfo& info() { return info_; }

  void add_rope(std::uint32_t rope_dim, RopePairing pairing);
  void add_embedding(DType dtype);
  // The tables of layer inputs; before the first layer.
  void add_layer_inputs(std::uint32_t input_dim, std::uint32_t n_layers, DType dtype);
  void add_layer(const LayerSpec& spec, LayerWeights weights);
  // `head`: absent where the embedding is the head as well.
  ProofModel finish(std::optional<DType> head) &&;

 private:
  // Numbers between -1 and 1, the same with every standard library.
  class Random {
   public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}
    float next() { return static_cast<float>(engine_()) * 0x1p-31F - 1.0F; }

   private:
    std::mt19937 engine_;
  };

  std::int32_t last_layer() const { return static_cast<std::int32_t>(info_.layers.size()) - 1; }
  void add_matrix(TensorRole role, std::uint64_t n_rows, std::uint64_t n_cols, std::uint64_t n_matrices = 1);
  void add_vector(TensorRole role, std::uint64_t n_elems);
  void add_attention(const LayerSpec& spec);
  void add_delta_net(const DeltaNetSpec& spec);
  void add_short_conv(const ShortConvSpec& spec);
  void add_experts(const LayerSpec& spec);
  void add_ffn(const LayerSpec& spec);
  void add(TensorRole role, std::int32_t layer, DType dtype, std::uint64_t n_rows, std::uint64_t n_cols,
           std::uint64_t n_matrices = 1);

  bool is_quiet(TensorRole role, std::uint64_t row, std::uint64_t col) const;
  bool repeats(TensorRole role) const;
  float pattern(std::uint64_t expert, std::uint64_t col) const;
  float embedded(std::uint64_t token, std::uint64_t col, float random) const;
  float element(TensorRole role, std::uint64_t row, std::uint64_t col, std::uint64_t n_cols);

  ExpertDraw draw_;
  Random random_{1};
  LayerWeights weights_;  // of the layer that is being added
  DType dtype_ = DType::kF32;
  ModelInfo info_;
  std::vector<std::byte> bytes_;
  std::vector<TensorInfo> tensors_;
  std::map<DType, Bytes> by_type_;
};

}  // namespace headroom
