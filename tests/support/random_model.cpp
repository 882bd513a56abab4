#include "support/random_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/check.h"
#include "format/dtype_table.h"
#include "format/encode.h"
#include "model/arch_table.h"
#include "support/random_tokenizer.h"

namespace headroom::test {
namespace {

// splitmix64: the same numbers on every machine, which std::normal_distribution does not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // About normal with mean 0 and deviation 1: a sum of four uniform numbers.
  float next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    const int sum = static_cast<int>(z & 0xFFFF) + static_cast<int>(z >> 16 & 0xFFFF) +
                    static_cast<int>(z >> 32 & 0xFFFF) + static_cast<int>(z >> 48 & 0xFFFF);
    return static_cast<float>(sum - 131070) / 37837.0F;
  }

 private:
  std::uint64_t state_;
};

// An architecture without a row is plain: a file for tests of the refusal.
ArchRow row_of(const std::string& architecture) {
  const ArchRow* row = find_arch(architecture);
  return row != nullptr ? *row : ArchRow{};
}

enum class Fill { kMatrix, kNorm, kBias, kTaps, kDecay };

class ModelBuilder {
 public:
  explicit ModelBuilder(const RandomModelSpec& spec)
      : spec_(spec),
        row_(row_of(spec.architecture)),
        random_(spec.seed),
        head_dim_(spec.head_dim > 0 ? spec.head_dim : spec.d_model / spec.n_heads) {}

  GgufWriter build() {
    add_metadata();
    add_random_tokenizer(writer_, spec_);
    add_matrix(TensorRole::kTokenEmbedding, -1, spec_.n_vocab, spec_.d_model);
    if (spec_.input_dim > 0) {
      add_matrix(TensorRole::kLayerEmbedding, -1, spec_.n_vocab, spec_.n_layers * spec_.input_dim);
      add_matrix(TensorRole::kInputProject, -1, spec_.n_layers * spec_.input_dim, spec_.d_model);
      add_vector(TensorRole::kInputProjectNorm, -1, spec_.input_dim, Fill::kNorm);
    }
    for (std::uint32_t i = 0; i < spec_.n_layers; ++i) add_layer(static_cast<std::int32_t>(i));
    add(std::string(row_.output_norm), TensorRole::kOutputNorm, spec_.vector_type, {spec_.d_model}, Fill::kNorm);
    if (!spec_.has_tied_head) add_matrix(TensorRole::kHead, -1, spec_.n_vocab, spec_.d_model);
    std::vector<float> factors = spec_.freq_factors;
    const bool is_required = factors.empty() && row_.rope_factors == Presence::kRequired;
    for (std::uint32_t i = 0; is_required && i < head_dim_ / 2; ++i)
      factors.push_back(i < head_dim_ / 8 ? 1.0F : 1e30F);
    add_factors(kRopeFactorsTensor, factors);
    add_factors(kShortFactorsTensor, spec_.short_factors);
    add_factors(kLongFactorsTensor, spec_.long_factors);
    return std::move(writer_);
  }

 private:
  void add_factors(std::string_view name, const std::vector<float>& factors) {
    if (factors.empty()) return;
    const auto bytes = std::as_bytes(std::span(factors));
    writer_.add_tensor(std::string(name), 0, {factors.size()}, {bytes.begin(), bytes.end()});
  }

  void add_metadata() {
    const auto key = [&](std::string_view name) { return fmt::format("{}.{}", spec_.architecture, name); };
    writer_.set_string("general.architecture", spec_.architecture);
    writer_.set_string("general.name",
                       fmt::format("random {} {}x{}", spec_.architecture, spec_.n_layers, spec_.d_model));
    writer_.set_uint(key("block_count"), spec_.n_layers);
    writer_.set_uint(key("context_length"), spec_.n_ctx_trained);
    writer_.set_uint(key("embedding_length"), spec_.d_model);
    // Real files of experts state another width for layers without any, or none.
    const bool is_named_as_dense = has_experts() && row_.shared_expert && row_.shared_expert->is_named_as_dense;
    const bool mixes_dense = has_experts() && row_.may_mix_dense;
    if (!mixes_dense && (!has_experts() || (!row_.shared_expert && row_.expert_width != "feed_forward_length")))
      add_widths(key("feed_forward_length"));
    if (mixes_dense) {
      const std::map<std::string, std::uint32_t> mix{{"feed_forward_length", spec_.dense_d_ff},
                                                     {"leading_dense_block_count", spec_.n_dense_layers},
                                                     {"interleave_moe_layer_step", spec_.expert_step}};
      for (const auto& [name, value] : mix)
        if (!spec_.uint_keys.contains(name) && !spec_.float_keys.contains(name)) writer_.set_uint(key(name), value);
    }
    if (is_named_as_dense) writer_.set_uint(key("feed_forward_length"), spec_.shared_d_ff);
    std::map<std::string, std::uint32_t> experts{{"expert_count", spec_.n_experts},
                                                 {"expert_used_count", spec_.n_experts_used},
                                                 {std::string(row_.expert_width), spec_.d_ff}};
    if (row_.shared_expert && !is_named_as_dense && spec_.shared_d_ff > 0) {
      const bool is_counted = row_.shared_expert->is_counted;
      experts[is_counted ? "expert_shared_count" : "expert_shared_feed_forward_length"] =
          is_counted ? spec_.shared_d_ff / spec_.d_ff : spec_.shared_d_ff;
    }
    for (const auto& [name, value] : experts) {
      if (has_experts() && !spec_.uint_keys.contains(name) && !spec_.array_keys.contains(name))
        writer_.set_uint(key(name), value);
    }
    writer_.set_uint(key("attention.head_count"), spec_.n_heads);
    add_kv_heads(key("attention.head_count_kv"));
    writer_.set_float(key("attention.layer_norm_rms_epsilon"), 1e-5F);
    const std::map<std::string, std::uint32_t> delta_net{{"full_attention_interval", spec_.attention_period},
                                                         {"ssm.group_count", spec_.n_key_heads},
                                                         {"ssm.time_step_rank", spec_.n_value_heads},
                                                         {"ssm.state_size", spec_.state_dim},
                                                         {"ssm.inner_size", spec_.n_value_heads * spec_.state_dim},
                                                         {"ssm.conv_kernel", spec_.conv_width}};
    for (const auto& [name, value] : delta_net) {
      if (row_.delta_net && !spec_.uint_keys.contains(name)) writer_.set_uint(key(name), value);
    }
    if (constexpr auto kWidth = "shortconv.l_cache"; row_.has_short_convs && !spec_.uint_keys.contains(kWidth))
      writer_.set_uint(key(kWidth), spec_.conv_width);
    writer_.set_uint(key("vocab_size"), spec_.n_vocab);
    if (spec_.head_dim > 0) {
      writer_.set_uint(key("attention.key_length"), spec_.head_dim);
      writer_.set_uint(key("attention.value_length"), spec_.head_dim);
    }
    if (spec_.window > 0) writer_.set_uint(key("attention.sliding_window"), spec_.window);
    if (row_.has_window_heads && spec_.window == 0) {  // a window has to be stated; of a pattern of one no layer has it
      if (!spec_.uint_keys.contains("attention.sliding_window"))
        writer_.set_uint(key("attention.sliding_window"), spec_.n_ctx_trained);
      if (!spec_.uint_keys.contains("attention.sliding_window_pattern"))
        writer_.set_uint(key("attention.sliding_window_pattern"), 1);
    }
    if (row_.has_window_heads && spec_.window > 0 && spec_.window_head_dim > 0) {
      for (const char* name : {"attention.key_length_swa", "attention.value_length_swa", "rope.dimension_count_swa"})
        if (!spec_.uint_keys.contains(name)) writer_.set_uint(key(name), spec_.window_head_dim);
      writer_.set_uint(key("attention.sliding_window_pattern"), spec_.window_period);
    }
    if (spec_.n_shared_caches > 0) writer_.set_uint(key("attention.shared_kv_layers"), spec_.n_shared_caches);
    if (spec_.input_dim > 0) writer_.set_uint(key("embedding_length_per_layer_input"), spec_.input_dim);
    if (!spec_.float_keys.contains("rope.freq_base")) writer_.set_float(key("rope.freq_base"), 10000.0F);
    if ((row_.has_scale_keys || row_.multiplies_logits) && !spec_.float_keys.contains("logit_scale"))
      writer_.set_float(key("logit_scale"), 4.0F);
    for (const auto& [name, value] : spec_.float_keys) writer_.set_float(key(name), value);
    for (const auto& [name, value] : spec_.uint_keys) writer_.set_uint(key(name), value);
    for (const auto& [name, value] : spec_.string_keys) writer_.set_string(key(name), value);
    for (const auto& [name, values] : spec_.array_keys)
      if (!values.empty()) writer_.set_uints(key(name), values);
    if (!spec_.chat_template.empty()) writer_.set_string("tokenizer.chat_template", spec_.chat_template);
  }

  bool has_window(std::uint32_t layer) const { return spec_.window > 0 && (layer + 1) % spec_.window_period != 0; }
  std::uint32_t n_kv_heads(std::uint32_t layer) const {
    if (row_.has_short_convs && !has_attention(layer)) return 0;
    return spec_.full_kv_heads > 0 && !has_window(layer) ? spec_.full_kv_heads : spec_.n_kv_heads;
  }

  // Of layers some of which have states: whether this one has attention.
  bool has_attention(std::uint32_t layer) const {
    if (spec_.attention_layers.empty()) return (layer + 1) % spec_.attention_period == 0;
    return std::ranges::find(spec_.attention_layers, layer) != spec_.attention_layers.end();
  }

  // A number where all layers have the same, else one for each layer.
  void add_kv_heads(const std::string& key) {
    if (spec_.full_kv_heads == 0 && !row_.has_short_convs && spec_.stated_kv_heads.empty())
      return writer_.set_uint(key, spec_.n_kv_heads);
    std::vector<std::uint32_t> counts = spec_.stated_kv_heads;
    for (std::uint32_t i = 0; i < spec_.n_layers && spec_.stated_kv_heads.empty(); ++i) counts.push_back(n_kv_heads(i));
    writer_.set_uints(key, counts);
  }

  void add_widths(const std::string& key) {
    if (spec_.d_ff_of_shared == 0) return writer_.set_uint(key, has_experts() ? 3 * spec_.d_ff : spec_.d_ff);
    std::vector<std::int32_t> widths;
    for (std::uint32_t i = 0; i < spec_.n_layers; ++i) widths.push_back(static_cast<std::int32_t>(d_ff_of(i)));
    writer_.set_ints(key, widths);
  }

  void add_layer(std::int32_t i) {
    const std::uint32_t d_model = spec_.d_model;
    if (row_.has_pre_norms) add_vector(TensorRole::kAttnNorm, i, d_model, Fill::kNorm);
    const bool has_state = !has_attention(static_cast<std::uint32_t>(i));
    if (row_.delta_net && has_state) {
      add_delta_net(i);
    } else if (row_.has_short_convs && has_state) {
      add_short_conv(i);
    } else {
      add_attention(i);
    }
    if (row_.has_pre_norms)
      add(layer_tensor_name(i, row_.ffn_norm), TensorRole::kFfnNorm, spec_.vector_type, {d_model}, Fill::kNorm);
    has_experts(static_cast<std::uint32_t>(i)) ? add_experts(i) : add_dense(i, d_ff_of(static_cast<std::uint32_t>(i)));
    if (row_.has_post_norms) {
      add_vector(TensorRole::kAttnPostNorm, i, d_model, Fill::kNorm);
      add_vector(TensorRole::kFfnPostNorm, i, d_model, Fill::kNorm);
    }
    if (row_.may_scale_output && spec_.has_optional_parts)
      add(layer_tensor_name(i, kOutputScaleTensor), TensorRole::kFfnPostNorm, DType::kF32, {1}, Fill::kNorm);
    if (spec_.input_dim == 0) return;
    add_matrix(TensorRole::kInputGate, i, spec_.input_dim, d_model);
    add_matrix(TensorRole::kInputOut, i, d_model, spec_.input_dim);
    add_vector(TensorRole::kInputPostNorm, i, d_model, Fill::kNorm);
  }

  void add_attention(std::int32_t i) {
    const auto layer = static_cast<std::uint32_t>(i);
    const bool is_apart = row_.has_window_heads && spec_.window_head_dim > 0 && has_window(layer);
    const std::uint32_t head_dim = is_apart ? spec_.window_head_dim : head_dim_;
    const std::uint32_t d_model = spec_.d_model, q_dim = spec_.n_heads * head_dim,
                        kv_dim = n_kv_heads(layer) * head_dim;
    const bool lacks_values = row_.may_lack_values && spec_.has_optional_parts && !has_window(layer);
    const std::uint64_t qkv_dim = std::uint64_t{q_dim} + 2 * kv_dim;
    if (spec_.fuses_qkv) {
      add(*fused_tensor_name(TensorRole::kQ, i), TensorRole::kQ, type_of(TensorRole::kQ, i, d_model),
          {d_model, qkv_dim}, Fill::kMatrix);
    } else {
      add_matrix(TensorRole::kQ, i, row_.has_out_gate && !row_.out_gate_is_apart ? 2 * q_dim : q_dim, d_model);
      if (has_cache(layer)) add_matrix(TensorRole::kK, i, kv_dim, d_model);
      if (has_cache(layer) && !lacks_values) add_matrix(TensorRole::kV, i, kv_dim, d_model);
    }
    if (row_.out_gate_is_apart) add_matrix(TensorRole::kOutGate, i, q_dim, d_model);
    if (has(row_.qkv_bias) && spec_.fuses_qkv) {
      add(*fused_tensor_name(TensorRole::kQBias, i), TensorRole::kQBias, spec_.vector_type, {qkv_dim}, Fill::kBias);
    } else if (has(row_.qkv_bias)) {
      add_vector(TensorRole::kQBias, i, q_dim, Fill::kBias);
      add_vector(TensorRole::kKBias, i, kv_dim, Fill::kBias);
      add_vector(TensorRole::kVBias, i, kv_dim, Fill::kBias);
    }
    if (has(row_.qk_norm)) {
      add_vector(TensorRole::kQNorm, i, row_.norms_heads_together ? q_dim : head_dim, Fill::kNorm);
      if (has_cache(layer))
        add_vector(TensorRole::kKNorm, i, row_.norms_heads_together ? kv_dim : head_dim, Fill::kNorm);
    }
    if (row_.has_sinks) add_vector(TensorRole::kAttnSinks, i, spec_.n_heads, Fill::kNorm);
    add_matrix(TensorRole::kAttnOut, i, d_model, q_dim);
    if (has(row_.attn_out_bias)) add_vector(TensorRole::kAttnOutBias, i, d_model, Fill::kBias);
  }

  void add_short_conv(std::int32_t i) {
    const std::uint64_t n = spec_.d_model;
    const DType type = type_of(TensorRole::kQ, i, n);
    add(layer_tensor_name(i, kShortConvInTensor), TensorRole::kQ, type, {n, 3 * n}, Fill::kMatrix);
    add(layer_tensor_name(i, kShortConvTensor), TensorRole::kConv, DType::kF32, {spec_.conv_width, n}, Fill::kTaps);
    add(layer_tensor_name(i, kShortConvOutTensor), TensorRole::kAttnOut, type_of(TensorRole::kAttnOut, i, n), {n, n},
        Fill::kMatrix);
  }

  void add_delta_net(std::int32_t i) {
    const std::uint64_t d_model = spec_.d_model, q_dim = std::uint64_t{spec_.n_key_heads} * spec_.state_dim,
                        n_heads = spec_.n_value_heads, v_dim = n_heads * spec_.state_dim;
    const auto add_fused = [&](const std::string& name, TensorRole as, std::uint64_t n_rows) {
      add(name, as, type_of(as, i, d_model), {d_model, n_rows}, Fill::kMatrix);
    };
    const bool fuses = row_.delta_net->fuses_by_key_head;
    if (fuses && spec_.has_optional_parts) {
      add_fused(layer_tensor_name(i, kDeltaInTensor), TensorRole::kQ, 2 * (q_dim + v_dim));
    } else {
      add_fused(*fused_tensor_name(TensorRole::kQ, i), TensorRole::kQ, 2 * q_dim + v_dim);
      add_matrix(TensorRole::kOutGate, i, v_dim, d_model);
    }
    if (fuses) {
      add_fused(layer_tensor_name(i, kDeltaRatesTensor), TensorRole::kBeta, 2 * n_heads);
    } else {
      add_matrix(TensorRole::kAlpha, i, n_heads, d_model);
      add_matrix(TensorRole::kBeta, i, n_heads, d_model);
    }
    add(role_tensor_name(TensorRole::kConv, i), TensorRole::kConv, DType::kF32, {spec_.conv_width, 2 * q_dim + v_dim},
        Fill::kTaps);
    add_vector(TensorRole::kTimeBias, i, n_heads, Fill::kBias);
    add_vector(TensorRole::kDecay, i, n_heads, Fill::kDecay);
    add_vector(TensorRole::kReadNorm, i, spec_.state_dim, Fill::kNorm);
    add(layer_tensor_name(i, kDeltaOutTensor), TensorRole::kAttnOut, type_of(TensorRole::kAttnOut, i, v_dim),
        {v_dim, d_model}, Fill::kMatrix);
  }

  void add_experts(std::int32_t i) {
    add_matrix(TensorRole::kRouter, i, spec_.n_experts, spec_.d_model);
    if (spec_.has_optional_parts) {
      add(*fused_tensor_name(TensorRole::kExpertGate, i), TensorRole::kExpertGate,
          type_of(TensorRole::kExpertGate, i, spec_.d_model),
          {spec_.d_model, std::uint64_t{2} * spec_.d_ff, spec_.n_experts}, Fill::kMatrix);
    } else {
      add_matrix(TensorRole::kExpertGate, i, spec_.d_ff, spec_.d_model, spec_.n_experts);
      add_matrix(TensorRole::kExpertUp, i, spec_.d_ff, spec_.d_model, spec_.n_experts);
    }
    add_matrix(TensorRole::kExpertDown, i, spec_.d_model, spec_.d_ff, spec_.n_experts);
    if (row_.has_expert_biases) {
      const auto add_biases = [&](TensorRole role, std::uint64_t n_elems) {
        add(role_tensor_name(role, i), role, spec_.vector_type, {n_elems, spec_.n_experts}, Fill::kBias);
      };
      add_vector(TensorRole::kRouterBias, i, spec_.n_experts, Fill::kBias);
      add_biases(TensorRole::kExpertGateBias, spec_.d_ff);
      add_biases(TensorRole::kExpertUpBias, spec_.d_ff);
      add_biases(TensorRole::kExpertDownBias, spec_.d_model);
    }
    if (has(row_.choice_bias)) add_vector(TensorRole::kChoiceBias, i, spec_.n_experts, Fill::kBias);
    if (row_.has_branch_norms) {
      for (const TensorRole norm :
           {TensorRole::kRouterNorm, TensorRole::kExpertNorm, TensorRole::kExpertPostNorm, TensorRole::kSharedPostNorm})
        add_vector(norm, i, spec_.d_model, Fill::kNorm);
      if (spec_.has_optional_parts) add_vector(TensorRole::kExpertScale, i, spec_.n_experts, Fill::kNorm);
    }
    if (!row_.shared_expert || spec_.shared_d_ff == 0) return;
    if (row_.shared_expert->is_named_as_dense) return add_dense(i, spec_.shared_d_ff);
    const auto add_shared = [&](std::string_view name, TensorRole role, std::uint64_t n_rows, std::uint64_t n_cols) {
      add(layer_tensor_name(i, name), role, type_of(role, i, n_cols), {n_cols, n_rows}, Fill::kMatrix);
    };
    const std::uint32_t width =
        row_.shared_expert->is_counted ? spec_.shared_d_ff / spec_.d_ff * spec_.d_ff : spec_.shared_d_ff;
    if (width == 0) return;
    add_shared(kSharedExpertGateTensor, TensorRole::kGate, width, spec_.d_model);
    add_shared(kSharedExpertUpTensor, TensorRole::kUp, width, spec_.d_model);
    add_shared(kSharedExpertDownTensor, TensorRole::kDown, spec_.d_model, width);
    if (row_.shared_expert->has_gate) add_vector(TensorRole::kSharedGate, i, spec_.d_model, Fill::kBias);
  }

  bool has_cache(std::uint32_t layer) const { return std::uint64_t{layer} + spec_.n_shared_caches < spec_.n_layers; }
  std::uint32_t d_ff_of(std::uint32_t layer) const {
    if (has_experts() && row_.may_mix_dense) return spec_.dense_d_ff;
    return spec_.d_ff_of_shared > 0 && !has_cache(layer) ? spec_.d_ff_of_shared : spec_.d_ff;
  }

  bool has_experts() const { return row_.router && !(row_.may_lack_experts && spec_.n_experts == 0); }
  bool has_experts(std::uint32_t layer) const {
    return has_experts() &&
           (!row_.may_mix_dense || (layer >= spec_.n_dense_layers && (layer + 1) % spec_.expert_step == 0));
  }

  void add_dense(std::int32_t i, std::uint32_t d_ff) {
    if (row_.fuses_gate_with_up) {
      add_matrix(TensorRole::kUp, i, std::uint64_t{2} * d_ff, spec_.d_model);
      return add_matrix(TensorRole::kDown, i, spec_.d_model, d_ff);
    }
    add_matrix(TensorRole::kGate, i, d_ff, spec_.d_model);
    add_matrix(TensorRole::kUp, i, d_ff, spec_.d_model);
    add_matrix(TensorRole::kDown, i, spec_.d_model, d_ff);
  }

  bool has(Presence presence) const {
    return presence == Presence::kRequired || (presence == Presence::kOptional && spec_.has_optional_parts);
  }

  void add_matrix(TensorRole role, std::int32_t layer, std::uint64_t n_rows, std::uint64_t n_cols,
                  std::uint64_t n_matrices = 1) {
    std::vector<std::uint64_t> shape{n_cols, n_rows};
    if (role_is_experts(role)) shape.push_back(n_matrices);
    add(role_tensor_name(role, layer), role, type_of(role, layer, n_cols), shape, Fill::kMatrix);
  }

  DType type_of(TensorRole matrix, std::int32_t layer, std::uint64_t n_cols) const {
    if (spec_.type_rule) return spec_.type_rule(matrix, layer, n_cols);
    const auto exception = spec_.role_types.find(matrix);
    return exception == spec_.role_types.end() ? spec_.weight_type : exception->second;
  }

  void add_vector(TensorRole role, std::int32_t layer, std::uint64_t n_elems, Fill fill) {
    add(role_tensor_name(role, layer), role, spec_.vector_type, {n_elems}, fill);
  }

  static float vector_elem(Fill fill, float random) {
    switch (fill) {
      case Fill::kNorm: return 1.0F + 0.1F * random;
      case Fill::kBias: return 0.1F * random;
      case Fill::kTaps: return 0.5F * random;
      case Fill::kDecay: return -0.05F - 0.2F * std::abs(random);  // a token later, most of a state is there
      case Fill::kMatrix: break;
    }
    return random;
  }

  std::string renamed(const std::string& name) const {
    for (const auto& [end, other] : spec_.tensor_names)
      if (name.ends_with(end)) return name.substr(0, name.size() - end.size()) + other;
    return name;
  }

  void add(const std::string& name, TensorRole role, DType dtype, const std::vector<std::uint64_t>& shape, Fill fill) {
    const std::uint64_t n_cols = shape.front(),
                        n_rows = std::accumulate(shape.begin() + 1, shape.end(), std::uint64_t{1}, std::multiplies<>());
    CHECK(n_cols % dtype_row(dtype).block_elems == 0, "rows must be whole blocks");
    const auto file_type = static_cast<std::uint32_t>(dtype_row(dtype).gguf_type);
    const Bytes bytes_per_row = row_bytes(dtype, n_cols);
    if (spec_.has_holes) return writer_.add_hole(renamed(name), file_type, shape, n_rows * bytes_per_row);
    const std::uint64_t n_distinct = spec_.n_distinct_rows > 0 ? spec_.n_distinct_rows
                                     : role_is_experts(role)   ? n_rows
                                                               : 512;
    std::vector<std::byte> bytes(n_rows * bytes_per_row);
    std::vector<float> row(n_cols);
    for (std::uint64_t r = 0; r < n_rows; ++r) {
      if (r >= n_distinct) {
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>((r - n_distinct) * bytes_per_row), bytes_per_row,
                    bytes.begin() + static_cast<std::ptrdiff_t>(r * bytes_per_row));
        continue;
      }
      const float scale = role == TensorRole::kTokenEmbedding || role == TensorRole::kLayerEmbedding
                              ? 1.0F
                              : 1.0F / std::sqrt(static_cast<float>(n_cols));
      const bool stands_out = r % head_dim_ / 2 == 1;
      const float outlier = !stands_out              ? 1.0F
                            : role == TensorRole::kK ? spec_.key_outlier
                            : role == TensorRole::kQ ? 1.0F / spec_.key_outlier
                                                     : 1.0F;
      const float all = role == TensorRole::kQ ? spec_.query_scale : 1.0F;
      for (float& x : row) {
        const float random = random_.next();
        x = fill == Fill::kMatrix ? scale * outlier * all * random : vector_elem(fill, random);
      }
      encode_row(dtype, row.data(), n_cols, bytes.data() + r * bytes_per_row);
    }
    writer_.add_tensor(renamed(name), file_type, shape, std::move(bytes));
  }

  const RandomModelSpec& spec_;
  const ArchRow row_;
  Random random_;
  const std::uint32_t head_dim_;
  GgufWriter writer_;
};

}  // namespace

RandomModelSpec spec_of_40_gb() {
  RandomModelSpec spec;
  spec.n_layers = 80, spec.d_model = 8192, spec.n_heads = 64, spec.n_kv_heads = 8, spec.d_ff = 28672,
  spec.n_vocab = 128256;
  spec.weight_type = DType::kQ4_K;
  spec.has_holes = true;
  return spec;
}

GgufWriter random_gguf(const RandomModelSpec& spec) { return ModelBuilder(spec).build(); }

std::filesystem::path make_random_model(const RandomModelSpec& spec, const std::filesystem::path& folder,
                                        const std::string& name) {
  const std::filesystem::path path = folder / (name + ".gguf");
  CHECK(random_gguf(spec).write(path).ok(), "a test model cannot be written");
  return path;
}

std::string architecture_label(std::string_view architecture) {
  std::string label(architecture);
  std::ranges::replace(label, '-', '_');
  return label;
}

}  // namespace headroom::test
