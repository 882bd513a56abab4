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

// The share of an expert's layer that is read by a step: of experts that any of its rows goes through, if they choose
// by chance.
double share_touched(const ModelInfo& model, const WeightTensor& weight, std::uint32_t n_rows) {
  const double used = model.share_read(weight);
  return used < 1 ? 1 - std::pow(1 - used, n_rows) : 1;
}

// Positions that the rows [first, first + n_rows) see, added up.
double positions_seen(const LayerSpec& layer, std::uint64_t first, std::uint32_t n_rows) {
  double sum = 0;
  for (std::uint64_t row = first; row < first + n_rows; ++row) {
    sum += static_cast<double>(
        layer.attention == AttentionKind::kWindow ? std::min<std::uint64_t>(layer.window, row + 1) : row + 1);
  }
  return sum;
}

void add_weights(const ModelInfo& model, const MemoryPlan& plan, DeviceIndex device, std::uint32_t n_rows, bool is_last,
                 PromptWork& work) {
  const bool tied_head = has_tied_head(model);
  const TensorRole head = tied_head ? TensorRole::kTokenEmbedding : TensorRole::kHead;
  for (const WeightTensor& weight : model.weights) {
    const bool is_head = weight.role == head;
    if (is_head && (plan.placement.head_device != device || !is_last)) continue;
    if (!is_head && weight.role == TensorRole::kTokenEmbedding) continue;
    if (!weight_is_on(weight, device, plan.placement, tied_head)) continue;
    const auto type = static_cast<std::size_t>(weight.dtype);
    const double bytes = static_cast<double>(weight_bytes(weight, plan.devices[device].traits.weight_layout));
    work.weight_bytes[type] += bytes * (is_head ? 1 : share_touched(model, weight, n_rows));
    if (is_head || !role_is_matrix(weight.role)) continue;  // one row of the head: it takes what reading takes
    const double elems = static_cast<double>(weight.n_matrices * weight.n_rows) * static_cast<double>(weight.n_cols);
    work.products[type] += elems * model.share_read(weight) * n_rows;
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

std::vector<PromptWork> prompt_work(const ModelInfo& model, const MemoryPlan& plan, std::uint32_t n_tokens,
                                    std::uint32_t n_cached) {
  std::vector<PromptWork> work(plan.devices.size());
  const std::uint32_t n_batch = plan.options.n_batch;
  for (std::uint32_t first = 0; first < n_tokens; first += n_batch) {
    const std::uint32_t n_rows = std::min(n_batch, n_tokens - first);
    for (const DeviceIndex device : devices_in_use(plan.placement))
      add_weights(model, plan, device, n_rows, first + n_rows == n_tokens, work[device]);
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      const LayerSpec& layer = model.layers[i];
      PromptWork& at = work[plan.placement.layers[i].attention];
      const double products = positions_seen(layer, std::uint64_t{n_cached} + first, n_rows) * layer.q_dim();
      at.attend_products[static_cast<std::size_t>(plan.options.kv_k)] += products;
      at.attend_products[static_cast<std::size_t>(plan.options.kv_v)] += products;
      at.n_ops += kAttentionOps;
      work[plan.placement.layers[i].ffn].n_ops += n_ffn_ops(layer);
    }
  }
  return work;
}

std::optional<double> estimate_prompt_tokens_per_s(const ModelInfo& model, const MemoryPlan& plan,
                                                   std::uint32_t n_tokens, std::uint32_t n_cached) {
  const std::uint32_t n_rows = std::min(n_tokens, plan.options.n_batch);
  if (n_tokens == 0 || execution_mode_of(plan.streaming, n_rows) == ExecutionMode::kStreamed) return std::nullopt;
  const std::vector<PromptWork> work = prompt_work(model, plan, n_tokens, n_cached);
  double seconds = 0;
  for (std::size_t device = 0; device < work.size(); ++device) {
    const std::optional<double> on = work[device].seconds(plan.devices[device].speed);
    if (!on) return std::nullopt;
    seconds += *on;
  }
  return seconds > 0 ? std::optional(n_tokens / seconds) : std::nullopt;
}

std::optional<double> prompt_slowdown(const ModelInfo& model, const MemoryPlan& plan, const PromptTimes& times) {
  if (times.n_tokens < kFewestTokens || !(times.seconds > 0)) return std::nullopt;
  const std::optional<double> predicted = estimate_prompt_tokens_per_s(model, plan, times.n_tokens, times.n_cached);
  return predicted ? std::optional(times.seconds * *predicted / times.n_tokens) : std::nullopt;
}

}  // namespace headroom
