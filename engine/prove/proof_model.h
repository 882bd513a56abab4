// Models with random weights, made in memory, with which a device is proved.
#pragma once

#include <array>
#include <memory>

#include "file/model_file.h"
#include "model/model_info.h"

namespace headroom {

struct ProofModel {
  ModelFile file;
  std::shared_ptr<const ModelInfo> info;
};

// A layer for each of the nine pairs of a head size (64, 128, 256) with a number of query heads that share a KV head
// (1, 4, 8). Each weight format is that of a layer's attention or of its FFN. Spread over the layers are windows,
// experts, biases, norms of queries and keys, norms behind attention and FFN, soft caps and both activations. Its width
// is 256 and its FFN as wide, so that a step takes moments; the vocabulary does not end on a panel.
ProofModel make_small_proof_model();

// One layer of Q4_K as wide as that of a model of eight billion parameters, but for its FFN: products and attention
// that fill a large card. 45 MB of weights.
ProofModel make_wide_proof_model();

// The blocks that the small model lacks, by what belongs together: two to four layers each, as wide as the small
// model's, so that roundings do not pile up. Scales are such that a part that is left out changes the logits by more
// than rounding does; tests/engine/prove seeds a fault in each.

// Delta nets with both orders of heads, convolutions over 3 and 4 positions, attention with an output gate whose heads
// turn in part, experts beside a gated shared one.
ProofModel make_recurrent_proof_model();
// Attention with sinks, with and without a window; YaRN; queries that grow; experts with biases; clamped activations.
ProofModel make_sinks_proof_model();
// Heads of 256 in windows and of 512 without; normed values, values that are keys, layers that read caches of others,
// frequency factors. Its head is its embedding.
ProofModel make_long_heads_proof_model();
// Routers by sigmoid, with biases that choose; a shared expert without a gate; norms over all heads together and behind
// the rotation; a layer without norms before its products; LongRoPE; a normed embedding.
ProofModel make_sigmoid_proof_model();
// Layer inputs, factors behind layers, an FFN and experts as two normed branches, scales of experts; a layer without
// rotation; capped logits.
ProofModel make_branch_proof_model();

struct BlockProof {
  ProofModel (*make)();
  bool concerns_caches;  // whether kernels that read or write caches differ: such a model is computed with each type
  // Of what allowed_error() allows: experts multiply what the router's rounding makes of their weights.
  double error_factor = 1.0;
};
inline constexpr std::array<BlockProof, 5> kBlockProofs{{{make_recurrent_proof_model, false},
                                                         {make_sinks_proof_model, true},
                                                         {make_long_heads_proof_model, true},
                                                         {make_sigmoid_proof_model, false, 1.25},
                                                         {make_branch_proof_model, false, 1.25}}};

}  // namespace headroom
