#include "support/ptx/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/ptx/lanes.h"

namespace headroom::ptx {
namespace {

// Of the smallest access to shared memory, words at most.
std::size_t grain_bytes(const Entry& entry) {
  std::size_t least = 4;
  for (const Instruction& code : entry.code) {
    if ((code.parts[0] != "ld" && code.parts[0] != "st") || !code.has("shared")) continue;
    for (const std::size_t bytes : {1U, 2U}) {
      if (code.parts.back().substr(1) == std::to_string(8 * bytes)) least = std::min(least, bytes);
    }
  }
  return least;
}

bool waits_for_earlier(const Entry& entry) {
  return std::ranges::any_of(entry.code, [](const Instruction& code) { return code.form(0) == kWaitForEarlier; });
}

}  // namespace

Machine::Machine(const Launch& launch)
    : launch_(launch),
      entry_(*launch.entry),
      waits_for_earlier_(waits_for_earlier(entry_)),
      random_(launch.seed),
      shared_(entry_.shared_bytes, grain_bytes(entry_)) {
  for (const auto& [name, constant] : *entry_.constants) constants_.emplace_back(constant);
}

std::uint64_t Machine::address(const Warp& warp, const Operand& operand, std::uint32_t lane) const {
  if (operand.kind != Operand::Kind::kAddress) throw Fault("an operand is no address");
  return operand.number + (operand.has_base ? register_value(warp, operand.index, lane) : 0);
}

void Machine::check_allocated(std::uint64_t at, std::size_t bytes) const {
  check_aligned(at, bytes);
  for (const std::span<const std::byte> constant : constants_) {
    const auto first = reinterpret_cast<std::uint64_t>(constant.data());
    if (at >= first && at + bytes <= first + constant.size()) return;
  }
  if (!launch_.is_allocated(at, bytes)) throw Fault(fmt::format("{} bytes at {:#x} are nobody's", bytes, at));
}

std::byte* Machine::global(const Warp& warp, std::uint32_t lane, std::uint64_t at, std::size_t bytes) const {
  check_allocated(at, bytes);
  if (waits_for_earlier_ && (warp.has_waited >> lane & 1U) == 0)
    throw Fault("memory is touched while earlier kernels may run");
  return reinterpret_cast<std::byte*>(at);  // NOLINT: addresses of the device are those of the host
}

void Machine::begin_copy(Warp& warp, std::uint32_t lane, Copies::Copy copy) {
  shared_.begin_copy(copy.to, copy.bytes.size(), moment(warp, lane));
  warp.copies[lane].open.push_back(std::move(copy));
}

void Machine::finish_copies(Warp& warp, std::uint32_t lane, std::size_t n_groups) {
  std::vector<std::vector<Copies::Copy>>& groups = warp.copies[lane].groups;
  const auto end = groups.begin() + static_cast<std::ptrdiff_t>(n_groups);
  for (auto group = groups.begin(); group != end; ++group) {
    for (const Copies::Copy& copy : *group) shared_.finish_copy(copy.to, copy.bytes, moment(warp, lane));
  }
  groups.erase(groups.begin(), end);
}

const std::byte* Machine::param(std::uint64_t at, std::size_t bytes) const {
  check_aligned(at, bytes);
  if (at + bytes > launch_.params.size()) throw Fault("a parameter is read behind its end");
  return launch_.params.data() + at;
}

std::uint64_t Machine::special(const Warp& warp, Special which, std::uint32_t lane) const {
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

std::string Machine::run() {
  try {
    if (launch_.params.size() != entry_.param_bytes) throw Fault("the parameters are of another size");
    if (launch_.n_threads > entry_.most_threads || launch_.n_threads % kWarp != 0)
      throw Fault("the block is of another size");
    for (block_[2] = 0; block_[2] < launch_.grid[2]; ++block_[2]) {
      for (block_[1] = 0; block_[1] < launch_.grid[1]; ++block_[1]) {
        for (block_[0] = 0; block_[0] < launch_.grid[0]; ++block_[0]) run_block();
      }
    }
  } catch (const std::exception& fault) {
    return fmt::format("{}, block ({}, {}, {}){}: {}", entry_.name, block_[0], block_[1], block_[2], where(),
                       fault.what());
  }
  return {};
}

std::string Machine::where() const {
  if (now_ == nullptr) return {};
  return fmt::format(", warp {}, line {} ({})", now_->first_thread / kWarp, code_->line, code_->text);
}

// Runs warps in turns of some instructions each.
void Machine::run_block() {
  now_ = nullptr;
  shared_.clear();
  ++block_interval_;
  warps_.assign(launch_.n_threads / kWarp, {});
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    warps_[i].first_thread = static_cast<std::uint32_t>(i) * kWarp;
    warps_[i].registers.assign(std::size_t{entry_.n_registers} * kWarp, 0);
    warps_[i].defined.assign(entry_.n_registers, 0);
  }
  for (;;) {
    std::vector<std::size_t> ready;
    std::size_t n_ended = 0;
    for (std::size_t i = 0; i < warps_.size(); ++i) {
      if (warps_[i].live == 0) {
        ++n_ended;
      } else if (!warps_[i].waits) {
        ready.push_back(i);
      }
    }
    if (n_ended == warps_.size()) return;
    if (ready.empty()) {
      if (n_ended > 0) throw Fault("warps wait at a barrier that others will not come to");
      for (Warp& warp : warps_) warp.waits = false;
      ++block_interval_;
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
  if (code.is_together && lanes != warp.live && !are_all_held) {
    warp.held |= lanes;
    return;
  }
  now_ = &warp;
  code_ = &code;
  std::uint32_t doing = lanes;
  if (code.has_guard) {
    each_lane(lanes, [&](std::uint32_t lane) {
      if ((register_value(warp, code.guard, lane) != 0) == code.is_negated) doing &= ~(1U << lane);
    });
  }
  each_lane(lanes, [&](std::uint32_t lane) { ++warp.pc[lane]; });
  if (code.action) {
    if (doing != 0) code.action(*this, warp, doing);
  } else if (code.parts[0] == "bra") {
    each_lane(doing, [&](std::uint32_t lane) { warp.pc[lane] = code.operands[0].index; });
  } else if (code.has("sync")) {
    if (doing == 0) return;
    if (doing != kAllLanes) throw Fault("not all lanes of a warp come to a barrier together");
    warp.waits = true;
  } else {
    warp.live &= ~doing;
  }
}

std::string run(const Launch& launch) { return Machine(launch).run(); }

}  // namespace headroom::ptx
