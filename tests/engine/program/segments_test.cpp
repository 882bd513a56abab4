#include "program/segments.h"

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

TEST(Segments, one_device_is_one_segment_that_nothing_crosses_into) {
  const ModelInfo model = two_layers();
  const Program program = program_of(model, std::vector<DeviceIndex>(model.n_layers(), 1), 1, 1);
  const std::vector<Segment> segments = cut_segments(program);
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_EQ(segments[0].device, 1U);
  EXPECT_EQ(segments[0].first_op, 0U);
  EXPECT_EQ(segments[0].last_op, program.ops.size());
  EXPECT_TRUE(segments[0].transfers.empty());
  EXPECT_EQ(transfer_bytes(program, 8), 0U);
}

// From device 0 to 1 to 2 and back to 0 for the head.
TEST(Segments, every_op_once_and_in_order_with_what_crosses_before_it) {
  const ModelInfo model = two_layers();
  const Program program = program_of(model, {1, 2}, 0, 0);
  std::uint32_t next = 0;
  std::vector<DeviceIndex> devices;
  for (const Segment& segment : cut_segments(program)) {
    for (const std::uint32_t transfer : segment.transfers) {
      EXPECT_EQ(transfer, next++);
      EXPECT_EQ(program.ops[transfer].kind, OpKind::kTransfer);
      EXPECT_EQ(program.buffers[program.ops[transfer].outputs[0]].device, segment.device);
      EXPECT_NE(program.buffers[program.ops[transfer].inputs[0]].device, segment.device);
    }
    EXPECT_EQ(segment.first_op, next);
    for (; next < segment.last_op; ++next) EXPECT_EQ(program.ops[next].device, segment.device);
    devices.push_back(segment.device);
  }
  EXPECT_EQ(next, program.ops.size());
  EXPECT_EQ(devices, (std::vector<DeviceIndex>{0, 1, 2, 0}));
  EXPECT_EQ(transfer_bytes(program, 5), 3 * 5 * model.d_model * sizeof(float));
}

// Attention on the CPU, FFNs brought to device 1: there and back in each layer, and a segment for each part that is
// brought.
TEST(Segments, what_brings_weights_begins_a_segment) {
  const ModelInfo model = two_layers();
  Placement placement{{{0, 0}, {1, 1}}, 0, 1};
  placement.streamed_ffn = {1, 1};
  const Program program = build_program(model, placement, 2, 8, 2, 64);
  const std::vector<Segment> segments = cut_segments(program, Way::kStreaming);
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_EQ(segments[0].first_op, program.first_op(Way::kStreaming));
  EXPECT_EQ(segments[0].device, 0U);
  EXPECT_EQ(program.ops[segments[1].first_op].kind, OpKind::kFfnUp);
  EXPECT_EQ(segments[1].last_op, segments[1].first_op + 1);
  EXPECT_EQ(segments[1].transfers.size(), 1U);
  EXPECT_EQ(program.ops[segments[2].first_op].kind, OpKind::kFfnDown);
  EXPECT_TRUE(segments[2].transfers.empty());
  EXPECT_EQ(segments[2].last_op, program.ops.size()) << "with the layer that stands there";
  EXPECT_EQ(cut_segments(program).back().last_op, program.end_op(Way::kInPlace));
  EXPECT_EQ(transfer_bytes(program, 5, Way::kStreaming), 5 * model.d_model * sizeof(float));
  EXPECT_EQ(transfer_bytes(program, 5), 5 * model.d_model * sizeof(float));
}

}  // namespace
}  // namespace headroom
