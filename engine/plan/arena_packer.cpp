#include "plan/arena_packer.h"

#include "base/check.h"

namespace headroom {
namespace {

std::optional<Bytes> checked_round_up(Bytes value, Bytes step) {
  const std::optional<Bytes> raised = checked_add(value, step - 1);
  if (!raised) return std::nullopt;
  return *raised / step * step;
}

}  // namespace

ArenaRules arena_rules(const DeviceInfo& device) {
  ArenaRules rules{device.alignment, device.granularity, {}};
  if (device.max_arena_bytes > 0)
    rules.largest_arena = device.max_arena_bytes / device.granularity * device.granularity;
  return rules;
}

ArenaPacker::ArenaPacker(const ArenaRules& rules) : rules_(rules) {
  CHECK(rules.alignment > 0 && (rules.alignment & (rules.alignment - 1)) == 0,
        "a device's alignment is a power of two");
  CHECK(rules.granularity > 0 && rules.granularity % rules.alignment == 0,
        "a device's granularity is a multiple of its alignment");
}

ArenaPacker::Where ArenaPacker::add(Bytes bytes) {
  const std::optional<Bytes> size = checked_round_up(bytes, rules_.alignment);
  const std::optional<Bytes> end = size ? checked_add(open_, *size) : std::nullopt;
  if (is_beyond_ || !end) {
    is_beyond_ = true;
    return Where::kBeyond;
  }
  // The limit is whole granules: regions within it stay within it when they are padded.
  if (!rules_.largest_arena || *end <= *rules_.largest_arena) {
    open_ = *end;
    return Where::kSameArena;
  }
  if (*size > *rules_.largest_arena) return Where::kNowhere;
  const std::optional<Bytes> closed = total();
  if (!closed) {
    is_beyond_ = true;
    return Where::kBeyond;
  }
  closed_ = *closed;
  open_ = *size;
  return Where::kNextArena;
}

std::optional<Bytes> ArenaPacker::open_arena() const { return checked_round_up(open_, rules_.granularity); }

std::optional<Bytes> ArenaPacker::total() const {
  const std::optional<Bytes> last = open_arena();
  return last && !is_beyond_ ? checked_add(closed_, *last) : std::nullopt;
}

}  // namespace headroom
