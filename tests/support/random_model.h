// Small GGUF models with random weights, made when a test runs: any architecture row, shape and weight type.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "file/gguf_writer.h"
#include "format/dtype.h"
#include "model/tensor_roles.h"

namespace headroom::test {

struct RandomModelSpec {
  std::string architecture = "llama";  // biases and norms follow from its row of arch_table
  std::uint32_t n_layers = 2, d_model = 256, n_heads = 4, n_kv_heads = 2;
  std::uint32_t head_dim = 0;                                    // 0: d_model / n_heads, and no key for it in the file
  std::uint32_t d_ff = 512, n_vocab = 288, n_ctx_trained = 512;  // d_ff: of each expert where the row has experts
  std::uint32_t n_experts = 4, n_experts_used = 2;               // where the row has them; 0: where it may lack them
  // Of the shared expert, where the row has one; 0: where it may lack it. A row that counts shared experts has as many
  // as fit into it.
  std::uint32_t shared_d_ff = 256;
  // Where the row says so: the first layers have a dense FFN of the width dense_d_ff, and of those behind them all but
  // every expert_step-th.
  std::uint32_t n_dense_layers = 0, expert_step = 1, dense_d_ff = 0;
  // Where the row has delta nets or short convolutions: every so-many-th layer has attention, the others states, of
  // heads of state_dim.
  std::uint32_t attention_period = 2, n_key_heads = 2, n_value_heads = 4, state_dim = 64, conv_width = 4;
  std::vector<std::uint32_t> attention_layers;  // in place of that period; of short convolutions alone
  std::vector<std::uint32_t> stated_kv_heads;   // attention.head_count_kv; empty: what the layers have, one number
                                                // where they are alike
  std::uint32_t window = 0;                     // attention.sliding_window; 0: no such key
  // Where the row says so, heads of layers with a window, which all but every window_period-th have; 0: as the others.
  std::uint32_t window_head_dim = 0, window_period = 6;
  std::uint32_t full_kv_heads = 0;  // with these, heads of K and V in the layers without a window; 0: as the others
  // Where the row says so: the last layers read caches of earlier ones, and each has so many elements of layer inputs.
  // d_ff_of_shared: of the former, whose FFN may have a width of its own; 0: as the others.
  std::uint32_t n_shared_caches = 0, input_dim = 0, d_ff_of_shared = 0;
  bool has_tied_head = false;
  // What the row calls optional, or what may be fused: biases of llama, inputs of delta nets, gates of experts with
  // ups; factors of layers of gemma4, and values that are keys in its layers without a window.
  bool has_optional_parts = false;

  bool fuses_qkv = false;  // attn_qkv.weight and attn_qkv.bias, which rows with output gates in Q cannot have

  // Every matrix, and exceptions by slot. d_model and d_ff must be multiples of the block of their types.
  DType weight_type = DType::kF32;
  DType vector_type = DType::kF32;  // of norms and biases
  std::map<TensorRole, DType> role_types;
  // In place of both: the type of a matrix by its role, layer (-1: of none) and row length.
  std::function<DType(TensorRole, std::int32_t, std::uint64_t)> type_rule;

  // Channels 2 and 3 of each head of K are this much larger, and of Q smaller: what real models are known for, with the
  // same scores.
  float key_outlier = 1.0F;
  // Queries, and so scores, are this much larger: 100 spreads them further apart than exp() reaches.
  float query_scale = 1.0F;

  // Metadata below the architecture's prefix, in place of what experts would say: {"rope.freq_base", 500000.0F};
  // strings: {"rope.scaling.type", "yarn"}.
  std::map<std::string, float> float_keys;
  std::map<std::string, std::uint32_t> uint_keys;
  std::map<std::string, std::string> string_keys;
  // Likewise arrays, of the keys of experts alone; empty: the file does not have the key.
  std::map<std::string, std::vector<std::uint32_t>> array_keys;
  // What the names of tensors end with, and what stands in its place: {"ssm_dt.bias", "ssm_dt"}.
  std::map<std::string, std::string> tensor_names;
  std::vector<float> freq_factors;  // rope_freqs.weight; empty: none, or of a quarter of the pairs where it is required
  std::vector<float> short_factors, long_factors;  // rope_factors_short.weight, rope_factors_long.weight; empty: none
  std::string chat_template;                       // empty: no such key
  bool has_tokenizer = true;                       // false: none, whatever n_vocab is
  bool names_pre_tokenizer = true;                 // tokenizer.ggml.pre
  bool has_end = true;  // a token that ends an answer; without one the byte-level models go on forever

  // Of each matrix, those of experts too; the rows behind them repeat these. For tests that ask what memory is read and
  // not what comes of it: such a model takes a fraction of the time to make. 0: 512, and all of experts.
  std::uint32_t n_distinct_rows = 0;
  std::uint64_t seed = 1;
  // Weights are holes in the file (zeros): headers of models of any size cost nothing. Norms are holes as well, so all
  // logits are 0.
  bool has_holes = false;
};

// Of the shape and types of a model of 70 billion parameters, with holes: 40 GB that take no disk.
RandomModelSpec spec_of_40_gb();

// Metadata, tokenizer (n_vocab of at least 288, else none: SentencePiece style for llama and gemma, byte-level BPE for
// the others) and tensors. Matrices are scaled so that activations stay near 1; from 512 rows on, rows repeat every
// 512, so that large models are quick to make; those of experts do not.
GgufWriter random_gguf(const RandomModelSpec& spec);

// The same in a file NAME.gguf below `folder`, which exists. Aborts the test binary when the file cannot be written.
std::filesystem::path make_random_model(const RandomModelSpec& spec, const std::filesystem::path& folder,
                                        const std::string& name = "model");

// The name of an architecture as a part of that of a test, which has no hyphens.
std::string architecture_label(std::string_view architecture);

}  // namespace headroom::test
