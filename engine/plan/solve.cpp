#include "plan/solve.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "format/dtype_table.h"
#include "model/model_info.h"
#include "plan/layout.h"
#include "plan/plan_options.h"

namespace headroom {
namespace {

// Why a plan is none: it lacks bytes, on the device that lacks most, or makes no sense at all.
struct Lack {
  Message::Amount bytes;
  std::string device;
  std::optional<Error> refused;
};

Lack lack_of(std::span<const DeviceInfo> devices, const ArenaLayout& layout) {
  const auto worst =
      std::max_element(layout.budgets.begin(), layout.budgets.end(),
                       [](const DeviceBudget& a, const DeviceBudget& b) { return a.missing() < b.missing(); });
  return {amount(worst->missing()), devices[worst->device].name, {}};
}

// Answers "does it fit?" for one model and set of devices.
struct Trial {
  const ModelInfo& model;
  std::span<const DeviceInfo> devices;

  // What is beyond 64 bits does not fit either. The options have been checked once, so no other error is left.
  bool fits(const PlanOptions& options) const {
    const Result<ArenaLayout> layout = compute_arenas(model, devices, options, Keep::kSizesOnly);
    return layout.ok() && layout->fits();
  }
  Lack lack(const PlanOptions& options) const {
    const Result<ArenaLayout> layout = compute_arenas(model, devices, options, Keep::kSizesOnly);
    return layout ? lack_of(devices, *layout) : Lack{{}, {}, layout.error()};
  }
};

PlanOptions with_ctx(PlanOptions options, std::uint32_t n_ctx) {
  options.n_ctx = n_ctx;
  return options;
}

// The options themselves must make sense before any search: the smallest plan is asked for once.
Status check_once(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options) {
  const Result<ArenaLayout> layout = compute_arenas(model, devices, with_ctx(options, 1), Keep::kSizesOnly);
  if (!layout) return layout.error();
  return ok_status();
}

// Halves a range of contexts.
class ContextSearch {
 public:
  ContextSearch(const Trial& trial, const PlanOptions& options) : trial_(trial), options_(options) {}

  bool tries(std::uint32_t n_ctx) {
    const bool fits = trial_.fits(with_ctx(options_, n_ctx));
    (fits ? longest_ : too_long_) = n_ctx;
    return fits;
  }

  // Tries multiples of `step` until no other one is left between what fits and what does not.
  void narrow_to(std::uint32_t step) {
    while (range() > step) {
      std::uint32_t middle = (longest_ + range() / 2) / step * step;
      if (middle <= longest_) middle += step;
      tries(middle);
    }
  }

  std::uint32_t longest() const { return longest_; }
  std::uint32_t range() const { return too_long_ - longest_; }
  Lack lack_beyond() const { return trial_.lack(with_ctx(options_, too_long_)); }

 private:
  const Trial& trial_;
  const PlanOptions& options_;
  std::uint32_t longest_ = 1, too_long_ = 0;  // too_long_ counts once a try has failed
};

struct KvPair {
  DType k, v;
  std::uint32_t loss;
};

std::vector<KvPair> pairs_by_loss() {
  std::vector<KvPair> pairs;
  for (const DTypeRow& k : kDTypes) {
    for (const DTypeRow& v : kDTypes) {
      if (k.is_kv_offered && v.is_kv_offered)
        pairs.push_back({k.dtype, v.dtype, 3 * kv_loss_rank(k.dtype) + 2 * kv_loss_rank(v.dtype)});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const KvPair& a, const KvPair& b) { return a.loss < b.loss; });
  return pairs;
}

bool has_kernel(std::span<const DeviceInfo> devices, const PlanOptions& options, DType dtype) {
  const auto holds = [&](const DeviceInfo& info) {
    return std::find(info.kv_types.begin(), info.kv_types.end(), dtype) != info.kv_types.end();
  };
  const std::vector<DeviceIndex> gpus = gpus_of(options, devices);
  return std::all_of(gpus.begin(), gpus.end(), [&](DeviceIndex gpu) { return holds(devices[gpu]); }) &&
         std::all_of(devices.begin(), devices.end(),
                     [&](const DeviceInfo& info) { return info.kind != DeviceKind::kCpu || holds(info); });
}

struct KvLoss {
  DType dtype;
  std::uint32_t rank;
};
constexpr std::array kKvLosses{KvLoss{DType::kF32, 0}, KvLoss{DType::kF16, 0}, KvLoss{DType::kQ8_0, 1},
                               KvLoss{DType::kF8E4M3, 2},
                               KvLoss{DType::kQ4_0, 6}};  // 4 bits lose more than the three steps before together
static_assert(std::ranges::all_of(kDTypes, [](const DTypeRow& row) {
  return row.is_kv == std::ranges::any_of(kKvLosses, [&](const KvLoss& loss) { return loss.dtype == row.dtype; });
}));

}  // namespace

std::uint32_t kv_loss_rank(DType dtype) {
  for (const KvLoss& loss : kKvLosses) {
    if (loss.dtype == dtype) return loss.rank;
  }
  CHECK(false, "a type that no cache has");
}

Result<SolveAnswer> longest_context(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                    const PlanOptions& options, std::uint32_t limit) {
  const Result<ArenaLayout> shortest = compute_arenas(model, devices, with_ctx(options, 1), Keep::kSizesOnly);
  if (!shortest) return shortest.error();
  const std::uint32_t trained = limit == 0 ? model.n_ctx_trained : 0;
  if (limit == 0) limit = trained;
  limit = limit == 0 ? kMaxContext : std::min(limit, kMaxContext);
  SolveAnswer answer;
  if (!shortest->fits()) {
    const Lack lack = lack_of(devices, *shortest);
    answer.words = Message::say("No context fits: even one position misses {} on {}.", lack.bytes, lack.device);
    return answer;
  }
  const Trial trial{model, devices};
  ContextSearch search(trial, options);
  if (search.tries(limit)) {
    answer.options = with_ctx(options, limit);
    answer.is_capped = limit < kMaxContext && search.tries(limit + 1);
    answer.words =
        limit == trained
            ? Message::say("The longest context that fits is {} positions, all that the model was trained with.", limit)
            : Message::say("The longest context that fits is {} positions.", limit);
    return answer;
  }
  // Caches grow by groups, so the ends of groups are tried first; the answer is held against its neighbour, whatever a
  // group is.
  search.narrow_to(kKvRowStep);
  if (search.range() > 1) search.tries(search.longest() + 1);
  search.narrow_to(1);
  answer.options = with_ctx(options, search.longest());
  const std::uint32_t longest = search.longest();
  const Lack lack = search.lack_beyond();
  answer.words = lack.refused ? Message::say("The longest context that fits is {} positions; {} is refused ({}).",
                                             longest, longest + 1, lack.refused->message)
                              : Message::say("The longest context that fits is {} positions; {} misses {} on {}.",
                                             longest, longest + 1, lack.bytes, lack.device);
  return answer;
}

Result<SolveAnswer> most_layers(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                const PlanOptions& options) {
  if (Status sane = check_once(model, devices, options); !sane) return sane.error();
  const std::vector<DeviceIndex> gpus = gpus_of(options, devices);
  if (gpus.empty()) {
    return Error{ErrorCode::kUsage,
                 Message::say("device: expected a GPU to put layers on, found {}", devices[options.main_device()].id)};
  }
  const Message names = device_names(gpus, devices);
  const Trial trial{model, devices};
  // The devices' own most leaves the least on the CPU; only 0 layers can be easier there, since they need no staging.
  PlanOptions tried = options;
  tried.n_gpu_layers = kAutoLayers;
  const Result<ArenaLayout> most = compute_arenas(model, devices, tried, Keep::kSizesOnly);
  if (most && most->fits()) {
    const PlanOptions& found = most->options;
    tried.n_gpu_layers = found.n_gpu_layers;
    tried.n_cpu_ffn = found.n_cpu_ffn;
    const Message words = found.n_cpu_ffn > 0
                              ? Message::say("{} of {} layers fit on {}, with the FFN of {} of them on the CPU.",
                                             found.n_gpu_layers, model.n_layers(), names, found.n_cpu_ffn)
                              : Message::say("{} of {} layers fit on {}.", found.n_gpu_layers, model.n_layers(), names);
    return SolveAnswer{tried, false, words};
  }
  tried.n_gpu_layers = tried.n_cpu_ffn = 0;
  if (trial.fits(tried))
    return SolveAnswer{tried, false, Message::say("0 of {} layers fit on {}.", model.n_layers(), names)};
  const Lack lack = trial.lack(tried);
  return SolveAnswer{std::nullopt, false,
                     lack.refused ? Message::say("No number of layers fits: with none on {} the plan is refused ({}).",
                                                 names, lack.refused->message)
                                  : Message::say("No number of layers fits: with none on {} the plan misses {} on {}.",
                                                 names, lack.bytes, lack.device)};
}

Result<SolveAnswer> lightest_kv(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                const PlanOptions& options) {
  if (Status sane = check_once(model, devices, options); !sane) return sane.error();
  const Trial trial{model, devices};
  PlanOptions tried = options;
  for (const KvPair& pair : pairs_by_loss()) {
    if (!has_kernel(devices, options, pair.k) || !has_kernel(devices, options, pair.v)) continue;
    tried.kv_k = pair.k;
    tried.kv_v = pair.v;
    if (!trial.fits(tried)) continue;
    return SolveAnswer{tried, false,
                       Message::say("The least lossy KV types that fit are {} for K and {} for V.",
                                    dtype_row(pair.k).label, dtype_row(pair.v).label)};
  }
  const Lack lack = trial.lack(tried);
  const std::string_view k = dtype_row(tried.kv_k).label, v = dtype_row(tried.kv_v).label;
  return SolveAnswer{std::nullopt, false,
                     lack.refused ? Message::say("No KV types fit: even {} for K and {} for V is refused ({}).", k, v,
                                                 lack.refused->message)
                                  : Message::say("No KV types fit: even {} for K and {} for V misses {} on {}.", k, v,
                                                 lack.bytes, lack.device)};
}

}  // namespace headroom
