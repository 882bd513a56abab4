#include "support/ptx/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "format/decode.h"
#include "support/ptx/values.h"

namespace headroom::ptx {
namespace {

constexpr std::uint32_t kWarp = 32, kAll = ~0U;

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Warp {
  std::array<std::uint32_t, kWarp> pc{};
  std::uint32_t live = kAll;
  std::uint32_t held = 0;  // lanes that wait for those of their warp
  bool waits = false;      // at a barrier
  std::uint32_t first_thread = 0;
  std::vector<std::uint64_t> registers;  // (n, 32)
  std::vector<std::uint32_t> defined;    // (n), a bit for each lane
};

class Machine;
using Action = std::function<void(Machine&, Warp&, std::uint32_t lanes)>;

template <class F>
void each_lane(std::uint32_t lanes, F f) {
  for (std::uint32_t lane = 0; lane < kWarp; ++lane) {
    if ((lanes >> lane & 1U) != 0) f(lane);
  }
}

class Machine {
 public:
  explicit Machine(const Launch& launch) : launch_(launch), entry_(*launch.entry), random_(launch.seed) {}

  std::string run();

  std::uint64_t value(const Warp& warp, const Operand& operand, std::uint32_t lane) const {
    switch (operand.kind) {
      case Operand::Kind::kRegister:
        if ((warp.defined[operand.index] >> lane & 1U) == 0) throw Fault("a register is read before it was written");
        return warp.registers[std::size_t{operand.index} * kWarp + lane];
      case Operand::Kind::kNumber: return operand.number;
      case Operand::Kind::kSpecial: return special(warp, operand.special, lane);
      default: throw Fault("an operand is neither a register nor a number");
    }
  }
  static void put(Warp& warp, const Operand& operand, std::uint32_t lane, std::uint64_t value) {
    if (operand.kind == Operand::Kind::kNothing) return;
    if (operand.kind != Operand::Kind::kRegister) throw Fault("a result is no register");
    warp.registers[std::size_t{operand.index} * kWarp + lane] = value;
    warp.defined[operand.index] |= 1U << lane;
  }
  std::uint64_t address(const Warp& warp, const Operand& operand, std::uint32_t lane) const {
    std::uint64_t base = 0;
    if (operand.has_base) {
      Operand of_base;
      of_base.kind = Operand::Kind::kRegister;
      of_base.index = operand.index;
      base = value(warp, of_base, lane);
    }
    return base + operand.number;
  }

  std::byte* global(std::uint64_t at, std::size_t bytes) const {
    check_aligned(at, bytes);
    if (!launch_.is_allocated(at, bytes)) throw Fault(fmt::format("{} bytes at {:#x} are nobody's", bytes, at));
    return reinterpret_cast<std::byte*>(at);  // NOLINT: addresses of the device are those of the host
  }
  std::byte* shared(std::uint64_t at, std::size_t bytes, bool is_written) {
    check_aligned(at, bytes);
    if (at + bytes > shared_.size()) throw Fault(fmt::format("{} bytes at {} are behind shared memory", bytes, at));
    for (std::size_t i = at; i < at + bytes; ++i) {
      if (!is_written && !is_shared_written_[i])
        throw Fault(fmt::format("byte {} of shared memory was not written", i));
      is_shared_written_[i] = true;
    }
    return shared_.data() + at;
  }
  const std::byte* param(std::uint64_t at, std::size_t bytes) const {
    check_aligned(at, bytes);
    if (at + bytes > launch_.params.size()) throw Fault("a parameter is read behind its end");
    return launch_.params.data() + at;
  }

 private:
  static void check_aligned(std::uint64_t at, std::size_t bytes) {
    if (at % bytes != 0) throw Fault(fmt::format("{} bytes are at {:#x}, where they cannot be", bytes, at));
  }

  std::uint64_t special(const Warp& warp, Special which, std::uint32_t lane) const {
    switch (which) {
      case Special::kThread: return warp.first_thread + lane;
      case Special::kThreads: return launch_.n_threads;
      case Special::kLane: return lane;
      case Special::kZero: return 0;
      case Special::kOne: return 1;
      case Special::kBlockX: return block_[0];
      case Special::kBlockY: return block_[1];
      case Special::kBlockZ: return block_[2];
      case Special::kGridX: return launch_.grid[0];
      case Special::kGridY: return launch_.grid[1];
      case Special::kGridZ: return launch_.grid[2];
    }
    throw Fault("a special register that is not known");
  }

  void run_block();
  void step(Warp& warp);

  const Launch& launch_;
  const Entry& entry_;
  std::mt19937 random_;
  std::vector<Action> actions_;    // of instructions that neither jump nor wait
  std::vector<bool> is_together_;  // what a warp does together
  std::vector<std::byte> shared_;
  std::vector<bool> is_shared_written_;
  std::vector<Warp> warps_;
  std::uint32_t block_[3] = {0, 0, 0};
  std::string where_;
};

// Between its name and its type stand these parts alone.
void expect_parts(const Instruction& code, std::initializer_list<std::string_view> known) {
  for (std::size_t i = 1; i + 1 < code.parts.size(); ++i) {
    if (std::ranges::find(known, code.parts[i]) == known.end())
      throw Fault("a part that is not known: " + code.parts[i]);
  }
}

void expect_operands(const Instruction& code, std::size_t n) {
  if (code.operands.size() != n) throw Fault(fmt::format("expected {} operands, found {}", n, code.operands.size()));
}

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
      const std::uint64_t address =
          at.kind == Operand::Kind::kAddress ? machine.address(warp, at, lane) : machine.value(warp, at, lane);
      const std::size_t bytes = n * width;
      if (is_load) {
        const std::byte* from = is_param    ? machine.param(address, bytes)
                                : is_shared ? machine.shared(address, bytes, false)
                                            : machine.global(address, bytes);
        for (std::size_t i = 0; i < n; ++i) {
          std::uint64_t bits = 0;
          std::memcpy(&bits, from + i * width, width);
          Machine::put(warp, elements[i], lane, type.kind == 's' ? sign_extended(bits, type.bits) : bits);
        }
      } else {
        std::byte* to = is_shared ? machine.shared(address, bytes, true) : machine.global(address, bytes);
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
  const Operand to = has_predicate ? code.operands[0].elements[0] : code.operands[0];
  const Operand told = has_predicate ? code.operands[0].elements[1] : Operand{};
  const std::array<Operand, 4> in{code.operands[1], code.operands[2], code.operands[3], code.operands[4]};
  return [=](Machine& machine, Warp& warp, std::uint32_t lanes) {
    if (lanes != kAll) throw Fault("lanes exchange words, and not all of the warp have come");
    std::array<std::uint64_t, kWarp> words{};
    each_lane(lanes, [&](std::uint32_t lane) {
      if (static_cast<std::uint32_t>(machine.value(warp, in[3], lane)) != kAll)
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
    if (lanes != kAll) throw Fault("a warp multiplies tiles, and not all lanes have come");
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

Action make_atomic(const Instruction& code) {
  if (code.form() != "atom.shared.add" || code.parts.back() != "u32") throw Fault("an atomic that is not known");
  expect_operands(code, 3);
  const std::array<Operand, 3> in{code.operands[0], code.operands[1], code.operands[2]};
  return [=](Machine& machine, Warp& warp, std::uint32_t lanes) {
    each_lane(lanes, [&](std::uint32_t lane) {
      std::byte* at = machine.shared(machine.address(warp, in[1], lane), 4, false);
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

Action make_action(const Instruction& code) {
  const std::string& name = code.parts[0];
  if (name == "ld" || name == "st") return make_move(code);
  if (name == "shfl") return make_shuffle(code);
  if (name == "mma") return make_product(code);
  if (name == "atom") return make_atomic(code);
  if (name == "mov") return make_mov(code);
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

// Whether it jumps, ends or waits; then it is one of those that step() knows.
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

std::string Machine::run() {
  try {
    for (const Instruction& code : entry_.code) {
      where_ = fmt::format("line {} ({})", code.line, code.text);
      actions_.push_back(is_control(code) ? Action{} : make_action(code));
      is_together_.push_back(code.has("sync") || code.parts[0] == "bar");
    }
    where_.clear();
    if (launch_.params.size() != entry_.param_bytes) throw Fault("the parameters are of another size");
    if (launch_.n_threads > entry_.most_threads || launch_.n_threads % kWarp != 0)
      throw Fault("the block is of another size");
    for (block_[2] = 0; block_[2] < launch_.grid[2]; ++block_[2]) {
      for (block_[1] = 0; block_[1] < launch_.grid[1]; ++block_[1]) {
        for (block_[0] = 0; block_[0] < launch_.grid[0]; ++block_[0]) run_block();
      }
    }
  } catch (const std::exception& fault) {
    return fmt::format("{}, block ({}, {}, {}), {}: {}", entry_.name, block_[0], block_[1], block_[2], where_,
                       fault.what());
  }
  return {};
}

// Runs warps in turns of some instructions each.
void Machine::run_block() {
  shared_.assign(entry_.shared_bytes, std::byte{0xCD});
  is_shared_written_.assign(entry_.shared_bytes, false);
  warps_.assign(launch_.n_threads / kWarp, {});
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    warps_[i].first_thread = static_cast<std::uint32_t>(i) * kWarp;
    warps_[i].registers.assign(std::size_t{entry_.n_registers} * kWarp, 0);
    warps_[i].defined.assign(entry_.n_registers, 0);
  }
  for (;;) {
    std::vector<std::size_t> ready;
    std::size_t n_waiting = 0, n_ended = 0;
    for (std::size_t i = 0; i < warps_.size(); ++i) {
      if (warps_[i].live == 0) {
        ++n_ended;
      } else if (warps_[i].waits) {
        ++n_waiting;
      } else {
        ready.push_back(i);
      }
    }
    if (n_ended == warps_.size()) return;
    if (ready.empty()) {
      if (n_ended > 0) throw Fault("warps wait at a barrier that others will not come to");
      for (Warp& warp : warps_) warp.waits = false;
      continue;
    }
    Warp& warp = warps_[ready[random_() % ready.size()]];
    for (std::uint32_t left = 1 + random_() % 64; left > 0 && warp.live != 0 && !warp.waits; --left) step(warp);
  }
}

// Those lanes go on that are furthest behind: so they meet again where their ways do. At what a warp does together they
// are held until all have come.
void Machine::step(Warp& warp) {
  const bool are_all_held = warp.held == warp.live;
  if (are_all_held) warp.held = 0;
  const std::uint32_t free = warp.live & ~warp.held;
  std::uint32_t pc = ~0U, lanes = 0;
  each_lane(free, [&](std::uint32_t lane) { pc = std::min(pc, warp.pc[lane]); });
  each_lane(free, [&](std::uint32_t lane) { lanes |= warp.pc[lane] == pc ? 1U << lane : 0U; });
  if (pc >= entry_.code.size()) throw Fault("a lane runs behind the end");
  const Instruction& code = entry_.code[pc];
  if (is_together_[pc] && lanes != warp.live && !are_all_held) {
    warp.held |= lanes;
    return;
  }
  where_ = fmt::format("warp {}, line {} ({})", warp.first_thread / kWarp, code.line, code.text);
  std::uint32_t doing = lanes;
  if (code.has_guard) {
    Operand guard;
    guard.kind = Operand::Kind::kRegister;
    guard.index = code.guard;
    each_lane(lanes, [&](std::uint32_t lane) {
      if ((value(warp, guard, lane) != 0) == code.is_negated) doing &= ~(1U << lane);
    });
  }
  each_lane(lanes, [&](std::uint32_t lane) { ++warp.pc[lane]; });
  if (actions_[pc]) {
    if (doing != 0) actions_[pc](*this, warp, doing);
  } else if (code.parts[0] == "bra") {
    each_lane(doing, [&](std::uint32_t lane) { warp.pc[lane] = code.operands[0].index; });
  } else if (code.parts[0] == "bar" || code.parts[0] == "barrier") {
    if (doing == 0) return;
    if (doing != kAll) throw Fault("not all lanes of a warp come to a barrier together");
    warp.waits = true;
  } else {
    warp.live &= ~doing;
  }
}

}  // namespace

std::string run(const Launch& launch) { return Machine(launch).run(); }

}  // namespace headroom::ptx
