#include "model/tensor_roles.h"

#include <fmt/format.h>

#include <array>

#include "base/check.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

struct RoleRow {
  TensorRole role;
  std::string_view name;    // for people
  std::string_view tensor;  // without layer: "attn_q.weight"
  bool is_of_layer;
  bool is_matrix;
  std::string_view fused;  // likewise the fused tensor; empty: never fused
};

constexpr std::array kRoles{
    RoleRow{TensorRole::kTokenEmbedding, "token_embd", "token_embd.weight", false, true, ""},
    RoleRow{TensorRole::kOutputNorm, "output_norm", "output_norm.weight", false, false, ""},
    RoleRow{TensorRole::kHead, "output", "output.weight", false, true, ""},
    RoleRow{TensorRole::kLayerEmbedding, "per_layer_token_embd", "per_layer_token_embd.weight", false, true, ""},
    RoleRow{TensorRole::kInputProject, "per_layer_model_proj", "per_layer_model_proj.weight", false, true, ""},
    RoleRow{TensorRole::kInputProjectNorm, "per_layer_proj_norm", "per_layer_proj_norm.weight", false, false, ""},
    RoleRow{TensorRole::kAttnNorm, "attn_norm", "attn_norm.weight", true, false, ""},
    RoleRow{TensorRole::kQ, "attn_q", "attn_q.weight", true, true, "attn_qkv.weight"},
    RoleRow{TensorRole::kK, "attn_k", "attn_k.weight", true, true, "attn_qkv.weight"},
    RoleRow{TensorRole::kV, "attn_v", "attn_v.weight", true, true, "attn_qkv.weight"},
    RoleRow{TensorRole::kQBias, "attn_q_bias", "attn_q.bias", true, false, "attn_qkv.bias"},
    RoleRow{TensorRole::kKBias, "attn_k_bias", "attn_k.bias", true, false, "attn_qkv.bias"},
    RoleRow{TensorRole::kVBias, "attn_v_bias", "attn_v.bias", true, false, "attn_qkv.bias"},
    RoleRow{TensorRole::kQNorm, "attn_q_norm", "attn_q_norm.weight", true, false, ""},
    RoleRow{TensorRole::kKNorm, "attn_k_norm", "attn_k_norm.weight", true, false, ""},
    RoleRow{TensorRole::kOutGate, "attn_gate", "attn_gate.weight", true, true, ""},
    RoleRow{TensorRole::kAlpha, "ssm_alpha", "ssm_alpha.weight", true, true, ""},
    RoleRow{TensorRole::kBeta, "ssm_beta", "ssm_beta.weight", true, true, ""},
    RoleRow{TensorRole::kConv, "ssm_conv1d", "ssm_conv1d.weight", true, false, ""},
    RoleRow{TensorRole::kTimeBias, "ssm_dt", "ssm_dt.bias", true, false, ""},
    RoleRow{TensorRole::kDecay, "ssm_a", "ssm_a", true, false, ""},
    RoleRow{TensorRole::kReadNorm, "ssm_norm", "ssm_norm.weight", true, false, ""},
    RoleRow{TensorRole::kAttnOut, "attn_output", "attn_output.weight", true, true, ""},
    RoleRow{TensorRole::kAttnOutBias, "attn_output_bias", "attn_output.bias", true, false, ""},
    RoleRow{TensorRole::kAttnPostNorm, "post_attention_norm", "post_attention_norm.weight", true, false, ""},
    RoleRow{TensorRole::kFfnNorm, "ffn_norm", "ffn_norm.weight", true, false, ""},
    RoleRow{TensorRole::kGate, "ffn_gate", "ffn_gate.weight", true, true, ""},
    RoleRow{TensorRole::kUp, "ffn_up", "ffn_up.weight", true, true, ""},
    RoleRow{TensorRole::kDown, "ffn_down", "ffn_down.weight", true, true, ""},
    RoleRow{TensorRole::kFfnPostNorm, "post_ffw_norm", "post_ffw_norm.weight", true, false, ""},
    RoleRow{TensorRole::kRouter, "ffn_gate_inp", "ffn_gate_inp.weight", true, true, ""},
    RoleRow{TensorRole::kExpertGate, "ffn_gate_exps", "ffn_gate_exps.weight", true, true, "ffn_gate_up_exps.weight"},
    RoleRow{TensorRole::kExpertUp, "ffn_up_exps", "ffn_up_exps.weight", true, true, "ffn_gate_up_exps.weight"},
    RoleRow{TensorRole::kExpertDown, "ffn_down_exps", "ffn_down_exps.weight", true, true, ""},
    RoleRow{TensorRole::kSharedGate, "ffn_gate_inp_shexp", "ffn_gate_inp_shexp.weight", true, false, ""},
    RoleRow{TensorRole::kRouterNorm, "ffn_gate_inp_scale", "ffn_gate_inp.scale", true, false, ""},
    RoleRow{TensorRole::kExpertNorm, "pre_ffw_norm_2", "pre_ffw_norm_2.weight", true, false, ""},
    RoleRow{TensorRole::kExpertPostNorm, "post_ffw_norm_2", "post_ffw_norm_2.weight", true, false, ""},
    RoleRow{TensorRole::kSharedPostNorm, "post_ffw_norm_1", "post_ffw_norm_1.weight", true, false, ""},
    RoleRow{TensorRole::kExpertScale, "ffn_down_exps_scale", "ffn_down_exps.scale", true, false, ""},
    RoleRow{TensorRole::kInputGate, "inp_gate", "inp_gate.weight", true, true, ""},
    RoleRow{TensorRole::kInputOut, "proj", "proj.weight", true, true, ""},
    RoleRow{TensorRole::kInputPostNorm, "post_norm", "post_norm.weight", true, false, ""},
    RoleRow{TensorRole::kAttnSinks, "attn_sinks", "attn_sinks.weight", true, false, ""},
    RoleRow{TensorRole::kRouterBias, "ffn_gate_inp_bias", "ffn_gate_inp.bias", true, false, ""},
    RoleRow{TensorRole::kExpertGateBias, "ffn_gate_exps_bias", "ffn_gate_exps.bias", true, false, ""},
    RoleRow{TensorRole::kExpertUpBias, "ffn_up_exps_bias", "ffn_up_exps.bias", true, false, ""},
    RoleRow{TensorRole::kExpertDownBias, "ffn_down_exps_bias", "ffn_down_exps.bias", true, false, ""},
    RoleRow{TensorRole::kChoiceBias, "exp_probs_b", "exp_probs_b.bias", true, false, ""},
};

const RoleRow& role_row(TensorRole role) {
  const RoleRow& row = kRoles[static_cast<std::size_t>(role)];
  CHECK(row.role == role, "kRoles is not in the order of TensorRole");
  return row;
}

}  // namespace

std::string_view role_name(TensorRole role) { return role_row(role).name; }

bool role_is_matrix(TensorRole role) { return role_row(role).is_matrix; }

bool role_is_ffn(TensorRole role) {
  switch (role) {
    case TensorRole::kFfnNorm:
    case TensorRole::kGate:
    case TensorRole::kUp:
    case TensorRole::kDown:
    case TensorRole::kFfnPostNorm:
    case TensorRole::kRouter:
    case TensorRole::kExpertGate:
    case TensorRole::kExpertUp:
    case TensorRole::kExpertDown:
    case TensorRole::kSharedGate:
    case TensorRole::kRouterNorm:
    case TensorRole::kExpertNorm:
    case TensorRole::kExpertPostNorm:
    case TensorRole::kSharedPostNorm:
    case TensorRole::kExpertScale:
    case TensorRole::kInputGate:
    case TensorRole::kInputOut:
    case TensorRole::kInputPostNorm:
    case TensorRole::kRouterBias:
    case TensorRole::kExpertGateBias:
    case TensorRole::kExpertUpBias:
    case TensorRole::kExpertDownBias:
    case TensorRole::kChoiceBias: return true;
    case TensorRole::kTokenEmbedding:
    case TensorRole::kOutputNorm:
    case TensorRole::kHead:
    case TensorRole::kLayerEmbedding:
    case TensorRole::kInputProject:
    case TensorRole::kInputProjectNorm:
    case TensorRole::kAttnNorm:
    case TensorRole::kQ:
    case TensorRole::kK:
    case TensorRole::kV:
    case TensorRole::kQBias:
    case TensorRole::kKBias:
    case TensorRole::kVBias:
    case TensorRole::kQNorm:
    case TensorRole::kKNorm:
    case TensorRole::kOutGate:
    case TensorRole::kAlpha:
    case TensorRole::kBeta:
    case TensorRole::kConv:
    case TensorRole::kTimeBias:
    case TensorRole::kDecay:
    case TensorRole::kReadNorm:
    case TensorRole::kAttnOut:
    case TensorRole::kAttnOutBias:
    case TensorRole::kAttnPostNorm:
    case TensorRole::kAttnSinks: break;
  }
  return false;
}

bool role_is_experts(TensorRole role) {
  return role == TensorRole::kExpertGate || role == TensorRole::kExpertUp || role == TensorRole::kExpertDown;
}

std::string layer_tensor_name(std::int32_t layer, std::string_view tensor) {
  return fmt::format("blk.{}.{}", layer, tensor);
}

std::string role_tensor_name(TensorRole role, std::int32_t layer) {
  const RoleRow& row = role_row(role);
  return row.is_of_layer ? layer_tensor_name(layer, row.tensor) : std::string(row.tensor);
}

std::optional<std::string> fused_tensor_name(TensorRole role, std::int32_t layer) {
  const RoleRow& row = role_row(role);
  if (row.fused.empty()) return std::nullopt;
  return layer_tensor_name(layer, row.fused);
}

}  // namespace headroom
