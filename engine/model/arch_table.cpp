#include "model/arch_table.h"

#include <array>

namespace headroom {
namespace {

// llama: Llama 1-3, Mistral, TinyLlama, SmolLM. Its Q and K rows are permuted in GGUF files so that neighbours turn
// together. A file of Mistral 7B 0.1 that states its window gets one, as in the model's own definition; converters
// leave the key out where the window is not used. qwen2: biases on Q, K and V. qwen3: RMS norm on every head of Q and
// K. Both turn halves. 10000 is what every one of these definitions takes when a configuration has no rope_theta.
constexpr std::array kArchs{
    ArchRow{.architecture = "llama",
            .pairing = RopePairing::kNeighbours,
            .qkv_bias = Presence::kOptional,
            .attn_out_bias = Presence::kOptional,
            .qk_norm = Presence::kNever,
            .may_fuse_qkv = true,
            .window = WindowRule::kAllLayers,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "qwen2",
            .pairing = RopePairing::kHalves,
            .qkv_bias = Presence::kRequired,
            .attn_out_bias = Presence::kNever,
            .qk_norm = Presence::kNever,
            .may_fuse_qkv = false,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "qwen3",
            .pairing = RopePairing::kHalves,
            .qkv_bias = Presence::kNever,
            .attn_out_bias = Presence::kNever,
            .qk_norm = Presence::kRequired,
            .may_fuse_qkv = false,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0},
};

}  // namespace

std::span<const ArchRow> arch_rows() { return kArchs; }

const ArchRow* find_arch(std::string_view architecture) {
  for (const ArchRow& row : kArchs) {
    if (row.architecture == architecture) return &row;
  }
  return nullptr;
}

std::string arch_names() {
  std::string names;
  for (const ArchRow& row : kArchs) {
    if (!names.empty()) names += ", ";
    names += row.architecture;
  }
  return names;
}

}  // namespace headroom
