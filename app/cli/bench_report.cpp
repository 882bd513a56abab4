#include "bench_report.h"

#include <fmt/format.h>

namespace headroom::cli {
namespace {

double sumOf(const BenchFigures& figures, double BenchedDevice::*part) {
  double sum = 0;
  for (const BenchedDevice& device : figures.devices) sum += device.*part;
  return sum;
}

// The least seconds for all parts, one after the other; absent where a device has a part and its limit is not known.
template <class Limit>
std::optional<double> leastSeconds(const BenchFigures& figures, double BenchedDevice::*part, Limit limitOf) {
  double seconds = 0;
  for (const BenchedDevice& device : figures.devices) {
    if (device.*part == 0) continue;
    const double limit = limitOf(device.limits);
    if (!(limit > 0)) return std::nullopt;
    seconds += device.*part / limit;
  }
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

struct Peak {
  const char* name;
  double opsPerS;
};
// Those of a device that are known, the arithmetic of quantized weights first.
std::vector<Peak> peaksOf(const DeviceLimits& limits) {
  std::vector<Peak> peaks;
  for (const Peak& peak : {Peak{"int8", limits.int8_ops_per_s}, Peak{"tile", limits.tile_ops_per_s},
                           Peak{"f16", limits.f16_ops_per_s}, Peak{"f32", limits.f32_ops_per_s}}) {
    if (peak.opsPerS > 0) peaks.push_back(peak);
  }
  return peaks;
}

std::string prefillLimitText(const BenchFigures& figures) {
  if (figures.devices.size() != 1) {
    const std::optional<double> share = prefillShare(figures);
    return share ? fmt::format(", {:.0f} % of what the peaks of the devices allow", 100 * *share) : "";
  }
  std::string text;
  for (const Peak& peak : peaksOf(figures.devices.front().limits)) {
    text += fmt::format("{} {:.0f} % of the {} peak of {:.1f}", text.empty() ? "," : " and",
                        100 * prefillOpsPerS(figures) / peak.opsPerS, peak.name, peak.opsPerS * 1e-9);
  }
  return text;
}

std::string decodeLimitText(const BenchFigures& figures) {
  const std::optional<double> share = decodeShare(figures);
  if (!share) return "";
  if (figures.devices.size() != 1)
    return fmt::format(", {:.0f} % of what the read bandwidths of the devices allow", 100 * *share);
  return fmt::format(", {:.0f} % of the read bandwidth of {:.1f}", 100 * *share,
                     figures.devices.front().limits.read_bytes_per_s * 1e-9);
}

std::string outsideText(const std::optional<double>& outside) {
  return outside ? fmt::format("; {:.1f} % of the time outside matrices", 100 * *outside) : "";
}

// "8 layers on vulkan:0, 8 on cpu"; of one device its name, but for the CPU, which needs none.
std::string whereText(const BenchFigures& figures) {
  if (figures.devices.size() == 1) {
    const DeviceInfo& info = figures.devices.front().info;
    return info.kind == DeviceKind::kCpu ? "" : fmt::format(", on {} ({}, {})", info.id, info.name, info.kernels);
  }
  std::string text;
  for (const BenchedDevice& device : figures.devices) {
    text += fmt::format(", {}{} on {}", device.nLayers,
                        text.empty() ? (device.nLayers == 1 ? " layer" : " layers") : "", device.info.id);
  }
  return text;
}

// What each device of several does, and could do.
std::string deviceLine(const BenchedDevice& device) {
  std::string line = fmt::format("{:<10} reads {:.3f} GB a token, at most {:.1f} GB/s", device.info.id,
                                 device.decodeBytes * 1e-9, device.limits.read_bytes_per_s * 1e-9);
  for (const Peak& peak : peaksOf(device.limits))
    line += fmt::format("; {} peak {:.1f} Gop/s", peak.name, peak.opsPerS * 1e-9);
  return line;
}

Json optionalJson(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

double decodeBytesPerS(const BenchFigures& figures) {
  return figures.decodeTokensPerS * sumOf(figures, &BenchedDevice::decodeBytes);
}

double prefillOpsPerS(const BenchFigures& figures) {
  if (figures.nPrompt == 0) return 0;
  return figures.prefillTokensPerS * sumOf(figures, &BenchedDevice::prefillOps) / figures.nPrompt;
}

std::optional<double> decodeShare(const BenchFigures& figures) {
  const std::optional<double> least = leastSeconds(figures, &BenchedDevice::decodeBytes,
                                                   [](const DeviceLimits& limits) { return limits.read_bytes_per_s; });
  if (!least || !(figures.decodeTokensPerS > 0)) return std::nullopt;
  return *least * figures.decodeTokensPerS;
}

std::optional<double> prefillShare(const BenchFigures& figures) {
  const std::optional<double> least = leastSeconds(figures, &BenchedDevice::prefillOps,
                                                   [](const DeviceLimits& limits) { return limits.most_ops_per_s(); });
  if (!least || !(figures.prefillTokensPerS > 0)) return std::nullopt;
  return *least * figures.prefillTokensPerS / figures.nPrompt;
}

Json benchJson(const BenchFigures& figures) {
  Json devices = Json::array();
  for (const BenchedDevice& device : figures.devices) {
    devices.push_back({{"device", device.info.id},
                       {"name", device.info.name},
                       {"driver", device.info.driver},
                       {"kernels", device.info.kernels},
                       {"n_layers", device.nLayers},
                       {"decode_bytes", device.decodeBytes},
                       {"prefill_ops", device.prefillOps},
                       {"read_bandwidth_bytes_per_s", device.limits.read_bytes_per_s},
                       {"int8_peak_ops_per_s", device.limits.int8_ops_per_s},
                       {"tile_peak_ops_per_s", device.limits.tile_ops_per_s},
                       {"f16_peak_ops_per_s", device.limits.f16_ops_per_s},
                       {"f32_peak_ops_per_s", device.limits.f32_ops_per_s}});
  }
  return {{"model", figures.model},
          {"n_prompt", figures.nPrompt},
          {"n_decode", figures.nDecode},
          {"depth", figures.depth},
          {"n_threads", figures.nThreads},
          {"n_batch", figures.nBatch},
          {"kv_k", figures.kvK},
          {"kv_v", figures.kvV},
          {"kv_scheme", figures.kvScheme},
          {"load_seconds", figures.loadSeconds},
          {"load_bytes_per_s", figures.loadBytesPerS},
          {"prefill_tokens_per_s", figures.prefillTokensPerS},
          {"decode_tokens_per_s", figures.decodeTokensPerS},
          {"predicted_tokens_per_s", optionalJson(figures.predictedTokensPerS)},
          {"prefill_outside_matrices", optionalJson(figures.prefillOutside)},
          {"decode_outside_matrices", optionalJson(figures.decodeOutside)},
          {"decode_bytes_per_s", decodeBytesPerS(figures)},
          {"decode_share", optionalJson(decodeShare(figures))},
          {"prefill_ops_per_s", prefillOpsPerS(figures)},
          {"prefill_share", optionalJson(prefillShare(figures))},
          {"devices", devices}};
}

std::string benchText(const BenchFigures& figures) {
  std::string text =
      fmt::format("{}{}, {} threads, depth {}\n", figures.model, whereText(figures), figures.nThreads, figures.depth);
  text += fmt::format("load    {:>10.2f} s         {:>8.1f} GB/s, {:.1f} a thread\n", figures.loadSeconds,
                      figures.loadBytesPerS * 1e-9, figures.loadBytesPerS * 1e-9 / figures.nThreads);
  text += fmt::format("prefill {:>10.1f} tokens/s  {:>8.1f} Gop/s{}{}\n", figures.prefillTokensPerS,
                      prefillOpsPerS(figures) * 1e-9, prefillLimitText(figures), outsideText(figures.prefillOutside));
  text += fmt::format("decode  {:>10.1f} tokens/s  {:>8.1f} GB/s{}{}\n", figures.decodeTokensPerS,
                      decodeBytesPerS(figures) * 1e-9, decodeLimitText(figures), outsideText(figures.decodeOutside));
  if (figures.devices.size() > 1) {
    for (const BenchedDevice& device : figures.devices) text += deviceLine(device) + "\n";
  }
  return text;
}

}  // namespace headroom::cli
