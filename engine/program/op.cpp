#include "program/op.h"

namespace headroom {

std::string_view op_name(OpKind kind) {
  switch (kind) {
    case OpKind::kEmbed: return "embed";
    case OpKind::kLayerEmbed: return "layer_embed";
    case OpKind::kLayerInputs: return "layer_inputs";
    case OpKind::kQkvRope: return "qkv_rope";
    case OpKind::kAttend: return "attend";
    case OpKind::kAttnOut: return "attn_out";
    case OpKind::kConvMix: return "conv_mix";
    case OpKind::kDeltaMix: return "delta_mix";
    case OpKind::kDeltaRule: return "delta_rule";
    case OpKind::kDeltaOut: return "delta_out";
    case OpKind::kFfnUp: return "ffn_up";
    case OpKind::kFfnDown: return "ffn_down";
    case OpKind::kMoeRoute: return "moe_route";
    case OpKind::kMoeUp: return "moe_up";
    case OpKind::kSharedUp: return "shared_up";
    case OpKind::kMoeDown: return "moe_down";
    case OpKind::kSharedDown: return "shared_down";
    case OpKind::kInputUp: return "input_up";
    case OpKind::kInputDown: return "input_down";
    case OpKind::kLogits: return "logits";
    case OpKind::kTransfer: return "transfer";
  }
  return "unknown";
}

}  // namespace headroom
