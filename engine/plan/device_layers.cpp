#include "plan/device_layers.h"

#include <algorithm>

#include "plan/device_rules.h"
#include "plan/kv_regions.h"
#include "plan/placement.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

Bytes add(Bytes a, Bytes b) { return checked_add(a, b).value_or(kNoRoom); }
Bytes rounded(Bytes bytes, Bytes step) { return bytes > kNoRoom - step ? kNoRoom : round_up(bytes, step); }

Bytes between(const std::vector<Bytes>& sums, std::uint32_t first, std::uint32_t end) {
  return sums[end] == kNoRoom ? kNoRoom : sums[end] - sums[first];
}

void sum_up(std::vector<Bytes>& sums) {
  for (std::size_t i = 1; i < sums.size(); ++i) sums[i] = add(sums[i], sums[i - 1]);
}

// Regions of one lifetime, packed in order.
class Sum {
 public:
  explicit Sum(const ArenaRules& rules) : packer_(rules) {}
  void add(Bytes bytes) {
    if (bytes == 0) return;
    const ArenaPacker::Where where = packer_.add(bytes);
    has_room_ &= where != ArenaPacker::Where::kNowhere && where != ArenaPacker::Where::kBeyond;
  }
  Bytes total() const { return has_room_ ? packer_.total().value_or(kNoRoom) : kNoRoom; }

 private:
  ArenaPacker packer_;
  bool has_room_ = true;
};

}  // namespace

LiveBytes live_bytes(const ModelInfo& model, std::uint32_t max_rows, Bytes buffer_alignment) {
  LiveBytes live;
  for (const LayerSpec& layer : model.layers) {
    live.attention.push_back(attention_live_bytes(model, layer, max_rows, buffer_alignment));
    live.ffn.push_back(ffn_live_bytes(model, layer, max_rows, buffer_alignment));
  }
  live.embedding = embedding_live_bytes(model, max_rows, buffer_alignment);
  return live;
}

DeviceLayers::DeviceLayers(const ModelInfo& model, const DeviceInfo& info, const PlanOptions& options,
                           const LiveBytes& live)
    : rules_(arena_rules(info)), live_(live), tied_head_(has_tied_head(model)) {
  measure_weights(model, info);
  measure_caches(model, options);
  const auto scratch = [&](DeviceWork work) {
    return rounded(scratch_bytes(model, info, options, options.step_rows(), work), rules_.alignment);
  };
  scratch_computes_ = scratch(DeviceWork::kComputes);
  scratch_embeds_ = scratch(DeviceWork::kEmbeds);
  logits_ = rounded(Bytes{options.n_logit_rows} * model.n_vocab * kF32Bytes, rules_.alignment);
  candidates_ = rounded(candidate_scratch(model, options).total(), rules_.alignment);
  if (info.takes_streams()) {
    for (const StreamedRole& slot : streamed_role_sizes(model, info.traits.weight_layout))
      streamed_.push_back(rounded(slot.bytes, rules_.alignment));
  }
  if (info.kind != DeviceKind::kCpu) return;
  sampler_ = rounded(sampler_layout(model, options).total(), rules_.alignment);
  tokens_ = rounded(slot_token_bytes(options), rules_.alignment);
}

void DeviceLayers::measure_weights(const ModelInfo& model, const DeviceInfo& info) {
  attention_.assign(model.layers.size() + 1, 0);
  ffn_.assign(model.layers.size() + 1, 0);
  for (const WeightTensor& tensor : model.weights) {
    Weight weight{.bytes = rounded(weight_bytes(tensor, info.traits.weight_layout), rules_.alignment)};
    if (tensor.layer >= 0) {
      weight.part = role_is_ffn(tensor.role) ? Part::kFfn : Part::kAttention;
      weight.layer = static_cast<std::uint32_t>(tensor.layer);
      Bytes& sum = (weight.part == Part::kFfn ? ffn_ : attention_)[weight.layer + 1];
      sum = add(sum, weight.bytes);
    } else {
      weight.part = tensor.role == TensorRole::kTokenEmbedding ? Part::kEmbedding : Part::kHead;
      Bytes& sum = weight.part == Part::kEmbedding ? embedding_ : head_;
      sum = add(sum, weight.bytes);
    }
    if (rules_.largest_arena) weights_.push_back(weight);
  }
  sum_up(attention_);
  sum_up(ffn_);
}

void DeviceLayers::measure_caches(const ModelInfo& model, const PlanOptions& options) {
  cache_.assign(model.layers.size() + 1, 0);
  for (std::uint32_t i = 0; i < model.n_layers(); ++i) {
    for (const KvRegion& kv : kv_regions(model.layers[i], options)) {
      const Bytes bytes = kv_region_bytes(model.layers[i], kv, options.n_slots).value_or(kNoRoom);
      cache_[i + 1] = add(cache_[i + 1], rounded(bytes, rules_.alignment));
      if (rules_.largest_arena) caches_.push_back({i, bytes});
    }
  }
  sum_up(cache_);
}

bool DeviceLayers::is_of(const Weight& weight, const LayerParts& parts) const {
  switch (weight.part) {
    case Part::kAttention: return weight.layer >= parts.first_attention && weight.layer < parts.end_attention;
    case Part::kFfn: return weight.layer >= parts.first_ffn && weight.layer < parts.end_ffn;
    case Part::kEmbedding: return parts.has_embedding || (tied_head_ && parts.has_head);
    case Part::kHead: return parts.has_head;
  }
  return false;
}

Bytes DeviceLayers::weights(const LayerParts& parts) const {
  Sum sum(rules_);
  if (rules_.largest_arena) {
    for (const Weight& weight : weights_) {
      if (is_of(weight, parts)) sum.add(weight.bytes);
    }
    return sum.total();
  }
  sum.add(between(attention_, parts.first_attention, parts.end_attention));
  sum.add(between(ffn_, parts.first_ffn, parts.end_ffn));
  if (parts.has_embedding || (tied_head_ && parts.has_head)) sum.add(embedding_);
  if (parts.has_head) sum.add(head_);
  return sum.total();
}

Bytes DeviceLayers::session(const LayerParts& parts) const {
  Sum sum(rules_);
  if (rules_.largest_arena) {
    for (const Cache& cache : caches_) {
      if (cache.layer >= parts.first_attention && cache.layer < parts.end_attention) sum.add(cache.bytes);
    }
  } else {
    sum.add(between(cache_, parts.first_attention, parts.end_attention));
  }
  const bool computes =
      parts.first_attention < parts.end_attention || parts.first_ffn < parts.end_ffn || parts.streams();
  sum.add(live(parts));
  if (parts.has_head) sum.add(logits_);
  if (computes || parts.has_head) {
    sum.add(scratch_computes_);
  } else if (parts.has_embedding) {
    sum.add(scratch_embeds_);
  }
  if (parts.has_head) sum.add(candidates_);
  if (parts.streams()) {
    for (const Bytes bytes : streamed_) sum.add(bytes);
  }
  sum.add(parts.panel_rows);
  sum.add(sampler_);
  sum.add(tokens_);
  sum.add(parts.staging);
  return sum.total();
}

Bytes DeviceLayers::live(const LayerParts& parts) const {
  Bytes most = parts.has_embedding ? live_.embedding : 0;
  for (std::uint32_t i = parts.first_attention; i < parts.end_attention; ++i) most = std::max(most, live_.attention[i]);
  for (std::uint32_t i = parts.first_ffn; i < parts.end_ffn; ++i) most = std::max(most, live_.ffn[i]);
  for (std::uint32_t i = parts.first_streamed; i < parts.end_streamed; ++i) most = std::max(most, live_.ffn[i]);
  return most;
}

Bytes DeviceLayers::bytes(const LayerParts& parts) const { return add(weights(parts), session(parts)); }

}  // namespace headroom
