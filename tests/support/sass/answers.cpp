#include "support/sass/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "support/sass/costs.h"

namespace headroom::test {
namespace {

// What is known of a register or predicate: its value, else which instruction wrote it.
struct Fact {
  std::optional<std::int64_t> value;
  std::size_t writer = 0;
  bool operator==(const Fact&) const = default;
};
using Known = std::map<std::string, Fact, std::less<>>;  // by "R4", "UR4", "P0", "UP0"

std::vector<std::string> split(std::string_view operands) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : operands) {
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (c != ' ') {
      parts.back() += c;
    }
  }
  return parts;
}

bool is_name(std::string_view text, std::string_view kind) {
  return text.starts_with(kind) && text.size() > kind.size() &&
         std::ranges::all_of(text.substr(kind.size()), [](char c) { return c >= '0' && c <= '9'; });
}
bool is_register(std::string_view text) { return is_name(text, "R") || is_name(text, "UR"); }
bool is_zero(std::string_view text) { return text == "RZ" || text == "URZ"; }
bool is_predicate(std::string_view text) {
  return text == "PT" || text == "UPT" || is_name(text, "P") || is_name(text, "UP");
}

// "R4" of "-R4.reuse".
std::string bare(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("-!~|"), text.size()));
  return std::string(text.substr(0, text.find('.')));
}

// How many registers it writes from the one that it names.
int width(const SassInstruction& instruction) {
  const std::string& op = instruction.op;
  const std::string_view word = sass_word(instruction);
  const auto has = [&](std::string_view part) { return op.find(part) != std::string::npos; };
  if (has(".128") || word == "LDSM" || word == "HMMA" || word == "IMMA") return 4;
  if (has(".64") || has(".WIDE") || (word == "CS2R" && !has(".32")) || (word.starts_with('F') && word.ends_with('2')))
    return 2;
  return 1;
}

// Of a block, instruction by instruction.
class Walk {
 public:
  // `writers`: instructions that write the answer; more of them are found.
  Walk(const SassFunction& function, const std::vector<bool>& asks, int answer, std::set<std::size_t>& writers,
       Known known)
      : function_(function), asks_(asks), answer_(answer), writers_(writers), known_(std::move(known)) {}

  void step(std::size_t place) {
    const SassInstruction& instruction = function_.code[place];
    const std::vector<std::string> operands = split(instruction.operands);
    const std::optional<std::int64_t> guard = truth(instruction.guard.empty() ? "PT" : instruction.guard);
    if (guard == 0) return;
    std::optional<std::int64_t> value = result(instruction, operands);
    if (!guard) value.reset();
    if (writers_.contains(place)) value = answer_;
    forget(instruction, operands, place);
    if (value && (is_register(operands[0]) || is_predicate(operands[0]))) known_[operands[0]] = {value, place};
  }

  // Whether a jump is taken, where that is known.
  std::optional<std::int64_t> takes(const SassInstruction& jump) const {
    std::optional<std::int64_t> all = truth(jump.guard.empty() ? "PT" : jump.guard);
    if (sass_word(jump) == "CALL" && all == 1) return std::nullopt;
    const std::string condition = split(jump.operands)[0];
    if (is_predicate(bare(condition))) {
      const std::optional<std::int64_t> more = truth(condition);
      if (more == 0 || all == 0) return 0;
      if (!more) all.reset();
    }
    return all;
  }
  // Which of its targets, where that is known.
  std::optional<std::size_t> chosen(const SassInstruction& jump) const {
    const auto found = known_.find(jump.operands.substr(0, jump.operands.find(' ')));
    if (found == known_.end() || !found->second.value) return std::nullopt;
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(*found->second.value, 0, static_cast<std::int64_t>(jump.targets.size()) - 1));
  }

  const Known& known() const { return known_; }

 private:
  std::optional<std::int64_t> truth(const std::string& predicate) const {
    const std::string name = bare(predicate);
    const bool is_not = predicate.starts_with('!');
    if (name == "PT" || name == "UPT") return is_not ? 0 : 1;
    const auto found = known_.find(name);
    if (found == known_.end() || !found->second.value) return std::nullopt;
    return (*found->second.value != 0) != is_not ? 1 : 0;
  }

  std::optional<std::int64_t> value_of(const std::string& operand) const {
    const std::string name = bare(operand);
    if (is_zero(name)) return 0;
    if (is_register(name)) {
      const auto found = known_.find(name);
      if (found == known_.end() || !found->second.value) return std::nullopt;
      return operand.starts_with('-') ? -*found->second.value : *found->second.value;
    }
    if (operand.find("0x") == std::string::npos) return std::nullopt;
    const auto bits = static_cast<std::uint32_t>(std::strtoul(name.c_str(), nullptr, 16));
    return static_cast<std::int32_t>(operand.starts_with('-') ? 0 - bits : bits);
  }

  std::optional<std::vector<std::int64_t>> sources(const std::vector<std::string>& operands, std::size_t first,
                                                   std::size_t n, bool asks) const {
    if (operands.size() < first + n) return std::nullopt;
    std::vector<std::int64_t> values;
    for (std::size_t i = first; i < first + n; ++i) {
      const std::optional<std::int64_t> value = asks && i == first ? asked(operands[i]) : value_of(operands[i]);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    return values;
  }

  // Of what a line asks with: a register that is not computed has the answer, and so has been written with it.
  std::optional<std::int64_t> asked(const std::string& operand) const {
    static const std::set<std::string_view> loads = {"LDC", "LDCU", "LDG",  "MOV", "R2UR",
                                                     "SEL", "ULDC", "UMOV", "USEL"};
    if (const std::optional<std::int64_t> value = value_of(operand)) return value;
    if (!is_register(bare(operand))) return std::nullopt;
    if (const auto found = known_.find(bare(operand)); found != known_.end()) {
      const SassInstruction& writer = function_.code[found->second.writer];
      if (!loads.contains(sass_word(writer)) && !writer.op.starts_with("IMAD.MOV")) return std::nullopt;
      writers_.insert(found->second.writer);
    }
    return answer_;
  }

  std::optional<std::int64_t> result(const SassInstruction& instruction,
                                     const std::vector<std::string>& operands) const {
    const std::string& op = instruction.op;
    const std::string_view word = sass_word(instruction);
    const auto has = [&](std::string_view part) { return op.find(part) != std::string::npos; };
    if (word == "ISETP" || word == "UISETP") return compared(op, operands, asks_[instruction.origin]);
    const bool asks = asks_[instruction.origin];
    // Constants, wherever they come from.
    if ((word == "MOV" || word == "UMOV") && operands.size() >= 2) return value_of(operands[1]);
    if (has("IMAD.MOV") && operands.size() >= 4) return value_of(operands[3]);
    const auto least = [&](std::int64_t a, std::int64_t b) {
      if (!has(".U32")) return std::min(a, b);
      return static_cast<std::int64_t>(std::min(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)));
    };
    std::vector<std::string> numbers = operands;  // of "IADD3 R8, PT, PT, R8, -0x3, RZ"
    std::erase_if(numbers, [](const std::string& operand) { return is_predicate(bare(operand)); });
    const bool is_least = bare(operands.back()) != "PT" || !operands.back().starts_with('!');
    if (word == "VIADD" || word == "IADD3" || word == "UIADD3" || word == "IADD") {
      const auto of = sources(numbers, 1, numbers.size() - 1, asks);
      if (!of) return std::nullopt;
      std::int64_t sum = 0;
      for (const std::int64_t value : *of) sum += value;
      return sum;
    }
    if (word == "VIADDMNMX" && is_least) {
      if (const auto of = sources(numbers, 1, 3, asks)) return least((*of)[0] + (*of)[1], (*of)[2]);
    } else if ((word == "VIMNMX" || word == "IMNMX" || word == "UIMNMX" || word == "UVIMNMX") && is_least) {
      if (const auto of = sources(numbers, 1, 2, asks)) return least((*of)[0], (*of)[1]);
    } else if (has("IMAD.SHL")) {
      if (const auto of = sources(numbers, 1, 2, asks)) return (*of)[0] * (*of)[1];
    } else if (has("SHF.L") || word == "SHL") {
      if (const auto of = sources(numbers, 1, 2, asks)) return (*of)[0] << ((*of)[1] & 31);
    } else if ((word == "LDC" || word == "LDCU") && operands.size() == 2) {
      return jump_table(operands[1]);
    }
    return std::nullopt;
  }

  // `c[0x2][R7+0xc]`: which of the table's jumps.
  std::optional<std::int64_t> jump_table(const std::string& operand) const {
    const std::size_t open = operand.rfind('[');
    const std::size_t end = operand.find_first_of("+]", open);
    if (open == std::string::npos || end == std::string::npos) return std::nullopt;
    const std::optional<std::int64_t> at = value_of(operand.substr(open + 1, end - open - 1));
    return at ? std::optional(*at / 4) : std::nullopt;
  }

  // `ISETP.GT.U32.AND P0, PT, R3, 0x4, P1`
  std::optional<std::int64_t> compared(const std::string& op, const std::vector<std::string>& operands,
                                       bool asks) const {
    if (operands.size() < 5) return std::nullopt;
    const std::optional<std::int64_t> first = asks ? asked(operands[2]) : value_of(operands[2]);
    const std::optional<std::int64_t> second = value_of(operands[3]);
    if (!first || !second) return std::nullopt;
    const std::string how = op.substr(op.find('.') + 1, 2);
    std::int64_t a = *first, b = *second;
    if (op.find(".U32") != std::string::npos) {
      a = static_cast<std::uint32_t>(a);
      b = static_cast<std::uint32_t>(b);
    }
    const bool is_so = how == "EQ"   ? a == b
                       : how == "NE" ? a != b
                       : how == "GT" ? a > b
                       : how == "GE" ? a >= b
                       : how == "LT" ? a < b
                                     : a <= b;
    const std::optional<std::int64_t> with = truth(operands[4]);
    if (op.ends_with(".AND")) return !is_so ? std::optional<std::int64_t>(0) : with;
    if (op.ends_with(".OR")) return is_so ? std::optional<std::int64_t>(1) : with;
    return std::nullopt;
  }

  void forget(const SassInstruction& instruction, const std::vector<std::string>& operands, std::size_t place) {
    const std::string_view word = sass_word(instruction);
    if (word == "CALL" && instruction.targets.empty()) known_.clear();
    if (word == "R2P") std::erase_if(known_, [](const auto& entry) { return is_predicate(entry.first); });
    const bool compares = word.find("SETP") != std::string_view::npos || word.find("PLOP3") != std::string_view::npos;
    bool has_register = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (compares && i == 2) return;
      if (is_predicate(operands[i])) {
        known_[operands[i]] = {std::nullopt, place};
        continue;
      }
      if (has_register || !is_register(operands[i])) return;
      has_register = true;
      const std::string kind = operands[i].substr(0, operands[i].find('R') + 1);
      const int first = std::atoi(operands[i].c_str() + kind.size());
      for (int k = 0; k < width(instruction); ++k) known_[kind + std::to_string(first + k)] = {std::nullopt, place};
    }
  }

  const SassFunction& function_;
  const std::vector<bool>& asks_;
  int answer_;
  std::set<std::size_t>& writers_;
  Known known_;
};

// By block: what may run behind it, and what could not be told.
struct Ways {
  std::vector<std::vector<std::size_t>> next;
  std::vector<std::string> faults;
};

Ways ways_with(const SassFunction& function, const std::vector<bool>& asks, int answer,
               const std::vector<SassBlock>& blocks, std::set<std::size_t>& writers) {
  Ways ways{std::vector<std::vector<std::size_t>>(blocks.size()), std::vector<std::string>(blocks.size())};
  std::vector<std::optional<Known>> before(blocks.size());
  before[0] = Known{};
  for (std::vector<std::size_t> open{0}; !open.empty();) {
    const std::size_t at = open.back();
    open.pop_back();
    const SassBlock& block = blocks[at];
    Walk walk(function, asks, answer, writers, *before[at]);
    for (std::size_t i = block.first; i < block.end; ++i) walk.step(i);
    const SassInstruction& last = function.code[block.end - 1];
    ways.next[at] = block.next;
    ways.faults[at].clear();
    if (!block.targets.empty()) {
      const std::optional<std::int64_t> takes = walk.takes(last);
      const std::optional<std::size_t> chosen = sass_word(last) == "BRX" ? walk.chosen(last) : 0;
      if (asks[last.origin] && (!takes || !chosen))
        ways.faults[at] = fmt::format("{}: expected to know where it goes with {}, found {} {} {}", function.name,
                                      answer, last.guard, last.op, last.operands);
      if (takes == 0)
        ways.next[at].assign(block.next.begin() + static_cast<std::ptrdiff_t>(block.targets.size()), block.next.end());
      if (takes == 1 && chosen) ways.next[at] = {block.targets[*chosen]};
    }
    for (const std::size_t next : ways.next[at]) {
      if (!before[next]) {
        before[next] = walk.known();
      } else if (std::erase_if(*before[next], [&](const auto& entry) {
                   const auto found = walk.known().find(entry.first);
                   return found == walk.known().end() || found->second != entry.second;
                 }) == 0) {
        continue;
      }
      open.push_back(next);
    }
  }
  return ways;
}

}  // namespace

Status keep_answered_ways(const SassFunction& function, const std::vector<bool>& asks, int answer,
                          std::vector<SassBlock>& blocks) {
  std::set<std::size_t> writers;
  for (std::size_t n_writers = 0;; n_writers = writers.size()) {
    Ways found = ways_with(function, asks, answer, blocks, writers);
    if (writers.size() > n_writers) continue;  // what is known of more instructions tells more
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (!found.faults[i].empty()) return Error{ErrorCode::kUnsupported, Message::plain(found.faults[i])};
      blocks[i].next = std::move(found.next[i]);
    }
    return ok_status();
  }
}

}  // namespace headroom::test
