// The entries of a kernel table by name: what the check of a set and its tests go through.
#pragma once

#include <cstddef>

#include "backend/cpu/kernel_table.h"

namespace headroom {

inline constexpr int kNoType = -1;

// Calls visit(name, type, entry) for every entry: type is that of the numbers it works on, or kNoType.
template <class Table, class Visit>
constexpr void for_each_kernel(Table& table, Visit visit) {
  const auto by_type = [&](const char* name, auto& entries) {
    for (std::size_t type = 0; type < kNDTypes; ++type) visit(name, static_cast<int>(type), entries[type]);
  };
  by_type("dot", table.dot);
  by_type("columns", table.columns);
  by_type("unpack", table.unpack);
  by_type("dot_slabs", table.dot_slabs);
  by_type("values", table.values);
  visit("query_words", kNoType, table.query_words);
  by_type("key_words", table.key_words);
  by_type("value_words", table.value_words);
  visit("attend_tile", kNoType, table.attend_tile);
  visit("take_results", kNoType, table.take_results);
  visit("softmax", kNoType, table.softmax);
  visit("softcap", kNoType, table.softcap);
  visit("block_maxima", kNoType, table.block_maxima);
  visit("sum_exps", kNoType, table.sum_exps);
  visit("rotate", kNoType, table.rotate);
  visit("unrotate", kNoType, table.unrotate);
  by_type("encode", table.encode);
  visit("quantize_q4", kNoType, table.quantize_q4);
  visit("norm", kNoType, table.norm);
  visit("quantize", kNoType, table.quantize);
  visit("quantize_slabs", kNoType, table.quantize_slabs);
  visit("quantize_words", kNoType, table.quantize_words);
  visit("turn_neighbours", kNoType, table.turn_neighbours);
  visit("turn_halves", kNoType, table.turn_halves);
  visit("put_products", kNoType, table.put_products);
  visit("add_products", kNoType, table.add_products);
  visit("silu_mul", kNoType, table.silu_mul);
  visit("gelu_mul", kNoType, table.gelu_mul);
  visit("clamped_mul", kNoType, table.clamped_mul);
  visit("l2_norm", kNoType, table.l2_norm);
  visit("gate_sigmoid", kNoType, table.gate_sigmoid);
  visit("gate_silu", kNoType, table.gate_silu);
  visit("convolve", kNoType, table.convolve);
  visit("delta_rule", kNoType, table.delta_rule);
  visit("int8_peak", kNoType, table.int8_peak);
  visit("tile_peak", kNoType, table.tile_peak);
  visit("read", kNoType, table.read);
}

inline constexpr std::size_t kNKernels = [] {
  KernelTable table{};
  std::size_t n = 0;
  for_each_kernel(table, [&n](const char*, int, auto&) { ++n; });
  return n;
}();
static_assert(sizeof(KernelTable) == (1 + kNKernels) * sizeof(void*), "a kernel of the table has no name here");

}  // namespace headroom
