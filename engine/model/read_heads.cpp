#include "model/read_heads.h"

#include <cmath>
#include <limits>

namespace headroom {
namespace {

constexpr std::string_view kKeyLength = "attention.key_length", kWindowKeyLength = "attention.key_length_swa";

void expect_values_of(std::string_view key, std::uint32_t stated, std::uint32_t head_dim, KeyReader& keys) {
  if (keys.failed() || stated == head_dim) return;
  keys.fail(ErrorCode::kUnsupported,
            Message::say("metadata '{}' is {}, expected the size of a key, {}: this version has equal ones only",
                         keys.full_key(key), stated, head_dim));
}

std::uint32_t read_full(std::uint32_t d_model, std::uint32_t n_heads, KeyReader& keys) {
  constexpr std::string_view kValueLength = "attention.value_length";
  const bool is_stated = keys.has(kKeyLength);
  if (d_model % n_heads != 0 && !is_stated) {
    keys.fail(ErrorCode::kBadFile,
              Message::say("metadata '{}' is {}, which does not divide '{}', {}, and '{}' is missing",
                           keys.full_key("attention.head_count"), n_heads, keys.full_key("embedding_length"), d_model,
                           keys.full_key(kKeyLength)));
    return 0;
  }
  const std::uint32_t head_dim = keys.positive(kKeyLength, kMaxHeadDim, d_model / n_heads);
  if (!keys.failed())
    expect_values_of(kValueLength, keys.positive(kValueLength, kMaxHeadDim, head_dim), head_dim, keys);
  if (keys.failed()) return 0;
  if (head_dim % 2 != 0 || head_dim > kMaxHeadDim) {
    keys.fail(ErrorCode::kBadFile,
              Message::say("a head has {} elements by metadata '{}', expected an even number up to {}", head_dim,
                           keys.full_key(is_stated ? kKeyLength : "attention.head_count"), kMaxHeadDim));
  }
  return head_dim;
}

}  // namespace

std::uint32_t width_in_windows(std::string_view key, std::uint32_t width, KeyReader& keys) {
  const std::uint32_t stated = keys.count(key, std::numeric_limits<std::uint32_t>::max(), width);
  return stated == 0 ? width : stated;
}

void expect_same_in_windows(std::string_view key, std::uint32_t width, KeyReader& keys) {
  const std::uint32_t stated = width_in_windows(key, width, keys);
  if (keys.failed() || stated == width) return;
  keys.fail(ErrorCode::kUnsupported, Message::say("metadata '{}' is {}, expected {}, as in layers without a window",
                                                  keys.full_key(key), stated, width));
}

HeadSizes read_head_sizes(const ArchRow& row, std::uint32_t d_model, std::uint32_t n_heads, KeyReader& keys) {
  constexpr std::string_view kWindowValueLength = "attention.value_length_swa";
  const std::uint32_t full = read_full(d_model, n_heads, keys);
  if (keys.failed()) return {};
  if (!row.has_window_heads) {
    expect_same_in_windows(kWindowKeyLength, full, keys);
    expect_same_in_windows(kWindowValueLength, full, keys);
    return {full, full};
  }
  const std::uint32_t window = width_in_windows(kWindowKeyLength, full, keys);
  if (!keys.failed() && (window % 2 != 0 || window > kMaxHeadDim)) {
    keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {}, expected an even number up to {}",
                                                keys.full_key(kWindowKeyLength), window, kMaxHeadDim));
  }
  expect_values_of(kWindowValueLength, width_in_windows(kWindowValueLength, window, keys), window, keys);
  return {full, window};
}

float attention_scale(const ArchRow& row, std::uint32_t n_layers, std::uint32_t d_model, const LayerSpec& layer) {
  if (row.attention_scale) return static_cast<float>(*row.attention_scale);
  const bool by_width = n_layers == row.n_layers_scaled_by_width;
  const double scaled_by = by_width ? static_cast<double>(d_model) / layer.n_heads : layer.head_dim;
  return static_cast<float>(1.0 / std::sqrt(scaled_by));
}

}  // namespace headroom
