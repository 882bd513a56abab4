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
  std::vector<std::uint32_t> transfers;     // ops that bring its inputs, in order, before it starts
};

// Every op of one way once and in order, as a subgraph's own or as a transfer before one. An op that brings weights
// begins a subgraph: what was submitted before it runs meanwhile.
std::vector<DeviceSubgraph> cut_subgraphs(const Program& program, ExecutionMode way = ExecutionMode::kResident);

// Bytes that cross between devices in a step of `n_rows` rows; logits that are read and weights that are brought are
// not counted.
Bytes transfer_bytes(const Program& program, std::uint32_t n_rows, ExecutionMode way = ExecutionMode::kResident);

}  // namespace headroom
