#include "model/read_rope.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "file/show_name.h"
#include "model/read_heads.h"
#include "model/tensor_roles.h"

namespace headroom {
namespace {

constexpr std::string_view kWindowRopeDim = "rope.dimension_count_swa",
                           kOriginalContextKey = "rope.scaling.original_context_length";

struct ScalingName {
  std::string_view name;
  RopeScaling scaling;
};
constexpr std::array kScalingNames{ScalingName{"none", RopeScaling::kNone}, ScalingName{"linear", RopeScaling::kLinear},
                                   ScalingName{"llama3", RopeScaling::kLlama3},
                                   ScalingName{"yarn", RopeScaling::kYarn}};

// The key that the factor stands under: older files have another one.
std::string_view factor_key(const KeyReader& keys) {
  const bool is_old = !keys.has("rope.scaling.factor") && keys.has("rope.scale_linear");
  return is_old ? "rope.scale_linear" : "rope.scaling.factor";
}

RopeScaling read_scaling_type(const ArchRow& row, KeyReader& keys) {
  // A factor without a type is linear: files from before the type was written.
  const std::string name = keys.text("rope.scaling.type", "linear");
  for (const ScalingName& known : kScalingNames) {
    if (known.name == name) return known.scaling;
  }
  if (row.may_be_long && name == "longrope") return RopeScaling::kLong;
  keys.fail(
      ErrorCode::kUnsupported,
      Message::say("metadata '{}': RoPE scaling {} is not supported; this version has none, linear, llama3 and yarn",
                   keys.full_key("rope.scaling.type"), show_name(name)));
  return RopeScaling::kNone;
}

void read_llama3(RopeSpec& rope, KeyReader& keys) {
  rope.original_n_ctx = keys.positive(kOriginalContextKey, kMaxPositions);
  rope.low_freq_factor = keys.number("rope.scaling.low_freq_factor");
  rope.high_freq_factor = keys.number("rope.scaling.high_freq_factor");
  if (!keys.failed() && !(rope.low_freq_factor > 0 && rope.high_freq_factor > rope.low_freq_factor)) {
    keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {} and '{}' is {}, expected 0 < low < high",
                                                keys.full_key("rope.scaling.low_freq_factor"), rope.low_freq_factor,
                                                keys.full_key("rope.scaling.high_freq_factor"), rope.high_freq_factor));
  }
}

void read_yarn(const ArchRow& row, RopeSpec& rope, std::uint32_t n_ctx_trained, KeyReader& keys) {
  constexpr std::string_view kMultiplier = "rope.scaling.yarn_log_multiplier";
  rope.original_n_ctx = keys.positive(kOriginalContextKey, kMaxPositions, n_ctx_trained);
  rope.has_whole_ramp = row.has_whole_ramp;
  rope.beta_fast = keys.number("rope.scaling.yarn_beta_fast", 32.0);
  rope.beta_slow = keys.number("rope.scaling.yarn_beta_slow", 1.0);
  constexpr std::string_view kAttentionFactor = "rope.scaling.attn_factor",
                             kYarnFactor = "rope.scaling.yarn_attn_factor";
  const double file_scale = keys.number(kAttentionFactor, 1.0) * keys.number(kYarnFactor, 1.0);
  const bool is_whole = row.states_yarn_magnitude && (keys.has(kAttentionFactor) || keys.has(kYarnFactor));
  const double multiplier = row.has_yarn_multiplier ? keys.number(kMultiplier, 0.0) : 0.0;
  const double extrapolation = keys.number("rope.scaling.yarn_ext_factor", 1.0);
  if (keys.failed()) return;
  if (!(rope.beta_slow > 0 && rope.beta_fast > rope.beta_slow)) {
    keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {} and '{}' is {}, expected fast > slow > 0",
                                                keys.full_key("rope.scaling.yarn_beta_fast"), rope.beta_fast,
                                                keys.full_key("rope.scaling.yarn_beta_slow"), rope.beta_slow));
  }
  if (!(file_scale > 0))
    keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' times '{}' is {}, expected more than 0",
                                                keys.full_key("rope.scaling.attn_factor"),
                                                keys.full_key("rope.scaling.yarn_attn_factor"), file_scale));
  if (rope.factor < 1)
    keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {}, expected at least 1 for RoPE scaling yarn",
                                                keys.full_key(factor_key(keys)), rope.factor));
  if (rope.theta <= 1)
    keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {}, expected more than 1 for RoPE scaling yarn",
                                                keys.full_key("rope.freq_base"), rope.theta));
  if (extrapolation != 1.0) {
    keys.fail(ErrorCode::kUnsupported, Message::say("metadata '{}' is {}; this version has 1 only",
                                                    keys.full_key("rope.scaling.yarn_ext_factor"), extrapolation));
  }
  if (multiplier < 0)
    keys.fail(ErrorCode::kBadFile,
              Message::say("metadata '{}' is {}, expected 0 or more", keys.full_key(kMultiplier), multiplier));
  if (keys.failed() || (!is_whole && file_scale == 1.0 && multiplier == 0.0)) return;
  const double of_factor = 0.1 * std::log(rope.factor);
  rope.attention_factor = file_scale * (is_whole ? 1 : 1 + of_factor) / (1 + multiplier * of_factor);
}

void read_scaling(const ArchRow& row, RopeSpec& rope, std::uint32_t n_ctx_trained, KeyReader& keys) {
  rope.scaling = read_scaling_type(row, keys);
  if (rope.scaling == RopeScaling::kLong) return;
  if (rope.scaling != RopeScaling::kNone) rope.factor = keys.number(factor_key(keys), 1.0);
  if (keys.failed()) return;
  if (rope.factor == 0) rope.factor = 1;  // 0 is written for "not scaled"
  if (rope.factor < 0)
    return keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {}, expected more than 0",
                                                       keys.full_key(factor_key(keys)), rope.factor));
  switch (rope.scaling) {
    case RopeScaling::kNone:
    case RopeScaling::kLong: break;
    case RopeScaling::kLinear:
      if (rope.factor == 1) rope.scaling = RopeScaling::kNone;
      break;
    case RopeScaling::kLlama3: read_llama3(rope, keys); break;
    case RopeScaling::kYarn: read_yarn(row, rope, n_ctx_trained, keys); break;
  }
}

// Divisors of the pairs' frequencies; none where the file has no such tensor and need not have it.
std::vector<float> read_factors(const ModelFile& file, std::string_view name, Presence presence, std::uint32_t rope_dim,
                                KeyReader& keys) {
  const TensorInfo* tensor = presence == Presence::kNever ? nullptr : file.find_tensor(name);
  if (tensor == nullptr && presence == Presence::kRequired)
    keys.fail(ErrorCode::kBadFile, Message::say("tensor '{}' is missing", name));
  if (tensor == nullptr || keys.failed()) return {};
  const std::uint64_t n = rope_dim / 2;
  if (tensor->dtype != DType::kF32 || tensor->n_elems() != n || tensor->shape[0] != n) {
    keys.fail(ErrorCode::kBadFile,
              Message::say("tensor '{}' is {} of shape ({}), expected F32 of shape ({})", tensor->name,
                           tensor->type_name, fmt::format("{}", fmt::join(tensor->shape, ", ")), n));
    return {};
  }
  std::vector<float> factors(n);
  if (const Status read = file.read_tensor(*tensor, 0, std::as_writable_bytes(std::span(factors))); !read)
    keys.fail(read.error());
  for (const float factor : factors) {
    if (keys.failed() || (std::isfinite(factor) && factor > 0)) continue;
    keys.fail(ErrorCode::kBadFile,
              Message::say("tensor '{}' holds {}, expected finite numbers above 0", tensor->name, factor));
  }
  return factors;
}

// LongRoPE: factors for contexts as long as the original one, and for longer ones. A file without either has none.
void read_long(const ModelFile& file, RopeSpec& rope, std::uint32_t n_ctx_trained, KeyReader& keys) {
  constexpr std::string_view kAttentionFactor = "rope.scaling.attn_factor";
  const bool is_stated = file.find_tensor(kShortFactorsTensor) != nullptr || file.find_tensor(kLongFactorsTensor);
  if (!is_stated && rope.scaling != RopeScaling::kLong) return;
  if (rope.scaling != RopeScaling::kLong && rope.scaling != RopeScaling::kNone)
    return keys.fail(ErrorCode::kUnsupported,
                     Message::say("metadata '{}' is '{}' beside tensor '{}', expected 'longrope' or none",
                                  keys.full_key("rope.scaling.type"), keys.text("rope.scaling.type", "linear"),
                                  kShortFactorsTensor));
  rope.scaling = RopeScaling::kLong;
  rope.original_n_ctx = keys.positive(kOriginalContextKey, kMaxPositions, n_ctx_trained);
  rope.freq_factors = read_factors(file, kShortFactorsTensor, Presence::kRequired, rope.rope_dim, keys);
  rope.long_factors = read_factors(file, kLongFactorsTensor, Presence::kRequired, rope.rope_dim, keys);
  if (keys.failed()) return;
  const double stretch = static_cast<double>(n_ctx_trained) / rope.original_n_ctx;
  const double derived = stretch > 1 && rope.original_n_ctx > 1
                             ? std::sqrt(1 + std::log(stretch) / std::log(static_cast<double>(rope.original_n_ctx)))
                             : 1.0;
  rope.attention_factor = keys.number(kAttentionFactor, derived);
  if (!keys.failed() && !(rope.attention_factor > 0))
    keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {}, expected more than 0",
                                                keys.full_key(kAttentionFactor), rope.attention_factor));
}

// Text has one position for all axes, so that sections change nothing as long as every pair is in one.
void check_sections(const RopeSpec& rope, KeyReader& keys) {
  constexpr std::string_view kKey = "rope.dimension_sections";
  const std::optional<std::vector<std::uint64_t>> sections = keys.counts(kKey);
  if (keys.failed() || !keys.has(kKey)) return;
  const std::uint64_t n_pairs = rope.rope_dim / 2;
  std::uint64_t sum = 0;
  for (const std::uint64_t n : sections.value_or(std::vector<std::uint64_t>())) sum += std::min(n, n_pairs + 1);
  if (sum == n_pairs) return;
  keys.fail(
      ErrorCode::kUnsupported,
      Message::say(
          "metadata '{}' is {}, expected sections of {} pairs together, half of '{}'", keys.full_key(kKey),
          sections ? Message::plain(fmt::format("({})", fmt::join(*sections, ", "))) : Message::say("no such list"),
          n_pairs, keys.full_key("rope.dimension_count")));
}

void check_rope_dim(std::uint32_t rope_dim, std::string_view key, std::uint32_t head_dim, KeyReader& keys) {
  if (keys.failed() || (rope_dim % 2 == 0 && rope_dim <= head_dim)) return;
  keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {}, expected an even number up to the head size {}",
                                              keys.full_key(key), rope_dim, head_dim));
}

double read_theta(std::string_view key, double fallback, KeyReader& keys) {
  const double theta = keys.number(key, fallback);
  if (!keys.failed() && !(theta > 0))
    keys.fail(ErrorCode::kBadFile,
              Message::say("metadata '{}' is {}, expected more than 0", keys.full_key(key), theta));
  return theta;
}

}  // namespace

RopeSpec read_rope(const ModelFile& file, const ArchRow& row, std::uint32_t head_dim, std::uint32_t n_ctx_trained,
                   KeyReader& keys) {
  RopeSpec rope;
  rope.pairing = row.pairing;
  rope.rope_dim = keys.positive("rope.dimension_count", kMaxHeadDim, head_dim);
  if (!keys.failed()) check_rope_dim(rope.rope_dim, "rope.dimension_count", head_dim, keys);
  if (!keys.failed()) rope.theta = read_theta("rope.freq_base", row.default_rope_theta, keys);
  if (!keys.failed() && !row.has_window_heads) expect_same_in_windows(kWindowRopeDim, rope.rope_dim, keys);
  if (!keys.failed()) read_scaling(row, rope, n_ctx_trained, keys);
  if (!keys.failed() && row.has_rope_sections) check_sections(rope, keys);
  if (!keys.failed()) rope.freq_factors = read_factors(file, kRopeFactorsTensor, row.rope_factors, rope.rope_dim, keys);
  if (!keys.failed() && row.may_be_long) read_long(file, rope, n_ctx_trained, keys);
  return rope;
}

std::optional<RopeSpec> read_query_rope(const ArchRow& row, const RopeSpec& rope, std::uint32_t head_dim,
                                        std::uint32_t n_ctx_trained, KeyReader& keys) {
  constexpr std::string_view kGrowth = "attention.temperature_scale";
  const double growth = row.grows_queries ? keys.number(kGrowth, 0.0) : 0.0;
  if (keys.failed() || growth == 0) return std::nullopt;
  RopeSpec of_queries = rope;
  of_queries.growth = growth;
  if (rope.scaling != RopeScaling::kYarn)
    of_queries.original_n_ctx = keys.positive(kOriginalContextKey, kMaxPositions, n_ctx_trained);
  if (growth < 0)
    keys.fail(ErrorCode::kBadFile,
              Message::say("metadata '{}' is {}, expected 0 or more", keys.full_key(kGrowth), growth));
  if (rope.rope_dim != head_dim)
    keys.fail(ErrorCode::kUnsupported,
              Message::say("metadata '{}' is {}, expected the size of a head, {}, beside '{}'",
                           keys.full_key("rope.dimension_count"), rope.rope_dim, head_dim, keys.full_key(kGrowth)));
  return of_queries;
}

double read_window_theta(double fallback, KeyReader& keys) { return read_theta(kWindowThetaKey, fallback, keys); }

RopeSpec read_window_rope(const ArchRow& row, const RopeSpec& rope, std::uint32_t head_dim, KeyReader& keys) {
  RopeSpec made;
  made.pairing = rope.pairing;
  made.rope_dim = rope.rope_dim;
  if (row.has_window_heads) {
    made.rope_dim = width_in_windows(kWindowRopeDim, head_dim, keys);
    check_rope_dim(made.rope_dim, kWindowRopeDim, head_dim, keys);
  }
  made.theta = read_window_theta(row.window_rope_theta > 0 ? row.window_rope_theta : rope.theta, keys);
  return made;
}

}  // namespace headroom
