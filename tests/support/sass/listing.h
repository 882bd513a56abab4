// Machine code of NVIDIA's cards as text: what `nvdisasm -gi -c` writes of a file that was compiled with -lineinfo.
#pragma once

#include <compare>
#include <istream>
#include <string>
#include <vector>

#include "base/result.h"

namespace headroom::test {

// A line of a source file, by the file's name without its folders.
struct SassLine {
  std::string file;
  int line = 0;
  auto operator<=>(const SassLine&) const = default;
};

struct SassInstruction {
  std::string guard;                 // "!P0" of "@!P0 BRA ..."; empty: it always runs
  std::string op;                    // "IMAD.MOV.U32"
  std::string operands;              // "R3, RZ, RZ, R12"
  std::vector<std::size_t> targets;  // of a jump: places in the function's code
  std::size_t origin = 0;            // in SassFunction::origins
};

struct SassFunction {
  std::string name;
  std::vector<SassInstruction> code;
  std::vector<std::vector<SassLine>> origins;  // the line of an instruction, then where that was inlined, ...
};

Result<std::vector<SassFunction>> read_sass(std::istream& text);

}  // namespace headroom::test
