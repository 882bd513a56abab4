#include "program/subgraphs.h"

#include <utility>

#include "base/check.h"

namespace headroom {

std::vector<DeviceSubgraph> cut_subgraphs(const Program& program, ExecutionMode way) {
  std::vector<DeviceSubgraph> subgraphs;
  std::vector<std::uint32_t> arrived;
  for (std::uint32_t i = program.first_op(way); i < program.end_op(way); ++i) {
    const Op& op = program.ops[i];
    if (op.kind == OpKind::kTransfer) {
      arrived.push_back(i);
    } else if (arrived.empty() && !op.needs_weight_upload && !subgraphs.empty() &&
               subgraphs.back().device == op.device) {
      ++subgraphs.back().last_op;
    } else {
      subgraphs.push_back({op.device, i, i + 1, std::exchange(arrived, {})});
    }
  }
  CHECK(arrived.empty(), "a program ends with a transfer that nobody reads");
  return subgraphs;
}

Bytes transfer_bytes(const Program& program, std::uint32_t n_rows, ExecutionMode way) {
  Bytes sum = 0;
  for (std::uint32_t i = program.first_op(way); i < program.end_op(way); ++i) {
    const Op& op = program.ops[i];
    if (op.kind == OpKind::kTransfer) sum += n_rows * program.buffers[op.outputs[0]].row_bytes();
  }
  return sum;
}

}  // namespace headroom
