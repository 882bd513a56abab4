// A device as the planner sees it: probed on this machine, or a row of resources/devices.json.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/dtype.h"
#include "model/weight_layout.h"

namespace headroom {

// kReference: host memory and plain loops that stand for a GPU where there is none: see backend/reference.
enum class DeviceKind : std::uint8_t { kCpu, kCuda, kVulkan, kMetal, kReference };
std::string_view device_kind_name(DeviceKind kind);  // "cpu", "cuda"

// Where an arena's bytes are: only their backend can read those of a device, those of the host are ordinary pages, and
// page-locked ones are the host's too, held in place so that a device can copy from and to them.
enum class Memory : std::uint8_t { kDevice, kHost, kPageLocked };
std::string_view memory_name(Memory memory);  // "device", "host", "page-locked host"
Message memory_words(Memory memory);          // the same for people

// Which rule says how much scratch kernels need (plan/device_rules.h): the CPU's, that of the GPU backends, or one that
// stands for kernels which are not written yet.
enum class ScratchRule : std::uint8_t { kCpu, kGpu, kAssumed };

// Workgroups that every GPU's driver takes in one dimension of a dispatch.
inline constexpr std::uint32_t kMostGroups = 65535;

// How a device's memory is reached and what its kernels read. Facts of its backend: who describes a device states them,
// and plans ask for nothing else of its kind. Whether the memory is shared with the CPU belongs to the one device.
struct DeviceTraits {
  WeightLayout weight_layout = WeightLayout::kPanels;
  Memory arena_memory = Memory::kHost;  // of its arenas, other than page-locked ones of the host
  ScratchRule scratch = ScratchRule::kCpu;
  bool copies_page_locked = false;  // from and to the host's memory by itself, which needs pages that are held in place
  bool uploads_weights = false;     // in a step, of those that stand on the CPU: Backend::upload_weights()
  bool copies_inputs = false;       // kernels read what a step is given from a copy in the device's own memory
  std::uint32_t max_groups = 0;     // workgroups of a kernel in the dimension of a step's rows; 0: no limit
};
inline constexpr DeviceTraits kCpuTraits{};
inline constexpr DeviceTraits kCudaTraits{.weight_layout = WeightLayout::kGpuPanels,
                                          .arena_memory = Memory::kDevice,
                                          .scratch = ScratchRule::kGpu,
                                          .copies_page_locked = true,
                                          .uploads_weights = true,
                                          .copies_inputs = true,
                                          .max_groups = kMostGroups};
inline constexpr DeviceTraits kVulkanTraits{.weight_layout = WeightLayout::kGpuPanels,
                                            .arena_memory = Memory::kDevice,
                                            .scratch = ScratchRule::kGpu,
                                            .copies_page_locked = true,
                                            .uploads_weights = true,
                                            .max_groups = kMostGroups};
// A backend that is not written yet.
inline constexpr DeviceTraits kMetalTraits{
    .weight_layout = WeightLayout::kRows, .arena_memory = Memory::kDevice, .scratch = ScratchRule::kAssumed};
inline constexpr DeviceTraits kReferenceTraits{.weight_layout = WeightLayout::kRows,
                                               .arena_memory = Memory::kDevice,
                                               .scratch = ScratchRule::kAssumed,
                                               .uploads_weights = true};

// What the kernels for one number format do on a device; 0: unknown.
struct FormatSpeed {
  double decode_bytes_per_s = 0;     // weights that one row is multiplied with; else read_bytes_per_s counts
  double cache_bytes_per_s = 0;      // a KV cache that one row attends to; else read_bytes_per_s counts
  double prompt_products_per_s = 0;  // multiply-adds of many rows, beside the time in which their weights are read once
  double attend_products_per_s = 0;  // multiply-adds of many rows that attend to a cache
  bool operator==(const FormatSpeed&) const = default;
};

// What the time model asks of a device: measured, kept, and refined by answers.
struct DeviceSpeed {
  double read_bytes_per_s = 0;  // sustained memory reads; 0: unknown
  // Between its memory and the host's; of a CPU weights that it turns into what GPUs read. 0: unknown, or there is
  // nothing to copy.
  double copy_bytes_per_s = 0;
  double op_seconds = 0;                        // what an op costs beside what it reads: a launch, a barrier
  double products_per_s = 0;                    // multiply-adds that it makes at most in steps of many rows; 0: unknown
  std::array<FormatSpeed, kNDTypes> formats{};  // by DType

  double decode_rate(DType dtype) const {
    const double rate = formats[static_cast<std::size_t>(dtype)].decode_bytes_per_s;
    return rate > 0 ? rate : read_bytes_per_s;
  }
  double cache_rate(DType dtype) const {
    const double rate = formats[static_cast<std::size_t>(dtype)].cache_bytes_per_s;
    return rate > 0 ? rate : read_bytes_per_s;
  }
  bool operator==(const DeviceSpeed&) const = default;
};

// Whether a device has shown that it computes what the CPU computes (prove/prove_device.h). Who has not is used only
// where somebody names it.
enum class Proof : std::uint8_t {
  kNotNeeded,  // a CPU, whose kernels are checked at each start; a reference device; or HEADROOM_CUDA=1
  kMissing,
  kRunning,  // another program of ours looks at it now
  kPassed,
  kFailed
};

// What is measured of a device and kept.
struct DeviceMeasurement {
  DeviceSpeed speed;
  std::optional<Bytes> driver_bytes;  // absent: nothing here tells what the driver takes
};

// How surely it is known what other programs hold.
enum class MemoryConfidence : std::uint8_t {
  kMeasured,   // the system counts the use of the whole device
  kEstimated,  // the driver tells what this program may use, or a part of the other programs is seen
  kAssumed     // nobody tells: all that is not ours is taken for free
};
std::string_view memory_confidence_name(MemoryConfidence confidence);  // "measured"

// Who holds what is not free of a device, as far as the system tells.
struct MemoryAccount {
  std::optional<Bytes> others;  // other programs; absent: all that is neither free nor ours
  // Ours beside the arenas: what its driver holds for this program already; absent: nothing tells.
  std::optional<Bytes> driver = 0;
  Bytes spilled = 0;  // ours, pushed out of the device into the host's memory by its driver
  MemoryConfidence confidence = MemoryConfidence::kMeasured;
  Message doubt;  // why it is not measured, or which figures disagree: whole sentences; empty: no doubt
};

// Of a GPU's memory: regions, and parts of them, begin at multiples of what every driver takes as the start of a
// binding.
inline constexpr Bytes kGpuAlignment = 256;

struct DeviceInfo {
  std::string id;      // "cpu", "cuda:0"; of a catalogue device its name
  std::string name;    // "RTX 4090", or the CPU's own name
  std::string vendor;  // of a catalogue device: "NVIDIA"
  DeviceKind kind = DeviceKind::kCpu;
  DeviceTraits traits = kCpuTraits;
  bool is_present = true;           // false: from the catalogue, can be planned for and not be loaded on
  bool has_unified_memory = false;  // shares its memory with the CPU
  // Which memory it has where that is its own: devices that name the same one are one card, listed twice or by two
  // drivers. Empty: nobody else's.
  std::string heap;
  bool is_software = false;      // a GPU's driver that computes on the CPU
  Bytes nameplate_bytes = 0;     // of a catalogue device: what the box says
  Bytes total_bytes = 0;         // that programs can have: physical less what firmware takes
  Bytes free_bytes = 0;          // now; of a catalogue device total_bytes
  Bytes driver_bytes = 0;        // context, kernel images: what the driver takes when we start to use it
  bool driver_measured = false;  // else driver_bytes is an assumption and is shown as one
  std::string driver;            // of a probed GPU: which driver, and its version
  MemoryAccount account;         // now, of a present device
  DeviceSpeed speed;
  std::uint32_t n_threads = 1;  // CPU: threads that compute, each with its own scratch
  Bytes alignment = 64;         // of a region in an arena
  Bytes granularity = 4096;     // arena sizes are multiples of this
  Bytes max_arena_bytes = 0;    // largest single allocation; 0: no limit
  Bytes max_binding_bytes = 0;  // largest part of an arena that one kernel sees at once; 0: no limit
  std::vector<DType> kv_types;  // those with a real kernel
  Proof proof = Proof::kNotNeeded;
  std::string proof_key;   // of a probed GPU: what a proof holds for: the card, its driver, our kernels
  std::string proof_note;  // what failed, a sentence
  std::string kernels;     // of a probed CPU: the instruction set that computes, "avx512"
  Message kernel_note;     // which faster ones are not used, and why; empty: there is none

  // Whether it is used without being named.
  bool is_proved() const { return proof == Proof::kNotNeeded || proof == Proof::kPassed; }
  // Whether weights reach it through the host's memory when a model is loaded, because nobody else can write to its
  // own.
  bool needs_upload() const { return traits.copies_page_locked && !has_unified_memory; }
  // Whether FFN weights that stand on the CPU can be streamed to it: where memory is shared they are there already.
  bool takes_streams() const { return traits.uploads_weights && !has_unified_memory; }
};

// The rows of the catalogue file. kBadFile names the row and field.
Result<std::vector<DeviceInfo>> read_device_catalogue(const std::filesystem::path& path);
Result<std::vector<DeviceInfo>> parse_device_catalogue(std::string_view json);

// The host as a device; `total` and `free` are given by whoever may do I/O. Every KV type has a CPU kernel.
DeviceInfo make_cpu_device(std::string name, Bytes total, Bytes free, std::uint32_t n_threads);

}  // namespace headroom
