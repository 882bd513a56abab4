// What host and GPU kernels have to agree on. The structs of gpu_args.inl are shared as types by C++ and CUDA, and by
// GLSL as the words of a dispatch; constants of GLSL have numbers, which have to be those of the members. Sizes and
// numbers of enums are written again in the kernels.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "backend/cuda/cuda_launch.h"
#include "backend/gpu/gpu_products.h"
#include "format/dtype_table.h"
#include "model/gpu_panel.h"
#include "plan/gpu_rules.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

const fs::path kBackend = fs::path(HEADROOM_SOURCE_DIR) / "engine/backend";
const fs::path kShaders = kBackend / "vulkan/shaders";

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

using Members = std::vector<std::string>;

// "uint m, n, k;" are three members.
std::map<std::string, Members> read_structs() {
  std::string text = std::regex_replace(text_of(kBackend / "gpu/gpu_args.inl"), std::regex("//[^\n]*"), "");
  std::map<std::string, Members> structs;
  const std::regex whole("struct (\\w+) \\{([^}]*)\\};"), member("(\\w+) ([^;]+);");
  for (std::sregex_iterator it(text.begin(), text.end(), whole), end; it != end; ++it) {
    Members& members = structs[(*it)[1]];
    const std::string body = (*it)[2];
    for (std::sregex_iterator line(body.begin(), body.end(), member); line != end; ++line) {
      const Members nested = structs.contains((*line)[1]) ? structs.at((*line)[1]) : Members{};
      members.insert(members.end(), nested.begin(), nested.end());
      std::stringstream names((*line)[2]);
      for (std::string name; nested.empty() && std::getline(names, name, ',');)
        members.push_back(std::regex_replace(name, std::regex("\\s"), ""));
    }
  }
  return structs;
}

// A shader with all that it includes, each file once.
std::string whole_shader(const fs::path& path, std::vector<fs::path>& seen) {
  if (std::find(seen.begin(), seen.end(), path) != seen.end()) return {};
  seen.push_back(path);
  std::stringstream lines(text_of(path));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    std::smatch include;
    if (!std::regex_match(line, include, std::regex("#include \"(.*)\""))) {
      text += line + "\n";
      continue;
    }
    const fs::path beside = path.parent_path() / include[1].str(), named = kShaders / include[1].str();
    text += whole_shader((fs::exists(beside) ? beside : named).lexically_normal(), seen);
  }
  return text;
}

// "kHasExactKeys" is the member has_exact_keys; a count is one with or without its n_.
std::string member_name(const std::string& constant) {
  std::string name;
  for (const char c : constant.substr(1)) {
    if (std::isupper(c) != 0 && !name.empty()) name += '_';
    name += static_cast<char>(std::tolower(c));
  }
  return name;
}
std::string without_count(const std::string& member) { return member.starts_with("n_") ? member.substr(2) : member; }

// By constant_id; those that a shader does not have are empty.
Members constants_of(const std::string& shader) {
  Members constants;
  const std::regex declared("constant_id = (\\d+)\\) const uint (\\w+) ");
  for (std::sregex_iterator it(shader.begin(), shader.end(), declared), end; it != end; ++it) {
    const auto id = static_cast<std::size_t>(std::stoi((*it)[1]));
    constants.resize(std::max(constants.size(), id + 1));
    constants[id] = member_name((*it)[2]);
  }
  return constants;
}

const std::map<std::string, std::string> kConstantsOf{
    {"embed", "EmbedConstants"},
    {"norm", "NormConstants"},
    {"matvec", "MatvecConstants"},
    {"matmul", "MatmulConstants"},
    {"query_heads", "HeadsConstants"},
    {"cache_heads", "HeadsConstants"},
    {"attend", "AttendConstants"},
    {"attend_merge", "AttendMergeConstants"},
    {"conv_mix", "ConvMixConstants"},
    {"delta_mix", "DeltaMixConstants"},
    {"delta_pairs", "DeltaPairsConstants"},
    {"delta_rule", "DeltaRuleConstants"},
    {"gate_heads", "GateHeadsConstants"},
    {"gate_inputs", "GateInputsConstants"},
    {"matmul_matrices", "MatricesConstants"},
};
// What speeds are measured with is no kernel of a step.
bool is_of_steps(const std::string& shader) { return !shader.starts_with("peak_") && shader != "read_rate"; }

TEST(GpuArgs, constants_of_every_shader_are_the_members_of_its_struct_in_their_order) {
  const std::map<std::string, Members> structs = read_structs();
  std::size_t n_checked = 0;
  for (const auto& entry : fs::directory_iterator(kShaders)) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() != ".comp" || !is_of_steps(name)) continue;
    std::vector<fs::path> seen;
    const Members constants = constants_of(whole_shader(entry.path(), seen));
    if (!kConstantsOf.contains(name)) {
      EXPECT_TRUE(constants.empty()) << name << " has constants and no struct for them";
      continue;
    }
    Members expected = structs.at(kConstantsOf.at(name));
    ASSERT_EQ(constants.size(), expected.size()) << name;
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(without_count(constants[i]), without_count(expected[i])) << name << ", constant " << i;
    ++n_checked;
  }
  EXPECT_EQ(n_checked, kConstantsOf.size());
}

TEST(GpuArgs, every_shader_is_given_the_words_of_a_dispatch_as_a_struct_that_the_host_has) {
  const std::map<std::string, Members> structs = read_structs();
  const std::regex push("push_constant\\) uniform Push \\{ (\\w+) p; \\};");
  std::size_t n_checked = 0;
  for (const auto& entry : fs::directory_iterator(kShaders)) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() != ".comp" || !is_of_steps(name)) continue;
    std::vector<fs::path> seen;
    const std::string shader = whole_shader(entry.path(), seen);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(shader, found, push)) << name << " has words of its own";
    EXPECT_TRUE(structs.contains(found[1])) << name << ": " << found[1];
    ++n_checked;
  }
  EXPECT_GT(n_checked, kConstantsOf.size());
}

// Names that mean the same in all kernels.
std::map<std::string, std::uint64_t> numbers_of_the_host() {
  std::map<std::string, std::uint64_t> numbers{
      {"kFp8", static_cast<std::uint64_t>(DType::kF8E4M3)},
      {"kPanelRows", kGpuPanelRows},
      {"kGroup", kGpuGroup},
      {"kBlockGroups", kGpuBlock},
      {"kTileRows", kGpuTileRows},
      {"kMostExperts", kGpuMostExperts},
      {"kSplitKeys", kGpuSplitKeys},
      {"kDeltaColumns", kGpuDeltaColumns},
      {"kDeltaChunk", kGpuDeltaChunk},
      {"kRowBlock", kRowBlock},
      {"kRowSumBlock", kRowSumBlock},
      {"kMostCandidates", kMostCandidates},
      {"kMostGrouped", kCudaMostGrouped},
      {"kMemberBytes", kCudaMemberBytes},
      {"kStore", static_cast<std::uint64_t>(Epilogue::kStore)},
      {"kAdd", static_cast<std::uint64_t>(Epilogue::kAdd)},
      {"kGate", static_cast<std::uint64_t>(Epilogue::kGate)},
      {"kCap", static_cast<std::uint64_t>(Epilogue::kCap)},
      {"kInt8", static_cast<std::uint64_t>(Encoding::kInt8)},
      {"kHalf", static_cast<std::uint64_t>(Encoding::kHalf)},
      {"kUp", static_cast<std::uint64_t>(Experts::kUp)},
      {"kDown", static_cast<std::uint64_t>(Experts::kDown)},
  };
  for (const DTypeRow& type : kDTypes) {
    const std::string name = type.gguf_type < 0 ? "kFp8" : "k" + std::string(type.name);
    numbers[name] = static_cast<std::uint64_t>(type.dtype);
  }
  return numbers;
}

TEST(GpuArgs, sizes_and_numbers_of_enums_in_kernels_are_those_of_the_host) {
  const std::map<std::string, std::uint64_t> expected = numbers_of_the_host();
  std::map<std::string, int> n_found;
  // "const uint kUp = 1, kDown = 2;" and "constexpr u32 kUp = 1, kDown = 2;"
  const std::regex list("(?:const uint|constexpr u32) (k[^;]*);"), number("(k\\w+)\\s*=\\s*(\\d+)(?=\\s*(?:,|$))");
  for (const fs::path& folder : {kShaders, kBackend / "cuda/kernels"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".comp" && extension != ".glsl" && extension != ".cu" && extension != ".cuh") continue;
      const std::string text = std::regex_replace(text_of(entry.path()), std::regex("//[^\n]*"), "");
      for (std::sregex_iterator it(text.begin(), text.end(), list), end; it != end; ++it) {
        const std::string names = (*it)[1];
        for (std::sregex_iterator each(names.begin(), names.end(), number); each != end; ++each) {
          const auto wanted = expected.find((*each)[1]);
          if (wanted == expected.end()) continue;
          EXPECT_EQ(std::stoull((*each)[2]), wanted->second) << wanted->first << " of " << entry.path().filename();
          ++n_found[wanted->first];
        }
      }
    }
  }
  for (const auto& [name, value] : expected) EXPECT_GT(n_found[name], 0) << name << " is in no kernel";
}

}  // namespace
}  // namespace headroom
