// What tells one architecture from another, as data: everything else about a model comes from the keys and shapes of
// its file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/model_info.h"

namespace headroom {

enum class Presence : std::uint8_t { kNever, kOptional, kRequired };

// How a row treats the key attention.sliding_window.
enum class WindowRule : std::uint8_t {
  kAllLayers,  // every layer sees the newest `window` positions
  kPattern,    // of every so many layers the last sees everything, the others have a window
  kRefused,    // which layers have a window cannot be told from the file; a window that is never reached is harmless
};

struct ArchRow {
  std::string_view architecture;  // general.architecture, and the prefix of its keys
  RopePairing pairing = RopePairing::kNeighbours;
  Presence qkv_bias = Presence::kNever, attn_out_bias = Presence::kNever, qk_norm = Presence::kNever;
  bool may_fuse_qkv = false;  // attn_qkv.weight instead of attn_q, attn_k, attn_v
  bool has_post_norms = false;
  WindowRule window = WindowRule::kRefused;
  std::uint32_t window_period = 0;   // kPattern: the so many layers, when attention.sliding_window_pattern is absent
  std::uint32_t default_window = 0;  // when attention.sliding_window is absent; 0: no layer has a window then
  Activation activation = Activation::kSilu;
  std::optional<RouterKind> router = std::nullopt;  // the FFN of every layer is one of experts; absent: of none
  double default_rope_theta = 0;                    // when rope.freq_base is absent
  double window_rope_theta = 0;                     // of layers with a window, which are not scaled then, when
                                                    // rope.freq_base_swa is absent; 0: they turn as all others
  bool scales_embedding = false;                    // by sqrt(d_model)
  // A model of so many layers scales q.k by 1 / sqrt(d_model / n_heads), and all others by 1 / sqrt(head_dim); 0: none.
  std::uint32_t n_layers_scaled_by_width = 0;
  // When attn_logit_softcapping and final_logit_softcapping are absent; 0: no cap. Without a value the key is refused.
  std::optional<double> attention_softcap{}, logit_softcap{};
};

std::span<const ArchRow> arch_rows();

// Null when there is no such row.
const ArchRow* find_arch(std::string_view architecture);

// "llama, qwen2" and so on, for messages.
std::string arch_names();

}  // namespace headroom
