// The inside of the interpreter: the lanes of warps, what they see of memory, and what instructions do to both.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/ptx/machine.h"
#include "support/ptx/program.h"
#include "support/ptx/shared_memory.h"

namespace headroom::ptx {

inline constexpr std::uint32_t kWarp = 32, kAllLanes = ~0U;
inline constexpr std::string_view kWaitForEarlier = "griddepcontrol.wait";

// Copies of a thread from global to shared memory that it has not waited for.
struct Copies {
  struct Copy {
    std::uint64_t to = 0;
    std::vector<std::byte> bytes;
  };
  std::vector<std::vector<Copy>> groups;  // oldest first
  std::vector<Copy> open;                 // of no group yet
};

struct Warp {
  std::array<std::uint32_t, kWarp> pc{};
  std::uint32_t live = kAllLanes;
  std::uint32_t has_waited = 0;  // lanes that may see what earlier kernels wrote
  std::uint32_t held = 0;        // lanes that wait for those of their warp
  bool waits = false;            // at a barrier
  std::uint32_t first_thread = 0;
  std::uint32_t n_barriers = 0;          // of the warp alone
  std::vector<std::uint64_t> registers;  // (n, 32)
  std::vector<std::uint32_t> defined;    // (n), a bit for each lane
  std::array<Copies, kWarp> copies;
};

template <class F>
void each_lane(std::uint32_t lanes, F f) {
  for (std::uint32_t lane = 0; lane < kWarp; ++lane) {
    if ((lanes >> lane & 1U) != 0) f(lane);
  }
}

// Whether an instruction jumps, ends or waits for other warps, which the machine does; what others do to lanes; of
// those what is done to tiles and copies, and none for anything else. Throw where an instruction is not known.
bool is_control(const Instruction& code);
Action action_of(const Instruction& code);
Action tile_action_of(const Instruction& code);
Action copy_action_of(const Instruction& code);

// Between the name of an instruction and its type stand these parts alone.
void expect_parts(const Instruction& code, std::initializer_list<std::string_view> known);
void expect_operands(const Instruction& code, std::size_t n);

class Machine {
 public:
  explicit Machine(const Launch& launch);

  std::string run();

  std::uint64_t value(const Warp& warp, const Operand& operand, std::uint32_t lane) const;
  static void put(Warp& warp, const Operand& operand, std::uint32_t lane, std::uint64_t value);
  std::uint64_t address(const Warp& warp, const Operand& operand, std::uint32_t lane) const;

  std::byte* global(const Warp& warp, std::uint32_t lane, std::uint64_t at, std::size_t bytes) const;
  void check_allocated(std::uint64_t at, std::size_t bytes) const;
  std::byte* shared(const Warp& warp, std::uint32_t lane, std::uint64_t at, std::size_t bytes, Access access) {
    return shared_.touch(at, bytes, access, moment(warp, lane));
  }
  void begin_copy(Warp& warp, std::uint32_t lane, Copies::Copy copy);
  void finish_copies(Warp& warp, std::uint32_t lane, std::size_t n_groups);  // the oldest
  const std::byte* param(std::uint64_t at, std::size_t bytes) const;

 private:
  std::uint64_t register_value(const Warp& warp, std::uint32_t index, std::uint32_t lane) const;
  Moment moment(const Warp& warp, std::uint32_t lane) const {
    return {block_interval_, static_cast<std::uint16_t>(warp.n_barriers),
            static_cast<std::uint16_t>(warp.first_thread + lane), false};
  }
  std::uint64_t special(const Warp& warp, Special which, std::uint32_t lane) const;
  std::string where() const;
  void run_block();
  void step(Warp& warp);

  const Launch& launch_;
  const Entry& entry_;
  std::vector<std::span<const std::byte>> constants_;
  const bool waits_for_earlier_;  // the entry does, and touches nothing before
  std::mt19937 random_;
  SharedMemory shared_;
  std::uint32_t block_interval_ = 0;
  std::vector<Warp> warps_;
  std::uint32_t block_[3] = {0, 0, 0};
  const Warp* now_ = nullptr;  // what runs, for who is told of a fault
  const Instruction* code_ = nullptr;
};

// Here, since every operand of every lane is asked for through these.
inline std::uint64_t Machine::register_value(const Warp& warp, std::uint32_t index, std::uint32_t lane) const {
  if ((warp.defined[index] >> lane & 1U) == 0) [[unlikely]]
    throw Fault("a register is read before it was written");
  return warp.registers[std::size_t{index} * kWarp + lane];
}

inline std::uint64_t Machine::value(const Warp& warp, const Operand& operand, std::uint32_t lane) const {
  switch (operand.kind) {
    case Operand::Kind::kRegister: return register_value(warp, operand.index, lane);
    case Operand::Kind::kNumber: return operand.number;
    case Operand::Kind::kSpecial: return special(warp, operand.special, lane);
    default: throw Fault("an operand is neither a register nor a number");
  }
}

inline void Machine::put(Warp& warp, const Operand& operand, std::uint32_t lane, std::uint64_t value) {
  if (operand.kind == Operand::Kind::kNothing) return;
  if (operand.kind != Operand::Kind::kRegister) [[unlikely]]
    throw Fault("a result is no register");
  warp.registers[std::size_t{operand.index} * kWarp + lane] = value;
  warp.defined[operand.index] |= 1U << lane;
}

}  // namespace headroom::ptx
