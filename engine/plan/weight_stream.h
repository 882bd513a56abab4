// Streamed weights. A layer's FFN may stand on the CPU because the GPU has no room for it. In a step of many rows the
// GPU computes it nevertheless: each op's weights are uploaded while the GPU computes the op before. Every layer uses
// the same room on the GPU, so that one layer's weights replace those of the layer before. Example: of a 70B model 20
// FFNs stand on the CPU; a prompt of 512 tokens uploads each of them once, a decode step computes them on the CPU. This
// header says how much memory that takes, and from how many rows on it is faster. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/weight_layout.h"
#include "plan/memory_plan.h"
#include "plan/placement.h"

namespace headroom {

// Steps of fewer rows never stream: a CPU reads each matrix once for so few rows, and an upload reads it once too.
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

// Which of its layer's weights are uploaded before an op of this kind. Two ops in a row never share a weight, so that
// the second one's are uploaded while the first computes. Empty for ops without uploads. Example: kFfnUp needs the
// norm, gate and up; kFfnDown needs down and the post-norm.
std::span<const TensorRole> streamed_roles(OpKind kind);

// The room on the GPU for the streamed weights of one role: a region (kStreamed) as large as the largest layer needs.
// Regions stand in the order of TensorRole.
struct StreamedRole {
  TensorRole role = TensorRole::kGate;
  Bytes bytes = 0;
};
std::vector<StreamedRole> streamed_role_sizes(const ModelInfo& model, WeightLayout layout);
std::string streamed_name(TensorRole role);  // of the region: "streamed ffn_gate"

// The region kStream of page-locked memory: parts of it are filled and copied in turns.
inline constexpr Bytes kStreamPartBytes = 8 * kMiB;
inline constexpr std::uint32_t kStreamParts = 3;
// kUnsupported names a weight of which one panel is larger than a part.
Status check_streams(const ModelInfo& model);

// The region kUnpackedRows of the CPU: of each thread rows as in a file, between its layout and the other's.
Bytes panel_row_bytes(const ModelInfo& model);  // of a thread

// Bytes per second of weights that the CPU hands to a GPU of this speed; 0: not known.
double upload_rate(std::span<const DeviceInfo> devices, const DeviceSpeed& gpu);

// The fewest rows for which uploading the model's largest FFN to the GPU and computing it there is clearly faster than
// computing it on the CPU; 0: no number of rows is enough, or the devices were not measured.
std::uint32_t choose_stream_rows(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                 const PlanOptions& options, DeviceIndex cpu);

}  // namespace headroom
