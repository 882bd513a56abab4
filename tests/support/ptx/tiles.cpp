#include <fmt/format.h>

#include <array>

#include "support/ptx/lanes.h"

namespace headroom::ptx {
namespace {

// mma.sync of int8: PTX ISA, "Matrix Fragments for mma.m16n8k16, m16n8k32 and m8n8k16" with .s8. Each lane's registers
// are taken apart into elements of the matrices by the rule for their rows and columns, and multiplied plainly.
Action make_product(const Instruction& code) {
  struct Shape {
    int rows, depth;
  };
  const Shape shape = code.has("m16n8k32")   ? Shape{16, 32}
                      : code.has("m16n8k16") ? Shape{16, 16}
                      : code.has("m8n8k16")  ? Shape{8, 16}
                                             : throw Fault("a product of tiles that is not known");
  if (fmt::format("{}", fmt::join(code.parts, ".")) !=
      fmt::format("mma.sync.aligned.{}.row.col.s32.s8.s8.s32", code.parts[3]))
    throw Fault("a product of tiles of other types");
  expect_operands(code, 4);
  const std::array<Operand, 4> in{code.operands[0], code.operands[1], code.operands[2], code.operands[3]};
  return [=](Machine& machine, Warp& warp, std::uint32_t lanes) {
    if (lanes != kAllLanes) throw Fault("a warp multiplies tiles, and not all lanes have come");
    int a[16][32] = {}, b[32][8] = {}, sums[16][8] = {};
    const auto byte_of = [&](const Operand& fragment, std::size_t i, std::uint32_t lane) {
      const std::uint64_t word = machine.value(warp, fragment.elements.at(i / 4), lane);
      return static_cast<int>(static_cast<std::int8_t>(word >> (8 * (i % 4))));
    };
    const auto row_of_sum = [&](std::size_t i, std::uint32_t lane) { return lane / 4 + (i < 2 ? 0 : 8); };
    const std::size_t n_sums = shape.rows == 16 ? 4 : 2,
                      n_a = static_cast<std::size_t>(shape.rows * shape.depth) / kWarp,
                      n_b = static_cast<std::size_t>(8 * shape.depth) / kWarp;
    each_lane(lanes, [&](std::uint32_t lane) {
      const std::uint32_t group = lane / 4, in_group = lane % 4;
      for (std::size_t i = 0; i < n_a; ++i) {
        // Four elements a register: of 16 rows the registers are those of the upper and of the lower eight in turns.
        const bool is_lower = shape.rows == 16 && i / 4 % 2 == 1, is_later = i >= 8;
        a[group + (is_lower ? 8 : 0)][in_group * 4 + i % 4 + (is_later ? 16 : 0)] = byte_of(in[1], i, lane);
      }
      for (std::size_t i = 0; i < n_b; ++i)
        b[in_group * 4 + i % 4 + (i >= 4 ? 16 : 0)][group] = byte_of(in[2], i, lane);
      for (std::size_t i = 0; i < n_sums; ++i)
        sums[row_of_sum(i, lane)][in_group * 2 + i % 2] =
            static_cast<int>(static_cast<std::uint32_t>(machine.value(warp, in[3].elements.at(i), lane)));
    });
    for (int row = 0; row < shape.rows; ++row) {
      for (int col = 0; col < 8; ++col) {
        for (int k = 0; k < shape.depth; ++k) sums[row][col] += a[row][k] * b[k][col];
      }
    }
    each_lane(lanes, [&](std::uint32_t lane) {
      for (std::size_t i = 0; i < n_sums; ++i)
        Machine::put(warp, in[0].elements.at(i), lane,
                     static_cast<std::uint32_t>(sums[row_of_sum(i, lane)][lane % 4 * 2 + i % 2]));
    });
  };
}

}  // namespace

Action tile_action_of(const Instruction& code) {
  if (code.parts[0] == "mma") return make_product(code);
  return {};
}

}  // namespace headroom::ptx
