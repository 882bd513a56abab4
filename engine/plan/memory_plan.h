// The plan: every byte that a model will ever take, region by region. Prediction equals allocation because backends map
// exactly these arenas.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "devices/device_info.h"
#include "format/dtype.h"
#include "program/build_program.h"

namespace headroom {

// What a region is for. Weights, caches, states and streamed weights have many regions, every other kind at most one
// for each device that maps it.
enum class RegionKind : std::uint8_t {
  kWeights,      // one tensor
  kKv,           // one part of one layer's cache
  kState,        // one part of the states of one recurrent layer: all slots
  kCheckpoints,  // copies of one part of a state, or of a cache that a window overwrites: all slots
  kActivations,  // the program's buffers, but for the logits
  kLogits,
  kScratch,       // of the kernels
  kCandidates,    // where the likeliest tokens are looked for, beside the logits
  kUnpackedRows,  // of each CPU thread: rows of a streamed weight between the CPU's layout and the GPU's
  kStreamed,      // of one tensor role: the weights of one layer after the other, for steps that stream
  kSampler,       // what is known of the rows that are sampled
  kTokens,        // what the cache of each slot holds
  kStaging,       // what crosses between devices
  kInputs,        // page-locked: what a step is given, and what is answered about its logits
  kStream,        // page-locked: parts of streamed weights that are filled and copied in turns
  kUpload,        // page-locked, of the load: parts of weights that are packed and copied
  kPadding
};
std::string_view region_kind_name(RegionKind kind);  // "weights", "kv", ..., "panel rows"

// Kinds that users see as one sum.
enum class RegionGroup : std::uint8_t {
  kWeights,
  kKv,
  kState,
  kCheckpoints,
  kActivations,
  kLogits,
  kScratch,
  kStreamed,
  kStaging,
  kPadding
};
RegionGroup region_group(RegionKind kind);
std::string_view region_group_name(RegionGroup group);  // "weights", "scratch"

enum class KvPart : std::uint8_t { kNone, kKeys, kValues, kExactKeys, kExactValues };

enum class StatePart : std::uint8_t { kNone, kConv, kMatrix };  // as DeltaNetSpec has them

// How a quantized cache keeps rows: rotated, with scales that were searched for and exact ends; or as they come, which
// only the bench and the KLD measurement can ask for, as a baseline.
enum class KvScheme : std::uint8_t { kRotated, kPlain };

using RegionId = std::uint32_t;  // index into ArenaPlan::regions

// Regions tile their arena: each starts where the one before ends, and sizes are multiples of the device's alignment.
struct Region {
  RegionId id = 0;
  RegionKind kind = RegionKind::kWeights;
  std::int32_t layer = -1;
  std::string name{};         // for people: the tensor's, "k", "streamed ffn_up", else the kind's
  DType dtype = DType::kF32;  // scratch and staging: F32
  Bytes offset = 0, size = 0;
  std::int32_t weight = -1;  // kWeights: index into ModelInfo::weights
  KvPart kv_part = KvPart::kNone;
  StatePart state_part = StatePart::kNone;
  std::optional<TensorRole> role{};  // kStreamed
};

// Weights live with the model; the rest with the session, so that a new context length maps only the second kind again.
// What only carries weights to a device is mapped before the load and gone after it.
enum class Lifetime : std::uint8_t { kModel, kSession, kLoad };
std::string_view lifetime_name(Lifetime lifetime);  // "model", "session", "load"

struct ArenaPlan {            // one arena == one allocation of the device
  DeviceIndex device = 0;     // whose memory it takes
  DeviceIndex mapped_by = 0;  // whose backend maps and uses it: of page-locked memory the device that copies
  Memory memory = Memory::kHost;
  Lifetime lifetime = Lifetime::kModel;
  Bytes size = 0;  // a multiple of the device's granularity
  std::vector<Region> regions;
};

// What the user means by headroom.
struct KeepFree {
  Bytes bytes = 0;
  bool operator==(const KeepFree&) const = default;
};
struct AtMost {
  Bytes bytes = 0;
  bool operator==(const AtMost&) const = default;
};
using HeadroomRule = std::variant<KeepFree, AtMost>;

inline constexpr std::int32_t kAutoLayers = -1;
inline constexpr std::int32_t kAutoRows = -1;
inline constexpr std::int32_t kAutoCheckpoints = -1;
inline constexpr std::uint32_t kAutoBatch = 0;

// A device to use, what it is to be left with, and what stands there.
struct DeviceChoice {
  DeviceIndex device = 0;
  HeadroomRule headroom = KeepFree{};
  // Of n_gpu_layers, how many stand there; auto: as the plan finds best. Said for every GPU or for none.
  std::int32_t n_layers = kAutoLayers;
  bool operator==(const DeviceChoice&) const = default;
};

struct PlanOptions {
  std::uint32_t n_ctx = 0;    // positions per slot; 0: the trained context, at most 4096
  std::uint32_t n_slots = 1;  // parallel requests, each with its own cache
  // Tokens in one prefill step. Auto: kLeastAutoBatch, or as many more as a GPU reads prompts clearly faster with and
  // has room for beside all that stands there anyway (plan/choose_batch.h).
  std::uint32_t n_batch = kAutoBatch;
  // Drafts: tokens that a decode step may compute behind the one that a slot continues with, and that may be taken back
  // afterwards; 0 to kMostDraft and less than n_batch.
  std::uint32_t n_draft = 0;
  // Copies that each slot has of what cannot go back: states, and caches that windows overwrite. An answer that is
  // generated again, a message that is changed and a step that was stopped go on from the nearest (run/slot_cache.h). 0
  // to kMostCheckpoints, 0 where all can go back. Auto: by what is free (plan/choose_checkpoints.h).
  std::int32_t n_checkpoints = kAutoCheckpoints;
  // Rows of one step that may ask for logits; 0: all rows of a decode step; else decode_rows()..step_rows().
  std::uint32_t n_logit_rows = 0;
  DType kv_k = DType::kF16, kv_v = DType::kF16;
  KvScheme kv_scheme = KvScheme::kRotated;
  // Layers on devices that are not the CPU, 0..n_layers; auto: as many as fit there.
  std::int32_t n_gpu_layers = kAutoLayers;
  // The first layers of those whose FFN stands on the CPU, beside attention and cache on a GPU, 0..n_gpu_layers. Auto:
  // none, unless n_gpu_layers is auto too and that would be faster than whole layers on the CPU.
  std::int32_t n_cpu_ffn = kAutoLayers;
  // Steps of at least so many rows stream: FFN weights that stand on the CPU are uploaded to a GPU, which computes with
  // them (plan/weight_stream.h). 0: no step streams. Auto: the number of rows from which on the time model says that it
  // is faster; 0 where it never is, where a typical answer takes longer with the room that streaming needs, or where
  // the plan does not fit with it.
  std::int32_t stream_rows = kAutoRows;
  // The devices to plan for, each once, in the order in which layers are given to them; what is left goes to the CPU,
  // which is named only for its headroom. Empty: the first device that is given.
  std::vector<DeviceChoice> devices{};
  bool operator==(const PlanOptions&) const = default;
  DeviceIndex main_device() const { return devices.empty() ? 0 : devices.front().device; }
  // What was said for a device, or that nothing is kept free there.
  HeadroomRule headroom_of(DeviceIndex device) const;
  // Says it for a device, which is named behind the others where it was not.
  void set_headroom(DeviceIndex device, const HeadroomRule& rule);
  // Rows of a decode step in which every slot has all its drafts.
  std::uint32_t decode_rows() const { return n_slots * (1 + n_draft); }
  // Rows of the largest step: a batch of prompt tokens, or a decode step. Of resolved options.
  std::uint32_t step_rows() const { return n_batch > decode_rows() ? n_batch : decode_rows(); }
};

// The sum for one device: what is planned, the driver's share and the heap's against what may be used.
struct DeviceBudget {
  DeviceIndex device = 0;
  Bytes planned = 0;  // while the model runs: the arenas of the model and of the session
  Bytes loading = 0;  // while it is loaded: the arenas of the model and of the load
  Bytes driver = 0;
  Bytes heap = 0;     // on the host: ModelInfo::heap_bytes
  Bytes prompts = 0;  // on the host: the most that reading prompts takes of the heap (plan/prompt_memory.h)
  bool heap_is_measured = false;
  // What we may use here under the headroom rule; of memory that devices share, no more than the others leave.
  Bytes limit = 0;
  Bytes held_by_others = 0;
  // Of memory that is shared (plan/memory_pool.h):
  Bytes asked_by_sharers = 0;  // what the other devices ask for when all together ask for most
  Bytes pool_missing = 0;      // what all together lack
  // The most that is asked for at any one time.
  Bytes peak() const { return (planned > loading ? planned : loading) + driver + heap + prompts; }
  bool fits() const { return missing() == 0; }
  Bytes spare() const { return fits() ? limit - peak() : 0; }
  Bytes missing() const {
    const Bytes alone = peak() > limit ? peak() - limit : 0;
    return alone > pool_missing ? alone : pool_missing;
  }
};

struct Note {  // something the user should know about the plan; not an error
  Message words;
};

struct MemoryPlan {
  std::uint64_t model_fingerprint = 0;  // of the model that it is for: model/model_fingerprint.h
  std::vector<DeviceInfo> devices;
  std::vector<ArenaPlan> arenas;
  std::vector<DeviceBudget> budgets;  // one per device that holds an arena, in the order of layers, the CPU last
  Placement placement;
  WeightStreaming streaming;
  Program program;      // of a step of up to PlanOptions::step_rows() rows
  PlanOptions options;  // as given, and nothing is left to the plan: planned again, they give this plan
  std::vector<Note> notes;

  bool fits() const;
  // While the model runs: without the arenas of the load.
  Bytes planned_bytes(DeviceIndex device) const;
  // The most of it at any one time, and what only a load holds: it is given back before the session's is mapped.
  Bytes peak_bytes(DeviceIndex device) const;
  // Without the arenas of the load.
  Bytes bytes_of(RegionGroup group) const;  // all devices
  Bytes bytes_of(RegionGroup group, DeviceIndex device) const;
};

// Pure: no I/O, no clock, no device call. A plan that does not fit is a normal result; kUsage names an option that
// makes no sense for this model or device (an unknown device, n_ctx 0 after defaults, no slot, a KV type without a
// kernel there), or a region that is larger than the device allocates or binds at once.
Result<MemoryPlan> plan_memory(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options);

// Where a weight of the model or a layer's cache stands; absent when it is not in the plan. A tied embedding stands on
// two devices when the head is on another one than the embedding: ask with the device then.
struct RegionRef {
  std::uint32_t arena = 0;
  RegionId region = 0;
};
std::optional<RegionRef> find_weight_region(const MemoryPlan& plan, std::int32_t weight);
std::optional<RegionRef> find_weight_region(const MemoryPlan& plan, std::int32_t weight, DeviceIndex device);
std::optional<RegionRef> find_kv_region(const MemoryPlan& plan, std::int32_t layer, KvPart part);
std::optional<RegionRef> find_kv_region(const MemoryPlan& plan, std::int32_t layer, KvPart part, DeviceIndex device);
std::optional<RegionRef> find_state_region(const MemoryPlan& plan, std::int32_t layer, StatePart part,
                                           DeviceIndex device);
// Where the parts that a region of checkpoints is of stand.
std::optional<RegionRef> find_original(const MemoryPlan& plan, const Region& checkpoints);
// The region of a kind that a device maps one of.
std::optional<RegionRef> find_region(const MemoryPlan& plan, DeviceIndex mapped_by, RegionKind kind);

}  // namespace headroom
