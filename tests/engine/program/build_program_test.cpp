#include "program/build_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "support/model_specs.h"

namespace headroom {
namespace {

constexpr Bytes kAlignment = 64;

Placement all_on(const ModelInfo& model, DeviceIndex device) {
  return {std::vector<LayerPlacement>(model.n_layers(), {device, device}), device, device};
}

std::vector<OpKind> kinds(const Program& program) {
  std::vector<OpKind> out;
  for (const Op& op : program.ops) out.push_back(op.kind);
  return out;
}

Bytes buffer_bytes(std::uint32_t rows, std::uint64_t row_elems) {
  return round_up(Bytes{rows} * row_elems * 4, kAlignment);
}

// What a part of a layer holds at once, the residual among it.
Bytes attention_bytes(const ModelInfo& model, const LayerSpec& layer, std::uint32_t rows) {
  return buffer_bytes(rows, model.d_model) + 2 * buffer_bytes(rows, layer.q_dim());
}
Bytes ffn_bytes(const ModelInfo& model, const LayerSpec& layer, std::uint32_t rows) {
  const Bytes residual = buffer_bytes(rows, model.d_model);
  if (!layer.has_experts()) return residual + buffer_bytes(rows, layer.d_ff);
  return residual + buffer_bytes(rows, std::uint64_t{layer.n_experts_used} * layer.expert_d_ff) +
         2 * buffer_bytes(rows, layer.n_experts_used);
}

TEST(BuildProgram, has_five_ops_per_layer_between_embedding_and_logits) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const Program program = build_program(model, all_on(model, 0), 1, 256, 1, kAlignment);
  ASSERT_EQ(program.ops.size(), 2U + 5U * model.n_layers());
  EXPECT_EQ(program.ops.front().kind, OpKind::kEmbed);
  EXPECT_EQ(program.ops.back().kind, OpKind::kLogits);
  const std::vector<OpKind> layer{OpKind::kQkvRope, OpKind::kAttend, OpKind::kAttnOut, OpKind::kFfnUp,
                                  OpKind::kFfnDown};
  for (std::uint32_t l = 0; l < model.n_layers(); ++l) {
    for (std::size_t i = 0; i < layer.size(); ++i) {
      EXPECT_EQ(program.ops[1 + l * 5 + i].kind, layer[i]);
      EXPECT_EQ(program.ops[1 + l * 5 + i].layer, static_cast<std::int32_t>(l));
    }
  }
}

TEST(BuildProgram, experts_take_three_ops_and_their_routing_is_a_buffer_of_their_device) {
  const ModelInfo model = test::make_model(test::kQwen3_30B_A3B);
  Placement placement = all_on(model, 1);
  placement.layers[3].ffn = 0;
  const Program program = build_program(model, placement, 2, 16, 1, kAlignment);
  const auto route = std::find_if(program.ops.begin(), program.ops.end(),
                                  [](const Op& op) { return op.kind == OpKind::kMoeRoute && op.layer == 3; });
  ASSERT_NE(route, program.ops.end());
  const Op &up = *(route + 1), &down = *(route + 2);
  EXPECT_EQ(up.kind, OpKind::kMoeUp);
  EXPECT_EQ(down.kind, OpKind::kMoeDown);
  ASSERT_EQ(route->outputs.size(), 2U);
  const BufferId residual = route->inputs[0], ids = route->outputs[0], weights = route->outputs[1],
                 hidden = up.outputs[0];
  EXPECT_EQ(up.inputs, (OperandList{residual, ids}));
  EXPECT_EQ(down.inputs, (OperandList{hidden, ids, weights, residual}));
  EXPECT_EQ(down.outputs, OperandList{residual});
  for (const BufferId id : {residual, ids, weights, hidden}) EXPECT_EQ(program.buffers[id].device, 0U);
  EXPECT_EQ(program.buffers[ids].row_elems, 8U);
  EXPECT_EQ(program.buffers[weights].row_elems, 8U);
  EXPECT_EQ(program.buffers[hidden].row_elems, 8U * 768);
  EXPECT_EQ(program.buffers[ids].last_op, program.buffers[weights].last_op);
  EXPECT_EQ(program.activation_bytes.at(0), ffn_bytes(model, model.layers[3], 16));
  const std::vector<OpKind> ops = kinds(program);
  EXPECT_EQ(std::count(ops.begin(), ops.end(), OpKind::kTransfer), 2) << "only the residual crosses";
}

TEST(BuildProgram, peak_is_the_residual_and_the_wider_of_attention_and_ffn) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const Program program = build_program(model, all_on(model, 0), 1, 256, 1, kAlignment);
  EXPECT_EQ(program.activation_bytes.at(0), 256U * 4 * (4096 + 14336));
}

TEST(BuildProgram, transfers_the_residual_exactly_where_the_device_changes) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  Placement placement = all_on(model, 1);
  placement.embed_device = 0;
  std::fill(placement.layers.begin(), placement.layers.begin() + 10, LayerPlacement{0, 0});
  const Program program = build_program(model, placement, 2, 8, 1, kAlignment);
  std::vector<const Op*> transfers;
  for (const Op& op : program.ops) {
    if (op.kind == OpKind::kTransfer) {
      transfers.push_back(&op);
    } else {
      for (const BufferId id : op.inputs) EXPECT_EQ(program.buffers[id].device, op.device);
    }
    for (const BufferId id : op.outputs) EXPECT_EQ(program.buffers[id].device, op.device);
  }
  ASSERT_EQ(transfers.size(), 1U);
  EXPECT_EQ(program.buffers[transfers[0]->inputs[0]].device, 0U);
  EXPECT_EQ(program.buffers[transfers[0]->inputs[0]].row_elems, program.buffers[transfers[0]->outputs[0]].row_elems);
  EXPECT_EQ(program.ops[1 + 10 * 5].kind, OpKind::kTransfer);
}

TEST(BuildProgram, a_layer_on_another_device_costs_a_transfer_there_and_one_back) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  Placement placement = all_on(model, 0);
  placement.layers[1] = {1, 1};
  const std::vector<OpKind> ops = kinds(build_program(model, placement, 2, 4, 1, kAlignment));
  EXPECT_EQ(std::count(ops.begin(), ops.end(), OpKind::kTransfer), 2);
}

TEST(BuildProgram, an_ffn_on_another_device_takes_the_residual_there_and_back) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  Placement placement = all_on(model, 1);
  placement.layers[2].ffn = 0;
  const Program program = build_program(model, placement, 2, 4, 1, kAlignment);
  const std::vector<OpKind> expected{OpKind::kQkvRope, OpKind::kAttend,  OpKind::kAttnOut,  OpKind::kTransfer,
                                     OpKind::kFfnUp,   OpKind::kFfnDown, OpKind::kTransfer, OpKind::kQkvRope};
  const std::vector<OpKind> ops = kinds(program);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), ops.begin() + 1 + 2 * 5));
  const Op& there = program.ops[1 + 2 * 5 + 3];
  const Op& back = program.ops[1 + 2 * 5 + 6];
  EXPECT_EQ(there.device, 0U);
  EXPECT_EQ(back.device, 1U);
  EXPECT_EQ(back.inputs, there.outputs) << "what the FFN was added to";
  EXPECT_EQ(program.buffers[there.inputs[0]].last_op, 1U + 2 * 5 + 3)
      << "its bytes are free while the copy is elsewhere";
}

// The planner measures each part alone, and sums up splits without building their programs.
TEST(BuildProgram, a_device_holds_what_the_widest_part_on_it_holds) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const ModelInfo model = test::random_model(seed);
    for (std::uint32_t round = 0; round < 12; ++round) {
      Placement placement = all_on(model, 0);
      std::vector<Bytes> expected(3, 0);
      for (std::size_t l = 0; l < model.n_layers(); ++l) {
        const auto mixed = static_cast<DeviceIndex>((seed + round) * 2654435761U >> (l % 24));
        placement.layers[l] = {mixed % 3, round % 2 == 0 ? mixed % 3 : mixed / 3 % 3};
        const auto raise = [&](DeviceIndex device, Bytes bytes) {
          expected[device] = std::max(expected[device], bytes);
        };
        raise(placement.layers[l].attention, attention_bytes(model, model.layers[l], 33));
        raise(placement.layers[l].ffn, ffn_bytes(model, model.layers[l], 33));
      }
      placement.head_device = placement.layers.back().attention;
      const Program program = build_program(model, placement, 3, 33, 2, kAlignment);
      const Bytes residual = round_up(Bytes{33} * model.d_model * 4, kAlignment);
      for (DeviceIndex d = 0; d < 3; ++d) {
        if (d == placement.embed_device || d == placement.head_device) expected[d] = std::max(expected[d], residual);
        EXPECT_EQ(program.activation_bytes[d], expected[d]) << "seed " << seed << " round " << round;
      }
    }
  }
}

TEST(BuildProgram, live_buffers_of_a_device_never_overlap_and_stay_below_the_peak) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const ModelInfo model = test::random_model(seed);
    Placement placement = all_on(model, 0);
    for (std::size_t l = model.n_layers() / 2; l < model.n_layers(); ++l) placement.layers[l] = {1, 1};
    placement.head_device = 1;
    const Program program = build_program(model, placement, 2, 33, 2, kAlignment);
    for (std::size_t i = 0; i < program.buffers.size(); ++i) {
      const Buffer& a = program.buffers[i];
      if (i == program.logits) continue;
      EXPECT_EQ(a.offset % kAlignment, 0U);
      EXPECT_LE(a.offset + a.size, program.activation_bytes[a.device]);
      for (std::size_t j = i + 1; j < program.buffers.size(); ++j) {
        const Buffer& b = program.buffers[j];
        if (j == program.logits || a.device != b.device || a.last_op < b.first_op || b.last_op < a.first_op) continue;
        EXPECT_TRUE(a.offset + a.size <= b.offset || b.offset + b.size <= a.offset)
            << a.name << " " << b.name << " seed " << seed;
      }
    }
  }
}

// Layers 0 and 1 on the CPU, those behind them on device 1 but for the FFN of layer 2; FFNs of the CPU are streamed
// there.
TEST(BuildProgram, steps_that_stream_have_a_way_of_their_own_to_the_same_logits) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  Placement placement = all_on(model, 1);
  placement.embed_device = 0;
  placement.layers[0] = placement.layers[1] = {0, 0};
  placement.layers[2].ffn = 0;
  const Program in_place = build_program(model, placement, 2, 16, 1, kAlignment);
  const WeightStreaming streaming{.ffn_device = std::vector<DeviceIndex>(model.n_layers(), 1)};
  const Program program = build_program(model, placement, 2, 16, 1, kAlignment, streaming);

  ASSERT_EQ(program.end_op(ExecutionMode::kResident), in_place.ops.size());
  EXPECT_EQ(in_place.n_streaming_ops, 0U);
  EXPECT_EQ(in_place.first_op(ExecutionMode::kStreamed), in_place.end_op(ExecutionMode::kStreamed));
  for (std::uint32_t i = 0; i < in_place.ops.size(); ++i) {
    EXPECT_EQ(program.ops[i].kind, in_place.ops[i].kind);
    EXPECT_EQ(program.ops[i].device, in_place.ops[i].device);
    EXPECT_FALSE(program.ops[i].needs_weight_upload);
  }
  EXPECT_EQ(program.end_op(ExecutionMode::kStreamed), program.ops.size());
  std::size_t n_uploads = 0;
  std::vector<bool> written(program.buffers.size(), false);
  for (std::uint32_t i = program.first_op(ExecutionMode::kStreamed); i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    const bool is_ffn = op.kind == OpKind::kFfnUp || op.kind == OpKind::kFfnDown;
    EXPECT_EQ(op.needs_weight_upload, is_ffn && op.layer < 3) << op_name(op.kind) << " of layer " << op.layer;
    if (is_ffn) {
      EXPECT_EQ(op.device, 1U);
    }
    n_uploads += op.needs_weight_upload ? 1 : 0;
    for (const BufferId id : op.inputs) EXPECT_TRUE(written[id]) << "of this way, too";
    for (const BufferId id : op.outputs) written[id] = true;
  }
  EXPECT_EQ(n_uploads, 6U);
  EXPECT_EQ(program.ops.back().outputs[0], program.logits);
  EXPECT_EQ(program.ops[in_place.ops.size() - 1].outputs[0], program.logits);
  EXPECT_EQ(in_place.logits, program.logits);
  EXPECT_EQ(program.activation_bytes, in_place.activation_bytes) << "device 1 has FFNs as wide already";
}

TEST(BuildProgram, a_shared_expert_reads_the_residual_before_anything_is_added_to_it) {
  ModelInfo model = test::make_model(test::kQwen35_35B_A3B);
  const Program program = build_program(model, all_on(model, 0), 1, 16, 1, kAlignment);
  const auto route = std::ranges::find(program.ops, OpKind::kMoeRoute, &Op::kind);
  ASSERT_GE(program.ops.end() - route, 5);
  const std::span<const Op> ops(&*route, 5);
  const std::vector<OpKind> expected{OpKind::kMoeRoute, OpKind::kMoeUp, OpKind::kSharedUp, OpKind::kMoeDown,
                                     OpKind::kSharedDown};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(ops[i].kind, expected[i]) << i;
  const BufferId residual = ops[0].inputs[0], shared = ops[2].outputs[0], gate = ops[2].outputs[1];
  EXPECT_EQ(ops[2].inputs, OperandList{residual});
  EXPECT_EQ(ops[4].inputs, (OperandList{shared, gate, residual}));
  EXPECT_EQ(ops[4].outputs, OperandList{residual});
  EXPECT_EQ(program.buffers[shared].row_elems, 512U);
  EXPECT_EQ(program.buffers[gate].row_elems, 1U);
  for (LayerSpec& layer : model.layers) layer.has_shared_gate = false;
  const Program plain = build_program(model, all_on(model, 0), 1, 16, 1, kAlignment);
  const auto up = std::ranges::find(plain.ops, OpKind::kSharedUp, &Op::kind),
             down = std::ranges::find(plain.ops, OpKind::kSharedDown, &Op::kind);
  ASSERT_NE(down, plain.ops.end());
  EXPECT_EQ(up->outputs.size(), 1U);
  EXPECT_EQ(down->inputs, (OperandList{up->outputs[0], up->inputs[0]}));
}

// The router's weights are uploaded with those of gate and up; a shared expert's by themselves.
TEST(BuildProgram, experts_are_uploaded_in_two_parts_and_a_shared_one_in_two_more) {
  const auto uploading = [](const test::ModelShape& shape) {
    const ModelInfo model = test::make_model(shape);
    Placement placement = all_on(model, 1);
    placement.layers[0].ffn = 0;
    const WeightStreaming streaming{.ffn_device = std::vector<DeviceIndex>(model.n_layers(), 1)};
    const Program program = build_program(model, placement, 2, 16, 1, kAlignment, streaming);
    std::vector<OpKind> kinds;
    for (const Op& op : program.ops) {
      if (op.needs_weight_upload) kinds.push_back(op.kind);
    }
    return kinds;
  };
  EXPECT_EQ(uploading(test::kQwen3_30B_A3B), (std::vector<OpKind>{OpKind::kMoeRoute, OpKind::kMoeDown}));
  EXPECT_EQ(uploading(test::kQwen35_35B_A3B),
            (std::vector<OpKind>{OpKind::kMoeRoute, OpKind::kSharedUp, OpKind::kMoeDown, OpKind::kSharedDown}));
}

TEST(BuildProgram, every_buffer_is_written_before_it_is_read) {
  const ModelInfo model = test::make_model(test::kQwen25_7B);
  const Program program = build_program(model, all_on(model, 0), 1, 16, 1, kAlignment);
  std::vector<bool> written(program.buffers.size(), false);
  for (const Op& op : program.ops) {
    for (const BufferId id : op.inputs) EXPECT_TRUE(written[id]) << op_name(op.kind);
    ASSERT_FALSE(op.outputs.empty()) << op_name(op.kind);
    for (const BufferId id : op.outputs) written[id] = true;
  }
}

TEST(BuildProgram, an_op_lists_every_buffer_that_it_reads_and_a_residual_that_it_adds_to_as_both) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const Program program = build_program(model, all_on(model, 0), 1, 16, 1, kAlignment);
  const auto names = [&](const OperandList& ids) {
    std::vector<std::string> out;
    for (const BufferId id : ids) out.push_back(program.buffers[id].name);
    return out;
  };
  using Names = std::vector<std::string>;
  const std::vector<std::pair<Names, Names>> layer{{{"residual"}, {"query"}},
                                                   {{"query"}, {"attended"}},
                                                   {{"attended", "residual"}, {"residual"}},
                                                   {{"residual"}, {"hidden"}},
                                                   {{"hidden", "residual"}, {"residual"}}};
  EXPECT_TRUE(program.ops.front().inputs.empty());
  EXPECT_EQ(names(program.ops.front().outputs), Names{"residual"});
  for (std::size_t i = 0; i < layer.size(); ++i) {
    EXPECT_EQ(names(program.ops[1 + i].inputs), layer[i].first) << op_name(program.ops[1 + i].kind);
    EXPECT_EQ(names(program.ops[1 + i].outputs), layer[i].second) << op_name(program.ops[1 + i].kind);
  }
  EXPECT_EQ(program.ops[3].inputs[1], program.ops[3].outputs[0]) << "in place";
  EXPECT_EQ(names(program.ops.back().inputs), Names{"residual"});
  EXPECT_EQ(names(program.ops.back().outputs), Names{"logits"});
  EXPECT_EQ(program.buffers[program.logits].name, "logits");
}

}  // namespace
}  // namespace headroom
