// The differences between architectures, as rows of a table. Everything else about a model comes from the keys and
// shapes of its file.
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
  kPattern,    // layers come in groups; the last layer of each group sees everything, the others have a window
  kIgnored,    // no layer has one: converters copy a window from the configuration that nobody runs the model with
  kRefused,    // which layers have a window cannot be told from the file; a window that is never reached is harmless
};

// Tensors that files of an architecture hold and that its forward pass does not read.
struct UnusedTensors {
  std::string_view name;  // "blk.N." stands for any layer; a '*' at the end for anything
  Message::Mark what;     // for people: "rotary angles"
};

// Of architectures in which some layers have a gated delta net in the place of attention.
struct DeltaNetRow {
  std::uint32_t attention_period =
      0;                         // when full_attention_interval is absent: layers of a group, the last has attention
  bool heads_are_tiled = false;  // as DeltaNetSpec has it
  // ssm_ba.weight instead of ssm_beta and ssm_alpha; and, where a file has it, ssm_in.weight instead of attn_qkv and
  // attn_gate. Rows of both stand by key head: fill_delta_net().
  bool fuses_by_key_head = false;
};

// Of architectures in which every layer with experts has an FFN beside them.
struct SharedExpertRow {
  bool is_named_as_dense = false;  // its tensors and its width, as those of a layer without experts
  bool is_optional = false;        // a file that does not state its width has none
  // Its width is that of as many experts as expert_shared_count says, whatever expert_shared_feed_forward_length is; 0:
  // there is none.
  bool is_counted = false;
  bool has_gate = false;  // as LayerSpec::has_shared_gate
};

struct ArchRow {
  std::string_view architecture;  // general.architecture, and the prefix of its keys
  std::string_view models;        // published ones that it is the name of, for people
  RopePairing pairing = RopePairing::kNeighbours;
  Presence qkv_bias = Presence::kNever, attn_out_bias = Presence::kNever, qk_norm = Presence::kNever;
  bool fuses_gate_with_up = false;  // ffn_up.weight of a dense FFN has the rows of the gate and, behind them, of the up
  bool norms_heads_together = false;  // as LayerSpec has it
  bool norms_turned_heads = false;    // likewise
  bool has_value_norm = false;        // as LayerSpec has it
  // A layer that sees everything and has no attn_v.weight makes its values by attn_k.weight: LayerSpec::value_is_key.
  bool may_lack_values = false;
  // The last layers, as many as attention.shared_kv_layers says, read the cache of the last one before them that sees
  // as much: LayerSpec::kv_layer.
  bool may_share_caches = false;
  bool may_have_inputs = false;    // embedding_length_per_layer_input is LayerSpec::input_dim
  bool has_out_gate = false;       // attn_q.weight has each head's queries and, behind them, its gate
  bool out_gate_is_apart = false;  // with has_out_gate: attn_gate.weight has the gates, attn_q.weight queries alone
  bool has_sinks = false;          // attn_sinks.weight: TensorRole::kAttnSinks
  bool has_pre_norms = true;       // as LayerSpec has them, as the next
  bool has_post_norms = false;
  bool may_scale_output = false;  // layer_output_scale.weight is LayerSpec::output_scale where a layer has one
  std::string_view ffn_norm = "ffn_norm.weight";        // the tensor of a layer that holds the norm before its FFN
  std::string_view output_norm = "output_norm.weight";  // likewise the last norm, which any file may name so
  std::optional<DeltaNetRow> delta_net = std::nullopt;
  // A layer whose entry in attention.head_count_kv is 0 has a short convolution in the place of attention.
  bool has_short_convs = false;
  Presence rope_factors = Presence::kNever;  // rope_freqs.weight; never: a file that has it is refused
  bool may_be_long = false;  // rope_factors_short.weight and rope_factors_long.weight are RopeScaling::kLong
  // rope.dimension_sections: the pairs of a head take turns in three axes of the position, which are one for text.
  bool has_rope_sections = false;
  // Models that also read images scale their context. Ollama's own files leave the factor out, which Ollama takes from
  // the number of layers: a file with tensors of vision and without the factor is refused.
  bool vision_needs_scaling = false;
  std::span<const UnusedTensors> unused{};  // every tensor that neither a role reads nor this names is refused
  // The last layers, as many as nextn_predict_layers says, predict tokens behind the next one. They are not run.
  bool skips_prediction_layers = false;
  WindowRule window = WindowRule::kRefused;
  std::uint32_t window_period = 0;   // kPattern: layers of a group, when attention.sliding_window_pattern is absent
  std::uint32_t default_window = 0;  // when attention.sliding_window is absent; 0: no layer has a window then
  Activation activation = Activation::kSilu;
  // The FFN of every layer is one of experts, but for those that may_mix_dense names; absent: of none.
  std::optional<RouterKind> router = std::nullopt;
  // expert_gating_func, expert_weights_norm and expert_weights_scale say how experts are chosen and weighed. What a
  // file does not state is as `router` has it, and a scale of 1.
  bool has_router_keys = false;
  Presence choice_bias = Presence::kNever;  // exp_probs_b.bias: TensorRole::kChoiceBias
  // The first leading_dense_block_count layers have a dense FFN, and behind them all but every
  // interleave_moe_layer_step-th, counted from the first layer on.
  bool may_mix_dense = false;
  bool may_lack_experts = false;                                 // a file without expert_count has none
  std::string_view expert_width = "expert_feed_forward_length";  // the key that states it
  bool has_expert_biases = false;                                // of the router and of each expert
  bool has_branch_norms = false;                                 // of layers with experts, as LayerSpec has it
  std::optional<SharedExpertRow> shared_expert = std::nullopt;
  double default_rope_theta = 0;      // when rope.freq_base is absent
  std::uint32_t unturned_period = 0;  // every so-many-th layer does not turn its heads; 0: all do
  bool turns_windows_alone = false;   // where any layer has a window, those without one do not turn their heads
  bool may_be_unturned = false;       // rope.scaling.finetuned, when it is false, says that no layer does
  // rope.scaling.yarn_log_multiplier divides what YaRN multiplies cos and sin by.
  bool has_yarn_multiplier = false;
  bool has_whole_ramp = true;  // as RopeSpec has it
  // rope.scaling.attn_factor (or yarn_attn_factor) is all that YaRN multiplies cos and sin by: OLMo 3 states 1.2079 and
  // means it. Where this is false, the stated number is multiplied by what YaRN derives, 1 + 0.1 ln(factor).
  bool states_yarn_magnitude = false;
  bool grows_queries = false;  // attention.temperature_scale is RopeSpec::growth of queries
  // Heads of layers with a window have sizes of their own, attention.key_length_swa and rope.dimension_count_swa. The
  // window has to be stated: without it such layers would be read as others.
  bool has_window_heads = false;
  // Layers with a window turn by the base of rope.freq_base_swa, without the scaling of the context. When that key is
  // absent, the base is window_rope_theta or, where this is 0, that of the other layers.
  bool windows_are_unscaled = false;
  double window_rope_theta = 0;
  bool scales_embedding = false;  // by sqrt(d_model)
  bool norms_embedding = false;   // as ModelInfo has it, as the next
  std::optional<float> post_norm_epsilon{};
  bool multiplies_logits = false;  // by logit_scale, which has to be there
  // Factors on scores, embedding and what is added to the residual, and a divisor of logits: attention.scale,
  // embedding_scale, residual_scale, logit_scale. See read_scales.h.
  bool has_scale_keys = false;
  // ssm.* keys, sizes of Mamba layers, say nothing: a hybrid model whose layers all have attention is converted under
  // this name, with its sizes. A Mamba layer is refused by its tensors.
  bool ignores_state_sizes = false;
  // The model with this many layers scales q.k by 1 / sqrt(d_model / n_heads); models with any other number of layers,
  // and all of them where this is 0, by 1 / sqrt(head_dim).
  std::uint32_t n_layers_scaled_by_width = 0;
  std::optional<double> attention_scale{};  // on q.k, whatever the size of a head
  // When attn_logit_softcapping and final_logit_softcapping are absent; 0: no cap. Without a value the key is refused.
  std::optional<double> attention_softcap{}, logit_softcap{};
};

std::span<const ArchRow> arch_rows();

// Null when there is no such row.
const ArchRow* find_arch(std::string_view architecture);

// "llama, qwen2" and so on, for messages.
std::string arch_names();

}  // namespace headroom
