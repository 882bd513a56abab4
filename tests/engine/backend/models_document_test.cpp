// docs/models.md is what the tables say: written by this test with HEADROOM_WRITE_TABLES, and red when it is stale.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/cpu/kernel_table.h"
#include "engine/backend/published_plans.h"
#include "format/dtype_table.h"
#include "model/arch_table.h"
#include "model/gpu_planes.h"
#include "model/refusal.h"
#include "support/written_lines.h"

namespace headroom {
namespace {

const std::string kFolder = std::string(HEADROOM_SOURCE_DIR) + "/";

const char* yes(bool holds) { return holds ? "yes" : "-"; }

std::string list_of(const std::vector<std::string>& parts) {
  std::string list;
  for (const std::string& part : parts) list += (list.empty() ? "" : ", ") + part;
  return list.empty() ? "-" : list;
}

std::string traits_of(const ArchRow& row) {
  std::vector<std::string> traits;
  if (row.qkv_bias != Presence::kNever) traits.emplace_back("biases on Q, K, V");
  if (row.qk_norm != Presence::kNever)
    traits.emplace_back(row.norms_heads_together ? "norms over all heads of Q and of K"
                        : row.norms_turned_heads ? "norms on heads of Q and K behind their rotation"
                                                 : "norms on heads of Q and K");
  if (row.has_value_norm) traits.emplace_back("norms on heads of V");
  if (row.has_window_heads) traits.emplace_back("heads of another size in layers with a window");
  if (row.may_share_caches) traits.emplace_back("in some files caches that other layers read");
  if (row.may_have_inputs) traits.emplace_back("in some files inputs of layers, by an embedding of their own");
  if (row.has_post_norms)
    traits.emplace_back(row.has_pre_norms ? "norms after attention and FFN" : "norms after attention and FFN alone");
  if (row.window == WindowRule::kAllLayers) traits.emplace_back("a window on all layers, if the file has one");
  if (row.window == WindowRule::kPattern)
    traits.push_back(fmt::format("windows on all layers but one of {}", row.window_period));
  if (row.attention_softcap.value_or(0) != 0) traits.emplace_back("capped scores and logits");
  if (row.unturned_period > 0)
    traits.push_back(fmt::format("no rotary embedding in one layer of {}", row.unturned_period));
  if (row.turns_windows_alone)
    traits.emplace_back("no rotary embedding in layers without a window, if others have one");
  if (row.windows_are_unscaled && row.window_rope_theta == 0)
    traits.emplace_back("contexts that are scaled in layers without a window alone");
  if (row.may_be_long) traits.emplace_back("in some files factors for contexts longer than the original one");
  if (row.norms_embedding) traits.emplace_back("a norm of the embedding");
  if (row.multiplies_logits) traits.emplace_back("a scale of logits");
  if (row.grows_queries) traits.emplace_back("queries that grow with their position");
  if (row.may_be_unturned) traits.emplace_back("no rotary embedding where the file says so");
  if (row.has_scale_keys) traits.emplace_back("scales of embedding, scores, residual and logits");
  if (row.delta_net)
    traits.push_back(fmt::format("gated delta nets in the place of attention in all layers but one of {}",
                                 row.delta_net->attention_period));
  if (row.has_short_convs)
    traits.emplace_back("short convolutions in the place of attention in the layers that the file says");
  if (row.has_sinks) traits.emplace_back("sinks of attention");
  if (row.may_mix_dense) traits.emplace_back("dense layers before and between those with experts");
  if (row.router && is_sigmoid(*row.router)) traits.emplace_back("experts chosen by sigmoids");
  if (row.choice_bias != Presence::kNever) traits.emplace_back("biases for the choice of experts");
  if (row.has_expert_biases) traits.emplace_back("biases of router and experts");
  if (row.has_out_gate) traits.emplace_back("output gates of attention");
  if (row.skips_prediction_layers) traits.emplace_back("layers that predict further tokens, not loaded");
  if (!row.router) return list_of(traits);
  if (row.may_lack_experts) {
    traits.emplace_back("experts beside the FFN, where the file has any");
  } else {
    const bool is_counted = row.shared_expert && row.shared_expert->is_counted;
    const bool may_share = row.shared_expert && row.shared_expert->is_optional;
    traits.emplace_back(is_counted          ? "experts, as many of them shared as the file says"
                        : may_share         ? "experts, in some files one of them shared"
                        : row.shared_expert ? "experts, one of them shared"
                                            : "experts");
  }
  return list_of(traits);
}

// Whether weights of this format have kernels for few and for many activation rows.
bool is_on_cpu(DType dtype) {
  static const KernelTable kernels = make_kernel_table(Isa::kScalar);
  const auto type = static_cast<std::size_t>(dtype);
  const bool has_slabs = kernels.unpack[type] != nullptr && kernels.dot_slabs[type] != nullptr;
  return kernels.dot[type] != nullptr && (has_slabs || dtype == DType::kF32);
}
// Whether a GPU has a panel of it.
bool is_on_gpus(DType dtype) {
  const GpuPlanes planes = gpu_planes(dtype);
  return planes.half_codes + planes.highs > 0;
}

std::vector<std::string> document() {
  std::vector<std::string> lines{
      "# What opens",
      "",
      "Written from the tables of the engine (`engine/model/arch_table.cpp`, `engine/format/dtype_table.h`) by",
      "`HEADROOM_WRITE_TABLES=1 build/dev/bin/backend_test --gtest_filter='ModelsDocument*'`; a test fails when it is "
      "stale.",
      "Every architecture may have every type of weights, each tensor its own, on every backend, with layers split "
      "between",
      "devices. What a file has beyond its row is refused by name: a tensor, a key that changes results, a tokenizer's "
      "rule.",
      "",
      "## Architectures",
      "",
      "| `general.architecture` | models | what its layers have beside attention and FFN |",
      "| -- | -- | -- |"};
  for (const ArchRow& row : arch_rows())
    lines.push_back(fmt::format("| `{}` | {} | {} |", row.architecture, row.models, traits_of(row)));
  lines.insert(lines.end(),
               {"", "## Architectures that are refused", "",
                "Told by name with what is missing, and with what a model would take as far as its keys "
                "say: weights, KV cache, states",
                "(`engine/model/refused_arch.cpp`). Any other name is refused too, with its weights alone.", "",
                "| `general.architecture` | models | what is missing |", "| -- | -- | -- |"});
  for (const RefusedArch& arch : refused_archs())
    lines.push_back(fmt::format("| `{}` | {} | {} |", arch.architecture, arch.models, missing_part_words(arch).text()));
  lines.insert(
      lines.end(),
      {"", "## Types", "",
       "Bits are those of a file, scales counted; on a GPU Q3_K takes 3.5. Vulkan and CUDA compute with the same.", "",
       "| type | bits a weight | weights on the CPU | weights on GPUs | KV cache |", "| -- | -- | -- | -- | -- |"});
  for (const DTypeRow& type : kDTypes)
    lines.push_back(fmt::format("| {} | {} | {} | {} | {} |", type.name, 8.0 * type.block_bytes / type.block_elems,
                                yes(type.is_weight && is_on_cpu(type.dtype)), yes(is_on_gpus(type.dtype)),
                                yes(type.is_kv_offered)));
  const std::vector<std::string> plans = test::published_plans();
  lines.insert(lines.end(), plans.begin(), plans.end());
  return lines;
}

TEST(ModelsDocument, is_what_the_tables_say) { test::expectWrittenLines(document(), kFolder + "docs/models.md"); }

TEST(ModelsDocument, has_no_weights_that_a_device_cannot_multiply) {
  for (const DTypeRow& type : kDTypes) {
    EXPECT_EQ(is_on_gpus(type.dtype), type.is_weight) << type.name;
    EXPECT_TRUE(is_on_cpu(type.dtype) || !type.is_weight) << type.name;
  }
}

TEST(ModelsDocument, names_models_of_every_architecture) {
  for (const ArchRow& row : arch_rows()) EXPECT_FALSE(row.models.empty()) << row.architecture;
}

}  // namespace
}  // namespace headroom
