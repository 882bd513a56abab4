#include "model/tensor_slots.h"

#include <fmt/format.h>

#include <array>

#include "base/check.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

struct SlotRow {
  WeightSlot slot;
  std::string_view name;    // for people
  std::string_view tensor;  // without layer: "attn_q.weight"
  bool is_of_layer;
  bool is_matrix;
  std::string_view fused;  // likewise the fused tensor; empty: never fused
};

constexpr std::array kSlots{
    SlotRow{WeightSlot::kTokenEmbedding, "token_embd", "token_embd.weight", false, true, ""},
    SlotRow{WeightSlot::kOutputNorm, "output_norm", "output_norm.weight", false, false, ""},
    SlotRow{WeightSlot::kHead, "output", "output.weight", false, true, ""},
    SlotRow{WeightSlot::kAttnNorm, "attn_norm", "attn_norm.weight", true, false, ""},
    SlotRow{WeightSlot::kQ, "attn_q", "attn_q.weight", true, true, "attn_qkv.weight"},
    SlotRow{WeightSlot::kK, "attn_k", "attn_k.weight", true, true, "attn_qkv.weight"},
    SlotRow{WeightSlot::kV, "attn_v", "attn_v.weight", true, true, "attn_qkv.weight"},
    SlotRow{WeightSlot::kQBias, "attn_q_bias", "attn_q.bias", true, false, ""},
    SlotRow{WeightSlot::kKBias, "attn_k_bias", "attn_k.bias", true, false, ""},
    SlotRow{WeightSlot::kVBias, "attn_v_bias", "attn_v.bias", true, false, ""},
    SlotRow{WeightSlot::kQNorm, "attn_q_norm", "attn_q_norm.weight", true, false, ""},
    SlotRow{WeightSlot::kKNorm, "attn_k_norm", "attn_k_norm.weight", true, false, ""},
    SlotRow{WeightSlot::kAttnOut, "attn_output", "attn_output.weight", true, true, ""},
    SlotRow{WeightSlot::kAttnOutBias, "attn_output_bias", "attn_output.bias", true, false, ""},
    SlotRow{WeightSlot::kAttnPostNorm, "post_attention_norm", "post_attention_norm.weight", true, false, ""},
    SlotRow{WeightSlot::kFfnNorm, "ffn_norm", "ffn_norm.weight", true, false, ""},
    SlotRow{WeightSlot::kGate, "ffn_gate", "ffn_gate.weight", true, true, ""},
    SlotRow{WeightSlot::kUp, "ffn_up", "ffn_up.weight", true, true, ""},
    SlotRow{WeightSlot::kDown, "ffn_down", "ffn_down.weight", true, true, ""},
    SlotRow{WeightSlot::kFfnPostNorm, "post_ffw_norm", "post_ffw_norm.weight", true, false, ""},
    SlotRow{WeightSlot::kRouter, "ffn_gate_inp", "ffn_gate_inp.weight", true, true, ""},
    SlotRow{WeightSlot::kExpertGate, "ffn_gate_exps", "ffn_gate_exps.weight", true, true, ""},
    SlotRow{WeightSlot::kExpertUp, "ffn_up_exps", "ffn_up_exps.weight", true, true, ""},
    SlotRow{WeightSlot::kExpertDown, "ffn_down_exps", "ffn_down_exps.weight", true, true, ""},
};

const SlotRow& slot_row(WeightSlot slot) {
  const SlotRow& row = kSlots[static_cast<std::size_t>(slot)];
  CHECK(row.slot == slot, "kSlots is not in the order of WeightSlot");
  return row;
}

}  // namespace

std::string_view slot_name(WeightSlot slot) { return slot_row(slot).name; }

bool slot_is_matrix(WeightSlot slot) { return slot_row(slot).is_matrix; }

bool slot_is_ffn(WeightSlot slot) {
  switch (slot) {
    case WeightSlot::kFfnNorm:
    case WeightSlot::kGate:
    case WeightSlot::kUp:
    case WeightSlot::kDown:
    case WeightSlot::kFfnPostNorm:
    case WeightSlot::kRouter: return true;
    default: return slot_is_experts(slot);
  }
}

bool slot_is_experts(WeightSlot slot) {
  return slot == WeightSlot::kExpertGate || slot == WeightSlot::kExpertUp || slot == WeightSlot::kExpertDown;
}

std::string slot_tensor_name(WeightSlot slot, std::int32_t layer) {
  const SlotRow& row = slot_row(slot);
  return row.is_of_layer ? fmt::format("blk.{}.{}", layer, row.tensor) : std::string(row.tensor);
}

std::optional<std::string> fused_tensor_name(WeightSlot slot, std::int32_t layer) {
  const SlotRow& row = slot_row(slot);
  if (row.fused.empty()) return std::nullopt;
  return fmt::format("blk.{}.{}", layer, row.fused);
}

bool is_harmless_tensor(std::string_view name) {
  // The angles of the rotary embedding, which follow from the metadata.
  return name.ends_with(".attn_rot_embd.weight") || name.ends_with(".attn_rot_embd.freqs");
}

}  // namespace headroom
