#include "verification_text.h"

#include <fmt/format.h>

namespace headroom {
namespace {

using Json = nlohmann::ordered_json;

std::string clauseOf(const VerifyDifference& difference) {
  using Kind = VerifyDifference::Kind;
  const auto grew = [&](const char* what) {
    return fmt::format("{} grew by {} over the answers, at most {} is allowed", what, format_bytes(difference.found),
                       format_bytes(difference.expected));
  };
  switch (difference.kind) {
    case Kind::kMapped:
      return fmt::format("{}: {} planned, {} mapped ({} and {} bytes)", difference.device,
                         format_bytes(difference.expected), format_bytes(difference.found), difference.expected,
                         difference.found);
    case Kind::kAllocated:
      return fmt::format("{} allocation{} since load", difference.found, difference.found == 1 ? "" : "s");
    case Kind::kNotFull:
      return fmt::format("{} of {} slots could be filled to their end", difference.found, difference.expected);
    case Kind::kEndNotRefused:
      return fmt::format("a prompt of {} tokens was taken, the context holds {}", difference.found,
                         difference.expected);
    case Kind::kDriverGrew: return grew("drivers");
    case Kind::kHeapGrew: return grew("the heap");
    case Kind::kMappingsGrew: return grew("mappings");
  }
  return {};
}

std::string speedLine(const std::string& what, double measured, const std::optional<double>& predicted) {
  return fmt::format("{:<22} {:>12.1f} {:>12}\n", what, measured, predicted ? fmt::format("{:.1f}", *predicted) : "-");
}

std::string driverText(const VerifiedDevice& device) {
  if (device.planned_driver_bytes == 0 && !device.most_driver_bytes) return "-";
  return fmt::format("{} {}", format_bytes(device.planned_driver_bytes),
                     device.planned_driver_is_measured ? "measured" : "assumed");
}

std::string growthText(const MemoryGrowth& grown) {
  return fmt::format("drivers {}, heap {}, mappings {}", format_bytes(grown.driver), format_bytes(grown.heap),
                     format_bytes(grown.mapped));
}

Json orNull(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

std::string verificationVerdict(const Verification& found, VerifyProcess process) {
  const std::vector<VerifyDifference> differences = verify_differences(found, process);
  if (differences.empty()) {
    return fmt::format("as planned: {} planned, {} mapped, nothing allocated since load",
                       format_bytes(planned_bytes(found)), format_bytes(mapped_bytes(found)));
  }
  std::string text = "not as planned: ";
  for (const VerifyDifference& difference : differences)
    text += (&difference == &differences.front() ? "" : "; ") + clauseOf(difference);
  return text;
}

std::string verificationText(const Verification& found, VerifyProcess process) {
  std::string text = verificationVerdict(found, process) + "\n";
  text += fmt::format("{} of {} slot{} of {} positions filled to the end\n\n", found.n_full_slots, found.n_slots,
                      found.n_slots == 1 ? "" : "s", found.n_ctx);
  text += fmt::format("{:<14} {:>12} {:>12} {:>22} {:>12} {:>12} {:>12}\n", "device", "planned", "mapped",
                      "driver planned", "driver most", "ours most", "least free");
  for (const VerifiedDevice& device : found.devices) {
    text += fmt::format("{:<14} {:>12} {:>12} {:>22} {:>12} {:>12} {:>12}\n", device.device,
                        format_bytes(device.planned_bytes), format_bytes(device.mapped_bytes), driverText(device),
                        device.most_driver_bytes ? format_bytes(*device.most_driver_bytes) : "-",
                        format_bytes(device.most_ours_bytes), format_bytes(device.least_free_bytes));
  }
  text += fmt::format("\n{:<22} {:>12} {:>12}\n", "tokens/s", "measured", "predicted");
  if (found.prompt) {
    text += speedLine(fmt::format("prompt of {}", found.prompt->n_tokens), found.prompt->tokens_per_s,
                      found.prompt->predicted_tokens_per_s);
  }
  for (const DepthSpeed& speed : found.speeds)
    text += speedLine(fmt::format("answer at {}", speed.depth), speed.tokens_per_s, speed.predicted_tokens_per_s);
  text += fmt::format("\ngrowth over {} answers: {}\n", found.n_answers, growthText(found.grown_by_answers));
  text += fmt::format("growth since load: arenas {}, {}\n", found.grown.n_arenas, growthText(found.grown));
  text += fmt::format("took {:.1f} s\n", found.seconds);
  return text;
}

Json growthJson(const MemoryGrowth& grown) {
  return {{"arenas", grown.n_arenas},
          {"driver_bytes", grown.driver},
          {"mapped_bytes", grown.mapped},
          {"heap_bytes", grown.heap}};
}

Json verificationJson(const Verification& found, VerifyProcess process) {
  Json differences = Json::array(), devices = Json::array(), speeds = Json::array();
  for (const VerifyDifference& difference : verify_differences(found, process)) {
    differences.push_back({{"kind", verify_difference_name(difference.kind)},
                           {"device", difference.device},
                           {"expected", difference.expected},
                           {"found", difference.found}});
  }
  for (const VerifiedDevice& device : found.devices) {
    devices.push_back({{"device", device.device},
                       {"planned_bytes", device.planned_bytes},
                       {"mapped_bytes", device.mapped_bytes},
                       {"planned_driver_bytes", device.planned_driver_bytes},
                       {"planned_driver_is_measured", device.planned_driver_is_measured},
                       {"most_driver_bytes", device.most_driver_bytes ? Json(*device.most_driver_bytes) : Json()},
                       {"most_ours_bytes", device.most_ours_bytes},
                       {"least_free_bytes", device.least_free_bytes}});
  }
  for (const DepthSpeed& speed : found.speeds) {
    speeds.push_back({{"depth", speed.depth},
                      {"tokens_per_s", speed.tokens_per_s},
                      {"predicted_tokens_per_s", orNull(speed.predicted_tokens_per_s)}});
  }
  Json prompt;
  if (found.prompt) {
    prompt = {{"n_tokens", found.prompt->n_tokens},
              {"tokens_per_s", found.prompt->tokens_per_s},
              {"predicted_tokens_per_s", orNull(found.prompt->predicted_tokens_per_s)}};
  }
  return {{"as_planned", differences.empty()},
          {"differences", differences},
          {"n_ctx", found.n_ctx},
          {"n_slots", found.n_slots},
          {"n_full_slots", found.n_full_slots},
          {"refuses_longer_prompt", found.refuses_longer_prompt},
          {"devices", devices},
          {"prompt", prompt},
          {"speeds", speeds},
          {"n_answers", found.n_answers},
          {"most_growth_bytes", kMostVerifyGrowth},
          {"judges_heap_and_mappings", process == VerifyProcess::kEngineAlone},
          {"grown_by_answers", growthJson(found.grown_by_answers)},
          {"taken_after_load", growthJson(found.grown)},
          {"seconds", found.seconds}};
}

}  // namespace headroom
