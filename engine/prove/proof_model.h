// Models with random weights, made in memory, with which a device is proved.
#pragma once

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

}  // namespace headroom
