// The steps of check.sh that need the engine. Each loads what it needs and tells what it found.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plan_arguments.h"

namespace headroom::check {

using Json = nlohmann::ordered_json;

struct Outcome {
  std::string figure;                 // of the table: lines
  std::vector<std::string> failures;  // what is not as it has to be, a sentence each; empty: the step passed
  Json data = Json::object();
};

// HEADROOM_CHECK_FAULT=NAME makes a step spoil what it measured, so that a test sees it fail.
inline constexpr const char* kFaultVariable = "HEADROOM_CHECK_FAULT";
bool has_fault(const std::string& name);

// Models that this machine has room for, with random weights, written into `folder`: small.gguf in the shape of
// Llama-3.2-1B, or tiny for a device that computes on the CPU, and on a card with 7 GiB free large.gguf in that of
// Llama-3-8B. `shape`, where it is not empty, is the small one's: tiny, 1B or 8B. kResource names what the disk lacks.
Result<Outcome> make_models(const std::filesystem::path& folder, const std::string& device, const std::string& shape);

// Loads a whole model on the device: planned against mapped bytes of each arena, and what the driver counts against the
// plan with the driver's share.
Result<Outcome> check_plan(const std::string& model, const std::string& device);

// The same prompt with the likeliest tokens behind it with 0, 1, half, all but one and all layers on the device, and
// with all of them there but their FFNs: their tokens and logits beside those of the CPU, and speeds beside
// predictions.
Result<Outcome> check_offload(const std::string& model, const std::string& device);

// So many turns of conversations, in which nothing is allocated and memory stays as it is.
Result<Outcome> check_chat(const std::string& model, const std::string& device, std::uint32_t n_turns);

// The table and check.json of what the steps left in `folder`: steps.tsv has a line NAME, TITLE, EXIT STATUS, SECONDS
// for each. Whether all of them passed.
Result<bool> write_report(const std::filesystem::path& folder, const std::string& device);

// A device as it is now. kUsage when it is not there.
Result<DeviceInfo> device_now(const std::string& id);
// Whether its use by all programs is counted: not where it shares the host's memory, of which everything is a part.
bool is_counted(const DeviceInfo& device);

// What subcommands of the command line are given: a device with so many layers, of which the FFN of so many on the CPU.
cli::PlanArguments arguments_for(const std::string& device, std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn);
Result<std::uint32_t> n_layers_of(const std::string& model);

}  // namespace headroom::check
