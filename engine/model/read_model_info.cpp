#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "file/show_name.h"
#include "model/arch_table.h"
#include "model/key_reader.h"
#include "model/list_weights.h"
#include "model/model_info.h"
#include "model/model_name.h"
#include "model/read_delta_net.h"
#include "model/read_experts.h"
#include "model/read_heads.h"
#include "model/read_layer_inputs.h"
#include "model/read_rope.h"
#include "model/read_scales.h"
#include "model/read_short_conv.h"
#include "model/read_windows.h"
#include "model/refusal.h"
#include "model/refuse_incomplete.h"
#include "model/refused_arch.h"
#include "model/unapplied_keys.h"
#include "model/unread_tensors.h"

namespace headroom {
namespace {

constexpr std::uint32_t kMaxWidth = 1U << 24;

class ModelInfoReader {
 public:
  ModelInfoReader(const ModelFile& file, const ArchRow& row)
      : file_(file), row_(row), keys_(file, std::string(row.architecture)), is_used_(file.tensors().size()) {}

  Result<ModelInfo> read() {
    model_.architecture = row_.architecture;
    model_.file_bytes = file_.n_bytes();
    for (auto step : {&ModelInfoReader::read_name, &ModelInfoReader::refuse_experts, &ModelInfoReader::refuse_parts,
                      &ModelInfoReader::read_sizes, &ModelInfoReader::read_layers, &ModelInfoReader::read_scales,
                      &ModelInfoReader::read_ropes, &ModelInfoReader::refuse_keys, &ModelInfoReader::read_vocabulary,
                      &ModelInfoReader::list_weights, &ModelInfoReader::sort_tensors, &ModelInfoReader::check_tokenizer,
                      &ModelInfoReader::sum_up}) {
      (this->*step)();
      if (keys_.failed()) return keys_.take_error();
    }
    return std::move(model_);
  }

 private:
  void bad(const Message& message) { keys_.fail(ErrorCode::kBadFile, message); }

  void read_name() {
    const Result<std::string> name = read_model_name(file_);
    if (!name) return keys_.fail(name.error());
    model_.name = *name;
  }

  void refuse_experts() { headroom::refuse_experts(row_, keys_); }
  void refuse_parts() { refuse_incomplete(file_, row_, keys_); }
  void refuse_keys() { refuse_unapplied_keys(file_, row_, keys_); }

  void read_sizes() {
    if (file_.tensors().empty()) return bad(Message::say("holds no tensors: a vocabulary alone cannot be run"));
    n_blocks_ = keys_.positive("block_count", std::numeric_limits<std::uint32_t>::max());
    // Every layer has tensors of its own, so this bounds what a lying count can cost.
    if (n_blocks_ > file_.tensors().size()) {
      return bad(Message::say("metadata '{}' is {}, but the file holds only {} tensors", keys_.full_key("block_count"),
                              n_blocks_, file_.tensors().size()));
    }
    n_layers_ = n_blocks_ - read_prediction_layers();
    model_.d_model = keys_.positive("embedding_length", kMaxWidth);
    model_.n_ctx_trained = keys_.positive("context_length", kMaxPositions);
    model_.norm_epsilon = static_cast<float>(keys_.number("attention.layer_norm_rms_epsilon"));
    if (!keys_.failed() && !(model_.norm_epsilon >= 0 && model_.norm_epsilon < 1)) {
      bad(Message::say("metadata '{}' is {}, expected 0 to 1", keys_.full_key("attention.layer_norm_rms_epsilon"),
                       model_.norm_epsilon));
    }
  }

  // How many of the last layers are not run: fewer than there are.
  std::uint32_t read_prediction_layers() {
    constexpr std::string_view kKey = "nextn_predict_layers";
    const std::uint32_t n = row_.skips_prediction_layers ? keys_.count(kKey, kMaxPositions, 0) : 0;
    if (keys_.failed() || n < n_blocks_) return n;
    bad(Message::say("metadata '{}' is {}, expected less than '{}', {}", keys_.full_key(kKey), n,
                     keys_.full_key("block_count"), n_blocks_));
    return 0;
  }

  void read_layers() {
    const auto n_heads = keys_.per_layer("attention.head_count", n_blocks_, kMaxHeads);
    // Files may state none for layers that have a state in the place of a cache.
    const std::uint32_t least_kv_heads = row_.has_short_convs || row_.delta_net ? 0 : 1;
    const auto n_kv_heads = keys_.per_layer("attention.head_count_kv", n_blocks_, kMaxHeads, n_heads, least_kv_heads);
    const LayerSpec experts = read_experts(file_, row_, n_blocks_, kMaxWidth, keys_);
    const std::vector<bool> has_experts = read_expert_layers(row_, experts, n_blocks_, keys_);
    // Files whose layers all have experts may state a width of layers without any as well.
    const bool shares_width = row_.shared_expert && row_.shared_expert->is_named_as_dense;
    const bool has_dense = shares_width || !std::all_of(has_experts.begin(), has_experts.end(), std::identity());
    const auto dense_d_ff = has_dense ? keys_.per_layer("feed_forward_length", n_blocks_, kMaxWidth)
                                      : std::vector<std::uint32_t>(n_blocks_);
    if (keys_.failed()) return;
    head_sizes_ = read_head_sizes(row_, model_.d_model, n_heads.front(), keys_);
    if (keys_.failed()) return;
    const std::vector<std::uint32_t> windows = read_windows(row_, n_blocks_, n_layers_, model_.n_ctx_trained, keys_);
    const float softcap = read_softcap("attn_logit_softcapping", row_.attention_softcap, keys_);
    const std::vector<bool> is_recurrent = read_recurrent_layers(row_, n_blocks_, keys_);
    const std::optional<DeltaNetSpec> delta_net = read_delta_net(row_, keys_);
    const std::optional<ShortConvSpec> short_conv = read_short_conv(row_, model_.d_model, keys_);
    if (keys_.failed()) return;
    for (std::uint32_t i = 0; i < n_layers_; ++i) {
      LayerSpec layer = has_experts[i] ? experts : LayerSpec();
      layer.activation = row_.activation;
      if (shares_width || !has_experts[i]) layer.d_ff = dense_d_ff[i];
      if (is_recurrent[i]) layer.delta_net = delta_net;
      if (n_kv_heads[i] == 0) layer.short_conv = short_conv;
      if (layer.has_state()) {
        model_.layers.push_back(layer);
        continue;
      }
      if (n_kv_heads[i] == 0)
        return bad(Message::say("layer {}: metadata '{}' is 0, expected at least 1 in a layer with attention", i,
                                keys_.full_key("attention.head_count_kv")));
      if (n_heads[i] % n_kv_heads[i] != 0)
        return bad(Message::say("layer {}: metadata '{}' is {}, which is no multiple of '{}', {}", i,
                                keys_.full_key("attention.head_count"), n_heads[i],
                                keys_.full_key("attention.head_count_kv"), n_kv_heads[i]));
      layer.attention = windows[i] > 0 ? AttentionKind::kWindow : AttentionKind::kFull;
      layer.window = windows[i];
      layer.n_heads = n_heads[i];
      layer.n_kv_heads = n_kv_heads[i];
      layer.head_dim = head_sizes_.of(layer.attention);
      layer.attention_scale = attention_scale(row_, n_layers_, model_.d_model, layer);
      layer.attention_softcap = softcap;
      layer.has_value_norm = row_.has_value_norm;
      layer.has_out_gate = row_.has_out_gate;
      layer.has_pre_norms = row_.has_pre_norms;
      layer.has_post_norms = row_.has_post_norms;
      layer.output_scale = read_output_scale(i);
      model_.layers.push_back(layer);
    }
    share_caches(row_, model_, keys_);
    read_layer_inputs(row_, model_, keys_);
  }

  // One number, which is of the header for us: no device holds it as a weight.
  float read_output_scale(std::uint32_t layer) {
    const std::string name = layer_tensor_name(static_cast<std::int32_t>(layer), kOutputScaleTensor);
    const TensorInfo* tensor = row_.may_scale_output && !keys_.failed() ? file_.find_tensor(name) : nullptr;
    if (tensor == nullptr) return 1.0F;
    float scale = 0;
    if (tensor->dtype != DType::kF32 || tensor->n_elems() != 1) {
      bad(Message::say("tensor '{}' is {} of shape ({}), expected F32 of shape (1)", name, tensor->type_name,
                       fmt::format("{}", fmt::join(tensor->shape, ", "))));
      return 1.0F;
    }
    const Status read = file_.read_tensor(*tensor, 0, std::as_writable_bytes(std::span(&scale, 1)));
    if (!read) keys_.fail(read.error());
    if (read && !std::isfinite(scale)) bad(Message::say("tensor '{}' holds {}, expected a finite number", name, scale));
    is_used_[static_cast<std::size_t>(tensor - file_.tensors().data())] = true;
    return scale;
  }

  void read_scales() {
    model_.norms_embedding = row_.norms_embedding;
    model_.post_norm_epsilon = row_.post_norm_epsilon;
    logit_scale_ = headroom::read_scales(row_, keys_, model_);
  }

  void read_ropes() {
    model_.ropes.push_back(read_rope(file_, row_, head_sizes_.full, model_.n_ctx_trained, keys_));
    if (keys_.failed()) return;
    const auto has_window = [](const LayerSpec& layer) { return layer.attention == AttentionKind::kWindow; };
    const bool has_windows = std::ranges::any_of(model_.layers, has_window);
    if (const std::uint32_t period = row_.unturned_period; period > 0)
      add_unturned([period](std::uint32_t layer) { return (layer + 1) % period == 0; });
    if (row_.turns_windows_alone && has_windows) {
      model_.ropes.front().theta = read_window_theta(model_.ropes.front().theta, keys_);
      add_unturned([&](std::uint32_t layer) { return !has_window(model_.layers[layer]); });
    }
    if (row_.may_be_unturned && !keys_.flag("rope.scaling.finetuned", true))
      add_unturned([](std::uint32_t) { return true; });
    if (std::optional<RopeSpec> of_queries =
            read_query_rope(row_, model_.ropes.front(), head_sizes_.full, model_.n_ctx_trained, keys_)) {
      for (LayerSpec& layer : model_.layers) layer.query_rope = static_cast<std::uint32_t>(model_.ropes.size());
      model_.ropes.push_back(*std::move(of_queries));
    }
    if (!row_.windows_are_unscaled) return;
    RopeSpec of_windows = read_window_rope(row_, model_.ropes.front(), head_sizes_.window, keys_);
    if (!has_windows) return;
    model_.ropes.push_back(std::move(of_windows));
    for (LayerSpec& layer : model_.layers) layer.rope = has_window(layer) ? 1 : 0;
  }

  // An embedding that turns no pair, for the layers that are not turned.
  template <class IsUnturned>
  void add_unturned(IsUnturned is_unturned) {
    RopeSpec none = model_.ropes.front();
    none.rope_dim = 0;
    none.scaling = RopeScaling::kNone;
    none.freq_factors.clear();
    none.long_factors.clear();
    model_.ropes.push_back(std::move(none));
    for (std::uint32_t i = 0; i < n_layers_; ++i) model_.layers[i].rope = is_unturned(i) ? 1 : 0;
  }

  void read_vocabulary() {
    const std::string name = role_tensor_name(TensorRole::kTokenEmbedding, -1);
    const TensorInfo* embedding = file_.find_tensor(name);
    if (embedding == nullptr) return bad(Message::say("tensor '{}' is missing", name));
    const std::uint64_t n_vocab = embedding->shape.size() > 1 ? embedding->shape[1] : 1;
    if (n_vocab > kMaxWidth)
      return bad(Message::say("tensor '{}' has {} rows, at most {} are accepted", embedding->name, n_vocab, kMaxWidth));
    model_.n_vocab = static_cast<std::uint32_t>(n_vocab);
    const MetaValue* tokens = file_.find("tokenizer.ggml.tokens");
    if (const auto* list = tokens == nullptr ? nullptr : std::get_if<std::vector<std::string>>(tokens);
        list != nullptr && list->size() != n_vocab) {
      return bad(Message::say("tensor '{}' has {} rows, but metadata 'tokenizer.ggml.tokens' has {} tokens",
                              embedding->name, n_vocab, list->size()));
    }
    const std::uint32_t stated =
        keys_.positive("vocab_size", std::numeric_limits<std::uint32_t>::max(), model_.n_vocab);
    if (!keys_.failed() && stated != n_vocab) {
      bad(Message::say("tensor '{}' has {} rows, but metadata '{}' is {}", embedding->name, n_vocab,
                       keys_.full_key("vocab_size"), stated));
    }
  }

  void list_weights() { headroom::list_weights(file_, row_, logit_scale_, keys_, model_, is_used_); }
  void sort_tensors() { sort_unread_tensors(file_, row_, is_used_, n_blocks_, model_, keys_); }

  // Byte-level BPE cuts text into words by a rule that differs between models and that only this key names.
  void check_tokenizer() {
    const bool is_byte_level = file_.find("tokenizer.ggml.merges") && !file_.find("tokenizer.ggml.scores");
    if (!is_byte_level || file_.find("tokenizer.ggml.pre")) return;
    model_.warnings.push_back(
        Message::say("The file does not say how its tokenizer splits words (tokenizer.ggml.pre is missing): a common "
                     "rule is used. If "
                     "the model was trained with another one, it reads some text differently and answers worse."));
  }

  void sum_up() {
    std::map<std::string, Bytes> by_type;
    for (std::size_t i = 0; i < is_used_.size(); ++i) {
      if (!is_used_[i]) continue;
      const TensorInfo& tensor = file_.tensors()[i];
      model_.n_params += tensor.n_elems();
      by_type[tensor.type_name] += tensor.n_bytes;
    }
    model_.bytes_by_type.assign(by_type.begin(), by_type.end());
    std::stable_sort(model_.bytes_by_type.begin(), model_.bytes_by_type.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
  }

  const ModelFile& file_;
  const ArchRow& row_;
  KeyReader keys_;
  ModelInfo model_;
  std::uint32_t n_layers_ = 0, n_blocks_ = 0;  // n_blocks_: with layers that are not run
  HeadSizes head_sizes_;
  float logit_scale_ = 1;
  std::vector<bool> is_used_;  // by index into the file's tensors
};

}  // namespace

Result<ModelInfo> read_model_info(const ModelFile& file) {
  const auto type = file.find_string("general.type"), architecture = file.find_string("general.architecture");
  if (!type) return type.error();
  if (!architecture) return architecture.error();
  if (is_projector(type->value_or(""), architecture->value_or(""))) return projector_refusal(file);
  if (type->has_value() && **type != "model") {
    return Error{ErrorCode::kUnsupported, Message::say("{}: metadata 'general.type' is {}, expected 'model'",
                                                       file.path().string(), show_name(**type))};
  }
  if (!architecture->has_value())
    return Error{ErrorCode::kBadFile,
                 Message::say("{}: metadata 'general.architecture' is missing", file.path().string())};
  const ArchRow* row = find_arch(**architecture);
  if (row == nullptr) return architecture_refusal(file);
  return read_model_info(file, *row);
}

Result<ModelInfo> read_model_info(const ModelFile& file, const ArchRow& row) {
  return ModelInfoReader(file, row).read();
}

}  // namespace headroom
