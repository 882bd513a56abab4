#include "program/segments.h"

#include <utility>

#include "base/check.h"

namespace headroom {

std::vector<Segment> cut_segments(const Program& program) {
  std::vector<Segment> segments;
  std::vector<std::uint32_t> arrived;
  for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (op.kind == OpKind::kTransfer) {
      arrived.push_back(i);
    } else if (arrived.empty() && !segments.empty() && segments.back().device == op.device) {
      ++segments.back().last_op;
    } else {
      segments.push_back({op.device, i, i + 1, std::exchange(arrived, {})});
    }
  }
  CHECK(arrived.empty(), "a program ends with a transfer that nobody reads");
  return segments;
}

Bytes transfer_bytes(const Program& program, std::uint32_t n_rows) {
  Bytes sum = 0;
  for (const Op& op : program.ops) {
    if (op.kind == OpKind::kTransfer) sum += n_rows * program.buffers[op.outputs[0]].row_bytes();
  }
  return sum;
}

}  // namespace headroom
