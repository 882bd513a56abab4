#include "plan/layout.h"

#include <algorithm>

#include "base/check.h"
#include "plan/choose_batch.h"
#include "plan/choose_checkpoints.h"
#include "plan/device_arenas.h"
#include "plan/kv_regions.h"
#include "plan/placement.h"
#include "plan/plan_options.h"
#include "plan/prompt_speed.h"
#include "plan/split_layers.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

// Layouts that differ in which devices have layers, how many, and whether prompts stream weights; the best of them is
// planned. A layout that fits is better than one that does not. Of those that fit, the one with which a typical answer
// takes least is best (plan/prompt_speed.h), where every device was measured; else the first, so the order counts: with
// more devices, more whole layers, and streaming first. So more memory leads to no worse plan. A device gets as many
// layers as fit, which is best for one that is faster than the CPU; the CPU alone is planned for where no layer fits.
class LayoutSearch {
 public:
  explicit LayoutSearch(const DeviceArenas& in)
      : in_(in), gpus_(gpus_of(in.options(), in.devices())), is_timed_(is_measured(in.cpu())) {
    for (const DeviceIndex gpu : gpus_) {
      // A reference device is there to be used and slow on purpose.
      is_timed_ &= is_measured(gpu) && in.devices()[gpu].kind != DeviceKind::kReference;
    }
  }

  // Where a plan was made before: its layers stand where they were put.
  Result<ArenaLayout> as_said(std::uint32_t stream_rows) {
    LayerSplit split;
    for (const DeviceChoice& choice : in_.options().devices) {
      if (choice.n_layers > 0) split.runs.push_back({choice.device, static_cast<std::uint32_t>(choice.n_layers)});
    }
    split.n_cpu_ffn = static_cast<std::uint32_t>(std::max(in_.options().n_cpu_ffn, 0));
    add(split, stream_rows);
    if (fitting_.empty()) return std::move(*refused_);
    return std::move(fitting_.front().layout);
  }

  // `stream_rows`: the ways of prompts to try, in this order.
  Result<ArenaLayout> best(std::initializer_list<std::uint32_t> stream_rows) {
    for (const std::uint32_t rows : stream_rows) {
      refused_.reset();
      for (const std::vector<DeviceIndex>& gpus : groups_of_gpus()) {
        if (!is_done()) try_gpus(gpus, rows);
      }
      // The CPU alone is no choice beside devices that were named: it is what is left where none of them has room.
      if (fitting_.empty() && (gpus_.empty() || in_.options().n_gpu_layers == kAutoLayers)) add({}, rows);
      if (is_done()) break;
    }
    if (fitting_.empty()) return std::move(*refused_);
    const auto best = std::ranges::min_element(fitting_, {}, &Timed::seconds);
    note_choices(*best);
    return std::move(best->layout);
  }

 private:
  struct Timed {
    ArenaLayout layout;
    double seconds = 0;
    bool streams() const { return layout.streaming.is_used(); }
  };

  bool is_measured(DeviceIndex device) const { return in_.devices()[device].speed.read_bytes_per_s > 0; }
  // Without times the first that fits is the best.
  bool is_done() const { return !is_timed_ && !fitting_.empty(); }

  // All of them; then fewer, since a layer on a device may cost the host or a pool more than they have.
  std::vector<std::vector<DeviceIndex>> groups_of_gpus() const {
    if (gpus_.empty()) return {};
    std::vector<std::vector<DeviceIndex>> groups{gpus_};
    const std::size_t n = gpus_.size();
    constexpr std::size_t kMostInGroups = 3;  // of more each alone is tried beside all together
    for (std::size_t chosen = (std::size_t{1} << std::min(n, kMostInGroups)) - 2; n > 1 && chosen > 0; --chosen) {
      std::vector<DeviceIndex>& group = groups.emplace_back();
      for (std::size_t i = 0; i < n; ++i) {
        if ((chosen >> i & 1U) != 0) group.push_back(gpus_[i]);
      }
    }
    for (std::size_t i = kMostInGroups; i < n; ++i) groups.push_back({gpus_[i]});
    return groups;
  }

  void try_gpus(const std::vector<DeviceIndex>& gpus, std::uint32_t stream_rows) {
    const LayerSplitter splitter(in_, stream_rows, gpus);
    const PlanOptions& options = in_.options();
    const auto n_cpu_ffn = static_cast<std::uint32_t>(std::max(options.n_cpu_ffn, 0));
    if (options.n_gpu_layers != kAutoLayers)
      return add(splitter.split(static_cast<std::uint32_t>(options.n_gpu_layers), n_cpu_ffn), stream_rows);
    const std::uint32_t n_layers = in_.model().n_layers(), n_whole = splitter.most_layers(n_cpu_ffn);
    // Without layers it is the CPU alone, which is no choice where other devices have room.
    if (n_whole > 0 || !has_room_for_layers(stream_rows, n_cpu_ffn)) {
      add(splitter.split(n_whole, n_cpu_ffn), stream_rows);
    } else if (!is_timed_) {
      return;
    }
    if (options.n_cpu_ffn != kAutoLayers || n_whole == n_layers || is_done()) return;
    // All layers with as few FFNs on the CPU as must be, or as many as fit with all of theirs there.
    const std::optional<std::uint32_t> least = splitter.least_cpu_ffn();
    const std::uint32_t n_split = least ? n_layers : splitter.most_layers(n_layers);
    if (n_split > 0) add(splitter.split(n_split, least.value_or(n_split)), stream_rows);
  }

  // Of any of the groups.
  bool has_room_for_layers(std::uint32_t stream_rows, std::uint32_t n_cpu_ffn) const {
    return std::ranges::any_of(groups_of_gpus(), [&](const std::vector<DeviceIndex>& gpus) {
      return LayerSplitter(in_, stream_rows, gpus).most_layers(n_cpu_ffn) > 0;
    });
  }

  void say_layers(const LayerSplit& split, PlanOptions& options) const {
    for (DeviceChoice& choice : options.devices) {
      if (in_.devices()[choice.device].kind == DeviceKind::kCpu) continue;
      const auto run = std::ranges::find(split.runs, choice.device, &LayerSplit::Run::device);
      choice.n_layers = run == split.runs.end() ? 0 : static_cast<std::int32_t>(run->n_layers);
    }
  }

  void add(const LayerSplit& split, std::uint32_t stream_rows) {
    ArenaLayout out;
    out.options = in_.options();
    out.options.n_gpu_layers = static_cast<std::int32_t>(split.n_gpu_layers());
    out.options.n_cpu_ffn = static_cast<std::int32_t>(split.n_cpu_ffn);
    out.options.stream_rows = static_cast<std::int32_t>(stream_rows);
    say_layers(split, out.options);
    out.cpu = in_.cpu();
    out.placement = place_layers(in_.model(), in_.devices(), in_.cpu(), split);
    out.streaming = stream_weights(in_.devices(), in_.cpu(), out.placement, stream_rows);
    Result<std::vector<ArenaPlan>> arenas = in_.arenas(out.placement, out.streaming, Keep::kSizesOnly);
    if (!arenas) {
      if (!refused_) refused_ = arenas.error();
      return;
    }
    out.arenas = std::move(*arenas);
    out.budgets = in_.budgets(out.arenas);
    if (!out.fits()) {
      if (!refused_) refused_ = std::move(out);
      return;
    }
    double seconds = 0;
    if (is_timed_)
      seconds =
          typical_answer_seconds(in_.model(), in_.devices(), out.placement, out.streaming, out.options).value_or(0);
    fitting_.push_back({std::move(out), seconds});
  }

  // The quickest of the others that differ from `best` in this.
  template <class Property>
  const Timed* best_without(const Timed& best, Property property) const {
    const Timed* other = nullptr;
    for (const Timed& each : fitting_) {
      if ((each.*property)() != (best.*property)() && (other == nullptr || each.seconds < other->seconds))
        other = &each;
    }
    return is_timed_ ? other : nullptr;
  }

  // Which way was chosen for prompts, and the times that decided.
  void note_choices(Timed& best) const {
    const Timed* other = best_without(best, &Timed::streams);
    if (other == nullptr) return;
    const Message::Decimal chosen = two_digits(best.seconds), otherwise = two_digits(other->seconds);
    best.layout.choices.push_back(
        {best.streams()
             ? Message::say(
                   "Weights are streamed for prompts: an answer of {} tokens to a prompt of {} is predicted to "
                   "take {} s, without that {} s.",
                   kTypicalAnswerTokens, kTypicalPromptTokens, chosen, otherwise)
             : Message::say("Weights are not streamed for prompts: an answer of {} tokens to a prompt of {} is "
                            "predicted to take {} s, with room for that {} s.",
                            kTypicalAnswerTokens, kTypicalPromptTokens, chosen, otherwise)});
  }

  const DeviceArenas& in_;
  const std::vector<DeviceIndex> gpus_;
  bool is_timed_;
  std::vector<Timed> fitting_;
  std::optional<Result<ArenaLayout>> refused_;  // the first try of a way of prompts, where it does not fit
};

bool is_split_said(const DeviceArenas& in) {
  return std::ranges::any_of(in.options().devices,
                             [](const DeviceChoice& choice) { return choice.n_layers != kAutoLayers; });
}

Result<ArenaLayout> choose_layout(const DeviceArenas& in) {
  LayoutSearch search(in);
  if (in.options().stream_rows != kAutoRows) {
    const auto stream_rows = static_cast<std::uint32_t>(in.options().stream_rows);
    if (Status fine = check_streams(in.model()); !fine && stream_rows > 0) return fine.error();
    return is_split_said(in) ? search.as_said(stream_rows) : search.best({stream_rows});
  }
  const std::uint32_t stream_rows = choose_stream_rows(in.model(), in.devices(), in.options(), in.cpu());
  return stream_rows == 0 ? search.best({0}) : search.best({stream_rows, 0});
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
  const auto layout_with = [&](const PlanOptions& with) {
    return choose_layout(DeviceArenas(model, devices, with, *cpu));
  };
  Result<ArenaLayout> chosen = layout_with(*resolved);
  if (chosen && chosen->fits() && options.n_batch == kAutoBatch)
    chosen = choose_batch(model, devices, *resolved, std::move(*chosen), layout_with);
  if (chosen && options.n_checkpoints == kAutoCheckpoints)
    chosen = choose_checkpoints(model, devices, *resolved, std::move(*chosen), layout_with);
  // With a larger batch windows may have all of the context.
  if (chosen && !needs_checkpoints(model, chosen->options)) chosen->options.n_checkpoints = 0;
  if (!chosen || keep == Keep::kSizesOnly) return chosen;
  const DeviceArenas sizes(model, devices, chosen->options, *cpu);
  chosen->arenas = *sizes.arenas(chosen->placement, chosen->streaming, Keep::kRegions);
  chosen->program =
      build_program(model, chosen->placement, static_cast<std::uint32_t>(devices.size()), chosen->options.step_rows(),
                    chosen->options.n_logit_rows, sizes.buffer_alignment(), chosen->streaming);
  for (const DeviceBudget& budget : chosen->budgets) {
    const Bytes of_parts = sizes.activation_bytes(chosen->placement, chosen->streaming, budget.device);
    CHECK(chosen->program.activation_bytes[budget.device] == of_parts, "a program takes what its parts take");
  }
  return chosen;
}

}  // namespace headroom
