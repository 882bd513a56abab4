// The forward pass as a flat, static list of coarse ops, the same list for planning and for running.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "devices/device_index.h"
#include "model/model_info.h"
#include "program/operand_list.h"

namespace headroom {

// A backend computes each op as it likes, with one kernel or several, and never fuses two ops: nobody matches patterns
// in a graph. "residual" is (n_rows, d_model) f32, "query", "attended" and "gate" (n_rows, q_dim) f32, "hidden"
// (n_rows, d_ff) f32; of experts "ids" (n_rows, n_experts_used) u32, "weights" (n_rows, n_experts_used) f32, and
// "hidden" (n_rows, n_experts_used, expert_d_ff) f32; of a shared expert "shared" (n_rows, d_ff) f32 and "shared gate"
// (n_rows, 1) f32, "branch" (n_rows, d_model) f32; of a delta net "mixed" (n_rows, n_mixed) f32, "rates" (n_rows, 2,
// n_value_heads) f32, "gate" and "read" (n_rows, v_dim) f32; of a short convolution "mixed", "factors" and "gate"
// (n_rows, n_channels) f32; of layer inputs "layer inputs" and "projected" (n_rows,
// input_elems) f32, "input" (n_rows, input_dim) f32; all row-major. A kind states its inputs -> its outputs, in
// the order of the op's lists; what is added to in place is both.
enum class OpKind : std::uint8_t {
  kEmbed,        // (token ids of the step) -> residual; scaled
  kLayerEmbed,   // (token ids of the step) -> layer inputs; rows of kLayerEmbedding, times sqrt(input_dim)
  kLayerInputs,  // residual, layer inputs -> layer inputs, projected; the residual is still the embedding. Layer inputs
                 // become (layer inputs + norm(project(residual) / sqrt(d_model))) / sqrt(2), with a norm for the
                 // elements of each layer; projected is where the products stand meanwhile
  kQkvRope,  // residual -> query; norm, q/k/v, bias, qk-norm, rope; K and V of the rows go into the cache of (layer,
             // slot, position). With an output gate: residual -> query, gate
  kAttend,   // query -> attended; softmax(cap(q.k * scale)) v over the cache, causal, within the window
  kAttnOut,  // attended, residual -> residual; adds attn_out(attended), normed first where the layer has post-norms.
             // With an output gate: attended, gate, residual -> residual; attn_out(attended * sigmoid(gate)). Of a
             // short convolution mixed is what was attended to
  kConvMix,  // residual -> mixed, factors, gate; norm, q/k/v; mixed is q times the convolution of k * v over the slot's
             // rows. Reads and writes the convolution's state; factors and gate are where products stand meanwhile
  kDeltaMix,  // residual -> mixed, rates, gate; norm, q/k/v, convolution over the slot's rows with its SiLU, L2 norm of
              // each head of q and k, q divided by sqrt(key_dim); of each value head the logarithm of its decay, at
              // most 0, and its beta. Reads and writes the convolution's state
  kDeltaRule,  // mixed, rates -> read; row by row S = exp(decay) S, S += k beta (v - S^T k)^T, read = S^T q, where S is
               // the matrix of the slot and value head
  kDeltaOut,   // read, gate, residual -> residual; adds attn_out(norm(read) * silu(gate)), a norm for each value head
  kFfnUp,      // residual -> hidden; act(gate(norm(residual))) * up(norm(residual))
  kFfnDown,    // hidden, residual -> residual; adds down(hidden), likewise
  kMoeRoute,   // residual -> ids, weights; router(norm(residual)), then as the layer's RouterKind says, best first
  kMoeUp,      // residual, ids -> hidden; act(gate(norm(residual))) * up(norm(residual)) of each chosen expert
  kSharedUp,   // residual -> shared; as kFfnUp, before any expert has added to the residual. With a gate: residual ->
               // shared, shared gate; the latter is sigmoid(gate . norm(residual))
  kMoeDown,  // hidden, ids, weights, residual -> residual; adds the sum of weight * down(hidden) over a row's experts.
             // With branch norms: hidden, ids, weights -> branch; the norm of that sum
  kSharedDown,  // shared, residual -> residual; adds down(shared). With a gate: shared, shared gate, residual ->
                // residual; adds shared gate * down(shared). With branch norms: shared, branch, residual -> residual;
                // adds norm(norm(down(shared)) + branch), and the branch is lost
  kInputUp,     // residual, layer inputs -> input; act(gate(residual)) * the layer's of layer inputs
  kInputDown,   // input, residual -> residual; adds norm(out(input)), and the sum is scaled as the layer's output is
  kLogits,      // residual -> logits; of the requested rows: final norm, head, cap
  kTransfer,    // a buffer of another device -> the same buffer here
};
std::string_view op_name(OpKind kind);

struct Op {
  OpKind kind = OpKind::kEmbed;
  std::int32_t layer = -1;
  DeviceIndex device = 0;
  OperandList inputs, outputs;
  // Its weights stand on another device and are uploaded to this one before the op, in each step: plan/weight_stream.h.
  bool needs_weight_upload = false;
};

// Where a buffer lives between the ops that use it. Buffers whose lives do not overlap share bytes.
struct Buffer {
  std::string name;
  DeviceIndex device = 0;
  std::uint32_t row_elems = 0;  // f32, or u32 of ids
  Bytes size = 0;               // for max_rows rows (logits: max_logit_rows), aligned
  Bytes offset = 0;             // within the activations region of its device (logits: the logits region)
  std::uint32_t first_op = 0, last_op = 0;

  Bytes row_bytes() const { return Bytes{row_elems} * kF32Bytes; }
};

// How a step runs. Resident: every op runs on the device that holds its weights. Streamed, for steps of many rows: FFNs
// that stand on the CPU run on a GPU, to which their weights are uploaded.
enum class ExecutionMode : std::uint8_t { kResident, kStreamed };

struct Program {
  std::vector<Op> ops;                // of resident steps, then those of streamed steps
  std::uint32_t n_streaming_ops = 0;  // of streamed steps; 0: no step streams
  std::vector<Buffer> buffers;
  BufferId logits = 0;                  // what kLogits writes; its bytes are in a region of their own
  std::uint32_t max_rows = 0;           // tokens in one step
  std::uint32_t max_logit_rows = 0;     // rows that may ask for logits in one step
  std::vector<Bytes> activation_bytes;  // per device: peak of the layout

  // [first, end) of ops.
  std::uint32_t first_op(ExecutionMode way) const {
    return way == ExecutionMode::kResident ? 0 : static_cast<std::uint32_t>(ops.size()) - n_streaming_ops;
  }
  std::uint32_t end_op(ExecutionMode way) const {
    return static_cast<std::uint32_t>(ops.size()) - (way == ExecutionMode::kResident ? n_streaming_ops : 0);
  }
};

}  // namespace headroom
