#include "support/sass/loops.h"

#include <algorithm>
#include <map>
#include <set>

namespace headroom::test {
namespace {

// Whether the instruction behind it may be next.
bool falls_through(const SassInstruction& instruction) {
  const std::string& op = instruction.op;
  if (!instruction.guard.empty()) return true;
  if (op == "EXIT" || op == "KILL" || op.starts_with("RET") || op.starts_with("BRX")) return false;
  // `BRA P1, (...)` has a condition of its own.
  return instruction.targets.empty() || op.starts_with("CALL") || !instruction.operands.starts_with('`');
}

// Blocks in an order in which, but for jumps back, each comes before those that it goes to.
std::vector<std::size_t> forward_order(const std::vector<SassBlock>& blocks) {
  std::vector<std::size_t> order;
  std::vector<bool> is_seen(blocks.size());
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, 0}};  // a block, and how many of its next have been seen
  is_seen[0] = true;
  while (!open.empty()) {
    auto& [block, n_next] = open.back();
    if (n_next == blocks[block].next.size()) {
      order.push_back(block);
      open.pop_back();
      continue;
    }
    const std::size_t next = blocks[block].next[n_next++];
    if (is_seen[next]) continue;
    is_seen[next] = true;
    open.emplace_back(next, 0);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Of each block the last one that every way to it goes through. K. Cooper, T. Harvey, K. Kennedy, "A simple, fast
// dominance algorithm".
std::vector<std::size_t> dominators(const std::vector<SassBlock>& blocks,
                                    const std::vector<std::vector<std::size_t>>& before,
                                    const std::vector<std::size_t>& order) {
  std::vector<std::size_t> place(blocks.size(), kNone), of(blocks.size(), kNone);
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  of[order.front()] = order.front();
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const std::size_t block : order) {
      if (block == order.front()) continue;
      std::size_t common = kNone;
      for (std::size_t from : before[block]) {
        if (of[from] == kNone) continue;
        if (common == kNone) common = from;
        while (from != common) {
          while (place[from] > place[common]) from = of[from];
          while (place[common] > place[from]) common = of[common];
        }
      }
      if (of[block] == common) continue;
      of[block] = common;
      has_changed = true;
    }
  }
  return of;
}

bool dominates(const std::vector<std::size_t>& of, std::size_t first, std::size_t second) {
  while (second != first && of[second] != second) second = of[second];
  return second == first;
}

}  // namespace

std::vector<SassBlock> blocks_of(const SassFunction& function) {
  const std::vector<SassInstruction>& code = function.code;
  std::set<std::size_t> firsts{0};
  for (std::size_t i = 0; i < code.size(); ++i) {
    firsts.insert(code[i].targets.begin(), code[i].targets.end());
    if (!code[i].targets.empty() || !falls_through(code[i])) firsts.insert(i + 1);
  }
  firsts.erase(code.size());
  std::map<std::size_t, std::size_t> block_at;
  for (const std::size_t first : firsts) block_at.emplace(first, block_at.size());
  std::vector<SassBlock> blocks;
  for (auto at = firsts.begin(); at != firsts.end(); ++at) {
    SassBlock block{*at, std::next(at) == firsts.end() ? code.size() : *std::next(at), {}, {}};
    const SassInstruction& last = code[block.end - 1];
    for (const std::size_t target : last.targets) block.targets.push_back(block_at.at(target));
    block.next = block.targets;
    if (falls_through(last) && block.end < code.size()) block.next.push_back(block_at.at(block.end));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::vector<SassLoop> loops_of(const std::vector<SassBlock>& blocks) {
  std::vector<SassLoop> loops;
  std::vector<std::vector<std::size_t>> before(blocks.size());
  const std::vector<std::size_t> order = forward_order(blocks);
  for (const std::size_t block : order) {
    for (const std::size_t next : blocks[block].next) before[next].push_back(block);
  }
  const std::vector<std::size_t> of = dominators(blocks, before, order);
  for (const std::size_t header : order) {
    std::set<std::size_t> within{header};
    std::vector<std::size_t> open;
    for (const std::size_t from : before[header]) {
      if (dominates(of, header, from)) open.push_back(from);
    }
    if (open.empty()) continue;
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      if (!within.insert(block).second) continue;
      open.insert(open.end(), before[block].begin(), before[block].end());
    }
    loops.push_back({header, {within.begin(), within.end()}, {}, -1});
  }
  // The smallest loop that has another's header is the one around it.
  for (std::size_t i = 0; i < loops.size(); ++i) {
    SassLoop& loop = loops[i];
    for (std::size_t k = 0; k < loops.size(); ++k) {
      if (k == i || !std::ranges::binary_search(loops[k].blocks, loop.header)) continue;
      if (loop.outer < 0 || loops[k].blocks.size() < loops[static_cast<std::size_t>(loop.outer)].blocks.size())
        loop.outer = static_cast<int>(k);
    }
    if (loop.outer >= 0) loops[static_cast<std::size_t>(loop.outer)].inner.push_back(i);
  }
  return loops;
}

}  // namespace headroom::test
