#include "model/arch_table.h"

#include <array>

namespace headroom {
namespace {

// Old converters wrote the angles of the rotary embedding, which follow from the metadata.
constexpr std::array kRotaryAngles{UnusedTensors{"blk.N.attn_rot_embd.*", Message::mark("rotary angles")}};

// Weights that a layer would make a cache by, where it reads another one's.
constexpr Message::Mark kSharedCache = Message::mark("caches that are read from other layers");
constexpr std::array kSharedCaches{UnusedTensors{"blk.N.attn_k.weight", kSharedCache},
                                   UnusedTensors{"blk.N.attn_k_norm.weight", kSharedCache},
                                   UnusedTensors{"blk.N.attn_v.weight", kSharedCache}};

// llama: Llama 1-3, Mistral, TinyLlama, SmolLM. Its Q and K rows are permuted in GGUF files so that neighbours turn
// together. A file of Mistral 7B 0.1 that states its window gets one, as in the model's own definition; converters
// leave the key out where the window is not used. YaRN of checkpoints in Mistral's own format leaves lengths as they
// are, as that of mistral3. qwen2: biases on Q, K and V. qwen3: RMS norm on every head of Q and K; qwen3moe: the same
// with experts, whose converter leaves out that their weights are divided by their sum. All three turn halves. 10000 is
// what every one of these definitions takes when a configuration has no rope_theta.
//
// gemma2 and gemma3: norms after attention and FFN as well, GELU, windows in all layers but every second or sixth, a
// scaled embedding; their norms' weights in GGUF files have the 1 added that the definition adds. gemma2 caps scores
// and logits. gemma3 norms heads of Q and K, and its layers with a window have a rotary base of their own. No file
// states the scale of their scores: the largest model of each, told by its layers, has another one than the rest.
//
// gemma4: as gemma3, but for norms of files, which are what the definition multiplies by. Heads of V are normed
// without a weight. Layers that see everything have larger heads, of which by their factors a quarter turns, and where
// they have no V of their own it is what K is before its norm. Scores are not scaled, and a layer ends with a factor.
// The model with experts has a dense FFN beside them, and norms of each. In the small ones the last layers read caches
// of earlier ones, and each layer is given elements of its own of a second embedding.
//
// smollm3: llama, but for every fourth layer, which turns nothing; no key says so. ernie4_5: llama, whose definition
// turns neighbours itself. phi3: llama with halves, and the matrices that others have apart in one tensor each.
// mistral3: llama, whose queries grow with the logarithm of their position, and whose YaRN leaves lengths as they are.
// granite: llama with four scales, which files state; in some of its models nothing turns. granitemoe is the same with
// experts, whose width is stated as that of other FFNs, and in newer ones a shared expert.
//
// gpt-oss: halves turn, by YaRN whose ramp is not rounded; every second layer has a window, the first one too. Each
// head has a sink, and all that has a weight in attention, router and experts has a bias. The norm before the FFN has
// the name that others give the one behind attention.
//
// glm4moe: experts are chosen by sigmoids and a bias of each, weights have a scale; the first layers are dense, all
// others have a shared expert. A part of each head turns, by halves; in the models that also read images (4.5V, 4.6V)
// the pairs take turns in three axes of the position, which text has as one number. The norm before the FFN is named as
// that of gpt-oss.
// minimax-m2: the same router, and norms over all heads of Q, and of K, together. ernie4_5-moe: ernie4_5 with experts
// in every so-many-th layer, chosen by softmax and a bias of each.
//
// olmo2: norms over all heads of Q, and of K, together, and none before attention and FFN. OLMo 3 is the same with
// windows, in whose layers the context is not scaled; its converters write the attention factor of YaRN whole.
// hunyuan-dense: llama with halves, which norms heads of Q and K behind their rotation. muse-glimmer: the embedding is
// normed without a weight; norms behind attention and FFN have an epsilon of their own, which no key states; layers
// without a window turn nothing. Its converter writes the factor of its scores as weights of Q's norm.
//
// qwen35: three of four layers are gated delta nets. Their value heads stand in files so that neighbours have different
// key heads. Attention has an output gate, and turns a part of each head only; the positions of an image would have
// three axes, those of text are one number. The norm before the FFN is named as other architectures name the one behind
// attention. qwen35moe is the same with experts and a shared one. So is qwen3next, the oldest of them, but for its
// value heads, which stand by key head, and for tensors that are fused; its positions have one axis.
constexpr std::array kArchs{
    ArchRow{.architecture = "llama",
            .models = "Llama 1 to 3, Mistral, TinyLlama, SmolLM 1 and 2",
            .pairing = RopePairing::kNeighbours,
            .qkv_bias = Presence::kOptional,
            .attn_out_bias = Presence::kOptional,
            .qk_norm = Presence::kNever,
            .rope_factors = Presence::kOptional,
            .unused = kRotaryAngles,
            .window = WindowRule::kAllLayers,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0,
            .has_yarn_multiplier = true},
    ArchRow{.architecture = "smollm3",
            .models = "SmolLM 3",
            .pairing = RopePairing::kNeighbours,
            .qkv_bias = Presence::kOptional,
            .attn_out_bias = Presence::kOptional,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0,
            .unturned_period = 4},
    ArchRow{.architecture = "ernie4_5",
            .models = "ERNIE 4.5 (dense)",
            .pairing = RopePairing::kNeighbours,
            .qkv_bias = Presence::kOptional,
            .attn_out_bias = Presence::kOptional,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "mistral3",
            .models = "Ministral 3, Devstral 2",
            .pairing = RopePairing::kNeighbours,
            .qkv_bias = Presence::kOptional,
            .attn_out_bias = Presence::kOptional,
            .rope_factors = Presence::kOptional,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0,
            .has_yarn_multiplier = true,
            .grows_queries = true},
    ArchRow{.architecture = "granite",
            .models = "Granite 3 and 4 (dense)",
            .pairing = RopePairing::kNeighbours,
            .qkv_bias = Presence::kOptional,
            .attn_out_bias = Presence::kOptional,
            .rope_factors = Presence::kOptional,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0,
            .may_be_unturned = true,
            .has_scale_keys = true,
            .ignores_state_sizes = true},
    ArchRow{.architecture = "granitemoe",
            .models = "Granite 3 with experts (1B-A400M, 3B-A800M)",
            .pairing = RopePairing::kNeighbours,
            .qkv_bias = Presence::kOptional,
            .attn_out_bias = Presence::kOptional,
            .rope_factors = Presence::kOptional,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .router = RouterKind::kSoftmaxNormed,
            .expert_width = "feed_forward_length",
            .shared_expert = SharedExpertRow{.is_optional = true},
            .default_rope_theta = 10000.0,
            .may_be_unturned = true,
            .has_scale_keys = true,
            .ignores_state_sizes = true},
    ArchRow{.architecture = "phi3",
            .models = "Phi 3 and 4 (mini 4k and 128k, 14B)",
            .pairing = RopePairing::kHalves,
            .fuses_gate_with_up = true,
            .may_be_long = true,
            .window = WindowRule::kIgnored,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "qwen2",
            .models = "Qwen 1.5, 2 and 2.5",
            .pairing = RopePairing::kHalves,
            .qkv_bias = Presence::kRequired,
            .attn_out_bias = Presence::kNever,
            .qk_norm = Presence::kNever,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "qwen3",
            .models = "Qwen 3",
            .pairing = RopePairing::kHalves,
            .qkv_bias = Presence::kNever,
            .attn_out_bias = Presence::kNever,
            .qk_norm = Presence::kRequired,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "gemma2",
            .models = "Gemma 2",
            .pairing = RopePairing::kHalves,
            .qk_norm = Presence::kNever,
            .has_post_norms = true,
            .window = WindowRule::kPattern,
            .window_period = 2,
            .default_window = 4096,
            .activation = Activation::kGelu,
            .default_rope_theta = 10000.0,
            .scales_embedding = true,
            .n_layers_scaled_by_width = 46,
            .attention_softcap = 50.0,
            .logit_softcap = 30.0},
    ArchRow{.architecture = "gemma3",
            .models = "Gemma 3 (text)",
            .pairing = RopePairing::kHalves,
            .qk_norm = Presence::kRequired,
            .has_post_norms = true,
            .vision_needs_scaling = true,
            .window = WindowRule::kPattern,
            .window_period = 6,
            .activation = Activation::kGelu,
            .default_rope_theta = 1000000.0,
            .windows_are_unscaled = true,
            .window_rope_theta = 10000.0,
            .scales_embedding = true,
            .n_layers_scaled_by_width = 62,
            .logit_softcap = 0.0},
    ArchRow{.architecture = "gemma4",
            .models = "Gemma 4 (E2B, E4B, 12B, 26B-A4B, 31B)",
            .pairing = RopePairing::kHalves,
            .qk_norm = Presence::kRequired,
            .has_value_norm = true,
            .may_lack_values = true,
            .may_share_caches = true,
            .may_have_inputs = true,
            .has_post_norms = true,
            .may_scale_output = true,
            .rope_factors = Presence::kRequired,
            .unused = kSharedCaches,
            .window = WindowRule::kPattern,
            .window_period = 6,
            .activation = Activation::kGelu,
            .router = RouterKind::kSoftmaxNormed,
            .may_lack_experts = true,
            .has_branch_norms = true,
            .shared_expert = SharedExpertRow{.is_named_as_dense = true},
            .default_rope_theta = 1000000.0,
            .has_window_heads = true,
            .windows_are_unscaled = true,
            .window_rope_theta = 10000.0,
            .scales_embedding = true,
            .attention_scale = 1.0,
            .logit_softcap = 0.0},
    ArchRow{.architecture = "qwen3moe",
            .models = "Qwen 3 with experts (30B-A3B, 235B-A22B)",
            .pairing = RopePairing::kHalves,
            .qkv_bias = Presence::kNever,
            .attn_out_bias = Presence::kNever,
            .qk_norm = Presence::kRequired,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .router = RouterKind::kSoftmaxNormed,
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "qwen35",
            .models = "Qwen 3.5, 3.6 and 3.8 (dense)",
            .pairing = RopePairing::kHalves,
            .qk_norm = Presence::kRequired,
            .has_out_gate = true,
            .ffn_norm = "post_attention_norm.weight",
            .delta_net = DeltaNetRow{.attention_period = 4, .heads_are_tiled = true},
            .has_rope_sections = true,
            .skips_prediction_layers = true,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "qwen35moe",
            .models = "Qwen 3.5 and 3.6 with experts (35B-A3B, 122B-A10B, 397B-A17B)",
            .pairing = RopePairing::kHalves,
            .qk_norm = Presence::kRequired,
            .has_out_gate = true,
            .ffn_norm = "post_attention_norm.weight",
            .delta_net = DeltaNetRow{.attention_period = 4, .heads_are_tiled = true},
            .has_rope_sections = true,
            .skips_prediction_layers = true,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .router = RouterKind::kSoftmaxNormed,
            .shared_expert = SharedExpertRow{.has_gate = true},
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "qwen3next",
            .models = "Qwen 3 Next, Qwen 3 Coder Next (80B-A3B)",
            .pairing = RopePairing::kHalves,
            .qk_norm = Presence::kRequired,
            .has_out_gate = true,
            .ffn_norm = "post_attention_norm.weight",
            .delta_net = DeltaNetRow{.attention_period = 4, .fuses_by_key_head = true},
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .router = RouterKind::kSoftmaxNormed,
            .shared_expert = SharedExpertRow{.has_gate = true},
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "gpt-oss",
            .models = "gpt-oss (20B, 120B)",
            .pairing = RopePairing::kHalves,
            .qkv_bias = Presence::kRequired,
            .attn_out_bias = Presence::kRequired,
            .has_sinks = true,
            .ffn_norm = "post_attention_norm.weight",
            .window = WindowRule::kPattern,
            .window_period = 2,
            .default_window = 128,
            .activation = Activation::kClamped,
            .router = RouterKind::kSoftmaxNormed,
            .has_expert_biases = true,
            .default_rope_theta = 150000.0,
            .has_whole_ramp = false},
    ArchRow{.architecture = "glm4moe",
            .models = "GLM 4.5, 4.5 Air, 4.5V, 4.6, 4.6V and 4.7",
            .pairing = RopePairing::kHalves,
            .qkv_bias = Presence::kOptional,
            .qk_norm = Presence::kOptional,
            .ffn_norm = "post_attention_norm.weight",
            .has_rope_sections = true,
            .skips_prediction_layers = true,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .router = RouterKind::kSigmoidNormed,
            .has_router_keys = true,
            .choice_bias = Presence::kRequired,
            .may_mix_dense = true,
            .shared_expert = SharedExpertRow{.is_counted = true},
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "minimax-m2",
            .models = "MiniMax M2 (230B-A10B)",
            .pairing = RopePairing::kHalves,
            .qk_norm = Presence::kRequired,
            .norms_heads_together = true,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .router = RouterKind::kSigmoidNormed,
            .has_router_keys = true,
            .choice_bias = Presence::kRequired,
            .default_rope_theta = 5000000.0},
    ArchRow{.architecture = "ernie4_5-moe",
            .models = "ERNIE 4.5 with experts (21B-A3B, 300B-A47B)",
            .pairing = RopePairing::kNeighbours,
            .qkv_bias = Presence::kOptional,
            .attn_out_bias = Presence::kOptional,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .router = RouterKind::kSoftmaxNormed,
            .choice_bias = Presence::kRequired,
            .may_mix_dense = true,
            .shared_expert = SharedExpertRow{.is_counted = true},
            .default_rope_theta = 500000.0},
    ArchRow{.architecture = "exaone4",
            .models = "EXAONE 4.0 (1.2B, 32B) and 4.5 (33B)",
            .pairing = RopePairing::kHalves,
            .qk_norm = Presence::kRequired,
            .has_pre_norms = false,
            .has_post_norms = true,
            .rope_factors = Presence::kOptional,
            .skips_prediction_layers = true,
            .window = WindowRule::kPattern,
            .window_period = 4,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0,
            .turns_windows_alone = true},
    ArchRow{.architecture = "lfm2",
            .models = "LFM2 and LFM2.5 (dense)",
            .pairing = RopePairing::kHalves,
            .qk_norm = Presence::kRequired,
            .output_norm = "token_embd_norm.weight",
            .has_short_convs = true,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "lfm2moe",
            .models = "LFM2 and LFM2.5 with experts (8B-A1B)",
            .pairing = RopePairing::kHalves,
            .qk_norm = Presence::kRequired,
            .output_norm = "token_embd_norm.weight",
            .has_short_convs = true,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .router = RouterKind::kSigmoidNormed,
            .has_router_keys = true,
            .choice_bias = Presence::kRequired,
            .may_mix_dense = true,
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "olmo2",
            .models = "OLMo 2 and 3",
            .pairing = RopePairing::kHalves,
            .qk_norm = Presence::kRequired,
            .norms_heads_together = true,
            .has_pre_norms = false,
            .has_post_norms = true,
            .window = WindowRule::kPattern,
            .window_period = 4,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0,
            .states_yarn_magnitude = true,
            .windows_are_unscaled = true},
    ArchRow{.architecture = "hunyuan-dense",
            .models = "Hunyuan (dense, 0.5B to 7B)",
            .pairing = RopePairing::kHalves,
            .qk_norm = Presence::kRequired,
            .norms_turned_heads = true,
            .window = WindowRule::kRefused,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0},
    ArchRow{.architecture = "muse-glimmer",
            .models = "Muse Glimmer (30B, text)",
            .pairing = RopePairing::kNeighbours,
            .qk_norm = Presence::kRequired,
            .has_out_gate = true,
            .out_gate_is_apart = true,
            .has_post_norms = true,
            .window = WindowRule::kPattern,
            .window_period = 4,
            .activation = Activation::kSilu,
            .default_rope_theta = 10000.0,
            .turns_windows_alone = true,
            .norms_embedding = true,
            .post_norm_epsilon = 1e-8F,
            .multiplies_logits = true,
            .logit_softcap = 0.0},
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
