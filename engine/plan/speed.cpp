#include "plan/speed.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "plan/device_rules.h"
#include "plan/kv_regions.h"
#include "plan/placement.h"

namespace headroom {
namespace {

// Fewer steps say more about the moment than about the machine.
constexpr std::uint32_t kFewestSteps = 16;
// What a cache may hold from token to token says nothing about memory.
constexpr double kLeastReadBytes = 64.0 * kMiB;
constexpr double kUsualOpSeconds = 1e-6;
// An answer of a small model changes the cost of ops by no more than this, whatever came between.
constexpr double kLargestChange = 4.0;
// Natural logarithms of how much longer or shorter something took. What is nearer than 1.5 times may be chance; more
// than 4 times slower is another program, and no device is 100,000 times faster than predicted.
constexpr double kClearlyFaster = 0.405, kMostSlower = 1.386, kMostFaster = 11.5;
// A figure of which less of the time depends learns nothing: another model, which it matters to, is not to suffer.
constexpr double kLeastShare = 0.05;

// How the figures change whose times add up to what was predicted, when `slowdown` times as much passed: by the power
// of this that is returned.
double change_of(double slowdown) {
  const double log = std::log(slowdown);
  return log < -kClearlyFaster ? std::max(log, -kMostFaster) : std::min(log, kMostSlower) / 2;
}

// `known` after a token took `seconds` for `work`. A figure that makes up a share of the time changes by that share of
// the change, over the sum of the squared shares: then together they predict about what was seen.
DeviceSpeed refined(const DeviceSpeed& known, const TokenWork& work, double seconds) {
  DeviceSpeed now = known;
  if (work.bytes < kLeastReadBytes) {
    const double reads = work.seconds(known) - work.n_ops * known.op_seconds;
    const double seen = std::max(seconds - reads, 0.0) / work.n_ops;
    const double most = kLargestChange * std::max(known.op_seconds, kUsualOpSeconds);
    now.op_seconds = (known.op_seconds + std::clamp(seen, known.op_seconds / kLargestChange, most)) / 2.0;
    return now;
  }
  const double predicted = work.seconds(known), change = change_of(seconds / predicted);
  double squares = 0;
  const auto for_each_part = [&](auto visit) {
    for (std::size_t i = 0; i < kNDTypes; ++i) {
      const auto dtype = static_cast<DType>(i);
      if (work.weight_bytes[i] > 0)
        visit(work.weight_bytes[i] / known.decode_rate(dtype),
              [&, i, dtype](double factor) { now.formats[i].decode_bytes_per_s = known.decode_rate(dtype) / factor; });
      if (work.cache_bytes[i] > 0)
        visit(work.cache_bytes[i] / known.cache_rate(dtype),
              [&, i, dtype](double factor) { now.formats[i].cache_bytes_per_s = known.cache_rate(dtype) / factor; });
    }
    visit(work.n_ops * known.op_seconds, [&](double factor) { now.op_seconds = known.op_seconds * factor; });
  };
  for_each_part([&](double part, auto) { squares += (part / predicted) * (part / predicted); });
  for_each_part([&](double part, auto set) {
    const double share = part / predicted;
    if (share >= kLeastShare) set(std::exp(change * share / squares));
  });
  return now;
}

}  // namespace

// The copy is priced by the device that is not the CPU.
double crossing_seconds(const ModelInfo& model, std::span<const DeviceInfo> devices, const Placement& placement,
                        std::uint32_t n_rows) {
  const double bytes = static_cast<double>(Bytes{n_rows} * model.d_model * kF32Bytes);
  double seconds = 0;
  for_each_crossing(placement, [&](DeviceIndex from, DeviceIndex to) {
    seconds += kCrossingSeconds;
    for (const DeviceIndex device : {from, to}) {
      const double rate = devices[device].speed.copy_bytes_per_s;
      if (devices[device].kind != DeviceKind::kCpu && rate > 0) seconds += bytes / rate;
    }
  });
  return seconds;
}

double TokenWork::seconds(const DeviceSpeed& speed) const {
  double sum = n_ops * speed.op_seconds;
  for (std::size_t i = 0; i < kNDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    sum += weight_bytes[i] / speed.decode_rate(dtype) + cache_bytes[i] / speed.cache_rate(dtype);
  }
  return sum;
}

std::vector<TokenWork> token_work(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                  const Placement& placement, const PlanOptions& options, std::uint64_t n_positions) {
  const bool tied_head = has_tied_head(model);
  std::vector<TokenWork> work(devices.size());
  for (const DeviceIndex device : devices_in_use(placement)) {
    TokenWork& on = work[device];
    for (const WeightTensor& weight : model.weights) {
      if (is_lookup(weight, device, placement, tied_head) || !weight_is_on(weight, device, placement, tied_head))
        continue;
      on.weight_bytes[static_cast<std::size_t>(weight.dtype)] +=
          static_cast<double>(weight_bytes(weight, devices[device].traits.weight_layout)) * model.share_read(weight);
    }
  }
  if (model.input_elems > 0) {
    ++work[placement.embed_device].n_ops;
    ++work[placement.layers.front().attention].n_ops;
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const LayerSpec& layer = model.layers[i];
    const LayerPlacement& at = placement.layers[i];
    const std::uint64_t n_seen =
        layer.attention == AttentionKind::kWindow ? std::min<std::uint64_t>(n_positions, layer.window) : n_positions;
    const std::array<double, kNDTypes> cache = kv_bytes_read(layer, options, n_seen);
    for (std::size_t type = 0; type < kNDTypes; ++type) work[at.attention].cache_bytes[type] += cache[type];
    // A state is read and written.
    work[at.attention].cache_bytes[static_cast<std::size_t>(DType::kF32)] +=
        2.0 * static_cast<double>(layer.state_bytes());
    work[at.attention].n_ops += kAttentionOps;
    work[at.ffn].n_ops += n_ffn_ops(layer);
  }
  ++work[placement.embed_device].n_ops;
  ++work[placement.head_device].n_ops;
  for (TokenWork& on : work) {
    for (std::size_t type = 0; type < kNDTypes; ++type) on.bytes += on.weight_bytes[type] + on.cache_bytes[type];
  }
  return work;
}

std::optional<double> estimate_tokens_per_s(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                            const Placement& placement, const PlanOptions& options,
                                            std::uint64_t n_positions) {
  const std::vector<TokenWork> work = token_work(model, devices, placement, options, n_positions);
  double seconds = crossing_seconds(model, devices, placement, 1);
  for (std::size_t device = 0; device < devices.size(); ++device) {
    if (work[device].bytes > 0 && !(devices[device].speed.read_bytes_per_s > 0)) return std::nullopt;
    if (work[device].n_ops > 0 && devices[device].speed.read_bytes_per_s > 0)
      seconds += work[device].seconds(devices[device].speed);
  }
  return seconds > 0 ? std::optional(1.0 / seconds) : std::nullopt;
}

std::optional<double> estimate_tokens_per_s(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                            const Placement& placement, const PlanOptions& options) {
  return estimate_tokens_per_s(model, devices, placement, options, std::max(1U, options.n_ctx / 2));
}

std::optional<double> estimate_tokens_per_s(const ModelInfo& model, const MemoryPlan& plan) {
  return estimate_tokens_per_s(model, plan.devices, plan.placement, plan.options);
}

std::optional<double> estimate_tokens_per_s(const ModelInfo& model, const MemoryPlan& plan, std::uint64_t n_positions) {
  return estimate_tokens_per_s(model, plan.devices, plan.placement, plan.options, n_positions);
}

namespace {

// Rounded before the number of digits is chosen, so that 9.96 is 10 and not 10.0; absent beyond what anyone counts.
std::optional<Message::Decimal> shown_rate(double tokens_per_s) {
  if (tokens_per_s >= 999.5) return std::nullopt;
  return decimal(tokens_per_s, tokens_per_s < 9.95 ? 1 : 0);
}

}  // namespace

Message predicted_rate_words(double tokens_per_s) {
  const auto rate = shown_rate(tokens_per_s);
  return rate ? Message::say("{}", *rate) : Message::say("more than 1,000");
}

Message about_speed_words(double tokens_per_s) {
  const auto rate = shown_rate(tokens_per_s);
  return rate ? Message::say("about {} tokens/s", *rate) : Message::say("more than 1,000 tokens/s");
}

std::vector<std::optional<SeenSpeed>> refine_speeds(const ModelInfo& model, const MemoryPlan& plan,
                                                    std::span<const DeviceSpeed> known, const DecodeTimes& times) {
  CHECK(known.size() == plan.devices.size(), "speeds of other devices than the plan's");
  std::vector<std::optional<SeenSpeed>> seen(plan.devices.size());
  if (times.n_steps < kFewestSteps || times.seconds.size() != seen.size()) return seen;
  const std::vector<TokenWork> work =
      token_work(model, plan.devices, plan.placement, plan.options, times.n_positions / times.n_steps);
  for (std::size_t device = 0; device < seen.size(); ++device) {
    const double seconds = times.seconds[device] / times.n_steps;
    if (work[device].bytes > 0 && known[device].read_bytes_per_s > 0 && seconds > 0) {
      seen[device] = {refined(known[device], work[device], seconds), seconds / work[device].seconds(known[device])};
    }
  }
  return seen;
}

}  // namespace headroom
