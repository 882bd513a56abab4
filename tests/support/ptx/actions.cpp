#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "support/ptx/lanes.h"
#include "support/ptx/values.h"

namespace headroom::ptx {
namespace {

// The bytes of what an instruction moves, by its elements.
Action make_move(const Instruction& code) {
  const Type type = type_of(code.parts.back());
  const bool is_load = code.parts[0] == "ld", is_shared = code.has("shared"), is_param = code.has("param");
  expect_parts(code, {"global", "shared", "param", "v2", "v4", "nc", "cs", "ca", "cg", "L1::no_allocate"});
  expect_operands(code, 2);
  if (is_shared + is_param + code.has("global") != 1 || (is_param && !is_load) || type.kind == 'p')
    throw Fault("memory of a kind that is not known");
  const Operand& place = code.operands[is_load ? 0 : 1];
  const std::vector<Operand> elements = place.kind == Operand::Kind::kVector ? place.elements : std::vector{place};
  const std::size_t n = code.has("v4") ? 4 : code.has("v2") ? 2 : 1, width = type.bits / 8U;
  if (n != elements.size()) throw Fault("a vector has another number of elements");
  const Operand at = code.operands[is_load ? 1 : 0];
  return [=](Machine& machine, Warp& warp, std::uint32_t lanes) {
    each_lane(lanes, [&](std::uint32_t lane) {
      const std::uint64_t address = machine.address(warp, at, lane);
      const std::size_t bytes = n * width;
      if (is_load) {
        const std::byte* from = is_param    ? machine.param(address, bytes)
                                : is_shared ? machine.shared(warp, lane, address, bytes, Access::kRead)
                                            : machine.global(warp, lane, address, bytes);
        for (std::size_t i = 0; i < n; ++i) {
          std::uint64_t bits = 0;
          std::memcpy(&bits, from + i * width, width);
          Machine::put(warp, elements[i], lane, type.kind == 's' ? sign_extended(bits, type.bits) : bits);
        }
      } else {
        std::byte* to = is_shared ? machine.shared(warp, lane, address, bytes, Access::kWrite)
                                  : machine.global(warp, lane, address, bytes);
        for (std::size_t i = 0; i < n; ++i) {
          const std::uint64_t bits = machine.value(warp, elements[i], lane);
          std::memcpy(to + i * width, &bits, width);
        }
      }
    });
  };
}

// shfl.sync: PTX ISA, "Data Movement and Conversion Instructions: shfl.sync".
Action make_shuffle(const Instruction& code) {
  const bool is_butterfly = code.form() == "shfl.sync.bfly";
  if ((!is_butterfly && code.form() != "shfl.sync.idx") || code.parts.back() != "b32")
    throw Fault("an exchange of a kind that is not known");
  expect_operands(code, 5);
  const bool has_predicate = code.operands[0].kind == Operand::Kind::kVector;
  if (has_predicate && code.operands[0].elements.size() != 2) throw Fault("an exchange with other results");
  const Operand to = has_predicate ? code.operands[0].elements[0] : code.operands[0];
  const Operand told = has_predicate ? code.operands[0].elements[1] : Operand{};
  const std::array<Operand, 4> in{code.operands[1], code.operands[2], code.operands[3], code.operands[4]};
  return [=](Machine& machine, Warp& warp, std::uint32_t lanes) {
    if (lanes != kAllLanes) throw Fault("lanes exchange words, and not all of the warp have come");
    std::array<std::uint64_t, kWarp> words{};
    each_lane(lanes, [&](std::uint32_t lane) {
      if (static_cast<std::uint32_t>(machine.value(warp, in[3], lane)) != kAllLanes)
        throw Fault("an exchange of a part of a warp");
      words[lane] = machine.value(warp, in[0], lane);
    });
    each_lane(lanes, [&](std::uint32_t lane) {
      const auto b = static_cast<std::uint32_t>(machine.value(warp, in[1], lane)) & 31U,
                 c = static_cast<std::uint32_t>(machine.value(warp, in[2], lane));
      const std::uint32_t segment = c >> 8 & 31U, clamp = c & 31U;
      const std::uint32_t first = lane & segment, last = first | (clamp & ~segment);
      const std::uint32_t from = is_butterfly ? lane ^ b : first | (b & ~segment);
      const bool is_within = from <= last;
      Machine::put(warp, to, lane, words[is_within ? from : lane]);
      Machine::put(warp, told, lane, is_within ? 1 : 0);
    });
  };
}

Action make_atomic(const Instruction& code) {
  if (code.form() != "atom.shared.add" || code.parts.back() != "u32") throw Fault("an atomic that is not known");
  expect_operands(code, 3);
  const std::array<Operand, 3> in{code.operands[0], code.operands[1], code.operands[2]};
  return [=](Machine& machine, Warp& warp, std::uint32_t lanes) {
    each_lane(lanes, [&](std::uint32_t lane) {
      std::byte* at = machine.shared(warp, lane, machine.address(warp, in[1], lane), 4, Access::kAtomic);
      std::uint32_t before = 0;
      std::memcpy(&before, at, 4);
      const std::uint32_t after = before + static_cast<std::uint32_t>(machine.value(warp, in[2], lane));
      std::memcpy(at, &after, 4);
      Machine::put(warp, in[0], lane, before);
    });
  };
}

// Words taken apart and put together: mov.b64 %rd, {%r, %r}.
Action make_mov(const Instruction& code) {
  expect_parts(code, {});
  expect_operands(code, 2);
  const Operand to = code.operands[0], from = code.operands[1];
  const Type type = type_of(code.parts.back());
  for (const Operand& each : code.operands) {
    if (each.kind == Operand::Kind::kVector && each.elements.size() != 2 && each.elements.size() != 4)
      throw Fault("a word of other parts");
  }
  return [=](Machine& machine, Warp& warp, std::uint32_t lanes) {
    each_lane(lanes, [&](std::uint32_t lane) {
      if (from.kind == Operand::Kind::kVector) {
        std::uint64_t whole = 0;
        const std::size_t bits = type.bits / from.elements.size();
        for (std::size_t i = 0; i < from.elements.size(); ++i)
          whole |= low_bits(machine.value(warp, from.elements[i], lane), bits) << (i * bits);
        Machine::put(warp, to, lane, whole);
      } else if (to.kind == Operand::Kind::kVector) {
        const std::uint64_t whole = machine.value(warp, from, lane);
        const std::size_t bits = type.bits / to.elements.size();
        for (std::size_t i = 0; i < to.elements.size(); ++i)
          Machine::put(warp, to.elements[i], lane, low_bits(whole >> (i * bits), bits));
      } else {
        Machine::put(warp, to, lane, machine.value(warp, from, lane));
      }
    });
  };
}

// bar.warp.sync: what the lanes of a warp wrote is seen by all of them.
Action make_warp_barrier(const Instruction& code) {
  expect_operands(code, 1);
  return [mask = code.operands[0]](Machine& machine, Warp& warp, std::uint32_t lanes) {
    if (lanes != kAllLanes) throw Fault("a warp waits for its lanes, and not all have come");
    each_lane(lanes, [&](std::uint32_t lane) {
      if (static_cast<std::uint32_t>(machine.value(warp, mask, lane)) != kAllLanes)
        throw Fault("a barrier of a part of a warp");
    });
    ++warp.n_barriers;
  };
}

// griddepcontrol: PTX ISA, "Parallel Synchronization and Communication Instructions: griddepcontrol". Kernels run one
// behind the other here: what would be wrong else is what is touched before the wait.
Action make_dependency(const Instruction& code) {
  const bool waits = code.form(0) == kWaitForEarlier;
  if (!waits && code.form(0) != "griddepcontrol.launch_dependents") throw Fault("a dependency that is not known");
  expect_operands(code, 0);
  return [waits](Machine&, Warp& warp, std::uint32_t lanes) {
    if (waits) warp.has_waited |= lanes;
  };
}

Action make_prefetch(const Instruction& code) {
  if (code.form(0) != "prefetch.global.L2") throw Fault("a prefetch of a kind that is not known");
  expect_operands(code, 1);
  return [at = code.operands[0]](Machine& machine, Warp& warp, std::uint32_t lanes) {
    each_lane(lanes, [&](std::uint32_t lane) { machine.check_allocated(machine.address(warp, at, lane), 1); });
  };
}

}  // namespace

void expect_parts(const Instruction& code, std::initializer_list<std::string_view> known) {
  for (std::size_t i = 1; i + 1 < code.parts.size(); ++i) {
    if (std::ranges::find(known, code.parts[i]) == known.end())
      throw Fault("a part that is not known: " + code.parts[i]);
  }
}

void expect_operands(const Instruction& code, std::size_t n) {
  if (code.operands.size() != n) throw Fault(fmt::format("expected {} operands, found {}", n, code.operands.size()));
}

bool is_control(const Instruction& code) {
  const std::string name = code.form(0);
  if (name == "bra" || name == "bra.uni") {
    expect_operands(code, 1);
    if (code.operands[0].kind != Operand::Kind::kLabel) throw Fault("expected a label");
    return true;
  }
  if (name == "ret" || name == "exit") {
    expect_operands(code, 0);
    return true;
  }
  if (name != "bar.sync" && name != "barrier.sync") return false;
  expect_operands(code, 1);
  if (code.operands[0].kind != Operand::Kind::kNumber || code.operands[0].number != 0)
    throw Fault("a barrier other than the first, or of a part of the block");
  return true;
}

Action action_of(const Instruction& code) {
  const std::string& name = code.parts[0];
  if (name == "ld" || name == "st") return make_move(code);
  if (name == "shfl") return make_shuffle(code);
  if (Action of_tiles = tile_action_of(code)) return of_tiles;
  if (Action of_copies = copy_action_of(code)) return of_copies;
  if (name == "atom") return make_atomic(code);
  if (name == "griddepcontrol") return make_dependency(code);
  if (name == "prefetch") return make_prefetch(code);
  if (name == "mov") return make_mov(code);
  if (code.form(0) == "bar.warp.sync") return make_warp_barrier(code);
  const Function function = function_of(code);
  if (function.n_in == 0) throw Fault("an instruction that is not known");
  expect_operands(code, function.n_in + 1);
  return [function, n = function.n_in, operands = code.operands](Machine& machine, Warp& warp, std::uint32_t lanes) {
    each_lane(lanes, [&](std::uint32_t lane) {
      std::array<std::uint64_t, 4> in{};
      for (std::size_t i = 0; i < n; ++i) in[i] = machine.value(warp, operands[i + 1], lane);
      Machine::put(warp, operands[0], lane, function.result(in));
    });
  };
}

}  // namespace headroom::ptx
