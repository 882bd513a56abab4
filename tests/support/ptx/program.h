// PTX as NVRTC writes it of our kernels, for tests: parsed into instructions with numbered registers. What is not known
// is an error that names the line, never left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::ptx {

// Registers that nobody writes. kZero, kOne: of the dimensions that our blocks do not have.
enum class Special : std::uint8_t {
  kThread,
  kThreads,
  kLane,
  kZero,
  kOne,
  kBlockX,
  kBlockY,
  kBlockZ,
  kGridX,
  kGridY,
  kGridZ
};

struct Operand {
  enum class Kind : std::uint8_t { kRegister, kNumber, kSpecial, kAddress, kVector, kLabel, kNothing };
  Kind kind = Kind::kNothing;
  std::uint32_t index = 0;    // of a register; kAddress: of its base, where has_base; kLabel: of an instruction
  bool has_base = false;      // kAddress
  bool is_predicate = false;  // kRegister
  std::uint64_t number = 0;   // kAddress: what is added, with the place of a variable
  Special special = Special::kZero;
  std::string name;               // kLabel
  std::vector<Operand> elements;  // kVector; the two results of shfl
};

class Machine;
struct Warp;
using Action = std::function<void(Machine&, Warp&, std::uint32_t lanes)>;

struct Instruction {
  std::vector<std::string> parts;  // of its name: "ld", "global", "v4", "u32"
  std::vector<Operand> operands;
  bool has_guard = false, is_negated = false;
  std::uint32_t guard = 0;  // a predicate
  int line = 0;
  std::string text;
  Action action;             // none: it jumps, ends or waits for other warps
  bool is_together = false;  // a warp does it together
  bool has(std::string_view part) const;
  std::string form(std::size_t n_types = 1) const;  // all of its name but for the types behind it: "mul.wide"
};

// Constants of the source, which all entries read: their bytes, by name.
using Constants = std::map<std::string, std::vector<std::byte>>;

struct Entry {
  std::string name;
  std::shared_ptr<const Constants> constants;  // addresses of the host
  std::uint64_t param_bytes = 0, shared_bytes = 0;
  std::uint32_t most_threads = 0, n_registers = 0;
  std::vector<Instruction> code;
};

// By name.
Result<std::map<std::string, Entry>> parse(std::string_view text);

}  // namespace headroom::ptx
