// cp.async: PTX ISA, "Data Movement and Conversion Instructions: Non-bulk copy". What is copied is in shared memory
// when the thread that copies has waited for it, and no sooner.
#include <algorithm>
#include <array>
#include <string_view>

#include "support/ptx/lanes.h"

namespace headroom::ptx {
namespace {

// "cp.async.cg.shared.global.L2::128B [to], [from], 16, n_read": bytes behind the n_read first become 0.
Action make_copy(const Instruction& code) {
  constexpr std::array<std::string_view, 6> kHints = {"shared",  "shared::cta", "global",
                                                      "L2::64B", "L2::128B",    "L2::256B"};
  const std::vector<std::string>& parts = code.parts;
  const bool has_known_hints = std::all_of(parts.begin() + 3, parts.end(), [&](const std::string& part) {
    return std::ranges::find(kHints, part) != kHints.end();
  });
  const std::size_t n = code.operands.size();
  if (!has_known_hints || !code.has("global") || n < 3 || n > 4 || code.operands[2].kind != Operand::Kind::kNumber)
    throw Fault("a copy that is not known");
  const std::uint64_t bytes = code.operands[2].number;
  if (bytes != 16 && (parts[2] != "ca" || (bytes != 4 && bytes != 8))) throw Fault("a copy of so many bytes");
  if (n == 4 && code.operands[3].is_predicate) throw Fault("a copy that a predicate leaves out");
  return [bytes, to = code.operands[0], from = code.operands[1], n_read = code.operands[n - 1]](
             Machine& machine, Warp& warp, std::uint32_t lanes) {
    each_lane(lanes, [&](std::uint32_t lane) {
      const std::uint64_t read = machine.value(warp, n_read, lane), source = machine.address(warp, from, lane);
      if (read > bytes) throw Fault("a copy reads more than it writes");
      check_aligned(source, bytes);
      Copies::Copy copy{machine.address(warp, to, lane), std::vector<std::byte>(bytes)};
      for (std::uint64_t i = 0; i < read; ++i) copy.bytes[i] = *machine.global(warp, lane, source + i, 1);
      machine.begin_copy(warp, lane, std::move(copy));
    });
  };
}

void close_group(Copies& copies) {
  copies.groups.push_back(std::move(copies.open));
  copies.open.clear();
}

}  // namespace

Action copy_action_of(const Instruction& code) {
  const std::string form = code.form(0);
  if (form.starts_with("cp.async.ca.shared") || form.starts_with("cp.async.cg.shared")) return make_copy(code);
  if (form == "cp.async.commit_group" || form == "cp.async.wait_all") {
    expect_operands(code, 0);
    const bool waits = form == "cp.async.wait_all";
    return [waits](Machine& machine, Warp& warp, std::uint32_t lanes) {
      each_lane(lanes, [&](std::uint32_t lane) {
        close_group(warp.copies[lane]);
        if (waits) machine.finish_copies(warp, lane, warp.copies[lane].groups.size());
      });
    };
  }
  if (form == "cp.async.wait_group") {
    expect_operands(code, 1);
    if (code.operands[0].kind != Operand::Kind::kNumber) throw Fault("a wait for a number of groups that is not known");
    return [left = code.operands[0].number](Machine& machine, Warp& warp, std::uint32_t lanes) {
      each_lane(lanes, [&](std::uint32_t lane) {
        const std::size_t n = warp.copies[lane].groups.size();
        machine.finish_copies(warp, lane, n > left ? n - left : 0);
      });
    };
  }
  return {};
}

}  // namespace headroom::ptx
