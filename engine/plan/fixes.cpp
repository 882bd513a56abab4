#include "plan/fixes.h"

#include <algorithm>

#include "plan/layout.h"
#include "plan/memory_pool.h"
#include "plan/option_changes.h"
#include "plan/plan_options.h"
#include "plan/solve.h"
#include "plan/speed.h"

namespace headroom {
namespace {

constexpr std::uint32_t kContextStep = 256;
constexpr std::size_t kMaxCombinations = 6;

Message both(const Message& first, const Message& second) {
  return first.empty() ? second : Message::listed({first, second});
}

class FixFinder {
 public:
  FixFinder(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& asked, ArenaLayout base)
      : model_(model), devices_(devices), asked_(asked), base_(std::move(base)) {
    const auto worst =
        std::max_element(base_.budgets.begin(), base_.budgets.end(),
                         [](const DeviceBudget& a, const DeviceBudget& b) { return a.missing() < b.missing(); });
    is_pool_short_ = worst->pool_missing > 0;
    // The host is in every plan, so of its pool it is the member to compare plans by.
    const bool is_of_host = is_pool_short_ && share_memory(devices[base_.cpu], devices[worst->device]);
    worst_device_ = is_of_host ? base_.cpu : worst->device;
    worst_asked_ = asked_in(base_);
    base_speed_ = speed(base_);
  }

  std::vector<Fix> find() {
    std::vector<Fix> fixes;
    for (const OptionChange& change : single_changes()) add(change, fixes);
    if (std::none_of(fixes.begin(), fixes.end(), [&](const Fix& fix) {
          return fix.makes_it_fit &&
                 (fix.options.n_ctx == asked_.n_ctx || fix.options.n_ctx >= base_.options.n_ctx / 2);
        })) {
      std::vector<Fix> combined;
      for (const OptionChange& change : combinations()) add(change, combined);
      std::erase_if(combined, [](const Fix& fix) { return !fix.makes_it_fit; });
      std::stable_sort(combined.begin(), combined.end(), is_better);
      combined.resize(std::min(combined.size(), kMaxCombinations));
      fixes.insert(fixes.end(), combined.begin(), combined.end());
    }
    std::stable_sort(fixes.begin(), fixes.end(), is_better);
    return fixes;
  }

 private:
  static bool is_better(const Fix& a, const Fix& b) {
    return a.makes_it_fit != b.makes_it_fit ? a.makes_it_fit : a.price < b.price;
  }
  std::optional<ArenaLayout> try_plan(const PlanOptions& options) const {
    Result<ArenaLayout> layout = compute_arenas(model_, devices_, options, Keep::kSizesOnly);
    if (!layout) return std::nullopt;
    return std::move(*layout);
  }
  bool fits(const PlanOptions& options) const {
    const std::optional<ArenaLayout> layout = try_plan(options);
    return layout && layout->fits();
  }
  std::optional<double> speed(const ArenaLayout& layout) const {
    return estimate_tokens_per_s(model_, devices_, layout.placement, layout.options);
  }

  // Of the device that lacks most, or of all that share its memory where that is what is short.
  Bytes asked_in(const ArenaLayout& layout) const {
    const auto same = std::find_if(layout.budgets.begin(), layout.budgets.end(),
                                   [&](const DeviceBudget& b) { return b.device == worst_device_; });
    if (same == layout.budgets.end()) return 0;
    return same->peak() + (is_pool_short_ ? same->asked_by_sharers : 0);
  }

  // Prices a change by planning it; one that neither frees anything nor makes the plan fit is dropped.
  void add(const OptionChange& change, std::vector<Fix>& fixes) const {
    const std::optional<ArenaLayout> layout = try_plan(change.options);
    if (!layout) return;
    const Bytes now = asked_in(*layout);
    Fix fix;
    fix.words = change.words;
    fix.options = change.options;
    fix.quality = change.quality;
    fix.freed = worst_asked_ > now ? worst_asked_ - now : 0;
    fix.makes_it_fit = layout->fits();
    if (fix.freed == 0 && !fix.makes_it_fit) return;
    const std::optional<double> speed_now = speed(*layout);
    const bool slower = base_speed_ && speed_now && *speed_now < *base_speed_;
    const bool fewer_layers = layout->options.n_gpu_layers < base_.options.n_gpu_layers ||
                              layout->options.n_cpu_ffn > base_.options.n_cpu_ffn;
    fix.tokens_per_s = speed_now;
    if (slower && fewer_layers) fix.slowdown = 1.0 - *speed_now / *base_speed_;
    fix.price = change.price + (fix.slowdown ? *fix.slowdown * (price::kLayersAll - price::kLayers) : 0);
    std::vector<Message> parts;
    if (fix.freed > 0) parts.push_back(Message::say("frees {}", amount(fix.freed)));
    if (change.options.kv_k != asked_.kv_k || change.options.kv_v != asked_.kv_v)
      parts.push_back(quality_words(fix.quality));
    if (speed_now) {
      const Message about = about_speed_words(*speed_now);
      parts.push_back(fix.slowdown ? Message::say("{} ({} % slower)", about, decimal(*fix.slowdown * 100, 0)) : about);
    }
    if (!parts.empty()) fix.words = Message::say("{}: {}", change.words, Message::joined(std::move(parts), ", "));
    fixes.push_back(std::move(fix));
  }

  std::vector<OptionChange> single_changes() const {
    std::vector<OptionChange> changes = lighter_kv_changes(asked_);
    append(batch_change(asked_), changes);
    append(slots_change(), changes);
    for (OptionChange& change : context_changes({{}, asked_, QualityLoss::kNone, 0}))
      changes.push_back(std::move(change));
    append(layers_change({{}, asked_, QualityLoss::kNone, 0}), changes);
    append(ffn_change(), changes);
    append(headroom_change(), changes);
    return changes;
  }

  static void append(std::optional<OptionChange> change, std::vector<OptionChange>& changes) {
    if (change) changes.push_back(std::move(*change));
  }

  // The largest power of two that fits, or the smallest batch when none does.
  std::optional<OptionChange> batch_change(const PlanOptions& from) const {
    const std::uint32_t least = std::max({kSmallestBatch, from.n_slots, from.n_logit_rows}),
                        now = from.n_batch == kAutoBatch ? base_.options.n_batch : from.n_batch;
    std::uint32_t n_batch = 1;
    while (n_batch * 2 < now) n_batch *= 2;
    OptionChange change{{}, from, QualityLoss::kNone, price::kBatch};
    for (; n_batch >= least; n_batch /= 2) {
      change.options.n_batch = n_batch;
      change.words = Message::say("batch {}", n_batch);
      if (n_batch / 2 < least || fits(change.options)) return change;
    }
    return std::nullopt;
  }

  // As many as fit, or one when that is too many: each slot takes memory, so halving the range finds them.
  std::optional<OptionChange> slots_change() const {
    if (asked_.n_slots < 2) return std::nullopt;
    OptionChange change{{}, asked_, QualityLoss::kNone, price::kSlots};
    std::uint32_t enough = 1, too_many = asked_.n_slots;
    while (too_many - enough > 1) {
      change.options.n_slots = enough + (too_many - enough) / 2;
      (fits(change.options) ? enough : too_many) = change.options.n_slots;
    }
    change.options.n_slots = enough;
    change.words = slots_words(enough);
    return change;
  }

  double context_price(std::uint32_t n_ctx) const {
    return price::kContext +
           (price::kContextAll - price::kContext) * (1.0 - static_cast<double>(n_ctx) / base_.options.n_ctx);
  }

  // `from` with the longest context that makes it fit: as a round number, and to the position.
  std::vector<OptionChange> context_changes(const OptionChange& from) const {
    const Result<SolveAnswer> answer = longest_context(model_, devices_, from.options, base_.options.n_ctx);
    if (!answer || !answer->options || answer->options->n_ctx >= base_.options.n_ctx) return {};
    const std::uint32_t longest = answer->options->n_ctx, round = longest / kContextStep * kContextStep;
    std::vector<OptionChange> changes;
    for (const std::uint32_t n_ctx : {round, longest}) {
      if (n_ctx == 0 || (n_ctx == longest && !changes.empty() && round == longest)) continue;
      OptionChange change = from;
      change.options.n_ctx = n_ctx;
      const Message context = context_words(n_ctx);
      change.words =
          both(from.words,
               n_ctx == longest && n_ctx != round ? Message::say("{} (the longest that fits)", context) : context);
      change.price += context_price(n_ctx) + (n_ctx == round ? 0 : 1);
      changes.push_back(std::move(change));
    }
    return changes;
  }

  // A number of FFNs that nobody gave is left at none: what moves are whole layers.
  static PlanOptions with_whole_layers(PlanOptions options) {
    if (options.n_cpu_ffn == kAutoLayers) options.n_cpu_ffn = 0;
    return options;
  }

  // The layers on GPUs stay there, and as few of their FFNs as must go to the CPU.
  std::optional<OptionChange> ffn_change() const {
    const std::int32_t n_gpu_layers = base_.options.n_gpu_layers, now = base_.options.n_cpu_ffn;
    OptionChange change{{}, asked_, QualityLoss::kNone, price::kLayers};
    change.options.n_gpu_layers = n_gpu_layers;
    std::int32_t too_few = now, enough = n_gpu_layers + 1;
    while (enough - too_few > 1) {
      change.options.n_cpu_ffn = too_few + (enough - too_few) / 2;
      (fits(change.options) ? enough : too_few) = change.options.n_cpu_ffn;
    }
    if (enough > n_gpu_layers) return std::nullopt;
    change.options.n_cpu_ffn = enough;
    change.words = Message::say_n("FFN of %n layer(s) on the CPU", static_cast<std::uint64_t>(enough));
    return change;
  }

  // `from` with as many layers on the devices as fit there and leave a CPU part that fits.
  std::optional<OptionChange> layers_change(const OptionChange& from) const {
    const std::size_t n_gpus = gpus_of(asked_, devices_).size();
    if (n_gpus == 0) return std::nullopt;
    const Result<SolveAnswer> answer = most_layers(model_, devices_, with_whole_layers(from.options));
    if (!answer || !answer->options) return std::nullopt;
    const std::int32_t moved = base_.options.n_gpu_layers - answer->options->n_gpu_layers;
    if (moved == 0) return std::nullopt;
    OptionChange change = from;
    change.options.n_gpu_layers = answer->options->n_gpu_layers;
    change.options.n_cpu_ffn = answer->options->n_cpu_ffn;
    const auto n = static_cast<std::uint64_t>(std::abs(moved));
    change.words = both(from.words, moved > 0    ? Message::say_n("%n layer(s) to CPU", n)
                                    : n_gpus > 1 ? Message::say_n("%n layer(s) to GPUs", n)
                                                 : Message::say_n("%n layer(s) to GPU", n));
    change.price += price::kLayers;
    return change;
  }

  // As much headroom as the plan leaves on the device that lacks most, or whose rule the shared memory is held to, when
  // that is enough.
  std::optional<OptionChange> headroom_change() const {
    DeviceIndex device = worst_device_;
    Bytes free_bytes = devices_[device].free_bytes;
    if (is_pool_short_) {
      const std::vector<DeviceIndex> members = pool_of(devices_, base_.budgets, worst_device_);
      free_bytes = pool_free(devices_, members);
      device = pool_limit(devices_, asked_, members, free_bytes, 0).device;
    }
    const HeadroomRule rule = asked_.headroom_of(device);
    if (free_bytes < worst_asked_) return std::nullopt;
    OptionChange change{{}, asked_, QualityLoss::kNone, price::kHeadroom};
    const bool is_named = asked_.devices.size() > 1;
    const std::string& name = devices_[device].name;
    if (const KeepFree* keep = std::get_if<KeepFree>(&rule)) {
      const Message::Amount now = amount(free_bytes - worst_asked_), before = amount(keep->bytes);
      change.options.set_headroom(device, KeepFree{now.bytes});
      change.words = is_named ? Message::say("keep {} free on {} instead of {}", now, name, before)
                              : Message::say("keep {} free instead of {}", now, before);
    } else {
      const Message::Amount now = amount(worst_asked_), before = amount(std::get<AtMost>(rule).bytes);
      change.options.set_headroom(device, AtMost{now.bytes});
      change.words = is_named ? Message::say("use up to {} on {} instead of {}", now, name, before)
                              : Message::say("use up to {} instead of {}", now, before);
    }
    return change.options != asked_ && fits(change.options) ? std::optional(change) : std::nullopt;
  }

  // Each lighter cache, one request, a small batch, and all of them, alone or with the longest context or the most
  // layers that then fit.
  std::vector<OptionChange> combinations() const {
    std::vector<OptionChange> bases = lighter_kv_changes(asked_);
    if (asked_.n_slots > 1) {
      const std::size_t n_kv = bases.size();
      OptionChange one{slots_words(1), asked_, QualityLoss::kNone, price::kSlots};
      one.options.n_slots = 1;
      for (std::size_t i = 0; i < n_kv; ++i) {
        OptionChange with_one = bases[i];
        with_one.options.n_slots = 1;
        with_one.words = both(bases[i].words, slots_words(1));
        with_one.price += price::kSlots;
        bases.push_back(std::move(with_one));
      }
      bases.push_back(std::move(one));
    }
    std::vector<OptionChange> changes;
    for (OptionChange& base : bases) {
      if (const std::optional<OptionChange> batch = batch_change(base.options)) {
        changes.push_back({both(base.words, batch->words), batch->options, base.quality, base.price + batch->price});
      }
      append(layers_change(base), changes);
      for (OptionChange& change : context_changes(base)) changes.push_back(std::move(change));
      changes.push_back(std::move(base));
    }
    return changes;
  }

  const ModelInfo& model_;
  std::span<const DeviceInfo> devices_;
  PlanOptions asked_;
  ArenaLayout base_;
  DeviceIndex worst_device_ = 0;
  bool is_pool_short_ = false;
  Bytes worst_asked_ = 0;
  std::optional<double> base_speed_;
};

}  // namespace

Result<std::vector<Fix>> find_fixes(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                    const PlanOptions& options) {
  Result<ArenaLayout> base = compute_arenas(model, devices, options, Keep::kSizesOnly);
  if (!base) return base.error();
  if (base->fits()) return std::vector<Fix>{};
  return FixFinder(model, devices, options, std::move(*base)).find();
}

}  // namespace headroom
