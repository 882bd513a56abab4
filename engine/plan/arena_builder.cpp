#include "plan/arena_builder.h"

#include "base/check.h"

namespace headroom {
namespace {

std::optional<Bytes> checked_round_up(Bytes value, Bytes step) {
  const std::optional<Bytes> raised = checked_add(value, step - 1);
  if (!raised) return std::nullopt;
  return *raised / step * step;
}

}  // namespace

ArenaBuilder::ArenaBuilder(DeviceIndex device, Memory memory, Lifetime lifetime, ArenaRules rules, Keep keep)
    : rules_(rules), keep_(keep) {
  CHECK(rules.alignment > 0 && (rules.alignment & (rules.alignment - 1)) == 0,
        "a device's alignment is a power of two");
  CHECK(rules.granularity > 0 && rules.granularity % rules.alignment == 0,
        "a device's granularity is a multiple of its alignment");
  arena_.device = device;
  arena_.memory = memory;
  arena_.lifetime = lifetime;
}

void ArenaBuilder::reserve(std::size_t n_regions) {
  if (keep_ == Keep::kRegions) arena_.regions.reserve(n_regions);
}

void ArenaBuilder::add(Region region, std::string_view name, std::optional<Bytes> bytes) {
  if (bytes == Bytes{0} || overflowed_) return;
  const std::optional<Bytes> size = bytes ? checked_round_up(*bytes, rules_.alignment) : std::nullopt;
  const std::optional<Bytes> end = size ? checked_add(arena_.size, *size) : std::nullopt;
  if (!end) {
    overflowed_ = true;
    return;
  }
  if (keep_ == Keep::kRegions) {
    region.id = static_cast<RegionId>(arena_.regions.size());
    region.name = name;
    region.offset = arena_.size;
    region.size = *size;
    arena_.regions.push_back(std::move(region));
  }
  arena_.size = *end;
}

std::optional<ArenaPlan> ArenaBuilder::finish() && {
  const std::optional<Bytes> size = checked_round_up(arena_.size, rules_.granularity);
  if (!size) overflowed_ = true;
  if (!overflowed_) add({.kind = RegionKind::kPadding}, "padding", *size - arena_.size);
  if (overflowed_) return std::nullopt;
  return std::move(arena_);
}

}  // namespace headroom
