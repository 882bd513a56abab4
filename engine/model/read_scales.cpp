#include "model/read_scales.h"

#include <cmath>

namespace headroom {
namespace {

constexpr std::string_view kAttentionKey = "attention.scale", kEmbeddingKey = "embedding_scale",
                           kResidualKey = "residual_scale", kLogitKey = "logit_scale";

// A file may lack a key that has a fallback.
double positive_number(std::string_view key, const std::optional<double>& fallback, KeyReader& keys) {
  const double number = keys.number(key, fallback);
  if (keys.failed() || (number > 0 && std::isfinite(static_cast<float>(number)))) return number;
  keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {}, expected more than 0, and a number of 32 bits",
                                              keys.full_key(key), number));
  return 1;
}

}  // namespace

float read_softcap(std::string_view key, const std::optional<double>& fallback, KeyReader& keys) {
  if (!fallback) return 0;
  const double softcap = keys.number(key, fallback);
  if (softcap < 0) {
    keys.fail(ErrorCode::kBadFile,
              Message::say("metadata '{}' is {}, expected 0 or more", keys.full_key(key), softcap));
  }
  return static_cast<float>(softcap);
}

float read_scales(const ArchRow& row, KeyReader& keys, ModelInfo& model) {
  if (row.scales_embedding) model.embedding_scale = std::sqrt(static_cast<float>(model.d_model));
  model.logit_softcap = read_softcap("final_logit_softcapping", row.logit_softcap, keys);
  if (row.multiplies_logits) return static_cast<float>(positive_number(kLogitKey, std::nullopt, keys));
  if (!row.has_scale_keys) return 1;
  const double of_embedding = positive_number(kEmbeddingKey, 1.0, keys),
               of_residual = positive_number(kResidualKey, 1.0, keys),
               of_logits = positive_number(kLogitKey, std::nullopt, keys);
  model.embedding_scale = static_cast<float>(of_embedding / of_residual);
  model.norm_epsilon = static_cast<float>(static_cast<double>(model.norm_epsilon) / (of_residual * of_residual));
  if (!keys.failed() && !(std::isfinite(model.embedding_scale) && std::isfinite(model.norm_epsilon))) {
    keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {}, which leaves numbers that 32 bits do not hold",
                                                keys.full_key(kResidualKey), of_residual));
  }
  if (keys.has(kAttentionKey)) {
    const auto of_scores = static_cast<float>(positive_number(kAttentionKey, std::nullopt, keys));
    for (LayerSpec& layer : model.layers) layer.attention_scale = of_scores;
  }
  return static_cast<float>(1.0 / of_logits);
}

}  // namespace headroom
