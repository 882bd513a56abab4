// What tells one architecture from another, as data: everything else about a model comes from the keys and shapes of its file.
#pragma once

#include <cstdint>
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
  RopePairing pairing;
  Presence qkv_bias, attn_out_bias, qk_norm;
  bool may_fuse_qkv;  // attn_qkv.weight instead of attn_q, attn_k, attn_v
  WindowRule window;
  Activation activation;
  double default_rope_theta;  // when rope.freq_base is absent
};

// Null when there is no such row.
const ArchRow* find_arch(std::string_view architecture);

// "llama, qwen2, qwen3", for messages.
std::string arch_names();

}  // namespace headroom
