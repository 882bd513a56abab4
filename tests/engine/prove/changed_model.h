// A made model with something left out or changed: what a device that computes wrongly would compute.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "base/check.h"
#include "prove/proof_model.h"

namespace headroom::test {

class ChangedModel {
 public:
  explicit ChangedModel(const ModelInfo& sound) : info(sound) {}

  LayerSpec& layer(std::size_t i) { return info.layers[i]; }
  WeightTensor& weight(TensorRole role, std::int32_t of_layer) {
    const auto found = std::ranges::find_if(
        info.weights, [&](const WeightTensor& each) { return each.role == role && each.layer == of_layer; });
    CHECK(found != info.weights.end(), "a fault is seeded in a weight that is not there");
    return *found;
  }
  void erase(TensorRole role, std::int32_t of_layer) {
    const std::ptrdiff_t at = &weight(role, of_layer) - info.weights.data();
    info.weights.erase(info.weights.begin() + at);
  }
  void swap(TensorRole one, TensorRole other, std::int32_t of_layer) {
    std::swap(weight(one, of_layer).role, weight(other, of_layer).role);
  }
  // A layer gets what another one has in this role.
  void copy(TensorRole role, std::int32_t from_layer, std::int32_t to_layer) {
    WeightTensor copied = weight(role, from_layer);
    copied.layer = to_layer;
    info.weights.push_back(std::move(copied));
  }
  // All rows are the first one.
  void repeat_first_row(TensorRole role, std::int32_t of_layer) {
    weight(role, of_layer).rows = {.first = 0, .n_together = 1, .step = 0};
  }

  ModelInfo info;
};

struct SeededFault {
  std::string name;  // of the part, as a part of a test's name
  std::function<void(ChangedModel&)> change;
};

// One for each part that makes one of kBlockProofs what it is; in the order of that list.
struct FaultsOfBlock {
  ProofModel (*make)();
  std::vector<SeededFault> faults;
};
std::vector<FaultsOfBlock> seeded_faults();

}  // namespace headroom::test
