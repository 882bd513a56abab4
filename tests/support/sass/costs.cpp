#include "support/sass/costs.h"

#include <algorithm>
#include <map>
#include <set>

namespace headroom::test {
namespace {

using Words = std::set<std::string_view>;

WayScore operator+(const WayScore& a, const WayScore& b) { return {a[0] + b[0], a[1] + b[1]}; }

struct ExecutionMode {
  WayScore score{};
  std::vector<std::size_t> blocks;
};

// A search in a loop whose inner loops are a step each.
class Search {
 public:
  Search(const std::vector<SassBlock>& blocks, const std::vector<SassLoop>& loops, std::size_t loop,
         const std::vector<WayScore>& scores)
      : blocks_(blocks), loops_(loops), loop_(loops[loop]), scores_(scores) {
    for (const std::size_t inner : loop_.inner) {
      for (const std::size_t block : loops[inner].blocks) inner_of_[block] = inner;
    }
  }

  // From here to a jump back.
  const std::optional<ExecutionMode>& way_from(std::size_t block) {
    const auto inner = inner_of_.find(block);
    const bool is_loop = inner != inner_of_.end();
    const std::size_t step = is_loop ? loops_[inner->second].header : block;
    if (const auto [found, is_new] = ways_.try_emplace(step); !is_new) return found->second;
    std::optional<ExecutionMode> best;
    for (const std::size_t from : is_loop ? loops_[inner->second].blocks : std::vector{block}) {
      for (const std::size_t next : blocks_[from].next) {
        const auto other = inner_of_.find(next);
        if (is_loop && other != inner_of_.end() && other->second == inner->second) continue;
        if (!std::ranges::binary_search(loop_.blocks, next)) continue;
        const std::optional<ExecutionMode> way = next == loop_.header ? ExecutionMode{} : way_from(next);
        if (way && (!best || best->score < way->score)) best = way;
      }
    }
    if (!best) return ways_[step];
    if (is_loop) {
      Search within(blocks_, loops_, inner->second, scores_);
      WayScore score = within.way_from(step).value_or(ExecutionMode{}).score;
      score[1] = 0;
      best->score = best->score + score;
    } else {
      best->score = best->score + scores_[block];
      best->blocks.insert(best->blocks.begin(), block);
    }
    return ways_[step] = std::move(best);
  }

 private:
  const std::vector<SassBlock>& blocks_;
  const std::vector<SassLoop>& loops_;
  const SassLoop& loop_;
  const std::vector<WayScore>& scores_;
  std::map<std::size_t, std::size_t> inner_of_;               // a block's inner loop
  std::map<std::size_t, std::optional<ExecutionMode>> ways_;  // from a block, or the header of an inner loop
};

}  // namespace

std::string_view sass_word(const SassInstruction& instruction) {
  return std::string_view(instruction.op).substr(0, instruction.op.find('.'));
}

std::optional<SassKind> sass_kind(const SassInstruction& instruction) {
  static const std::map<SassKind, Words> by_kind = {
      {SassKind::kInteger,
       {"BMSK",  "BREV", "FLO",  "IABS",     "IADD",      "IADD3",  "IMAD",    "IMNMX",  "IMUL",   "ISCADD", "ISETP",
        "LEA",   "LOP",  "LOP3", "PLOP3",    "POPC",      "PRMT",   "SEL",     "SGXT",   "SHF",    "SHL",    "SHR",
        "VIADD", "P2R",  "R2P",  "VABSDIFF", "VIADDMNMX", "VIMNMX", "VIMNMX3", "LOP32I", "IADD32I"}},
      {SassKind::kMove, {"CS2R", "MOV", "MOV32I", "S2R"}},
      {SassKind::kConvert, {"F2F", "F2FP", "F2I", "FRND", "I2F", "I2FP", "I2I", "I2IP", "F2IP"}},
      {SassKind::kFfma, {"FFMA", "FFMA2"}},
      {SassKind::kFmul, {"FMUL", "FMUL2"}},
      {SassKind::kFloat,
       {"FADD", "FADD2", "FCHK", "FMNMX", "FMNMX3", "FSEL", "FSET", "FSETP", "HADD2", "HFMA2", "HMUL2", "HSETP2",
        "HMNMX2", "HSET2", "MUFU"}},
      {SassKind::kProduct, {"HMMA", "IDP", "IMMA"}},
      {SassKind::kMemory,
       {"ATOM", "ATOMG", "ATOMS", "CCTL", "LD", "LDC", "LDG", "LDGSTS", "LDL", "LDS", "LDSM", "RED", "ST", "STG", "STL",
        "STS"}},
      {SassKind::kUniform, {"R2UR", "S2UR", "LDCU"}},
      {SassKind::kRest,
       {"ACQBULK",       "BAR",    "BRA",      "BREAK",     "BRX",    "BSSY",      "BSYNC",   "CALL",  "DEPBAR",
        "ENDCOLLECTIVE", "ERRBAR", "EXIT",     "LDGDEPBAR", "MEMBAR", "NOP",       "PREEXIT", "REDUX", "RET",
        "SHFL",          "VOTE",   "WARPSYNC", "YIELD",     "BMOV",   "NANOSLEEP", "KILL",    "JMX",   "JMP"}}};
  const std::string_view word = sass_word(instruction);
  const std::string& operands = instruction.operands;
  if (instruction.op.starts_with("IMAD.MOV")) return SassKind::kMove;
  // How a constant comes into a register beside arithmetic: 0 * 0 + a constant. F16 becomes F32 by adding -0.
  if (word == "HFMA2" && operands.find("-RZ, RZ,") != std::string::npos) return SassKind::kMove;
  if (instruction.op == "HADD2.F32" && operands.find("-RZ") != std::string::npos) return SassKind::kConvert;
  for (const auto& [kind, words] : by_kind) {
    if (words.contains(word)) return kind;
  }
  return word.starts_with('U') ? std::optional(SassKind::kUniform) : std::nullopt;
}

bool is_work(const SassInstruction& instruction) {
  const std::optional<SassKind> kind = sass_kind(instruction);
  const std::string_view word = sass_word(instruction);
  const bool is_wide = instruction.op.find(".128") != std::string::npos || word == "LDSM";
  return kind == SassKind::kProduct || kind == SassKind::kFfma || kind == SassKind::kFmul || word.starts_with("FADD") ||
         (kind == SassKind::kMemory && is_wide);
}

std::vector<std::size_t> best_iteration(const std::vector<SassBlock>& blocks, const std::vector<SassLoop>& loops,
                                        std::size_t loop, const std::vector<WayScore>& scores) {
  Search search(blocks, loops, loop, scores);
  const std::optional<ExecutionMode>& way = search.way_from(loops[loop].header);
  CHECK(way, "a loop without a way back to its header");
  return way->blocks;
}

}  // namespace headroom::test
