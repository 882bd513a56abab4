#include "engine/prove/changed_model.h"

namespace headroom::test {
namespace {

using Role = TensorRole;

std::vector<SeededFault> of_recurrent_layers() {
  return {
      {"order_of_grouped_heads", [](ChangedModel& m) { m.layer(0).delta_net->heads_are_tiled = true; }},
      {"order_of_tiled_heads", [](ChangedModel& m) { m.layer(1).delta_net->heads_are_tiled = false; }},
      {"decay", [](ChangedModel& m) { m.weight(Role::kDecay, 0).factor = 0; }},
      {"decay_of_tiled_heads", [](ChangedModel& m) { m.weight(Role::kDecay, 1).factor = 0; }},
      {"bias_of_decays", [](ChangedModel& m) { m.weight(Role::kTimeBias, 0).factor = 0; }},
      {"decay_of_each_head", [](ChangedModel& m) { m.repeat_first_row(Role::kAlpha, 0); }},
      {"beta_of_each_head", [](ChangedModel& m) { m.repeat_first_row(Role::kBeta, 0); }},
      {"alpha_and_beta", [](ChangedModel& m) { m.swap(Role::kAlpha, Role::kBeta, 1); }},
      {"norm_of_what_is_read", [](ChangedModel& m) { m.weight(Role::kReadNorm, 0).factor = 0.7F; }},
      {"gate_of_a_delta_net", [](ChangedModel& m) { m.swap(Role::kOutGate, Role::kV, 0); }},
      {"taps_over_four_rows", [](ChangedModel& m) { m.repeat_first_row(Role::kConv, 0); }},
      {"taps_over_three_rows", [](ChangedModel& m) { m.repeat_first_row(Role::kConv, 1); }},
      {"taps_of_a_short_convolution", [](ChangedModel& m) { m.repeat_first_row(Role::kConv, 2); }},
      {"gate_of_a_short_convolution", [](ChangedModel& m) { m.swap(Role::kQ, Role::kK, 2); }},
      {"output_gate",
       [](ChangedModel& m) {
         m.layer(3).has_out_gate = false;
         m.erase(Role::kOutGate, 3);
       }},
      {"partial_rotation", [](ChangedModel& m) { m.info.ropes[0].rope_dim = 128; }},
      {"weights_that_are_not_divided", [](ChangedModel& m) { m.layer(1).router = RouterKind::kSoftmaxNormed; }},
      {"gate_of_the_shared_expert",
       [](ChangedModel& m) {
         m.layer(1).has_shared_gate = false;
         m.erase(Role::kSharedGate, 1);
       }},
      {"shared_expert",
       [](ChangedModel& m) {
         m.layer(1).has_shared_gate = false;
         m.layer(1).d_ff = 0;
         for (const Role role : {Role::kSharedGate, Role::kGate, Role::kUp, Role::kDown}) m.erase(role, 1);
       }},
  };
}

std::vector<SeededFault> of_sinks() {
  return {
      {"sinks_in_a_window", [](ChangedModel& m) { m.erase(Role::kAttnSinks, 0); }},
      {"sinks_without_a_window", [](ChangedModel& m) { m.erase(Role::kAttnSinks, 1); }},
      {"window", [](ChangedModel& m) { m.layer(0).attention = AttentionKind::kFull; }},
      {"bias_of_the_router", [](ChangedModel& m) { m.erase(Role::kRouterBias, 0); }},
      {"biases_of_gates", [](ChangedModel& m) { m.erase(Role::kExpertGateBias, 0); }},
      {"biases_of_ups", [](ChangedModel& m) { m.erase(Role::kExpertUpBias, 0); }},
      {"biases_of_downs", [](ChangedModel& m) { m.erase(Role::kExpertDownBias, 0); }},
      {"clamped_experts", [](ChangedModel& m) { m.layer(0).activation = Activation::kSilu; }},
      {"clamped_ffn", [](ChangedModel& m) { m.layer(1).activation = Activation::kSilu; }},
      {"stretched_frequencies",
       [](ChangedModel& m) {
         m.info.ropes[0].attention_factor = rope_frequencies(m.info.ropes[0]).magnitude;
         m.info.ropes[0].factor = 1;
       }},
      {"magnitude_of_rotations", [](ChangedModel& m) { m.info.ropes[0].attention_factor = 1; }},
      {"growth_of_queries", [](ChangedModel& m) { m.info.ropes[2].growth = 0; }},
      {"rotation_of_queries_alone", [](ChangedModel& m) { m.layer(1).query_rope.reset(); }},
      {"scale_of_the_embedding", [](ChangedModel& m) { m.info.embedding_scale = 1; }},
  };
}

// The layer has a cache of its own, from the matrices of the layer whose cache it reads otherwise.
void make_own_cache(ChangedModel& m, std::uint32_t layer) {
  const auto from = static_cast<std::int32_t>(*m.layer(layer).kv_layer), to = static_cast<std::int32_t>(layer);
  m.layer(layer).kv_layer.reset();
  m.layer(layer).value_is_key = m.layer(static_cast<std::size_t>(from)).value_is_key;
  for (const Role role : {Role::kK, Role::kKNorm}) m.copy(role, from, to);
  if (!m.layer(layer).value_is_key) m.copy(Role::kV, from, to);
}

std::vector<SeededFault> of_long_heads() {
  return {
      {"norm_of_values", [](ChangedModel& m) { m.layer(0).has_value_norm = false; }},
      {"norm_of_values_of_512", [](ChangedModel& m) { m.layer(1).has_value_norm = false; }},
      {"values_that_are_keys",
       [](ChangedModel& m) {
         WeightTensor other = m.weight(Role::kQ, 1);
         other.role = Role::kV;
         other.n_rows = m.layer(1).kv_dim();
         m.info.weights.push_back(other);
         m.layer(1).value_is_key = false;
       }},
      {"norms_of_heads_of_512", [](ChangedModel& m) { m.layer(1).has_qk_norm = false; }},
      {"frequency_factors", [](ChangedModel& m) { m.info.ropes[1].freq_factors.clear(); }},
      {"pairs_that_do_not_turn", [](ChangedModel& m) { std::ranges::fill(m.info.ropes[1].freq_factors, 2.0F); }},
      {"shared_cache_of_a_window", [](ChangedModel& m) { make_own_cache(m, 2); }},
      {"shared_cache_of_512", [](ChangedModel& m) { make_own_cache(m, 3); }},
      {"short_window", [](ChangedModel& m) { m.layer(0).window = m.layer(2).window = 40; }},
  };
}

std::vector<SeededFault> of_sigmoid_routers() {
  return {
      {"norms_over_all_heads", [](ChangedModel& m) { m.layer(0).norms_heads_together = false; }},
      {"norms_behind_the_rotation", [](ChangedModel& m) { m.layer(1).norms_turned_heads = false; }},
      {"layer_without_norms_before",
       [](ChangedModel& m) {
         m.layer(0).has_pre_norms = true;
         for (const Role role : {Role::kAttnNorm, Role::kFfnNorm}) m.copy(role, 1, 0);
       }},
      {"norms_behind", [](ChangedModel& m) { m.layer(0).has_post_norms = false; }},
      {"epsilon_behind", [](ChangedModel& m) { m.info.post_norm_epsilon.reset(); }},
      {"norm_of_the_embedding", [](ChangedModel& m) { m.info.norms_embedding = false; }},
      {"long_factors", [](ChangedModel& m) { m.info.ropes[1].long_factors = m.info.ropes[1].freq_factors; }},
      {"magnitude_of_long_rotations", [](ChangedModel& m) { m.info.ropes[1].attention_factor = 0; }},
      {"normed_sigmoid", [](ChangedModel& m) { m.layer(1).router = RouterKind::kSoftmaxNormed; }},
      {"division_by_the_sum", [](ChangedModel& m) { m.layer(1).router = RouterKind::kSigmoid; }},
      {"sigmoid", [](ChangedModel& m) { m.layer(2).router = RouterKind::kSoftmax; }},
      {"weights_of_a_sigmoid", [](ChangedModel& m) { m.layer(2).router = RouterKind::kSigmoidNormed; }},
      {"choice_bias", [](ChangedModel& m) { m.erase(Role::kChoiceBias, 1); }},
      {"choice_bias_of_weights_that_are_not_divided", [](ChangedModel& m) { m.erase(Role::kChoiceBias, 2); }},
      {"scale_of_weights", [](ChangedModel& m) { m.layer(1).expert_weight_scale = 1; }},
      {"shared_expert_without_a_gate",
       [](ChangedModel& m) {
         m.layer(1).d_ff = 0;
         for (const Role role : {Role::kGate, Role::kUp, Role::kDown}) m.erase(role, 1);
       }},
  };
}

std::vector<SeededFault> of_branches() {
  return {
      {"layer_inputs",
       [](ChangedModel& m) {
         m.info.input_elems = 0;
         for (const Role role : {Role::kLayerEmbedding, Role::kInputProject, Role::kInputProjectNorm})
           m.erase(role, -1);
         for (std::int32_t i = 0; i < 3; ++i) {
           m.layer(static_cast<std::size_t>(i)).input_dim = 0;
           for (const Role role : {Role::kInputGate, Role::kInputOut, Role::kInputPostNorm}) m.erase(role, i);
         }
       }},
      {"table_of_layer_inputs", [](ChangedModel& m) { m.repeat_first_row(Role::kLayerEmbedding, -1); }},
      {"projection_of_layer_inputs", [](ChangedModel& m) { m.repeat_first_row(Role::kInputProject, -1); }},
      {"norm_of_projections", [](ChangedModel& m) { m.weight(Role::kInputProjectNorm, -1).factor = 0; }},
      {"scale_behind_branches", [](ChangedModel& m) { m.layer(0).output_scale = 1; }},
      {"scale_behind_an_ffn", [](ChangedModel& m) { m.layer(1).output_scale = 1; }},
      {"norms_of_branches", [](ChangedModel& m) { m.swap(Role::kExpertPostNorm, Role::kSharedPostNorm, 0); }},
      {"norm_before_experts", [](ChangedModel& m) { m.weight(Role::kExpertNorm, 0).factor = 0.5F; }},
      {"norm_before_the_router", [](ChangedModel& m) { m.swap(Role::kRouterNorm, Role::kFfnNorm, 0); }},
      {"scales_of_experts",
       [](ChangedModel& m) {
         m.layer(0).has_expert_scales = false;
         m.erase(Role::kExpertScale, 0);
       }},
      {"scale_of_the_router", [](ChangedModel& m) { m.layer(0).router_scale = 1; }},
      {"layer_without_rotation", [](ChangedModel& m) { m.layer(2).rope = 0; }},
      {"cap_of_logits", [](ChangedModel& m) { m.info.logit_softcap = 0; }},
  };
}

}  // namespace

std::vector<FaultsOfBlock> seeded_faults() {
  return {{make_recurrent_proof_model, of_recurrent_layers()},
          {make_sinks_proof_model, of_sinks()},
          {make_long_heads_proof_model, of_long_heads()},
          {make_sigmoid_proof_model, of_sigmoid_routers()},
          {make_branch_proof_model, of_branches()}};
}

}  // namespace headroom::test
