#include "plan/layout.h"

#include <algorithm>

#include "base/check.h"
#include "plan/device_arenas.h"
#include "plan/placement.h"
#include "plan/plan_options.h"
#include "plan/speed.h"
#include "plan/split_layers.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

Result<ArenaLayout> lay_out_for(const DeviceArenas& in, std::uint32_t stream_rows, const LayerSplit& split) {
  ArenaLayout out;
  out.options = in.options();
  out.options.n_gpu_layers = static_cast<std::int32_t>(split.n_gpu_layers());
  out.options.n_cpu_ffn = static_cast<std::int32_t>(split.n_cpu_ffn);
  out.cpu = in.cpu();
  out.placement = place_layers(in.model(), in.devices(), in.cpu(), split);
  out.streaming = stream_weights(in.devices(), in.cpu(), out.placement, stream_rows);
  Result<std::vector<ArenaPlan>> arenas = in.arenas(out.placement, out.streaming, Keep::kSizesOnly);
  if (!arenas) return arenas.error();
  out.arenas = std::move(*arenas);
  out.budgets = in.budgets(out.arenas);
  return out;
}

// With both numbers left to us: as many whole layers on GPUs as fit, or all of them with as few FFNs on the CPU as must
// be, whichever is the faster plan that fits; the former where no one knows.
Result<ArenaLayout> lay_out_best(const DeviceArenas& in, std::uint32_t stream_rows, const LayerSplitter& splitter) {
  const std::uint32_t n_layers = in.model().n_layers(), n_whole = splitter.most_layers(0);
  Result<ArenaLayout> whole = lay_out_for(in, stream_rows, splitter.split(n_whole, 0));
  if (!whole || n_whole == n_layers) return whole;
  const std::optional<double> whole_speed =
      estimate_tokens_per_s(in.model(), in.devices(), whole->placement, whole->options);
  if (!whole_speed) return whole;
  const std::optional<std::uint32_t> n_cpu_ffn = splitter.least_cpu_ffn();
  const std::uint32_t n_split = n_cpu_ffn ? n_layers : splitter.most_layers(n_layers);
  if (n_split == 0) return whole;
  Result<ArenaLayout> split = lay_out_for(in, stream_rows, splitter.split(n_split, n_cpu_ffn.value_or(n_split)));
  if (!split || !split->fits()) return whole;
  const std::optional<double> split_speed =
      estimate_tokens_per_s(in.model(), in.devices(), split->placement, split->options);
  return !whole->fits() || split_speed > whole_speed ? std::move(split) : std::move(whole);
}

Result<ArenaLayout> lay_out_with(const DeviceArenas& in, std::uint32_t stream_rows) {
  const PlanOptions& options = in.options();
  if (gpus_of(options, in.devices()).empty()) return lay_out_for(in, stream_rows, {});
  const LayerSplitter splitter(in, stream_rows);
  const bool is_auto = options.n_gpu_layers == kAutoLayers;
  if (is_auto && options.n_cpu_ffn == kAutoLayers) return lay_out_best(in, stream_rows, splitter);
  const auto n_cpu_ffn = static_cast<std::uint32_t>(std::max(options.n_cpu_ffn, 0));
  const std::uint32_t n_gpu_layers =
      is_auto ? splitter.most_layers(n_cpu_ffn) : static_cast<std::uint32_t>(options.n_gpu_layers);
  return lay_out_for(in, stream_rows, splitter.split(n_gpu_layers, n_cpu_ffn));
}

Result<ArenaLayout> choose_layout(const DeviceArenas& in) {
  if (in.options().stream_rows != kAutoRows) {
    const auto stream_rows = static_cast<std::uint32_t>(in.options().stream_rows);
    if (Status fine = check_streams(in.model()); !fine && stream_rows > 0) return fine.error();
    return lay_out_with(in, stream_rows);
  }
  const std::uint32_t stream_rows = choose_stream_rows(in.model(), in.devices(), in.options(), in.cpu());
  Result<ArenaLayout> streaming = lay_out_with(in, stream_rows);
  if (stream_rows == 0 || (streaming && streaming->fits())) return streaming;
  return lay_out_with(in, 0);
}

}  // namespace

bool ArenaLayout::fits() const {
  return std::all_of(budgets.begin(), budgets.end(), [](const DeviceBudget& budget) { return budget.fits(); });
}

Result<ArenaLayout> compute_arenas(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                   const PlanOptions& options, Keep keep) {
  Result<PlanOptions> resolved = resolve_options(model, devices, options);
  if (!resolved) return resolved.error();
  Result<DeviceIndex> cpu = find_cpu(devices);
  if (!cpu) return cpu.error();
  const DeviceArenas sizes(model, devices, *resolved, *cpu);
  Result<ArenaLayout> chosen = choose_layout(sizes);
  if (!chosen || keep == Keep::kSizesOnly) return chosen;
  chosen->arenas = *sizes.arenas(chosen->placement, chosen->streaming, Keep::kRegions);
  chosen->program =
      build_program(model, chosen->placement, static_cast<std::uint32_t>(devices.size()), resolved->step_rows(),
                    resolved->n_logit_rows, sizes.buffer_alignment(), chosen->streaming);
  for (const DeviceBudget& budget : chosen->budgets) {
    const Bytes of_parts = sizes.activation_bytes(chosen->placement, chosen->streaming, budget.device);
    CHECK(chosen->program.activation_bytes[budget.device] == of_parts, "a program takes what its parts take");
  }
  return chosen;
}

}  // namespace headroom
