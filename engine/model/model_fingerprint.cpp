#include "model/model_fingerprint.h"

#include <string_view>

#include "base/fingerprint.h"

namespace headroom {
namespace {

// The structs are taken apart by their number of fields, so that a new field does not compile until it is counted here.

void add(Fingerprint& print, const RopeSpec& rope) {
  const auto& [pairing, scaling, rope_dim, theta, factor, original_n_ctx, low_freq_factor, high_freq_factor, beta_fast,
               beta_slow, attention_factor, has_whole_ramp, freq_factors, long_factors, growth] = rope;
  print.add(pairing);
  print.add(scaling);
  for (const std::uint32_t number : {rope_dim, original_n_ctx}) print.add(number);
  for (const double number :
       {theta, factor, low_freq_factor, high_freq_factor, beta_fast, beta_slow, attention_factor, growth})
    print.add(number);
  print.add(has_whole_ramp);
  for (const std::vector<float>* factors : {&freq_factors, &long_factors}) {
    print.add(factors->size());
    for (const float number : *factors) print.add(number);
  }
}

void add(Fingerprint& print, const ShortConvSpec& short_conv) {
  const auto& [n_channels, width] = short_conv;
  for (const std::uint32_t number : {n_channels, width}) print.add(number);
}

void add(Fingerprint& print, const DeltaNetSpec& delta_net) {
  const auto& [n_key_heads, n_value_heads, key_dim, value_dim, conv_width, heads_are_tiled] = delta_net;
  for (const std::uint32_t number : {n_key_heads, n_value_heads, key_dim, value_dim, conv_width}) print.add(number);
  print.add(heads_are_tiled);
}

void add(Fingerprint& print, const LayerSpec& layer) {
  const auto& [delta_net, short_conv, attention, n_heads, n_kv_heads, head_dim, window, rope, query_rope, kv_layer,
               attention_scale, attention_softcap, has_qkv_bias, has_attn_out_bias, has_qk_norm, norms_heads_together,
               norms_turned_heads, has_value_norm, value_is_key, has_out_gate, has_pre_norms, has_post_norms,
               output_scale, input_dim, activation, d_ff, n_experts, n_experts_used, expert_d_ff, router,
               has_shared_gate, has_branch_norms, has_expert_scales, router_scale, expert_weight_scale] = layer;
  print.add(attention);
  print.add(activation);
  print.add(router);
  for (const std::uint32_t number : {n_heads, n_kv_heads, head_dim, window, rope, query_rope.value_or(rope),
                                     kv_layer.value_or(~0U), input_dim, d_ff, n_experts, n_experts_used, expert_d_ff})
    print.add(number);
  for (const float number : {attention_scale, attention_softcap, output_scale, router_scale, expert_weight_scale})
    print.add(number);
  for (const bool flag : {has_qkv_bias, has_attn_out_bias, has_qk_norm, norms_heads_together, norms_turned_heads,
                          has_value_norm, value_is_key, has_out_gate, has_pre_norms, has_post_norms, has_shared_gate,
                          has_branch_norms, has_expert_scales})
    print.add(flag);
  print.add(delta_net.has_value());
  if (delta_net) add(print, *delta_net);
  print.add(short_conv.has_value());
  if (short_conv) add(print, *short_conv);
}

void add(Fingerprint& print, const WeightTensor& weight) {
  const auto& [role, layer, name, file_tensor, dtype, rows, n_matrices, n_rows, n_cols, factor] = weight;
  print.add(role);
  print.add(layer);
  print.add(name);
  print.add(file_tensor);
  print.add(dtype);
  for (const std::uint64_t number : {rows.first, rows.n_together, rows.step, n_matrices, n_rows, n_cols})
    print.add(number);
  print.add(factor);
}

}  // namespace

std::uint64_t model_fingerprint(const ModelInfo& model) {
  // What follows from the weights, is of the heap, or is told to people counts for nothing.
  const auto& [name, architecture, n_params, file_bytes, n_vocab, d_model, n_ctx_trained, norm_epsilon,
               post_norm_epsilon, embedding_scale, norms_embedding, logit_softcap, input_elems, ropes, layers, weights,
               bytes_by_type, heap_bytes, heap_is_measured, longest_token_bytes, not_loaded, warnings] = model;
  Fingerprint print;
  print.add(architecture);
  for (const std::uint32_t number : {n_vocab, d_model, n_ctx_trained, input_elems}) print.add(number);
  for (const float number : {norm_epsilon, model.epsilon_behind(), embedding_scale, logit_softcap}) print.add(number);
  print.add(norms_embedding);
  print.add(ropes.size());
  for (const RopeSpec& rope : ropes) add(print, rope);
  print.add(layers.size());
  for (const LayerSpec& layer : layers) add(print, layer);
  print.add(weights.size());
  for (const WeightTensor& weight : weights) add(print, weight);
  return print.value();
}

}  // namespace headroom
