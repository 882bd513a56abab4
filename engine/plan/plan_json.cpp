#include "plan/plan_json.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "format/dtype_table.h"
#include "plan/formulas.h"
#include "plan/placement.h"
#include "plan/plan_text.h"
#include "plan/speed.h"

namespace headroom {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kGroups{RegionGroup::kWeights,     RegionGroup::kKv,          RegionGroup::kState,
                             RegionGroup::kCheckpoints, RegionGroup::kActivations, RegionGroup::kLogits,
                             RegionGroup::kScratch,     RegionGroup::kStreamed,    RegionGroup::kStaging,
                             RegionGroup::kPadding};

Json model_json(const ModelInfo& model, const MemoryPlan& plan) {
  Json bytes_by_type = Json::object();
  for (const auto& [type, bytes] : model.bytes_by_type) bytes_by_type[type] = bytes;
  Json not_loaded = Json::array();
  for (const auto& [what, n_tensors, n_bytes] : model.not_loaded)
    not_loaded.push_back({{"what", what.text()}, {"n_tensors", n_tensors}, {"n_bytes", n_bytes}});
  return {{"name", model.name},
          {"architecture", model.architecture},
          {"fingerprint", fmt::format("{:016x}", plan.model_fingerprint)},
          {"n_params", model.n_params},
          {"file_bytes", model.file_bytes},
          {"n_layers", model.n_layers()},
          {"n_ctx_trained", model.n_ctx_trained},
          {"bytes_by_type", bytes_by_type},
          {"not_loaded", std::move(not_loaded)}};
}

Json options_json(const PlanOptions& options, std::span<const DeviceInfo> devices) {
  Json json{{"n_ctx", options.n_ctx},
            {"n_slots", options.n_slots},
            {"n_batch", options.n_batch},
            {"n_draft", options.n_draft},
            {"n_checkpoints", options.n_checkpoints == kAutoCheckpoints ? Json("auto") : Json(options.n_checkpoints)},
            {"n_logit_rows", options.n_logit_rows},
            {"kv_k", dtype_row(options.kv_k).label},
            {"kv_v", dtype_row(options.kv_v).label}};
  json["n_gpu_layers"] = options.n_gpu_layers == kAutoLayers ? Json("auto") : Json(options.n_gpu_layers);
  json["n_cpu_ffn"] = options.n_cpu_ffn == kAutoLayers ? Json("auto") : Json(options.n_cpu_ffn);
  json["stream_rows"] = options.stream_rows == kAutoRows ? Json("auto") : Json(options.stream_rows);
  json["devices"] = Json::array();
  for (const DeviceChoice& choice : options.devices) {
    Json named{{"id", devices[choice.device].id}};
    if (const KeepFree* keep = std::get_if<KeepFree>(&choice.headroom)) named["keep_free_bytes"] = keep->bytes;
    if (const AtMost* at_most = std::get_if<AtMost>(&choice.headroom)) named["at_most_bytes"] = at_most->bytes;
    if (choice.n_layers != kAutoLayers) named["n_layers"] = choice.n_layers;
    json["devices"].push_back(std::move(named));
  }
  return json;
}

// First and last layer, or null.
Json run_json(const LayerRun& run) { return run.count() > 0 ? Json::array({run.first, run.last}) : Json(nullptr); }

Json devices_json(const MemoryPlan& plan) {
  Json devices = Json::array();
  for (const DeviceBudget& budget : plan.budgets) {
    const DeviceInfo& info = plan.devices[budget.device];
    Json by_kind = Json::object();
    for (const RegionGroup group : kGroups)
      by_kind[std::string(region_group_name(group))] = plan.bytes_of(group, budget.device);
    Json device{{"id", info.id},
                {"name", info.name},
                {"kind", device_kind_name(info.kind)},
                {"is_present", info.is_present},
                {"attention_layers", run_json(attention_run(plan.placement, budget.device))},
                {"ffn_layers", run_json(ffn_run(plan.placement, budget.device))},
                {"has_head", plan.placement.head_device == budget.device},
                {"has_unified_memory", info.has_unified_memory},
                {"total_bytes", info.total_bytes},
                {"free_bytes", info.free_bytes},
                {"held_by_others_bytes", budget.held_by_others},
                {"limit_bytes", budget.limit},
                {"planned_bytes", budget.planned},
                {"loading_bytes", budget.loading},
                {"driver_bytes", budget.driver},
                {"driver_measured", info.driver_measured},
                {"heap_bytes", budget.heap},
                {"heap_measured", budget.heap_is_measured},
                {"prompt_bytes", budget.prompts},
                {"asked_by_sharers_bytes", budget.asked_by_sharers},
                {"fits", budget.fits()},
                {"spare_bytes", budget.spare()},
                {"missing_bytes", budget.missing()},
                {"by_kind", std::move(by_kind)}};
    if (info.max_arena_bytes > 0) device["max_arena_bytes"] = info.max_arena_bytes;
    if (info.max_binding_bytes > 0) device["max_binding_bytes"] = info.max_binding_bytes;
    devices.push_back(std::move(device));
  }
  return devices;
}

Json arenas_json(const MemoryPlan& plan) {
  Json arenas = Json::array();
  for (const ArenaPlan& arena : plan.arenas) {
    arenas.push_back({{"device", plan.devices[arena.device].id},
                      {"memory", memory_name(arena.memory)},
                      {"lifetime", lifetime_name(arena.lifetime)},
                      {"size", arena.size}});
  }
  return arenas;
}

Json regions_json(const MemoryPlan& plan) {
  Json regions = Json::array();
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    const std::string& device = plan.devices[plan.arenas[i].device].id;
    for (const Region& region : plan.arenas[i].regions) {
      regions.push_back({{"device", device},
                         {"arena", i},
                         {"kind", region_group_name(region_group(region.kind))},
                         {"layer", region.layer >= 0 ? Json(region.layer) : Json(nullptr)},
                         {"name", region.name},
                         {"dtype", dtype_row(region.dtype).name},
                         {"offset", region.offset},
                         {"size", region.size}});
    }
  }
  return regions;
}

Json formulas_json(const ModelInfo& model, const MemoryPlan& plan) {
  Json formulas = Json::array();
  for (const Formula& formula : plan_formulas(model, plan)) {
    formulas.push_back({{"device", plan.devices[formula.device].id},
                        {"kind", region_group_name(region_group(formula.kind))},
                        {"label", formula.label.text()},
                        {"expression", formula.expression.text()},
                        {"bytes", formula.bytes}});
  }
  return formulas;
}

Json advice_json(const MemoryPlan& plan, std::span<const Fix> advice) {
  Json list = Json::array();
  for (const Fix& fix : advice) {
    list.push_back({{"text", fix.words.text()},
                    {"makes_it_fit", fix.makes_it_fit},
                    {"freed_bytes", fix.freed},
                    {"quality", quality_words(fix.quality)},
                    {"tokens_per_s", fix.tokens_per_s ? Json(*fix.tokens_per_s) : Json(nullptr)},
                    {"slowdown", fix.slowdown ? Json(*fix.slowdown) : Json(nullptr)},
                    {"speedup", fix.speedup ? Json(*fix.speedup) : Json(nullptr)},
                    {"options", options_json(fix.options, plan.devices)}});
  }
  return list;
}

}  // namespace

std::string plan_json(const ModelInfo& model, const MemoryPlan& plan, std::span<const Fix> advice) {
  Json notes = Json::array();
  for (const Note& note : plan.notes) notes.push_back(note.words.text());
  const std::optional<double> speed = estimate_tokens_per_s(model, plan);
  const Json json{{"fits", plan.fits()},
                  {"verdict", verdict_words(plan).text()},
                  {"model", model_json(model, plan)},
                  {"options", options_json(plan.options, plan.devices)},
                  {"devices", devices_json(plan)},
                  {"tokens_per_s", speed ? Json(*speed) : Json(nullptr)},
                  {"stream_rows", plan.streaming.least_rows},
                  {"arenas", arenas_json(plan)},
                  {"regions", regions_json(plan)},
                  {"formulas", formulas_json(model, plan)},
                  {"fixes", advice_json(plan, plan.fits() ? std::span<const Fix>() : advice)},
                  {"improvements", advice_json(plan, plan.fits() ? advice : std::span<const Fix>())},
                  {"notes", std::move(notes)}};
  // Names come from files: bytes that are not UTF-8 become the replacement character instead of an error.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace headroom
