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
  const std::string layers = has_all ? "all" : fmt::format("{} of {}", n_gpu_layers, model.n_layers());
  if (plan.options.n_cpu_ffn == 0) return layers;
  return fmt::format("{}, {} of {}", layers, model.layers.front().has_experts() ? "experts" : "FFN",
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
      "Shapes of `tests/support/published_models.tsv`, where their sources stand, read as headers of GGUF files. All "
      "numbers",
      "are the engine's: the file is as large as with the types of Q4_K_M (Q4_K; Q6_K for the head and for half of V "
      "and",
      "down), without a tokenizer. KV is F16; layers with a window keep that many positions, whatever the context, and "
      "delta",
      "nets a state.",
      "",
      "What is planned for a card of 8, 12, 16 and 24 GiB when nobody chooses but the context, 8,192 positions for one "
      "slot:",
      "1 GiB of card and memory each stays free, CUDA takes 300 MiB of the card, beside it are 64 GiB of memory. "
      "Speeds "
      "are",
      "made up and the same for all: the card reads 400 GB/s and the CPU 60 GB/s, PCIe copies 16 GB/s.",
      "`all`: every layer stands on the card; `20 of 32`: so many, the rest on the CPU; `FFN of 12`, `experts of 12`: "
      "in so",
      "many of the layers on the card these stand on the CPU; `CPU`: no layer on the card; `-`: it does not fit.",
      "",
      "| model | parameters | a token reads | file | KV a token | windows | state | 8 GiB | 12 GiB | 16 GiB | 24 GiB |",
      "| -- | -- | -- | -- | -- | -- | -- | -- | -- | -- | -- |"};
  for (const PublishedModel& published : published_models(HEADROOM_SOURCE_DIR)) {
    const Result<ModelInfo> model = read_published(published);
    if (!model) {
      ADD_FAILURE() << published.name << ": " << model.error().message;
      continue;
    }
    const std::string active = model->layers.front().has_experts() ? params(active_params(*model)) : "all";
    std::string line = fmt::format("| {} | {} | {} | {} | {} | {} | {} |", published.name, params(model->n_params),
                                   active, format_bytes(model->file_bytes), bytes_or_none(kv_per_token(*model)),
                                   bytes_or_none(window_kv(*model)), bytes_or_none(model->state_bytes()));
    for (const Bytes card : kCards) line += fmt::format(" {} |", cell_of(plan_for_card(*model, card), *model));
    lines.push_back(line);
  }
  return lines;
}

}  // namespace headroom::test
