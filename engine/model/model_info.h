// What a model is, layer by layer, without its weights: all that planning and the forward pass need to know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "file/model_file.h"
#include "format/dtype.h"
#include "model/activation.h"
#include "model/tensor_roles.h"

namespace headroom {

struct ArchRow;

enum class AttentionKind : std::uint8_t { kFull, kWindow };
// kLong: LongRoPE, arXiv 2402.13753.
enum class RopeScaling : std::uint8_t { kNone, kLinear, kLlama3, kYarn, kLong };
// Which elements of a head turn together: neighbours (2i, 2i+1), or halves (i, i + rope_dim/2).
enum class RopePairing : std::uint8_t { kNeighbours, kHalves };

// How a row's experts are chosen from the router's logits, one for each expert, and with which weights their results
// are added. Logits become probabilities; the n_experts_used experts with the largest ones are chosen, where the layer
// has biases for the choice (TensorRole::kChoiceBias) with the largest sums of probability and bias. A chosen expert's
// weight is its probability, without the bias. For every kind the order is: larger first, of equal ones the lower
// index, NaN last. So n_experts_used different experts are chosen whatever the logits are.
enum class RouterKind : std::uint8_t {
  kSoftmaxNormed,  // probabilities are a softmax over all experts; weights are divided by the sum of those chosen
  kSoftmax,        // the same, and weights are not divided
  kSigmoidNormed,  // probabilities are the sigmoid of each logit; weights are divided by the sum of those chosen
  kSigmoid,        // the same, and weights are not divided
};
constexpr bool is_sigmoid(RouterKind kind) {
  return kind == RouterKind::kSigmoidNormed || kind == RouterKind::kSigmoid;
}
constexpr bool divides_by_sum(RouterKind kind) {
  return kind == RouterKind::kSoftmaxNormed || kind == RouterKind::kSigmoidNormed;
}
// Weights are divided by this where their sum is smaller. ERNIE 4.5 defines it so; the sums of other models stay far
// above it.
inline constexpr float kLeastWeightSum = 1e-12F;

// Rotary position embedding of one kind of layer. Sources: RoPE arXiv 2104.09864, YaRN arXiv 2309.00071.
struct RopeSpec {
  RopePairing pairing = RopePairing::kNeighbours;
  RopeScaling scaling = RopeScaling::kNone;
  std::uint32_t rope_dim = 0;
  double theta = 10000.0;
  double factor = 1.0;
  std::uint32_t original_n_ctx = 0;                      // llama3, yarn, long
  double low_freq_factor = 1.0, high_freq_factor = 4.0;  // llama3
  double beta_fast = 32.0, beta_slow = 1.0;              // yarn
  double attention_factor = 0.0;    // on cos and sin. yarn, where 0 is 1 + 0.1 ln(factor); long, where 0 is 1
  bool has_whole_ramp = true;       // yarn: the pairs where its ramp begins and ends are rounded to whole numbers
  std::vector<float> freq_factors;  // (rope_dim / 2) divisors from the file; empty: none
  std::vector<float> long_factors;  // long: in their place where a slot has more than original_n_ctx positions
  double growth = 0.0;  // of queries: cos and sin are multiplied by 1 + growth ln(1 + floor(position / original_n_ctx))

  bool operator==(const RopeSpec&) const = default;
};

// The turn per position of each pair, in radians, (rope_dim / 2), and the factor on cos and sin (the attention scale of
// YaRN and LongRoPE; else 1). n_ctx: positions of a slot, which only RopeScaling::kLong asks for.
struct RopeFrequencies {
  std::vector<float> per_pair;
  float magnitude = 1.0F, growth = 0.0F;  // at the first position, and as RopeSpec has it
  std::uint32_t original_n_ctx = 0;
  float magnitude_at(std::uint32_t position) const;
};
RopeFrequencies rope_frequencies(const RopeSpec& rope, std::uint32_t n_ctx = 0);

// How many positions of a slot are kept as F16 beside a quantized cache: the first ones (sinks), to which every query
// pays attention, and a ring of the newest.
struct KvF16Rows {
  std::uint64_t n_sinks = 0, n_ring = 0;  // multiples of kKvRowStep
  std::uint64_t n_rows() const { return n_sinks + n_ring; }
  bool operator==(const KvF16Rows&) const = default;
};

// A gated delta net: a layer that keeps no row for each position but a state of fixed size. Its state has two parts,
// both f32: of the convolution the last conv_width - 1 rows that went into it, (conv_width - 1, n_mixed()); and for
// each value head a matrix of (key_dim, value_dim), which it reads by queries and corrects by keys. Source: arXiv
// 2412.06464.
struct DeltaNetSpec {
  std::uint32_t n_key_heads = 0, n_value_heads = 0;  // the latter a multiple of the former
  std::uint32_t key_dim = 0, value_dim = 0;  // elements of a head, at most kMaxHeadDim; a query has those of a key
  std::uint32_t conv_width = 0;              // 2 to kMaxConvWidth: positions that one output sees
  bool heads_are_tiled = false;              // which key head a value head has: key_head_of()

  bool operator==(const DeltaNetSpec&) const = default;
  std::uint32_t q_dim() const { return n_key_heads * key_dim; }  // of queries, and of keys
  std::uint32_t v_dim() const { return n_value_heads * value_dim; }
  std::uint32_t n_mixed() const { return 2 * q_dim() + v_dim(); }  // channels of the convolution: queries, keys, values
  std::uint32_t values_per_key() const { return n_value_heads / n_key_heads; }
  std::uint32_t key_head_of(std::uint32_t value_head) const {
    return heads_are_tiled ? value_head % n_key_heads : value_head / values_per_key();
  }
  // Of one slot. THE place where bytes of states come from.
  Bytes conv_bytes() const { return Bytes{conv_width - 1} * n_mixed() * sizeof(float); }
  Bytes matrix_bytes() const { return Bytes{n_value_heads} * key_dim * value_dim * sizeof(float); }
  Bytes state_bytes() const { return conv_bytes() + matrix_bytes(); }
  // Multiply-adds of a row with the matrices: what it reads with its key and its query, and what it adds.
  double products_per_row() const { return 3.0 * key_dim * v_dim(); }
};
inline constexpr std::uint32_t kMaxConvWidth = 8;
inline constexpr float kL2NormEpsilon = 1e-6F;  // under the root, of keys and queries; transformers has this one

// A short convolution: a layer that keeps of each slot the last width - 1 rows that went into it, (width - 1,
// n_channels) f32, and nothing else. Of three products of a row, b, c and y, c * conv(b * y) goes into the output
// matrix; there is no bias and no activation. Source: LFM2, arXiv 2511.23404.
struct ShortConvSpec {
  std::uint32_t n_channels = 0;
  std::uint32_t width = 0;  // 2 to kMaxConvWidth: positions that one output sees

  bool operator==(const ShortConvSpec&) const = default;
  Bytes state_bytes() const { return Bytes{width - 1} * n_channels * sizeof(float); }  // of one slot
};

// What a layer is: attention, or a delta net or a short convolution in its place, and then an FFN or experts. Of a
// layer without attention all members of attention are 0 or false.
struct LayerSpec {
  std::optional<DeltaNetSpec> delta_net{};
  std::optional<ShortConvSpec> short_conv{};
  AttentionKind attention = AttentionKind::kFull;
  std::uint32_t n_heads = 0, n_kv_heads = 0;
  std::uint32_t head_dim = 0;                 // even, at most kMaxHeadDim
  std::uint32_t window = 0;                   // kWindow: how many newest positions a query sees
  std::uint32_t rope = 0;                     // index into ModelInfo::ropes
  std::optional<std::uint32_t> query_rope{};  // likewise, of queries where they have another one than keys
  // An earlier layer with heads of the same number and size, whose cache this one reads: it makes queries alone.
  // Absent: it has a cache of its own.
  std::optional<std::uint32_t> kv_layer{};
  float attention_scale = 0.0F;    // on q.k
  float attention_softcap = 0.0F;  // c: a score s, scaled, becomes c tanh(s / c); 0: it stays
  bool has_qkv_bias = false, has_attn_out_bias = false, has_qk_norm = false;
  bool norms_heads_together = false;  // with has_qk_norm: all heads of Q, and all of K, are normed as one vector
  bool norms_turned_heads = false;    // with has_qk_norm: each head is normed behind its rotation, not before it
  bool has_value_norm = false;        // RMS norm, without a weight, of each head of V
  bool value_is_key = false;          // V is made by the matrix of K: it is K without norm of weights and rope
  bool has_out_gate = false;          // what was attended to is multiplied by the sigmoid of a gate of the same size
  bool has_pre_norms = true;          // attention and FFN read the residual normed; else as it is
  bool has_post_norms = false;  // what attention adds to the residual is normed before it is added, as is the FFN's
  float output_scale = 1.0F;    // on the residual, behind all that is added; not 1: of layers with post-norms alone
  // Elements that a layer has of a row's layer inputs: act(gate(residual)) times these goes through a matrix and a
  // norm, and is added behind the FFN. 0: it has none.
  std::uint32_t input_dim = 0;
  Activation activation = Activation::kSilu;
  std::uint32_t d_ff = 0;  // of the FFN; of a layer with experts the width of its shared expert, 0: it has none
  // Experts, of which a row goes through n_experts_used. n_experts 0: none, and the others mean nothing.
  std::uint32_t n_experts = 0, n_experts_used = 0, expert_d_ff = 0;
  RouterKind router = RouterKind::kSoftmaxNormed;
  bool has_shared_gate = false;  // what the shared expert adds is multiplied by the sigmoid of one gate for each row
  // Router, experts and the shared expert each have a norm before them, and the latter two one behind: what a layer
  // with post-norms adds is norm(norm(shared expert) + norm(experts)).
  bool has_branch_norms = false;
  bool has_expert_scales = false;    // a chosen expert's weight is multiplied by a factor of its own
  float router_scale = 1.0F;         // on the router's logits
  float expert_weight_scale = 1.0F;  // on the weights of chosen experts

  bool operator==(const LayerSpec&) const = default;
  bool has_experts() const { return n_experts > 0; }
  // An FFN beside the experts, through which every row goes.
  bool has_shared_expert() const { return has_experts() && d_ff > 0; }
  bool has_state() const { return delta_net || short_conv; }
  bool has_attention() const { return !has_state(); }
  bool has_cache() const { return has_attention() && !kv_layer; }  // its own: a row of K and V for each position
  bool has_inputs() const { return input_dim > 0; }
  float ffn_scale() const { return has_inputs() ? 1.0F : output_scale; }  // on the sum that the FFN ends with
  std::uint32_t rope_of_queries() const { return query_rope.value_or(rope); }
  std::uint32_t q_dim() const { return n_heads * head_dim; }
  std::uint32_t kv_dim() const { return n_kv_heads * head_dim; }
  // Elements of a row that the output matrix reads.
  std::uint32_t mixed_dim() const {
    return delta_net ? delta_net->v_dim() : short_conv ? short_conv->n_channels : q_dim();
  }
  // The parts of a state, of one slot; 0: there is none.
  Bytes conv_bytes() const { return delta_net ? delta_net->conv_bytes() : short_conv ? short_conv->state_bytes() : 0; }
  Bytes matrix_bytes() const { return delta_net ? delta_net->matrix_bytes() : 0; }
  Bytes state_bytes() const { return conv_bytes() + matrix_bytes(); }

  // Positions that the cache that this layer reads holds for one slot: n_ctx, or the window and one batch; a multiple
  // of kKvRowStep. 0 without attention.
  std::uint64_t kv_rows(std::uint64_t n_ctx, std::uint64_t n_batch) const;
  // The F16 rows of this layer. Sinks: the first kKvSinkRows positions, none in a layer with a window. Ring: a tail and
  // one batch. The tail is a sixteenth of kv_rows() between kKvTailRowsMin and kKvTailRowsMany, or a 128th of them, up
  // to kKvTailRowsMax, where that is more. All together are at most an eighth of kv_rows(), because they are there to
  // cost less than they save; then a quarter of them are sinks. None below 256 rows.
  KvF16Rows kv_f16_rows(std::uint64_t n_ctx, std::uint64_t n_batch) const;
  // Bytes of K (or of V) per position, all KV heads. THE place where KV bytes come from.
  Bytes kv_row_bytes(DType dtype) const;
};
inline constexpr std::uint32_t kMaxHeads = 1U << 14, kMaxHeadDim = 1024;
// Keys are kept in groups of this many, so that a kernel always reads whole groups.
inline constexpr std::uint32_t kKvRowStep = 32;
inline constexpr std::uint32_t kKvSinkRows = 128, kKvTailRowsMin = 128, kKvTailRowsMany = 512, kKvTailRowsMax = 1024;

// Tensors that the file holds and the forward pass does not read, as the architecture's row says.
struct NotLoaded {
  Message what;  // for people: "multi-token prediction"
  std::uint64_t n_tensors = 0;
  Bytes n_bytes = 0;
  bool operator==(const NotLoaded&) const = default;
};
Message not_loaded_words(const NotLoaded& unused);  // "15 tensors of multi-token prediction, 312 MiB"

struct ModelInfo {
  std::string name;          // general.name, else the file's stem
  std::string architecture;  // "llama"
  std::uint64_t n_params = 0;
  Bytes file_bytes = 0;  // all parts
  std::uint32_t n_vocab = 0, d_model = 0, n_ctx_trained = 0;
  float norm_epsilon = 1e-5F;
  std::optional<float> post_norm_epsilon{};  // of norms behind attention and FFN, where it is another one
  float embedding_scale = 1.0F;              // on a row of the embedding that becomes the residual
  bool norms_embedding = false;              // such a row is normed behind its scale, without a weight
  float logit_softcap = 0.0F;                // as LayerSpec::attention_softcap, on logits
  // Of a row's layer inputs, those of all layers one behind the other; 0: layers have none. They are made once, of a
  // table of their own and of the embedding: OpKind::kLayerInputs.
  std::uint32_t input_elems = 0;
  std::vector<RopeSpec> ropes;  // at least one
  std::vector<LayerSpec> layers;
  std::vector<WeightTensor> weights;  // every weight that the forward pass reads: see tensor_roles.h
  std::vector<std::pair<std::string, Bytes>> bytes_by_type;  // weight bytes per file type, largest first: "Q4_K"
  // Bytes on the host's heap for the model, beside its arenas: tokenizer, template, tables. Estimated by
  // describe_model() (run/load_model.h), measured by a load; 0: unknown.
  Bytes heap_bytes = 0;
  bool heap_is_measured = false;
  std::uint32_t longest_token_bytes = 0;  // of text; 0: there is no tokenizer, or describe_model() was not asked
  std::vector<NotLoaded> not_loaded;
  std::vector<Message> warnings;  // what may make answers worse than the model is: sentences for users

  std::uint32_t n_layers() const { return static_cast<std::uint32_t>(layers.size()); }
  float epsilon_behind() const { return post_norm_epsilon.value_or(norm_epsilon); }  // of post-norms
  // How many of the last layers stand on one device with their attention, since some of them read caches of others. 0:
  // none do.
  std::uint32_t n_layers_together() const;
  std::uint32_t n_recurrent_layers() const;
  // Whether any layer has a state, which can be taken up only where it stands.
  bool is_recurrent() const { return n_recurrent_layers() > 0; }
  Bytes state_bytes() const;                                                   // of one slot, all layers
  const WeightTensor* find_weight(TensorRole role, std::int32_t layer) const;  // null when absent
  // The share of a weight that one row reads: all of it, or the chosen experts' share of a tensor of experts.
  double share_read(const WeightTensor& weight) const;
};

// Reads and checks a header: kUnsupported names an architecture, type or feature that this build lacks and what would
// be needed, or a key or tensor that would stay unread; kBadFile names a missing or contradictory key or tensor shape.
Result<ModelInfo> read_model_info(const ModelFile& file);
// The same by a given row, whatever architecture the file states.
Result<ModelInfo> read_model_info(const ModelFile& file, const ArchRow& row);

}  // namespace headroom
