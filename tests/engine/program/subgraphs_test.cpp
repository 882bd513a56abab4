#include "program/subgraphs.h"

#include <gtest/gtest.h>

#include "program/build_program.h"
#include "support/model_specs.h"

namespace headroom {
namespace {

ModelInfo two_layers() {
  ModelInfo model = test::make_model(test::kTinyLlama);
  model.layers.resize(2);
  return model;
}

Program program_of(const ModelInfo& model, const std::vector<DeviceIndex>& layers, DeviceIndex embed,
                   DeviceIndex head) {
  Placement placement{{}, embed, head};
  for (const DeviceIndex device : layers) placement.layers.push_back({device, device});
  return build_program(model, placement, 3, 8, 2, 64);
}

TEST(DeviceSubgraphs, one_device_is_one_segment_that_nothing_crosses_into) {
  const ModelInfo model = two_layers();
  const Program program = program_of(model, std::vector<DeviceIndex>(model.n_layers(), 1), 1, 1);
  const std::vector<DeviceSubgraph> subgraphs = cut_subgraphs(program);
  ASSERT_EQ(subgraphs.size(), 1U);
  EXPECT_EQ(subgraphs[0].device, 1U);
  EXPECT_EQ(subgraphs[0].first_op, 0U);
  EXPECT_EQ(subgraphs[0].last_op, program.ops.size());
  EXPECT_TRUE(subgraphs[0].transfers.empty());
  EXPECT_EQ(transfer_bytes(program, 8), 0U);
}

// From device 0 to 1 to 2 and back to 0 for the head.
TEST(DeviceSubgraphs, every_op_once_and_in_order_with_what_crosses_before_it) {
  const ModelInfo model = two_layers();
  const Program program = program_of(model, {1, 2}, 0, 0);
  std::uint32_t next = 0;
  std::vector<DeviceIndex> devices;
  for (const DeviceSubgraph& subgraph : cut_subgraphs(program)) {
    for (const std::uint32_t transfer : subgraph.transfers) {
      EXPECT_EQ(transfer, next++);
      EXPECT_EQ(program.ops[transfer].kind, OpKind::kTransfer);
      EXPECT_EQ(program.buffers[program.ops[transfer].outputs[0]].device, subgraph.device);
      EXPECT_NE(program.buffers[program.ops[transfer].inputs[0]].device, subgraph.device);
    }
    EXPECT_EQ(subgraph.first_op, next);
    for (; next < subgraph.last_op; ++next) EXPECT_EQ(program.ops[next].device, subgraph.device);
    devices.push_back(subgraph.device);
  }
  EXPECT_EQ(next, program.ops.size());
  EXPECT_EQ(devices, (std::vector<DeviceIndex>{0, 1, 2, 0}));
  EXPECT_EQ(transfer_bytes(program, 5), 3 * 5 * model.d_model * sizeof(float));
}

// Attention on the CPU, FFNs streamed to device 1: there and back in each layer, and a subgraph for each op that
// uploads weights.
TEST(DeviceSubgraphs, what_brings_weights_begins_a_segment) {
  const ModelInfo model = two_layers();
  const Placement placement{{{0, 0}, {1, 1}}, 0, 1};
  const Program program = build_program(model, placement, 2, 8, 2, 64, {.ffn_device = {1, 1}});
  const std::vector<DeviceSubgraph> subgraphs = cut_subgraphs(program, ExecutionMode::kStreamed);
  ASSERT_EQ(subgraphs.size(), 3U);
  EXPECT_EQ(subgraphs[0].first_op, program.first_op(ExecutionMode::kStreamed));
  EXPECT_EQ(subgraphs[0].device, 0U);
  EXPECT_EQ(program.ops[subgraphs[1].first_op].kind, OpKind::kFfnUp);
  EXPECT_EQ(subgraphs[1].last_op, subgraphs[1].first_op + 1);
  EXPECT_EQ(subgraphs[1].transfers.size(), 1U);
  EXPECT_EQ(program.ops[subgraphs[2].first_op].kind, OpKind::kFfnDown);
  EXPECT_TRUE(subgraphs[2].transfers.empty());
  EXPECT_EQ(subgraphs[2].last_op, program.ops.size()) << "with the layer that stands there";
  EXPECT_EQ(cut_subgraphs(program).back().last_op, program.end_op(ExecutionMode::kResident));
  EXPECT_EQ(transfer_bytes(program, 5, ExecutionMode::kStreamed), 5 * model.d_model * sizeof(float));
  EXPECT_EQ(transfer_bytes(program, 5), 5 * model.d_model * sizeof(float));
}

}  // namespace
}  // namespace headroom
