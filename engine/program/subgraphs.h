// How a program is walked over several devices: runs of ops on one device, and what crosses before each.
#pragma once

#include <cstdint>
#include <vector>

#include "program/op.h"

namespace headroom {

// Consecutive ops of one device, none of them a transfer. Static for a plan: a backend may capture it when it is bound.
struct DeviceSubgraph {
  DeviceIndex device = 0;
  std::uint32_t first_op = 0, last_op = 0;  // [first_op, last_op) of Program::ops
  std::vector<std::uint32_t> transfers;     // ops that copy its inputs from other devices, in order, before it starts
};

// Cuts the ops of one execution mode into subgraphs. Every op is in exactly one of them or is a transfer before one, in
// order. An op with needs_weight_upload begins a subgraph of its own, so that the ops before it are running while its
// weights are uploaded. Example: layers 0 to 9 on the CPU and 10 to 31 on a GPU are two subgraphs, and the second has
// one transfer, of the residual.
std::vector<DeviceSubgraph> cut_subgraphs(const Program& program, ExecutionMode way = ExecutionMode::kResident);

// Bytes that transfers copy between devices in a step of `n_rows` rows. Logits that the host reads and streamed weights
// are not counted.
Bytes transfer_bytes(const Program& program, std::uint32_t n_rows, ExecutionMode way = ExecutionMode::kResident);

}  // namespace headroom
