// What tells one architecture from another, as data: everything else about a model comes from the keys and shapes of
// its file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/model_info.h"

namespace headroom {

enum class Presence : std::uint8_t { kNever, kOptional, kRequired };

// How a row treats the key attention.sliding_window.
enum class WindowRule : std::uint8_t {
  kAllLayers,  // every layer sees the newest `window` positions
  kRefused,    // which layers have a window cannot be told from the file; a window that is never reached is harmless
};

struct ArchRow {
  std::string_view architecture;  // general.architecture, and the prefix of its keys
  RopePairing pairing = RopePairing::kNeighbours;
  Presence qkv_bias = Presence::kNever, attn_out_bias = Presence::kNever, qk_norm = Presence::kNever;
  bool may_fuse_qkv = false;  // attn_qkv.weight instead of attn_q, attn_k, attn_v
  WindowRule window = WindowRule::kRefused;
  Activation activation = Activation::kSilu;
  double default_rope_theta = 0;  // when rope.freq_base is absent
};

std::span<const ArchRow> arch_rows();

// Null when there is no such row.
const ArchRow* find_arch(std::string_view architecture);

// "llama, qwen2, qwen3", for messages.
std::string arch_names();

}  // namespace headroom
