#include "model/list_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include "format/dtype_table.h"
#include "model/refusal.h"

namespace headroom {
namespace {

std::string weight_type_names() {
  std::string names;
  for (const DTypeRow& row : kDTypes) {
    if (row.is_weight) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return names;
}

bool is_vector_type(std::optional<DType> dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
}

// Dimensions that a tensor does not have are 1.
bool has_shape(const TensorInfo& tensor, std::span<const std::uint64_t> shape) {
  for (std::size_t i = 0; i < std::max(tensor.shape.size(), shape.size()); ++i) {
    const std::uint64_t found = i < tensor.shape.size() ? tensor.shape[i] : 1, wanted = i < shape.size() ? shape[i] : 1;
    if (found != wanted) return false;
  }
  return true;
}

class WeightLister {
 public:
  WeightLister(const ModelFile& file, const ArchRow& row, float logit_scale, KeyReader& keys, ModelInfo& model,
               std::vector<bool>& is_used)
      : file_(file), row_(row), logit_scale_(logit_scale), keys_(keys), model_(model), is_used_(is_used) {}

  void read() {
    const std::uint32_t d_model = model_.d_model;
    fill(TensorRole::kTokenEmbedding, -1, model_.n_vocab, d_model);
    if (model_.input_elems > 0) {
      fill(TensorRole::kLayerEmbedding, -1, model_.n_vocab, model_.input_elems);
      fill(TensorRole::kInputProject, -1, model_.input_elems, d_model);
      fill(TensorRole::kInputProjectNorm, -1, 1, model_.layers.front().input_dim);
    }
    for (std::uint32_t i = 0; i < model_.n_layers() && !keys_.failed(); ++i)
      fill_layer(static_cast<std::int32_t>(i), model_.layers[i]);
    fill_from(first_there(std::string(row_.output_norm), role_tensor_name(TensorRole::kOutputNorm, -1)),
              TensorRole::kOutputNorm, -1, 1, d_model);
    if (!keys_.failed()) model_.weights.back().factor = logit_scale_;
    if (is_there(TensorRole::kHead, -1)) fill(TensorRole::kHead, -1, model_.n_vocab, d_model);
  }

 private:
  void bad(const Message& message) { keys_.fail(ErrorCode::kBadFile, message); }
  void unsupported(const Message& message) { keys_.fail(ErrorCode::kUnsupported, message); }

  const TensorInfo* require(const std::string& name) {
    const TensorInfo* tensor = file_.find_tensor(name);
    if (tensor == nullptr) bad(Message::say("tensor '{}' is missing", name));
    return tensor;
  }

  void fill_layer(std::int32_t i, LayerSpec& layer) {
    if (layer.has_pre_norms) fill(TensorRole::kAttnNorm, i, 1, model_.d_model);
    if (layer.delta_net) {
      fill_delta_net(i, *layer.delta_net);
    } else if (layer.short_conv) {
      fill_short_conv(i, *layer.short_conv);
    } else {
      fill_attention(i, layer);
    }
    if (layer.has_pre_norms) fill_from(layer_tensor_name(i, row_.ffn_norm), TensorRole::kFfnNorm, i, 1, model_.d_model);
    layer.has_experts() ? fill_experts(i, layer) : fill_dense(i, layer);
    if (layer.has_post_norms) fill(TensorRole::kFfnPostNorm, i, 1, model_.d_model);
    if (!layer.has_inputs()) return;
    fill(TensorRole::kInputGate, i, layer.input_dim, model_.d_model);
    fill(TensorRole::kInputOut, i, model_.d_model, layer.input_dim);
    fill(TensorRole::kInputPostNorm, i, 1, model_.d_model);
  }

  void fill_attention(std::int32_t i, LayerSpec& layer) {
    const std::uint32_t d_model = model_.d_model, q_dim = layer.q_dim(), kv_dim = layer.kv_dim();
    if (layer.has_out_gate && !row_.out_gate_is_apart) {
      fill_slices(role_tensor_name(TensorRole::kQ, i), i, layer.n_heads,
                  {{TensorRole::kQ, layer.head_dim}, {TensorRole::kOutGate, layer.head_dim}});
      fill(TensorRole::kK, i, kv_dim, d_model);
      fill(TensorRole::kV, i, kv_dim, d_model);
    } else if (!layer.kv_layer && has_fused_alone(TensorRole::kQ, i)) {
      fill_slices(*fused_tensor_name(TensorRole::kQ, i), i, 1,
                  {{TensorRole::kQ, q_dim}, {TensorRole::kK, kv_dim}, {TensorRole::kV, kv_dim}});
    } else if (layer.kv_layer) {
      fill(TensorRole::kQ, i, q_dim, d_model);
    } else {
      fill(TensorRole::kQ, i, q_dim, d_model);
      fill(TensorRole::kK, i, kv_dim, d_model);
      layer.value_is_key =
          row_.may_lack_values && layer.attention == AttentionKind::kFull && !is_there(TensorRole::kV, i);
      if (!layer.value_is_key) fill(TensorRole::kV, i, kv_dim, d_model);
    }
    if (layer.has_out_gate && row_.out_gate_is_apart) fill(TensorRole::kOutGate, i, q_dim, d_model);
    fill_biases(i, layer);
    layer.has_qk_norm = wants(row_.qk_norm, TensorRole::kQNorm, i);
    if (layer.has_qk_norm) {
      layer.norms_heads_together = row_.norms_heads_together;
      layer.norms_turned_heads = row_.norms_turned_heads;
      fill(TensorRole::kQNorm, i, 1, layer.norms_heads_together ? q_dim : layer.head_dim);
      if (!layer.kv_layer) fill(TensorRole::kKNorm, i, 1, layer.norms_heads_together ? kv_dim : layer.head_dim);
    }
    if (row_.has_sinks) fill(TensorRole::kAttnSinks, i, 1, layer.n_heads);
    fill(TensorRole::kAttnOut, i, d_model, q_dim);
    layer.has_attn_out_bias = wants(row_.attn_out_bias, TensorRole::kAttnOutBias, i);
    if (layer.has_attn_out_bias) fill(TensorRole::kAttnOutBias, i, 1, d_model);
    if (layer.has_post_norms) fill(TensorRole::kAttnPostNorm, i, 1, d_model);
  }

  void fill_biases(std::int32_t i, LayerSpec& layer) {
    const std::uint32_t q_dim = layer.q_dim(), kv_dim = layer.kv_dim();
    const bool is_fused =
        row_.qkv_bias != Presence::kNever && !layer.kv_layer && has_fused_alone(TensorRole::kQBias, i);
    layer.has_qkv_bias = is_fused || wants(row_.qkv_bias, TensorRole::kQBias, i);
    if (!layer.has_qkv_bias) return;
    if (is_fused) return fill_fused_biases(i, q_dim, kv_dim);
    fill(TensorRole::kQBias, i, 1, q_dim);
    if (layer.kv_layer) return;
    fill(TensorRole::kKBias, i, 1, kv_dim);
    fill(TensorRole::kVBias, i, 1, kv_dim);
  }

  // One vector. A weight's rows are counted in its own length, and those of K begin at a whole one: heads of Q are a
  // multiple of those of K.
  void fill_fused_biases(std::int32_t i, std::uint64_t q_dim, std::uint64_t kv_dim) {
    const TensorInfo* tensor = keys_.failed() ? nullptr : require(*fused_tensor_name(TensorRole::kQBias, i));
    if (tensor == nullptr || !check_shape(*tensor, 1, q_dim + 2 * kv_dim)) return;
    add_weight(*tensor, TensorRole::kQBias, i, {}, 1, q_dim);
    add_weight(*tensor, TensorRole::kKBias, i, {.first = q_dim / kv_dim}, 1, kv_dim);
    add_weight(*tensor, TensorRole::kVBias, i, {.first = q_dim / kv_dim + 1}, 1, kv_dim);
  }

  void fill_delta_net(std::int32_t i, const DeltaNetSpec& spec) {
    const std::uint32_t d_model = model_.d_model;
    const bool fuses = row_.delta_net->fuses_by_key_head;
    if (const std::string name = layer_tensor_name(i, kDeltaInTensor); fuses && file_.find_tensor(name) != nullptr) {
      fill_slices(name, i, spec.n_key_heads,
                  {{TensorRole::kQ, spec.key_dim},
                   {TensorRole::kK, spec.key_dim},
                   {TensorRole::kV, spec.values_per_key() * spec.value_dim},
                   {TensorRole::kOutGate, spec.values_per_key() * spec.value_dim}});
    } else {
      fill_slices(*fused_tensor_name(TensorRole::kQ, i), i, 1,
                  {{TensorRole::kQ, spec.q_dim()}, {TensorRole::kK, spec.q_dim()}, {TensorRole::kV, spec.v_dim()}});
      fill(TensorRole::kOutGate, i, spec.v_dim(), d_model);
    }
    if (fuses) {
      fill_slices(layer_tensor_name(i, kDeltaRatesTensor), i, spec.n_key_heads,
                  {{TensorRole::kBeta, spec.values_per_key()}, {TensorRole::kAlpha, spec.values_per_key()}});
    } else {
      fill(TensorRole::kAlpha, i, spec.n_value_heads, d_model);
      fill(TensorRole::kBeta, i, spec.n_value_heads, d_model);
    }
    fill(TensorRole::kConv, i, spec.n_mixed(), spec.conv_width);
    fill_from(first_there(role_tensor_name(TensorRole::kTimeBias, i), layer_tensor_name(i, kOldTimeBiasTensor)),
              TensorRole::kTimeBias, i, 1, spec.n_value_heads);
    fill(TensorRole::kDecay, i, 1, spec.n_value_heads);
    fill(TensorRole::kReadNorm, i, 1, spec.value_dim);
    fill_from(layer_tensor_name(i, kDeltaOutTensor), TensorRole::kAttnOut, i, d_model, spec.v_dim());
  }

  void fill_short_conv(std::int32_t i, const ShortConvSpec& spec) {
    fill_slices(
        layer_tensor_name(i, kShortConvInTensor), i, 1,
        {{TensorRole::kK, spec.n_channels}, {TensorRole::kQ, spec.n_channels}, {TensorRole::kV, spec.n_channels}});
    fill_from(layer_tensor_name(i, kShortConvTensor), TensorRole::kConv, i, spec.n_channels, spec.width);
    fill_from(layer_tensor_name(i, kShortConvOutTensor), TensorRole::kAttnOut, i, model_.d_model, spec.n_channels);
  }

  struct Slice {
    TensorRole role;
    std::uint64_t n_rows;
  };

  // Roles that share a tensor, whose rows come in groups: each group has the rows of one role behind those of the
  // other. Example: of a delta net a key head is a group, with its query, its key, the values and the gates that belong
  // to it; queries, keys and values of attention are one group. Of experts each matrix is one.
  void fill_slices(const std::string& name, std::int32_t i, std::uint64_t n_groups, std::initializer_list<Slice> slices,
                   std::uint64_t n_matrices = 1) {
    const TensorInfo* tensor = keys_.failed() ? nullptr : require(name);
    std::uint64_t step = 0, first = 0;
    for (const Slice& slice : slices) step += slice.n_rows;
    if (tensor == nullptr || !check_shape(*tensor, n_groups * step, model_.d_model, n_matrices)) return;
    for (const Slice& slice : slices) {
      add_weight(*tensor, slice.role, i, {first, slice.n_rows, step}, n_groups * slice.n_rows, model_.d_model);
      if (!keys_.failed()) model_.weights.back().n_matrices = n_matrices;
      first += slice.n_rows;
    }
  }

  void fill_dense(std::int32_t i, const LayerSpec& layer) {
    if (row_.fuses_gate_with_up) {
      fill_slices(role_tensor_name(TensorRole::kUp, i), i, 1,
                  {{TensorRole::kGate, layer.d_ff}, {TensorRole::kUp, layer.d_ff}});
      return fill(TensorRole::kDown, i, model_.d_model, layer.d_ff);
    }
    fill(TensorRole::kGate, i, layer.d_ff, model_.d_model);
    fill(TensorRole::kUp, i, layer.d_ff, model_.d_model);
    fill(TensorRole::kDown, i, model_.d_model, layer.d_ff);
  }

  void fill_experts(std::int32_t i, LayerSpec& layer) {
    fill(TensorRole::kRouter, i, layer.n_experts, model_.d_model);
    fill_gates_and_ups(i, layer);
    fill(TensorRole::kExpertDown, i, model_.d_model, layer.expert_d_ff, layer.n_experts);
    if (row_.has_expert_biases) fill_expert_biases(i, layer);
    if (wants(row_.choice_bias, TensorRole::kChoiceBias, i)) fill(TensorRole::kChoiceBias, i, 1, layer.n_experts);
    if (layer.has_branch_norms) fill_branch_norms(i, layer);
    if (!layer.has_shared_expert()) return;
    if (row_.shared_expert->is_named_as_dense) return fill_dense(i, layer);
    fill_from(layer_tensor_name(i, kSharedExpertGateTensor), TensorRole::kGate, i, layer.d_ff, model_.d_model);
    fill_from(layer_tensor_name(i, kSharedExpertUpTensor), TensorRole::kUp, i, layer.d_ff, model_.d_model);
    fill_from(layer_tensor_name(i, kSharedExpertDownTensor), TensorRole::kDown, i, model_.d_model, layer.d_ff);
    if (layer.has_shared_gate) fill(TensorRole::kSharedGate, i, 1, model_.d_model);
  }

  void fill_expert_biases(std::int32_t i, const LayerSpec& layer) {
    fill(TensorRole::kRouterBias, i, 1, layer.n_experts);
    fill_vectors(TensorRole::kExpertGateBias, i, layer.n_experts, layer.expert_d_ff);
    fill_vectors(TensorRole::kExpertUpBias, i, layer.n_experts, layer.expert_d_ff);
    fill_vectors(TensorRole::kExpertDownBias, i, layer.n_experts, model_.d_model);
  }

  void fill_branch_norms(std::int32_t i, LayerSpec& layer) {
    for (const TensorRole norm :
         {TensorRole::kRouterNorm, TensorRole::kExpertNorm, TensorRole::kExpertPostNorm, TensorRole::kSharedPostNorm})
      fill(norm, i, 1, model_.d_model);
    layer.router_scale = 1.0F / std::sqrt(static_cast<float>(model_.d_model));
    layer.has_expert_scales = is_there(TensorRole::kExpertScale, i);
    if (layer.has_expert_scales) fill(TensorRole::kExpertScale, i, 1, layer.n_experts);
  }

  // Of all experts: two tensors or, where a converter was asked for it, one.
  void fill_gates_and_ups(std::int32_t i, const LayerSpec& layer) {
    const std::uint64_t width = layer.expert_d_ff;
    if (!has_fused_alone(TensorRole::kExpertGate, i)) {
      fill(TensorRole::kExpertGate, i, width, model_.d_model, layer.n_experts);
      fill(TensorRole::kExpertUp, i, width, model_.d_model, layer.n_experts);
      return;
    }
    fill_slices(*fused_tensor_name(TensorRole::kExpertGate, i), i, 1,
                {{TensorRole::kExpertGate, width}, {TensorRole::kExpertUp, width}}, layer.n_experts);
  }

  // Whether the rows of the role stand in a tensor with those of others, and have none of their own.
  bool has_fused_alone(TensorRole role, std::int32_t layer) const {
    return !is_there(role, layer) && file_.find_tensor(*fused_tensor_name(role, layer)) != nullptr;
  }

  bool is_there(TensorRole role, std::int32_t layer) const {
    return file_.find_tensor(role_tensor_name(role, layer)) != nullptr;
  }

  // The other name where the file has a tensor of that one alone.
  std::string first_there(std::string name, std::string other) const {
    const bool has_other_alone = file_.find_tensor(name) == nullptr && file_.find_tensor(other) != nullptr;
    return has_other_alone ? std::move(other) : std::move(name);
  }

  bool wants(Presence presence, TensorRole role, std::int32_t layer) const {
    return presence == Presence::kRequired || (presence == Presence::kOptional && is_there(role, layer));
  }

  // The role is the whole of its own tensor.
  void fill(TensorRole role, std::int32_t layer, std::uint64_t n_rows, std::uint64_t n_cols,
            std::uint64_t n_matrices = 1) {
    fill_from(role_tensor_name(role, layer), role, layer, n_rows, n_cols, n_matrices);
  }

  // Likewise of a tensor that this architecture names otherwise.
  void fill_from(const std::string& name, TensorRole role, std::int32_t layer, std::uint64_t n_rows,
                 std::uint64_t n_cols, std::uint64_t n_matrices = 1) {
    const TensorInfo* tensor = keys_.failed() ? nullptr : require(name);
    if (tensor == nullptr || !check_shape(*tensor, n_rows, n_cols, n_matrices)) return;
    add_weight(*tensor, role, layer, {}, n_rows, n_cols);
    if (!keys_.failed()) model_.weights.back().n_matrices = n_matrices;
  }

  // A vector of each expert, all of which become one.
  void fill_vectors(TensorRole role, std::int32_t layer, std::uint64_t n_vectors, std::uint64_t n_elems) {
    const TensorInfo* tensor = keys_.failed() ? nullptr : require(role_tensor_name(role, layer));
    if (tensor == nullptr || !check_shape(*tensor, n_vectors, n_elems)) return;
    add_weight(*tensor, role, layer, {}, 1, n_vectors * n_elems);
  }

  bool check_shape(const TensorInfo& tensor, std::uint64_t n_rows, std::uint64_t n_cols, std::uint64_t n_matrices = 1) {
    const std::array<std::uint64_t, 3> shape{n_cols, n_rows, n_matrices};
    if (has_shape(tensor, shape)) return true;
    bad(Message::say("tensor '{}' has shape ({}), expected ({}) from the metadata", tensor.name,
                     fmt::format("{}", fmt::join(tensor.shape, ", ")),
                     fmt::format("{}", fmt::join(std::span(shape).first(n_matrices > 1 ? 3 : 2), ", "))));
    return false;
  }

  void add_weight(const TensorInfo& tensor, TensorRole role, std::int32_t layer, TensorRows rows, std::uint64_t n_rows,
                  std::uint64_t n_cols) {
    const bool type_works =
        role_is_matrix(role) ? tensor.dtype && dtype_row(*tensor.dtype).is_weight : is_vector_type(tensor.dtype);
    if (!type_works) {
      const Message sentence =
          Message::say("tensor '{}' is {}, which this version cannot compute with; supported: {}", tensor.name,
                       tensor.type_name, role_is_matrix(role) ? weight_type_names() : std::string("F32, F16, BF16"));
      if (tensor.dtype) return unsupported(sentence);
      return unsupported(sentence.with_details(Message::say("{}.", foreign_type_words(file_, tensor.file_type))));
    }
    const auto index = static_cast<std::uint32_t>(&tensor - file_.tensors().data());
    is_used_[index] = true;
    WeightTensor weight;
    weight.role = role;
    weight.layer = layer;
    weight.name = tensor.name;
    weight.file_tensor = index;
    weight.dtype = *tensor.dtype;
    weight.rows = rows;
    weight.n_rows = n_rows;
    weight.n_cols = n_cols;
    model_.weights.push_back(std::move(weight));
  }

  const ModelFile& file_;
  const ArchRow& row_;
  const float logit_scale_;
  KeyReader& keys_;
  ModelInfo& model_;
  std::vector<bool>& is_used_;
};

}  // namespace

void list_weights(const ModelFile& file, const ArchRow& row, float logit_scale, KeyReader& keys, ModelInfo& model,
                  std::vector<bool>& is_used) {
  WeightLister(file, row, logit_scale, keys, model, is_used).read();
}

}  // namespace headroom
