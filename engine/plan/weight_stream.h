// Steps of many rows have a GPU compute FFNs that stand on the CPU: the weights of an op are brought to it while it
// computes the one before. What that takes, and from how many rows on it is worth it; pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/weight_layout.h"
#include "plan/memory_plan.h"
#include "plan/placement.h"

namespace headroom {

// Steps of fewer rows never do: they read a matrix once for all of them.
inline constexpr std::uint32_t kLeastStreamRows = 9;

// Where FFNs are computed in steps of at least `least_rows` rows: those on the CPU where their attention is, those of
// layers that are whole on the CPU by the first GPU that has layers. Nothing is streamed where no such GPU takes
// streams.
WeightStreaming stream_weights(std::span<const DeviceInfo> devices, DeviceIndex cpu, const Placement& placement,
                               std::uint32_t least_rows);

// How a step of so many rows goes, and where each part is computed then.
ExecutionMode execution_mode_of(const WeightStreaming& streaming, std::size_t n_rows);
Placement placement_of(const Placement& placement, const WeightStreaming& streaming, std::size_t n_rows);

// Whether any weight is streamed to `device`, and whether this weight of an FFN is.
bool is_streamed_to(const Placement& placement, const WeightStreaming& streaming, DeviceIndex device);
bool is_streamed_to(const MemoryPlan& plan, const WeightTensor& weight, DeviceIndex device);

// The weights that an op needs and that are brought with it, of those that its layer has: what two of these ops that
// follow each other need are others. Empty for ops that bring none.
std::span<const TensorRole> streamed_roles(OpKind kind);

// Where the weights of a role stand on the device that they are brought to, one layer's after the other's: a region
// (kStreamed) as large as any layer needs, in the order of TensorRole.
struct StreamedRole {
  TensorRole role = TensorRole::kGate;
  Bytes bytes = 0;
};
std::vector<StreamedRole> streamed_role_sizes(const ModelInfo& model, WeightLayout layout);
std::string streamed_name(TensorRole role);  // of the region: "streamed ffn_gate"

// The region kStream of page-locked memory: parts of it are filled and copied in turns.
inline constexpr Bytes kStreamPartBytes = 8 * kMiB;
inline constexpr std::uint32_t kStreamParts = 3;
// kUnsupported names a weight whose rows a part does not hold.
Status check_streams(const ModelInfo& model);

// The region kUnpackedRows of the CPU: of each thread rows as in a file, between its layout and the other's.
Bytes panel_row_bytes(const ModelInfo& model);  // of a thread

// Bytes per second of weights that the CPU hands to a GPU of this speed; 0: not known.
double upload_rate(std::span<const DeviceInfo> devices, const DeviceSpeed& gpu);

// The rows of a step from which on a GPU is faster with weights that are brought to it than the CPU with those that
// stand there, by the largest FFN of the model, and clearly so; 0: it is not, or nobody measured the devices.
std::uint32_t choose_stream_rows(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                 const PlanOptions& options, DeviceIndex cpu);

}  // namespace headroom
