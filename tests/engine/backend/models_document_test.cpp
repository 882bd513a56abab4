// docs/models.md is what the tables say: written by this test with HEADROOM_WRITE_TABLES, and red when it is stale.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "backend/cpu/kernel_table.h"
#include "format/dtype_table.h"
#include "model/arch_table.h"
#include "support/transition_table.h"

namespace headroom {
namespace {

const std::string kFolder = std::string(HEADROOM_SOURCE_DIR) + "/";

std::string source_text(const std::string& path) {
  std::ifstream file(kFolder + path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

const char* yes(bool holds) { return holds ? "yes" : "-"; }

std::string list_of(const std::vector<std::string>& parts) {
  std::string list;
  for (const std::string& part : parts) list += (list.empty() ? "" : ", ") + part;
  return list.empty() ? "-" : list;
}

std::string traits_of(const ArchRow& row) {
  std::vector<std::string> traits;
  if (row.qkv_bias != Presence::kNever) traits.emplace_back("biases on Q, K, V");
  if (row.qk_norm != Presence::kNever) traits.emplace_back("norms on heads of Q and K");
  if (row.has_post_norms) traits.emplace_back("norms after attention and FFN");
  if (row.window == WindowRule::kAllLayers) traits.emplace_back("a window on all layers, if the file has one");
  if (row.window == WindowRule::kPattern)
    traits.push_back(fmt::format("windows on all layers but every {}", row.window_period == 2 ? "second" : "sixth"));
  if (row.attention_softcap.value_or(0) != 0) traits.emplace_back("capped scores and logits");
  if (row.router) traits.emplace_back("experts");
  return list_of(traits);
}

// A format is computed with by all kernels of a backend or by none: one of each is asked.
struct Support {
  bool cpu = false, vulkan = false, cuda = false;
};
Support support_of(const DTypeRow& type) {
  static const KernelTable kernels = make_kernel_table(Isa::kScalar);
  static const std::string cuda = source_text("engine/backend/cuda/kernels/lib/panels.cuh"),
                           vulkan = source_text("engine/backend/vulkan/shaders/lib/panels.glsl");
  const std::string name = "k" + std::string(type.name);
  return {kernels.dot[static_cast<std::size_t>(type.dtype)] != nullptr, vulkan.find(name + " = ") != std::string::npos,
          cuda.find("case " + name + ":") != std::string::npos};
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
  lines.insert(lines.end(), {"", "## Types", "", "Bits are those of a file, scales counted; on a GPU Q3_K takes 3.5.",
                             "", "| type | bits a weight | weights | KV cache | CPU | Vulkan | CUDA |",
                             "| -- | -- | -- | -- | -- | -- | -- |"});
  for (const DTypeRow& type : kDTypes) {
    const Support support = type.is_weight ? support_of(type) : Support{true, true, true};
    lines.push_back(fmt::format("| {} | {} | {} | {} | {} | {} | {} |", type.name,
                                8.0 * type.block_bytes / type.block_elems, yes(type.is_weight), yes(type.is_kv_offered),
                                yes(support.cpu), yes(support.vulkan), yes(support.cuda)));
  }
  return lines;
}

TEST(ModelsDocument, is_what_the_tables_say) { test::expectTable(document(), kFolder + "docs/models.md"); }

TEST(ModelsDocument, has_no_weights_that_a_backend_cannot_multiply) {
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_weight) continue;
    const Support support = support_of(type);
    EXPECT_TRUE(support.cpu && support.vulkan && support.cuda) << type.name;
  }
}

TEST(ModelsDocument, names_models_of_every_architecture) {
  for (const ArchRow& row : arch_rows()) EXPECT_FALSE(row.models.empty()) << row.architecture;
}

}  // namespace
}  // namespace headroom
