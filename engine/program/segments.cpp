#include "program/segments.h"

#include <utility>

#include "base/check.h"

namespace headroom {

std::vector<Segment> cut_segments(const Program& program, Way way) {
  std::vector<Segment> segments;
  std::vector<std::uint32_t> arrived;
  for (std::uint32_t i = program.first_op(way); i < program.end_op(way); ++i) {
    const Op& op = program.ops[i];
    if (op.kind == OpKind::kTransfer) {
      arrived.push_back(i);
    } else if (arrived.empty() && !op.brings_weights && !segments.empty() && segments.back().device == op.device) {
      ++segments.back().last_op;
    } else {
      segments.push_back({op.device, i, i + 1, std::exchange(arrived, {})});
    }
  }
  CHECK(arrived.empty(), "a program ends with a transfer that nobody reads");
  return segments;
}

Bytes transfer_bytes(const Program& program, std::uint32_t n_rows, Way way) {
  Bytes sum = 0;
  for (std::uint32_t i = program.first_op(way); i < program.end_op(way); ++i) {
    const Op& op = program.ops[i];
    if (op.kind == OpKind::kTransfer) sum += n_rows * program.buffers[op.outputs[0]].row_bytes();
  }
  return sum;
}

}  // namespace headroom
