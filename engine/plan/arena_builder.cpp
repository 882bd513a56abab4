#include "plan/arena_builder.h"

#include <utility>

#include "base/check.h"

namespace headroom {
namespace {

// "k of layer 3", "logits"; of a weight the tensor's name.
Message region_words(const Region& region, std::string_view name) {
  const bool is_of_layer =
      region.kind == RegionKind::kKv || region.kind == RegionKind::kState || region.kind == RegionKind::kCheckpoints;
  return is_of_layer ? Message::say("{} of layer {}", name, region.layer) : Message::say("{}", name);
}

// What makes a region of this kind smaller; nothing of the session does that to a weight.
Message advice(RegionKind kind) {
  switch (kind) {
    case RegionKind::kKv:
    case RegionKind::kTokens: return Message::say("; lower n_ctx or n_slots");
    case RegionKind::kState: return Message::say("; lower n_slots");
    case RegionKind::kCheckpoints: return Message::say("; lower n_checkpoints or n_slots");
    case RegionKind::kLogits:
    case RegionKind::kCandidates: return Message::say("; lower n_logit_rows or n_slots");
    case RegionKind::kActivations:
    case RegionKind::kScratch:
    case RegionKind::kStaging:
    case RegionKind::kInputs: return Message::say("; lower n_batch or n_slots");
    case RegionKind::kWeights:
    case RegionKind::kUnpackedRows:
    case RegionKind::kStreamed:
    case RegionKind::kSampler:
    case RegionKind::kStream:
    case RegionKind::kUpload:
    case RegionKind::kPadding: return {};
  }
  CHECK(false, "a kind of region that is not there");
}

Error too_large(const DeviceInfo& device, const Region& region, std::string_view name, Bytes most, const Message& limit,
                Bytes found) {
  return Error{ErrorCode::kUsage, Message::say("{}: {}: expected at most {} ({} bytes), {}, found {} ({} bytes){}",
                                               device.name, region_words(region, name), amount(most), most, limit,
                                               amount(found), found, advice(region.kind))};
}

std::optional<Bytes> checked_round_up(Bytes value, Bytes step) {
  const std::optional<Bytes> raised = checked_add(value, step - 1);
  return raised ? std::optional(*raised / step * step) : std::nullopt;
}

}  // namespace

std::optional<Bytes> largest_arena(const DeviceInfo& device) {
  if (device.max_arena_bytes == 0) return std::nullopt;
  return device.max_arena_bytes / device.granularity * device.granularity;
}

ArenaBuilder::ArenaBuilder(DeviceIndex device, const DeviceInfo& info, Memory memory, Lifetime lifetime, Keep keep)
    : info_(info), largest_(largest_arena(info)), keep_(keep) {
  CHECK(info.alignment > 0 && (info.alignment & (info.alignment - 1)) == 0, "a device's alignment is a power of two");
  CHECK(info.granularity > 0 && info.granularity % info.alignment == 0,
        "a device's granularity is a multiple of its alignment");
  empty_.device = empty_.mapped_by = device;
  empty_.memory = memory;
  empty_.lifetime = lifetime;
}

void ArenaBuilder::reserve(std::size_t n_regions) { n_reserved_ = n_regions; }

// The limit is whole granules: regions within it stay within it when they are padded.
bool ArenaBuilder::has_room(Bytes bytes) const {
  const std::optional<Bytes> end = arenas_.empty() ? std::nullopt : checked_add(arenas_.back().size, bytes);
  return end && (!largest_ || *end <= *largest_);
}

void ArenaBuilder::add(Region region, std::string_view name, std::optional<Bytes> bytes, std::optional<Bytes> at_once) {
  if (bytes == Bytes{0} || is_beyond_ || refused_) return;
  const std::optional<Bytes> size = bytes ? checked_round_up(*bytes, info_.alignment) : std::nullopt;
  is_beyond_ = !size;
  if (!size) return;
  // Weights are cut into windows of rows by the backend itself, and checkpoints are copied by no kernel.
  const bool is_unbound = region.kind == RegionKind::kWeights || region.kind == RegionKind::kStreamed ||
                          region.kind == RegionKind::kCheckpoints;
  const Bytes bound = is_unbound ? 0 : at_once.value_or(*size);
  if (largest_ && *size > *largest_) {
    refused_ = too_large(info_, region, name, *largest_, Message::say("the device's largest allocation"), *size);
  } else if (info_.max_binding_bytes > 0 && bound > info_.max_binding_bytes) {
    refused_ = too_large(info_, region, name, info_.max_binding_bytes, Message::say("what a kernel there sees at once"),
                         bound);
  } else {
    if (!has_room(*size)) {
      if (!arenas_.empty()) close();
      arenas_.push_back(empty_);
      if (keep_ == Keep::kRegions) arenas_.back().regions.reserve(std::exchange(n_reserved_, 0));
    }
    append(std::move(region), name, *size);
  }
}

bool ArenaBuilder::add_sum(Bytes bytes) {
  if (is_beyond_ || refused_ || !has_room(bytes)) return false;
  arenas_.back().size += bytes;
  return true;
}

void ArenaBuilder::append(Region region, std::string_view name, Bytes size) {
  ArenaPlan& arena = arenas_.back();
  if (keep_ == Keep::kRegions) {
    region.id = static_cast<RegionId>(arena.regions.size());
    region.name = name;
    region.offset = arena.size;
    region.size = size;
    arena.regions.push_back(std::move(region));
  }
  arena.size += size;
}

// Pads the last arena.
void ArenaBuilder::close() {
  const Bytes size = arenas_.back().size;
  const std::optional<Bytes> padded = checked_round_up(size, info_.granularity);
  is_beyond_ |= !padded;
  if (padded && *padded > size)
    append({.kind = RegionKind::kPadding}, region_kind_name(RegionKind::kPadding), *padded - size);
}

}  // namespace headroom
