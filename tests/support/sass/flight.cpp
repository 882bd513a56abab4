#include "support/sass/flight.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace headroom::test {
namespace {

constexpr int kLoadRegisters = 4;

bool has(const SassInstruction& instruction, std::string_view part) {
  return instruction.op.find(part) != std::string::npos;
}

bool is_weight_load(const SassInstruction& instruction) {
  return instruction.op.starts_with("LDG") && has(instruction, ".EF") && has(instruction, ".128");
}

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Whether one of the registers from `first` on is named: R12, and not UR12 or SR12.
bool names_one(const std::string& operands, int first, int n) {
  for (std::size_t at = operands.find('R'); at != std::string::npos; at = operands.find('R', at + 1)) {
    if (at > 0 && is_word(operands[at - 1])) continue;
    if (at + 1 >= operands.size() || operands[at + 1] < '0' || operands[at + 1] > '9') continue;
    const int number = std::atoi(operands.c_str() + at + 1);
    if (number >= first && number < first + n) return true;
  }
  return false;
}

}  // namespace

bool is_prefetch(const SassInstruction& instruction) {
  return instruction.op.starts_with("CCTL") && has(instruction, "PF2");
}

LoadFlight loads_under_way(const std::vector<const SassInstruction*>& iteration) {
  const std::size_t n = iteration.size();
  LoadFlight flight;
  std::vector<int> under_way(2 * n + 1);  // before each instruction of two iterations
  double distances = 0;
  int n_loads = 0;
  for (std::size_t load = 0; load < n; ++load) {
    if (!is_weight_load(*iteration[load])) continue;
    const std::string& operands = iteration[load]->operands;
    const int first = operands.starts_with('R') ? std::atoi(operands.c_str() + 1) : -1;
    std::size_t use = load + 1;
    while (use < load + n && !names_one(iteration[use % n]->operands, first, kLoadRegisters)) ++use;
    ++n_loads;
    distances += static_cast<double>(use - load);
    for (std::size_t at = load + 1; at <= use; ++at) ++under_way[at];
  }
  for (std::size_t at = 0; at < n; ++at) flight.loads = std::max(flight.loads, under_way[at] + under_way[at + n]);
  if (n_loads > 0) flight.distance = distances / n_loads;
  return flight;
}

}  // namespace headroom::test
