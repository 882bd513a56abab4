#include "model/read_delta_net.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace headroom {
namespace {

constexpr std::string_view kIntervalKey = "full_attention_interval", kLayersKey = "attention.recurrent_layers",
                           kKeyHeadsKey = "ssm.group_count", kValueHeadsKey = "ssm.time_step_rank",
                           kHeadKey = "ssm.state_size", kInnerKey = "ssm.inner_size", kConvKey = "ssm.conv_kernel";

}  // namespace

std::vector<bool> read_recurrent_layers(const ArchRow& row, std::uint32_t n_blocks, KeyReader& keys) {
  if (!row.delta_net) return std::vector<bool>(n_blocks, false);
  // A file that states both follows the array, as its converter did.
  const std::uint32_t period =
      keys.positive(kIntervalKey, std::numeric_limits<std::uint32_t>::max(), row.delta_net->attention_period);
  std::optional<std::vector<bool>> stated = keys.flags(kLayersKey, n_blocks);
  if (stated || keys.failed()) return std::move(stated).value_or(std::vector<bool>(n_blocks, false));
  if (keys.has(kLayersKey)) {
    keys.fail(ErrorCode::kBadFile,
              Message::say("metadata '{}': expected an array of {} flags", keys.full_key(kLayersKey), n_blocks));
  }
  std::vector<bool> flags;
  for (std::uint32_t i = 0; i < n_blocks && !keys.failed(); ++i) flags.push_back(i % period != period - 1);
  return flags;
}

std::optional<DeltaNetSpec> read_delta_net(const ArchRow& row, KeyReader& keys) {
  if (!row.delta_net) return std::nullopt;
  DeltaNetSpec spec{.n_key_heads = keys.positive(kKeyHeadsKey, kMaxHeads),
                    .n_value_heads = keys.positive(kValueHeadsKey, kMaxHeads),
                    .key_dim = keys.positive(kHeadKey, kMaxHeadDim),
                    .value_dim = 0,
                    .conv_width = keys.positive(kConvKey, std::numeric_limits<std::uint32_t>::max()),
                    .heads_are_tiled = row.delta_net->heads_are_tiled};
  // Ollama's converter writes it.
  constexpr std::string_view kTiled = "ssm.v_head_reordered";
  if (keys.flag(kTiled, spec.heads_are_tiled) != spec.heads_are_tiled)
    keys.fail(ErrorCode::kUnsupported,
              Message::say("metadata '{}' is {}: value heads stand in another order than this version reads",
                           keys.full_key(kTiled), fmt::format("{}", !spec.heads_are_tiled)));
  spec.value_dim = spec.key_dim;
  const std::uint32_t inner = keys.positive(kInnerKey, kMaxHeads * kMaxHeadDim);
  if (keys.failed()) return std::nullopt;
  const auto bad = [&](const Message& message) { keys.fail(ErrorCode::kBadFile, message); };
  if (spec.n_value_heads % spec.n_key_heads != 0) {
    bad(Message::say("metadata '{}' is {}, which is no multiple of '{}', {}", keys.full_key(kValueHeadsKey),
                     spec.n_value_heads, keys.full_key(kKeyHeadsKey), spec.n_key_heads));
  } else if (spec.v_dim() != inner) {
    bad(Message::say("metadata '{}' is {}, expected '{}' times '{}', {}", keys.full_key(kInnerKey), inner,
                     keys.full_key(kValueHeadsKey), keys.full_key(kHeadKey), spec.v_dim()));
  } else if (spec.conv_width < 2 || spec.conv_width > kMaxConvWidth) {
    bad(Message::say("metadata '{}' is {}, expected 2 to {}", keys.full_key(kConvKey), spec.conv_width, kMaxConvWidth));
  }
  return spec;
}

}  // namespace headroom
