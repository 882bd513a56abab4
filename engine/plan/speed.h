// How fast a plan decodes, from the bytes that a token touches and what devices were measured to do.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/memory_plan.h"

namespace headroom {

// What it costs a step that its residual goes from one device to another: two devices wait for one another, the bytes
// of a token are next to nothing. An assumption of the size that a launch and a wake take together.
inline constexpr double kCrossingSeconds = 20e-6;
// Prompts have about this share of DeviceSpeed::products_per_s, where nothing is known of the format.
inline constexpr double kProductShare = 0.5;

// Of the program, for each layer: norm with q/k/v and rope, attention, its output, or the three of a delta net; gate
// with up, and down; with experts the routing too, and the two of a shared one; the two of layer inputs.
inline constexpr std::uint32_t kAttentionOps = 3;
inline std::uint32_t n_ffn_ops(const LayerSpec& layer) {
  return (layer.has_experts() ? 3 : 2) + (layer.has_shared_expert() ? 2 : 0) + (layer.has_inputs() ? 2 : 0);
}

// What it costs a step of n_rows rows that its residual goes from device to device.
double crossing_seconds(const ModelInfo& model, std::span<const DeviceInfo> devices, const Placement& placement,
                        std::uint32_t n_rows);

// What a device does for one token of one request.
struct TokenWork {
  // Of weights, and of the cache and states, by DType, each read once, and a state written; the embedding's row aside,
  // and of experts those that a token goes through.
  std::array<double, kNDTypes> weight_bytes{}, cache_bytes{};
  double bytes = 0;  // all of them
  std::uint32_t n_ops = 0;
  // Of a device whose read_bytes_per_s is known.
  double seconds(const DeviceSpeed& speed) const;
};

// (devices.size()), for a token that sees n_positions.
std::vector<TokenWork> token_work(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                  const Placement& placement, const PlanOptions& options, std::uint64_t n_positions);

// Tokens per second of one request that is decoded: one device after the other, and what it costs to go between them.
// The machine may be slower where it is short of compute. Absent when a device that has work has no known speed.
// Without n_positions: at half of the context, about what a conversation sees.
std::optional<double> estimate_tokens_per_s(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                            const Placement& placement, const PlanOptions& options);
std::optional<double> estimate_tokens_per_s(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                            const Placement& placement, const PlanOptions& options,
                                            std::uint64_t n_positions);
std::optional<double> estimate_tokens_per_s(const ModelInfo& model, const MemoryPlan& plan);
std::optional<double> estimate_tokens_per_s(const ModelInfo& model, const MemoryPlan& plan, std::uint64_t n_positions);

// A prediction in tokens per second: "4.1", "41", "more than 1,000". Of a token as quick as that the time is made of
// what differs from one moment to the next: how fast a thread wakes, what a cache still holds.
Message predicted_rate_words(double tokens_per_s);
// "about 41 tokens/s", "more than 1,000 tokens/s".
Message about_speed_words(double tokens_per_s);

// Steps of one row that ran, added up.
struct DecodeTimes {
  std::uint32_t n_steps = 0;
  std::uint64_t n_positions = 0;  // that these rows saw, added up
  std::vector<double> seconds;    // (devices of the plan): computing, and what is read from and written to a device
};

// What an answer tells about a device.
struct SeenSpeed {
  DeviceSpeed speed;    // what is known now
  double slowdown = 1;  // seconds that a token took / seconds that were predicted before
};
// So far from what was predicted that it is time to measure again.
inline bool is_far_off(double slowdown) { return slowdown > 2 || slowdown < 0.5; }

// What `times` tell about the speed of each device, beside what is known of it now (both plan.devices.size()); absent
// where they tell nothing: too few steps, a device without work or without a known speed. The figures that the time is
// made of change, each by its share of it: rates of the formats that the model has, what ops cost. What took longer
// than predicted changes them half of the way, since another program may have been the reason; what took much less
// changes them at once, since nothing makes a device faster than it is. Where a token reads no more than a cache may
// hold, only the cost of ops changes.
std::vector<std::optional<SeenSpeed>> refine_speeds(const ModelInfo& model, const MemoryPlan& plan,
                                                    std::span<const DeviceSpeed> known, const DecodeTimes& times);

}  // namespace headroom
