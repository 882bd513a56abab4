#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "format/decode.h"
#include "support/ptx/lanes.h"
#include "support/ptx/values.h"

namespace headroom::ptx {
namespace {

// What a tile of a product is made of. Numbers are exact in a double; sums of whole ones are, too.
struct Element {
  const char* name;
  unsigned bits;
  bool is_whole;
  double (*value)(std::uint32_t bits);
};

// tf32: the 19 highest bits of an f32; a card reads no others.
constexpr std::uint32_t kTf32Bits = 0xFFFFE000;

constexpr Element kElements[] = {
    {"s8", 8, true, [](std::uint32_t bits) { return static_cast<double>(static_cast<std::int8_t>(bits)); }},
    {"u8", 8, true, [](std::uint32_t bits) { return static_cast<double>(static_cast<std::uint8_t>(bits)); }},
    {"f16", 16, false,
     [](std::uint32_t bits) { return static_cast<double>(f16_to_f32(static_cast<std::uint16_t>(bits))); }},
    {"bf16", 16, false,
     [](std::uint32_t bits) { return static_cast<double>(bf16_to_f32(static_cast<std::uint16_t>(bits))); }},
    {"tf32", 32, false, [](std::uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits & kTf32Bits)); }},
};

const Element& element_of(const std::string& name) {
  for (const Element& each : kElements) {
    if (name == each.name) return each;
  }
  throw Fault("a tile of a type that is not known: " + name);
}

struct Product {
  std::uint32_t n_rows = 0, depth = 0;  // always 8 columns
  Element a, b;
  std::string sums;  // "s32", "f32", "f16"
};

// "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32".
Product product_of(const Instruction& code) {
  struct Shape {
    const char* name;
    std::uint32_t n_rows, depth;
    unsigned bits;  // of an element of both
  };
  constexpr Shape kShapes[] = {{"m16n8k32", 16, 32, 8},  {"m16n8k16", 16, 16, 8}, {"m8n8k16", 8, 16, 8},
                               {"m16n8k16", 16, 16, 16}, {"m16n8k8", 16, 8, 16},  {"m16n8k8", 16, 8, 32}};
  const std::vector<std::string>& parts = code.parts;
  if (parts.size() != 10) throw Fault("a product of tiles that is not known");
  Product made{0, 0, element_of(parts[7]), element_of(parts[8]), parts[6]};
  for (const Shape& shape : kShapes) {
    if (parts[3] == shape.name && made.a.bits == shape.bits) made.n_rows = shape.n_rows, made.depth = shape.depth;
  }
  const bool has_known_sums =
      made.a.is_whole ? made.sums == "s32" : made.sums == "f32" || (parts[7] == "f16" && made.sums == "f16");
  const bool are_alike = made.a.is_whole ? made.b.is_whole : parts[7] == parts[8];
  if (code.form(7) != "mma.sync.aligned" || parts[4] != "row" || parts[5] != "col" || parts[9] != made.sums ||
      made.n_rows == 0 || !has_known_sums || !are_alike)
    throw Fault("a product of tiles that is not known");
  return made;
}

// Where a lane's part of a tile stands: PTX ISA, "Matrix Fragments for mma.m16n8k8", "mma.m16n8k16", "mma.m16n8k32" and
// "mma.m8n8k16". Four lanes have a row of a, a column of b, each a register of neighbouring elements in turns; of 16
// rows registers are of the upper and of the lower eight in turns. Of sums they have two neighbours of a row each.
struct Place {
  std::uint32_t row, col;
};
Place place_in_a(std::uint32_t lane, std::uint32_t i, std::uint32_t n_rows, std::uint32_t n_in_register) {
  const std::uint32_t index = i / n_in_register, n_halves = n_rows / 8;
  return {lane / 4 + index % n_halves * 8, (index / n_halves * 4 + lane % 4) * n_in_register + i % n_in_register};
}
Place place_in_b(std::uint32_t lane, std::uint32_t i, std::uint32_t n_in_register) {
  return {(i / n_in_register * 4 + lane % 4) * n_in_register + i % n_in_register, lane / 4};
}
Place place_in_sums(std::uint32_t lane, std::uint32_t i) { return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2}; }

// The bits of element i, of which each register of the fragment has some.
std::uint32_t element_bits(const Machine& machine, const Warp& warp, const Operand& fragment, std::uint32_t lane,
                           std::uint32_t i, unsigned bits) {
  const std::uint32_t n_in_register = 32 / bits;
  const std::uint64_t word = machine.value(warp, fragment.elements[i / n_in_register], lane);
  return static_cast<std::uint32_t>(low_bits(word >> (i % n_in_register * bits), bits));
}

void expect_registers(const Operand& fragment, std::size_t n) {
  if (fragment.kind != Operand::Kind::kVector || fragment.elements.size() != n)
    throw Fault(fmt::format("expected a fragment of {} registers", n));
}

double sum_before(const std::string& type, std::uint32_t bits) {
  if (type == "s32") return static_cast<std::int32_t>(bits);
  return type == "f32" ? std::bit_cast<float>(bits) : f16_to_f32(static_cast<std::uint16_t>(bits));
}

// Whole sums wrap around.
std::uint32_t sum_bits(const std::string& type, double sum) {
  if (type == "s32") return static_cast<std::uint32_t>(static_cast<std::int64_t>(sum));
  const auto rounded = static_cast<float>(sum);
  return type == "f32" ? std::bit_cast<std::uint32_t>(rounded) : f32_to_f16(rounded);
}

// mma.sync: each lane's registers are taken apart into elements of the matrices, which are multiplied plainly. Sums of
// f16, bf16 and tf32 are rounded at the end, where a card rounds in between as it pleases.
Action make_product(const Instruction& code) {
  const Product product = product_of(code);
  const std::uint32_t n_a = product.n_rows * product.depth / kWarp, n_b = 8 * product.depth / kWarp,
                      n_sums = product.n_rows * 8 / kWarp;
  const unsigned sum_width = product.sums == "f16" ? 16 : 32;
  expect_operands(code, 4);
  expect_registers(code.operands[0], n_sums * sum_width / 32);
  expect_registers(code.operands[1], n_a * product.a.bits / 32);
  expect_registers(code.operands[2], n_b * product.b.bits / 32);
  expect_registers(code.operands[3], n_sums * sum_width / 32);
  const std::array<Operand, 4> in{code.operands[0], code.operands[1], code.operands[2], code.operands[3]};
  return [=](Machine& machine, Warp& warp, std::uint32_t lanes) {
    if (lanes != kAllLanes) throw Fault("a warp multiplies tiles, and not all lanes have come");
    double a[16][32] = {}, b[32][8] = {}, sums[16][8] = {};
    each_lane(lanes, [&](std::uint32_t lane) {
      for (std::uint32_t i = 0; i < n_a; ++i) {
        const Place at = place_in_a(lane, i, product.n_rows, 32 / product.a.bits);
        a[at.row][at.col] = product.a.value(element_bits(machine, warp, in[1], lane, i, product.a.bits));
      }
      for (std::uint32_t i = 0; i < n_b; ++i) {
        const Place at = place_in_b(lane, i, 32 / product.b.bits);
        b[at.row][at.col] = product.b.value(element_bits(machine, warp, in[2], lane, i, product.b.bits));
      }
      for (std::uint32_t i = 0; i < n_sums; ++i) {
        const Place at = place_in_sums(lane, i);
        sums[at.row][at.col] = sum_before(product.sums, element_bits(machine, warp, in[3], lane, i, sum_width));
      }
    });
    for (std::uint32_t row = 0; row < product.n_rows; ++row) {
      for (std::uint32_t col = 0; col < 8; ++col) {
        for (std::uint32_t k = 0; k < product.depth; ++k) sums[row][col] += a[row][k] * b[k][col];
      }
    }
    each_lane(lanes, [&](std::uint32_t lane) {
      const std::uint32_t n_in_register = 32 / sum_width;
      for (std::uint32_t i = 0; i < n_sums; i += n_in_register) {
        std::uint32_t word = 0;
        for (std::uint32_t part = 0; part < n_in_register; ++part) {
          const Place at = place_in_sums(lane, i + part);
          word |= sum_bits(product.sums, sums[at.row][at.col]) << (part * sum_width);
        }
        Machine::put(warp, in[0].elements[i / n_in_register], lane, word);
      }
    });
  };
}

// ldmatrix: PTX ISA, "Warp-level matrix load instruction: ldmatrix". Lane 8 m + r tells where row r of matrix m is;
// each lane gets two neighbours of row lane / 4 of each matrix, or of column lane / 4 where it is transposed.
Action make_tile_load(const Instruction& code) {
  const std::string form = code.form(0);
  constexpr std::string_view kHead = "ldmatrix.sync.aligned.m8n8.x";
  const bool is_transposed = code.has("trans");
  std::size_t n = 0;
  for (const std::size_t each : {1U, 2U, 4U}) {
    if (form == fmt::format("{}{}{}.shared.b16", kHead, each, is_transposed ? ".trans" : "")) n = each;
  }
  if (n == 0) throw Fault("a load of tiles that is not known");
  expect_operands(code, 2);
  const Operand to = code.operands[0], at = code.operands[1];
  expect_registers(to, n);
  return [=](Machine& machine, Warp& warp, std::uint32_t lanes) {
    if (lanes != kAllLanes) throw Fault("a warp loads tiles, and not all lanes have come");
    std::uint16_t rows[kWarp][8] = {};
    each_lane(kAllLanes >> (kWarp - 8 * n), [&](std::uint32_t lane) {
      std::memcpy(&rows[lane], machine.shared(warp, lane, machine.address(warp, at, lane), 16, Access::kRead), 16);
    });
    each_lane(lanes, [&](std::uint32_t lane) {
      const std::uint32_t across = lane / 4, along = lane % 4 * 2;
      for (std::size_t matrix = 0; matrix < n; ++matrix) {
        const auto* tile = &rows[matrix * 8];
        const std::uint32_t low = is_transposed ? tile[along][across] : tile[across][along],
                            high = is_transposed ? tile[along + 1][across] : tile[across][along + 1];
        Machine::put(warp, to.elements[matrix], lane, low | high << 16);
      }
    });
  };
}

}  // namespace

Action tile_action_of(const Instruction& code) {
  if (code.parts[0] == "mma") return make_product(code);
  if (code.parts[0] == "ldmatrix") return make_tile_load(code);
  return {};
}

}  // namespace headroom::ptx
