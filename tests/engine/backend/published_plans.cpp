#include "engine/backend/published_plans.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/plans.h"
#include "support/published_models.h"

namespace headroom::test {
namespace {

constexpr Bytes kCards[] = {8 * kGiB, 12 * kGiB, 16 * kGiB, 24 * kGiB};
constexpr std::uint32_t kContext = 8192;

// One speed for cards of all sizes, so that a row differs by memory alone.
DeviceSpeed card_speed() {
  return {.read_bytes_per_s = 400e9, .copy_bytes_per_s = 16e9, .op_seconds = 8e-6, .products_per_s = 50e12};
}

MemoryPlan plan_for_card(const ModelInfo& model, Bytes card_bytes) {
  const std::vector<DeviceInfo> devices = measured_cpu_and_gpu(card_bytes, card_speed());
  PlanOptions options;
  options.n_ctx = kContext;
  options.devices = {{1, KeepFree{kGiB}}, {0, KeepFree{kGiB}}};
  return planned(model, devices, options);
}

std::string cell_of(const MemoryPlan& plan, const ModelInfo& model) {
  const auto n_gpu_layers = static_cast<std::uint32_t>(plan.options.n_gpu_layers);
  if (!plan.fits()) return "-";
  if (n_gpu_layers == 0) return "CPU";
  const bool has_all = n_gpu_layers == model.n_layers();
  EXPECT_TRUE(!has_all || plan.placement.head_device == 1) << model.name << ": all is the head too";
  const std::string layers = has_all ? "all" : fmt::format("{} of {}", n_gpu_layers, model.n_layers());
  if (plan.options.n_cpu_ffn == 0) return layers;
  return fmt::format("{}, {} of {}", layers, model.layers.back().has_experts() ? "experts" : "FFN",
                     plan.options.n_cpu_ffn);
}

std::string params(std::uint64_t n) {
  const double billions = static_cast<double>(n) / 1e9;
  return fmt::format("{:.{}f} B", billions, billions < 10 ? 2 : billions < 100 ? 1 : 0);
}

std::string bytes_or_none(Bytes bytes) { return bytes == 0 ? "-" : format_bytes(bytes); }

}  // namespace

std::vector<std::string> published_plans() {
  std::vector<std::string> lines{
      "",
      "## Published models",
      "",
      "One row a model of `tests/support/published_models.tsv`, which names the sources of its shape. The engine",
      "reads a header of that shape and plans with it. Types are those of Q4_K_M files: Q4_K, and Q6_K for the head",
      "and for V and down of half the layers; the tokenizer is left out. `KV a token` is what one position takes as",
      "F16 in layers that keep every position. `windows` is what layers with a window keep, and `state` what delta",
      "nets keep, of one slot and however long the context is.",
      "",
      "The last columns say what is planned for a card of that size with a context of 8,192 positions and one slot,",
      "when all else is left to the plan. The machine has 64 GiB of memory; 1 GiB of it and 1 GiB of the card stay",
      "free, and CUDA itself takes 300 MiB of the card. Speeds decide what goes to the CPU, so they are fixed and",
      "the same for every card: it reads 400 GB/s and makes 50e12 multiply-adds a second, the CPU reads 60 GB/s and",
      "makes 1.5e12, PCIe copies 16 GB/s. `all`: every layer and the head on the card; `20 of 32`: 20 of 32 layers",
      "there, the rest on the CPU; `experts of 12`, `FFN of 12`: of the layers on the card, 12 have their experts or",
      "their FFN on the CPU; `CPU`: nothing on the card; `-`: it does not fit.",
      "",
      "| model | parameters | a token reads | file | KV a token | windows | state | 8 GiB | 12 GiB | 16 GiB | 24 GiB |",
      "| -- | -- | -- | -- | -- | -- | -- | -- | -- | -- | -- |"};
  for (const PublishedModel& published : published_models(HEADROOM_SOURCE_DIR)) {
    const Result<ModelInfo> model = read_published(published);
    if (!model) {
      ADD_FAILURE() << published.name << ": " << model.error().message.text();
      continue;
    }
    const std::string active = model->layers.back().has_experts() ? params(active_params(*model)) : "all";
    std::string line = fmt::format("| {} | {} | {} | {} | {} | {} | {} |", published.name, params(model->n_params),
                                   active, format_bytes(model->file_bytes), bytes_or_none(kv_per_token(*model)),
                                   bytes_or_none(window_kv(*model)), bytes_or_none(model->state_bytes()));
    for (const Bytes card : kCards) line += fmt::format(" {} |", cell_of(plan_for_card(*model, card), *model));
    lines.push_back(line);
  }
  return lines;
}

}  // namespace headroom::test
