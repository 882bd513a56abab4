#include "plan/prompt_speed.h"

#include <algorithm>
#include <cmath>

#include "plan/device_rules.h"
#include "plan/placement.h"
#include "plan/speed.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

constexpr std::uint32_t kFewestTokens = 64;  // of a prompt that tells something
// Of what kernels make alone; the rest of a step goes to rounding rows, routing and waiting. Over ten models, three
// times each, prompts took 1.1 times as long as their products.
constexpr double kKernelShare = 0.9;

// Positions that the rows [first, first + n_rows) see, added up: those of a window see no more than it holds.
double positions_seen(const LayerSpec& layer, std::uint64_t first, std::uint64_t n_rows) {
  const bool is_window = layer.attention == AttentionKind::kWindow;
  const std::uint64_t n_growing =
      is_window ? std::min<std::uint64_t>(n_rows, saturating_sub(layer.window, first)) : n_rows;
  return static_cast<double>(n_growing * first + n_growing * (n_growing + 1) / 2 + (n_rows - n_growing) * layer.window);
}

double bytes_on(const WeightTensor& weight, const DeviceInfo& device) {
  return static_cast<double>(weight_bytes(weight, device.traits.weight_layout));
}

// The share of a tensor of experts that a step reads: those that any of its rows goes through, if rows choose by
// chance. `used`: the share that one row reads.
double share_touched(double used, double n_rows) { return used < 1 ? 1 - std::pow(1 - used, n_rows) : 1; }

// The layers' weights in n_steps steps of n_rows rows.
void add_layers(const ModelInfo& model, std::span<const DeviceInfo> devices, const Placement& placement,
                const WeightStreaming& streaming, std::uint32_t n_rows, std::uint32_t n_steps,
                std::vector<DevicePromptWork>& shares) {
  const Placement in_step = placement_of(placement, streaming, n_rows);
  for (const WeightTensor& weight : model.weights) {
    // That of layer inputs is read in each step, where the first layer is.
    if (weight.layer < 0 && weight.role != TensorRole::kInputProject) continue;
    const auto layer = static_cast<std::size_t>(std::max(weight.layer, 0));
    const auto part = role_is_ffn(weight.role) ? &LayerPlacement::ffn : &LayerPlacement::attention;
    const DeviceIndex device = in_step.layers[layer].*part;
    const bool is_streamed = device != placement.layers[layer].*part;
    const double bytes = bytes_on(weight, devices[device]) * n_steps, used = model.share_read(weight);
    DevicePromptWork& share = shares[device];
    PromptWork& work = is_streamed ? share.streamed : share.resident;
    if (is_streamed) share.uploaded_bytes += bytes;
    const auto type = static_cast<std::size_t>(weight.dtype);
    work.weight_bytes[type] += bytes * share_touched(used, n_rows);
    if (!role_is_matrix(weight.role)) continue;
    const double elems = static_cast<double>(weight.n_matrices * weight.n_rows) * static_cast<double>(weight.n_cols);
    work.products[type] += elems * used * n_rows * n_steps;
  }
}

// One row of the head: it takes what reading takes.
void add_head(const ModelInfo& model, const DeviceInfo& device, PromptWork& work) {
  const bool tied_head = has_tied_head(model);
  for (const WeightTensor& weight : model.weights) {
    const bool is_of_head = weight.role == TensorRole::kHead || weight.role == TensorRole::kOutputNorm ||
                            (weight.role == TensorRole::kTokenEmbedding && tied_head);
    if (is_of_head) work.weight_bytes[static_cast<std::size_t>(weight.dtype)] += bytes_on(weight, device);
  }
}

}  // namespace

std::optional<double> PromptWork::seconds(const DeviceSpeed& speed) const {
  double sum = static_cast<double>(n_ops) * speed.op_seconds;
  for (std::size_t i = 0; i < kNDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    const double others = speed.products_per_s * kProductShare;
    const double known = speed.formats[i].prompt_products_per_s, attended = speed.formats[i].attend_products_per_s;
    const double product_rate = known > 0 ? known * kKernelShare : others,
                 attend_rate = attended > 0 ? attended * kKernelShare : others;
    if (weight_bytes[i] > 0 && !(speed.decode_rate(dtype) > 0)) return std::nullopt;
    if ((products[i] > 0 && !(product_rate > 0)) || (attend_products[i] > 0 && !(attend_rate > 0))) return std::nullopt;
    if (weight_bytes[i] > 0) sum += weight_bytes[i] / speed.decode_rate(dtype);
    if (products[i] > 0) sum += products[i] / product_rate;
    if (attend_products[i] > 0) sum += attend_products[i] / attend_rate;
  }
  return sum;
}

std::vector<DevicePromptWork> prompt_work(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                          const Placement& placement, const WeightStreaming& streaming,
                                          const PlanOptions& options, std::uint32_t n_tokens, std::uint32_t n_cached) {
  std::vector<DevicePromptWork> shares(devices.size());
  const std::uint32_t n_full = n_tokens / options.n_batch, n_rest = n_tokens % options.n_batch;
  if (n_full > 0) add_layers(model, devices, placement, streaming, options.n_batch, n_full, shares);
  if (n_rest > 0) add_layers(model, devices, placement, streaming, n_rest, 1, shares);
  add_head(model, devices[placement.head_device], shares[placement.head_device].resident);
  for (std::uint32_t first = 0; first < n_tokens; first += options.n_batch) {
    const std::uint32_t n_rows = std::min(options.n_batch, n_tokens - first);
    const Placement in_step = placement_of(placement, streaming, n_rows);
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      const LayerSpec& layer = model.layers[i];
      PromptWork& at = shares[in_step.layers[i].attention].resident;
      const double products = positions_seen(layer, std::uint64_t{n_cached} + first, n_rows) * layer.q_dim();
      at.attend_products[static_cast<std::size_t>(options.kv_k)] += products;
      at.attend_products[static_cast<std::size_t>(options.kv_v)] += products;
      if (layer.delta_net)
        at.attend_products[static_cast<std::size_t>(DType::kF32)] += n_rows * layer.delta_net->products_per_row();
      at.n_ops += kAttentionOps;
      shares[in_step.layers[i].ffn].resident.n_ops += n_ffn_ops(layer);
    }
  }
  return shares;
}

std::optional<double> prompt_seconds(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                     const Placement& placement, const WeightStreaming& streaming,
                                     const PlanOptions& options, std::uint32_t n_tokens, std::uint32_t n_cached) {
  const std::vector<DevicePromptWork> shares =
      prompt_work(model, devices, placement, streaming, options, n_tokens, n_cached);
  double seconds = 0;
  for (std::size_t device = 0; device < shares.size(); ++device) {
    const DeviceSpeed& speed = devices[device].speed;
    const std::optional<double> resident = shares[device].resident.seconds(speed),
                                streamed = shares[device].streamed.seconds(speed);
    if (!resident || !streamed) return std::nullopt;
    seconds += *resident;
    if (shares[device].uploaded_bytes == 0) continue;
    // Weights are uploaded while those before them are computed with: the longer of both counts.
    const double rate = upload_rate(devices, speed);
    if (!(rate > 0)) return std::nullopt;
    seconds += std::max(*streamed, shares[device].uploaded_bytes / rate);
  }
  for (std::uint32_t first = 0; first < n_tokens; first += options.n_batch) {
    const std::uint32_t n_rows = std::min(options.n_batch, n_tokens - first);
    seconds += crossing_seconds(model, devices, placement_of(placement, streaming, n_rows), n_rows);
  }
  return seconds;
}

std::optional<double> estimate_prompt_tokens_per_s(const ModelInfo& model, const MemoryPlan& plan,
                                                   std::uint32_t n_tokens, std::uint32_t n_cached) {
  const std::uint32_t n_rows = std::min(n_tokens, plan.options.n_batch);
  if (n_tokens == 0 || execution_mode_of(plan.streaming, n_rows) == ExecutionMode::kStreamed) return std::nullopt;
  const std::optional<double> seconds =
      prompt_seconds(model, plan.devices, plan.placement, plan.streaming, plan.options, n_tokens, n_cached);
  return seconds && *seconds > 0 ? std::optional(n_tokens / *seconds) : std::nullopt;
}

std::optional<double> typical_answer_seconds(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                             const Placement& placement, const WeightStreaming& streaming,
                                             const PlanOptions& options) {
  const std::uint32_t n_prompt = std::clamp(options.n_ctx / 2, 1U, kTypicalPromptTokens);
  const std::optional<double> rate =
      estimate_tokens_per_s(model, devices, placement, options, n_prompt + kTypicalAnswerTokens / 2);
  if (!rate) return std::nullopt;
  return prompt_seconds(model, devices, placement, streaming, options, n_prompt, 0).value_or(0) +
         kTypicalAnswerTokens / *rate;
}

std::optional<double> prompt_slowdown(const ModelInfo& model, const MemoryPlan& plan, const PromptTimes& times) {
  if (times.n_tokens < kFewestTokens || !(times.seconds > 0)) return std::nullopt;
  const std::optional<double> predicted = estimate_prompt_tokens_per_s(model, plan, times.n_tokens, times.n_cached);
  return predicted ? std::optional(times.seconds * *predicted / times.n_tokens) : std::nullopt;
}

}  // namespace headroom
