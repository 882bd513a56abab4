#include "plan/plan_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "format/dtype_table.h"
#include "plan/formulas.h"
#include "plan/memory_pool.h"
#include "plan/option_changes.h"
#include "plan/placement.h"
#include "plan/plan_options.h"
#include "plan/speed.h"

namespace headroom {
namespace {

constexpr std::array kUnits{std::pair{kGiB << 10, "TiB"}, std::pair{kGiB, "GiB"}, std::pair{kMiB, "MiB"},
                            std::pair{kKiB, "KiB"}};

// All numbers of one sentence in one unit, with two decimals, so that they can be added up by the reader.
struct SentenceUnit {
  Bytes bytes = 1;
  const char* name = "B";

  explicit SentenceUnit(Bytes largest) {
    for (const auto& [unit_bytes, unit_name] : kUnits) {
      if (largest < unit_bytes) continue;
      bytes = unit_bytes;
      name = unit_name;
      return;
    }
  }
  std::uint64_t hundredths(Bytes value) const {
    return static_cast<std::uint64_t>(static_cast<double>(value) / static_cast<double>(bytes) * 100.0 + 0.5);
  }
  static Message::Decimal number(std::uint64_t hundredths) { return decimal(static_cast<double>(hundredths) / 100, 2); }
};

const DeviceInfo& info_of(const MemoryPlan& plan, const DeviceBudget& budget) { return plan.devices[budget.device]; }

// "6.31 of 8.00 GiB, 1.00 kept free, 0.69 to spare": what is spared is the difference of the numbers shown.
Message fitting_words(const MemoryPlan& plan, const DeviceBudget& budget) {
  const bool is_at_most = std::holds_alternative<AtMost>(plan.options.headroom_of(budget.device));
  const Bytes whole = verdict_whole(plan, budget);
  const Bytes used = budget.peak();
  const SentenceUnit unit(whole);
  const Bytes kept = whole - budget.limit;
  const std::uint64_t spare =
      unit.hundredths(whole) - std::min(unit.hundredths(whole), unit.hundredths(used) + unit.hundredths(kept));
  // A small model in a large memory would read "0.01 of 62.70 GiB".
  const Message shown = unit.hundredths(used) < 10 ? Message::say("{}", amount(used))
                                                   : Message::say("{}", SentenceUnit::number(unit.hundredths(used)));
  const Message::Decimal of = SentenceUnit::number(unit.hundredths(whole));
  const std::string_view name = unit.name;
  const Message part =
      is_at_most ? Message::say("{} of at most {} {}", shown, of, name) : Message::say("{} of {} {}", shown, of, name);
  const Message::Decimal left = SentenceUnit::number(spare);
  if (kept == 0) return Message::say("{}, {} to spare", part, left);
  return Message::say("{}, {} kept free, {} to spare", part, SentenceUnit::number(unit.hundredths(kept)), left);
}

// "has 8.00 GiB free, 1.00 GiB to keep free"; with the device whose rule it is where `ruled` is another one.
Message free_words(Bytes free_bytes, const HeadroomRule& rule, const std::string& ruled) {
  const Message::Amount has = amount(free_bytes);
  if (const AtMost* at_most = std::get_if<AtMost>(&rule)) {
    const Message::Amount most = amount(at_most->bytes);
    return ruled.empty() ? Message::say("has {} free, at most {} to use", has, most)
                         : Message::say("has {} free, at most {} to use on {}", has, most, ruled);
  }
  const Message::Amount kept = amount(std::get<KeepFree>(rule).bytes);
  if (kept.bytes == 0) return Message::say("has {} free", has);
  return ruled.empty() ? Message::say("has {} free, {} to keep free", has, kept)
                       : Message::say("has {} free, {} to keep free on {}", has, kept, ruled);
}

// The rule that binds the pool is named with its device where that is another one.
Message missing_words(const MemoryPlan& plan, const DeviceBudget& budget) {
  const DeviceInfo& device = info_of(plan, budget);
  DeviceIndex ruled = budget.device;
  Bytes free_bytes = device.free_bytes;
  const Message::Amount asked = amount(budget.peak());
  std::vector<DeviceIndex> members;
  if (budget.pool_missing > 0) {
    members = pool_of(plan.devices, plan.budgets, budget.device);
    free_bytes = pool_free(plan.devices, members);
    ruled = pool_limit(plan.devices, plan.options, members, free_bytes, 0).device;
    std::erase(members, budget.device);
  }
  const Message free_part = free_words(free_bytes, plan.options.headroom_of(ruled),
                                       ruled == budget.device ? std::string() : plan.devices[ruled].name);
  const Message words =
      budget.pool_missing > 0
          ? Message::say("{} is asked for {}, {} with the same memory for {} more, and {}", device.name, asked,
                         device_names(members, plan.devices), amount(budget.asked_by_sharers), free_part)
          : Message::say("{} is asked for {} and {}", device.name, asked, free_part);
  if (budget.held_by_others == 0) return words;
  return Message::say("{}, other programs hold {}", words, amount(budget.held_by_others));
}

std::string layer_range(std::int32_t first, std::int32_t last) {
  return first == last ? fmt::format("layer {}", first) : fmt::format("layers {}-{}", first, last);
}

std::string segment_line(std::string_view kind, std::string_view what, Bytes bytes) {
  return fmt::format("  {:<12} {:<28} {:>16} B  {:>9}\n", kind, what, bytes, format_bytes(bytes));
}

// Neighbouring layers of one make are one segment; where makes alternate, as in recurrent models, all layers of one
// make.
class SegmentWriter {
 public:
  SegmentWriter(const ModelInfo& model, const ArenaPlan& arena) : model_(model), alternates_(model.is_recurrent()) {
    for (const Region& region : arena.regions) add(region);
    flush();
  }
  const std::string& text() const { return text_; }

 private:
  struct Segment {
    RegionKind kind = RegionKind::kPadding;
    std::int32_t first = 0, last = 0, n_layers = 1;
    Bytes bytes = 0;
  };

  void add(const Region& region) {
    if (region.layer < 0) {
      flush();
      text_ += segment_line(region_group_name(region_group(region.kind)), region.name, region.size);
      return;
    }
    const auto goes_on = [&](const Segment& segment) {
      return segment.kind == region.kind && (alternates_ || region.layer <= segment.last + 1) &&
             layer(region.layer) == layer(segment.last);
    };
    const auto candidates =
        std::span(segments_).last(alternates_ ? segments_.size() : std::min<std::size_t>(1, segments_.size()));
    const auto found = std::ranges::find_if(candidates, goes_on);
    if (found == candidates.end()) {
      segments_.push_back({region.kind, region.layer, region.layer, 1, region.size});
      return;
    }
    if (region.layer != found->last) ++found->n_layers;
    found->last = region.layer;
    found->bytes += region.size;
  }
  const LayerSpec& layer(std::int32_t index) const { return model_.layers[static_cast<std::size_t>(index)]; }
  void flush() {
    for (const Segment& segment : segments_) {
      const bool has_all = segment.n_layers == segment.last - segment.first + 1;
      const std::string range = layer_range(segment.first, segment.last);
      text_ += segment_line(region_group_name(region_group(segment.kind)),
                            has_all ? range : fmt::format("{}, {} of them", range, segment.n_layers), segment.bytes);
    }
    segments_.clear();
  }

  const ModelInfo& model_;
  const bool alternates_;
  std::string text_;
  std::vector<Segment> segments_;  // that are not written yet
};

std::string options_text(const MemoryPlan& plan) {
  const PlanOptions& options = plan.options;
  const std::vector<DeviceIndex> gpus = gpus_of(options, plan.devices);
  std::string text =
      fmt::format("context {}, {}, batch {}, K as {}, V as {}, {} {}", options.n_ctx,
                  slots_words(options.n_slots).text(), options.n_batch, dtype_row(options.kv_k).label,
                  dtype_row(options.kv_v).label, gpus.size() > 1 ? "devices" : "device",
                  gpus.empty() ? plan.devices[options.main_device()].name : device_names(gpus, plan.devices).text());
  if (!gpus.empty()) text += fmt::format(", {} of {} layers there", options.n_gpu_layers, plan.placement.layers.size());
  if (options.n_cpu_ffn > 0) text += fmt::format(", the FFN of {} of them on the CPU", options.n_cpu_ffn);
  return text;
}

// ": layers 4-31, head", ": attention of layers 4-31, FFN of layers 8-31, head"; empty where only tokens are embedded.
std::string parts_text(const Placement& placement, DeviceIndex device) {
  const LayerRun attention = attention_run(placement, device), ffn = ffn_run(placement, device);
  std::vector<std::string> parts;
  if (attention == ffn) {
    if (attention.count() > 0) parts.push_back(layer_run_words(attention).text());
  } else {
    if (attention.count() > 0) parts.push_back("attention of " + layer_run_words(attention).text());
    if (ffn.count() > 0) parts.push_back("FFN of " + layer_run_words(ffn).text());
  }
  if (placement.head_device == device) parts.emplace_back("head");
  return parts.empty() ? "" : fmt::format(": {}", fmt::join(parts, ", "));
}

}  // namespace

Bytes verdict_whole(const MemoryPlan& plan, const DeviceBudget& budget) {
  const Bytes free_bytes = info_of(plan, budget).free_bytes;
  const HeadroomRule rule = plan.options.headroom_of(budget.device);
  const bool is_left_over = budget.limit < limit_under(rule, free_bytes);
  return is_left_over || std::holds_alternative<AtMost>(rule) ? budget.limit : free_bytes;
}

Message verdict_words(const MemoryPlan& plan) {
  if (plan.budgets.empty()) return Message::say("Nothing is planned");
  if (plan.fits()) {
    std::vector<Message> devices;
    for (const DeviceBudget& budget : plan.budgets) {
      // The first of one or two is the one that was asked about; of more, nobody could tell which it is.
      const bool is_named = !devices.empty() || plan.budgets.size() > 2;
      Message words = fitting_words(plan, budget);
      devices.push_back(is_named ? words.said_of(info_of(plan, budget).name) : std::move(words));
    }
    return Message::say("Fits: {}", Message::joined(std::move(devices), "; "));
  }
  const auto worst =
      std::max_element(plan.budgets.begin(), plan.budgets.end(),
                       [](const DeviceBudget& a, const DeviceBudget& b) { return a.missing() < b.missing(); });
  return Message::say("Does not fit by {}: {}", amount(worst->missing()), missing_words(plan, *worst));
}

std::string segments_text(const ModelInfo& model, const MemoryPlan& plan) {
  std::string text;
  for (const DeviceBudget& budget : plan.budgets) {
    const DeviceInfo& device = info_of(plan, budget);
    const std::string parts = plan.budgets.size() > 1 ? parts_text(plan.placement, budget.device) : "";
    text += fmt::format("{} ({}){}\n", device.name, device_kind_name(device.kind), parts);
    for (const ArenaPlan& arena : plan.arenas) {
      if (arena.device == budget.device && arena.lifetime != Lifetime::kLoad)
        text += SegmentWriter(model, arena).text();
    }
    text += segment_line("planned", "", budget.planned);
    for (const ArenaPlan& arena : plan.arenas) {
      if (arena.device != budget.device || arena.lifetime != Lifetime::kLoad) continue;
      for (const Region& region : arena.regions) text += segment_line("load only", region.name, region.size);
    }
    if (budget.loading > budget.planned) text += segment_line("loading", "", budget.loading);
    if (budget.driver > 0)
      text += segment_line("driver", device.driver_measured ? "measured" : "assumed", budget.driver);
    if (budget.heap > 0) text += segment_line("heap", budget.heap_is_measured ? "measured" : "estimated", budget.heap);
    if (budget.prompts > 0) text += segment_line("prompts", "at most", budget.prompts);
    text += segment_line("limit", "", budget.limit);
  }
  return text;
}

std::string formulas_text(const ModelInfo& model, const MemoryPlan& plan) {
  std::string text;
  for (const Formula& formula : plan_formulas(model, plan)) {
    const std::string where = plan.budgets.size() > 1 ? fmt::format("{}: ", plan.devices[formula.device].name) : "";
    text += fmt::format("{}{}: {} = {} bytes ({})\n", where, formula.label.text(), formula.expression.text(),
                        formula.bytes, format_bytes(formula.bytes));
  }
  return text;
}

std::string plan_text(const ModelInfo& model, const MemoryPlan& plan, std::span<const Fix> advice) {
  std::string text = fmt::format("{} ({}, {} layers)\n{}\n\n{}\n", model.name, model.architecture, model.n_layers(),
                                 options_text(plan), verdict_words(plan).text());
  for (const Fix& fix : advice)
    text += fmt::format("  {} {}\n", fix.speedup ? "faster:" : fix.makes_it_fit ? "fix:" : "helps:", fix.words.text());
  text += fmt::format("\n{}\n{}", segments_text(model, plan), formulas_text(model, plan));
  if (const std::optional<double> speed = estimate_tokens_per_s(model, plan)) {
    text += fmt::format("\nAnswers come at {} at half of the context, from the bytes that a token reads.\n",
                        about_speed_words(*speed).text());
  }
  if (!plan.notes.empty()) text += "\n";
  for (const Note& note : plan.notes) text += fmt::format("note: {}\n", note.words.text());
  return text;
}

}  // namespace headroom
