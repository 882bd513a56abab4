#include "plan/arena_builder.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"

namespace headroom {
namespace {

// "k of layer 3", "logits"; of a weight the tensor's name.
std::string region_words(const Region& region, std::string_view name) {
  return region.kind == RegionKind::kKv ? fmt::format("{} of layer {}", name, region.layer) : std::string(name);
}

// What makes a region of this kind smaller; nothing of the session does that to a weight.
std::string_view advice(RegionKind kind) {
  switch (kind) {
    case RegionKind::kKv:
    case RegionKind::kTokens: return "; lower n_ctx or n_slots";
    case RegionKind::kLogits:
    case RegionKind::kCandidates: return "; lower n_logit_rows or n_slots";
    case RegionKind::kActivations:
    case RegionKind::kScratch:
    case RegionKind::kStaging:
    case RegionKind::kInputs: return "; lower n_batch or n_slots";
    case RegionKind::kWeights:
    case RegionKind::kUnpackedRows:
    case RegionKind::kStreamed:
    case RegionKind::kSampler:
    case RegionKind::kStream:
    case RegionKind::kUpload:
    case RegionKind::kPadding: return "";
  }
  CHECK(false, "a kind of region that is not there");
}

Error too_large(const DeviceInfo& device, const Region& region, std::string_view name, Bytes most,
                std::string_view limit, Bytes found) {
  return Error{ErrorCode::kUsage, fmt::format("{}: {}: expected at most {} ({} bytes), {}, found {} ({} bytes){}",
                                              device.name, region_words(region, name), format_bytes(most), most, limit,
                                              format_bytes(found), found, advice(region.kind))};
}

}  // namespace

ArenaBuilder::ArenaBuilder(DeviceIndex device, const DeviceInfo& info, Memory memory, Lifetime lifetime, Keep keep)
    : info_(info), rules_(arena_rules(info)), keep_(keep), packer_(rules_) {
  empty_.device = empty_.mapped_by = device;
  empty_.memory = memory;
  empty_.lifetime = lifetime;
}

void ArenaBuilder::reserve(std::size_t n_regions) { n_reserved_ = n_regions; }

void ArenaBuilder::add(Region region, std::string_view name, std::optional<Bytes> bytes) {
  if (bytes == Bytes{0} || is_beyond_ || refused_) return;
  const std::optional<Bytes> open_arena = packer_.open_arena();
  const ArenaPacker::Where where = bytes ? packer_.add(*bytes) : ArenaPacker::Where::kBeyond;
  if (where == ArenaPacker::Where::kBeyond) {
    is_beyond_ = true;
    return;
  }
  if (where == ArenaPacker::Where::kNowhere) {
    refused_ = too_large(info_, region, name, *rules_.largest_arena, "the device's largest allocation",
                         round_up(*bytes, rules_.alignment));
    return;
  }
  if (where == ArenaPacker::Where::kNextArena) close(open_arena);
  if (where == ArenaPacker::Where::kNextArena || arenas_.empty()) {
    arenas_.push_back(empty_);
    if (keep_ == Keep::kRegions) arenas_.back().regions.reserve(std::exchange(n_reserved_, 0));
  }
  const Bytes size = packer_.open_bytes() - arenas_.back().size;
  // Weights are cut into windows of rows by the backend itself.
  const bool is_cut = region.kind == RegionKind::kWeights || region.kind == RegionKind::kStreamed;
  if (!is_cut && info_.max_binding_bytes > 0 && size > info_.max_binding_bytes) {
    refused_ = too_large(info_, region, name, info_.max_binding_bytes, "what a kernel there sees at once", size);
    return;
  }
  append(std::move(region), name, size);
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
void ArenaBuilder::close(std::optional<Bytes> padded_size) {
  if (!padded_size) {
    is_beyond_ = true;
  } else if (*padded_size > arenas_.back().size) {
    append({.kind = RegionKind::kPadding}, region_kind_name(RegionKind::kPadding), *padded_size - arenas_.back().size);
  }
}

}  // namespace headroom
