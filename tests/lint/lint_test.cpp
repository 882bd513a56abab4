// Rules of the tree that no compiler knows: who may include whom, who may allocate, where architecture names may stand,
// how long a file may be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "model/arch_table.h"
#include "model/refused_arch.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = HEADROOM_SOURCE_DIR;
// The order of folders is the order of dependency.
const std::vector<std::string> kEngineOrder{"base",    "format", "file",    "model", "text", "devices",
                                            "program", "plan",   "backend", "run",   "prove"};
constexpr int kLastCoreRank = 7;  // plan: the window may see no further
// What a folder of engine/backend may include of its neighbours: what they share, and never another backend.
const std::map<std::string, std::set<std::string>> kBackendNeighbours{{"host", {}},
                                                                      {"gpu_memory", {"host"}},
                                                                      {"cpu", {"host"}},
                                                                      {"reference", {"host"}},
                                                                      {"gpu", {"host"}},
                                                                      {"vulkan", {"host", "gpu_memory", "gpu"}},
                                                                      {"cuda", {"host", "gpu_memory", "gpu"}}};

struct SourceFile {
  fs::path path;  // relative to the root
  std::vector<std::string> lines;

  std::string name() const { return path.generic_string(); }
  std::string top() const { return path.begin()->string(); }
};

std::vector<SourceFile> read_sources(const std::vector<std::string>& folders, const std::set<std::string>& extensions) {
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    if (!fs::exists(kRoot / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (!entry.is_regular_file() || !extensions.contains(entry.path().extension().string())) continue;
      SourceFile file{fs::relative(entry.path(), kRoot), {}};
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
      files.push_back(std::move(file));
    }
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

const std::set<std::string> kCode{".h", ".cpp", ".inl", ".cu", ".cuh", ".comp"};

int engine_rank(const std::string& folder) {
  const auto at = std::find(kEngineOrder.begin(), kEngineOrder.end(), folder);
  return at == kEngineOrder.end() ? -1 : static_cast<int>(at - kEngineOrder.begin());
}

// The folder that an include of ours points into: "plan" of "plan/solve.h", "ui" of "ui/chat/x.h"; empty for a
// neighbour or a library.
std::string included_folder(const std::string& line) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s+"([a-z_0-9]+)/.*")re");
  std::smatch match;
  return std::regex_search(line, match, kInclude) ? match[1].str() : "";
}

// "vulkan" of "backend/vulkan/x.h"; empty for what stands in engine/backend itself, and for everything else.
std::string backend_folder(const std::string& text, const std::string& before) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(before + "backend/([a-z_0-9]+)/")) ? match[1].str() : "";
}

std::string why_backend_forbidden(const SourceFile& file, const std::string& line) {
  const auto found = kBackendNeighbours.find(backend_folder(file.name(), "^engine/"));
  const std::string target = backend_folder(line, R"re(^\s*#\s*include\s+")re");
  if (found == kBackendNeighbours.end() || target.empty() || target == found->first) return "";
  return found->second.contains(target) ? "" : found->first + " knows nothing of " + target;
}

std::string why_forbidden(const SourceFile& file, const std::string& line) {
  if (line.find('#') == std::string::npos) return "";  // the expressions below take a second for a thousand lines
  const std::string target = included_folder(line);
  const int target_rank = engine_rank(target);
  const bool is_qt = std::regex_search(line, std::regex(R"(^\s*#\s*include\s+<Q)"));
  if (file.top() == "engine") {
    const std::string folder = std::next(file.path.begin())->string();
    if (is_qt) return "the engine has no Qt";
    if (target == "ui" || target == "app") return "the engine knows no window";
    if (target_rank > engine_rank(folder)) return folder + " stands before " + target;
    if (const std::string why = why_backend_forbidden(file, line); !why.empty()) return why;
  }
  if (file.top() == "ui") {
    if (target == "app") return "ui stands before app";
    if (target_rank > kLastCoreRank) return "the window sees the core only, never a backend";
  }
  if (file.name().starts_with("app/cli/")) {
    if (is_qt || target == "ui") return "the command line has no Qt";
  }
  return "";
}

TEST(Lint, includes_point_to_the_same_or_an_earlier_folder) {
  const auto files = read_sources({"engine", "ui", "app"}, kCode);
  ASSERT_GT(files.size(), 20U);
  for (const SourceFile& file : files) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string why = why_forbidden(file, file.lines[i]);
      EXPECT_EQ(why, "") << file.name() << ":" << i + 1 << ": " << file.lines[i];
    }
  }
}

TEST(Lint, the_include_rule_sees_a_breach) {
  const SourceFile planner{"engine/plan/x.cpp", {}};
  const SourceFile widget{"ui/chat/x.cpp", {}};
  EXPECT_NE(why_forbidden(planner, "#include \"backend/backend.h\""), "");
  EXPECT_NE(why_forbidden(planner, "#include <QString>"), "");
  EXPECT_EQ(why_forbidden(planner, "#include \"model/model_info.h\""), "");
  const SourceFile vulkan{"engine/backend/vulkan/x.cpp", {}};
  EXPECT_NE(why_forbidden(vulkan, "#include \"backend/cpu/panel.h\""), "");
  EXPECT_EQ(why_forbidden(vulkan, "#include \"backend/host/thread_pool.h\""), "");
  EXPECT_NE(why_forbidden(widget, "#include \"run/session.h\""), "");
  EXPECT_EQ(why_forbidden(widget, "#include \"plan/solve.h\""), "");
}

TEST(Lint, no_file_is_longer_than_1000_lines) {
  auto extensions = kCode;
  extensions.insert({".py", ".sh", ".cmake"});
  for (const SourceFile& file : read_sources({"engine", "ui", "app", "tests", "resources", "cmake"}, extensions)) {
    EXPECT_LE(file.lines.size(), 1000U) << file.name() << ": find the two rooms in it";
  }
}

TEST(Lint, only_arenas_obtain_memory_for_a_model) {
  static const std::regex kAllocates(
      R"(\b(cudaMalloc\w*|cudaHostAlloc|cudaHostRegister|cuMem(?!cpy|set|Free|GetInfo|HostGet)\w+|vkAllocateMemory|mmap|posix_memalign|aligned_alloc|malloc|calloc|realloc|sbrk)\s*\()");
  int n_arenas = 0;
  for (const SourceFile& file : read_sources({"engine", "ui", "app"}, kCode)) {
    const bool is_arena = file.path.stem().string().ends_with("_arena");
    n_arenas += is_arena ? 1 : 0;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const bool allocates = std::regex_search(file.lines[i], kAllocates);
      EXPECT_FALSE(allocates && !is_arena) << file.name() << ":" << i + 1 << ": " << file.lines[i];
    }
  }
  EXPECT_GT(n_arenas, 0);
}

TEST(Lint, architecture_names_stand_in_the_arch_files_only) {
  // As values: a quoted name. Tokenizers and pre-tokenizers have names of their own that happen to be the same, in
  // engine/text.
  // Besides names in the tables, names of architectures that no table has: "gemma5", "mixtral".
  std::string names = "mistral|mixtral|qwen2moe|gemma[0-9]?|phi[0-9]|falcon|gpt2|mamba|deepseek2?";
  for (const ArchRow& row : arch_rows()) names += fmt::format("|{}", row.architecture);
  for (const RefusedArch& row : refused_archs()) names += fmt::format("|{}", row.architecture);
  const std::regex kName(fmt::format("\"({})\"", names));
  for (const SourceFile& file : read_sources({"engine", "ui", "app"}, kCode)) {
    const std::string stem = file.path.stem().string();
    if (stem == "arch_table" || stem == "refused_arch" || stem == "tensor_roles" ||
        file.name().starts_with("engine/text/"))
      continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string code = file.lines[i].substr(0, file.lines[i].find("//"));
      EXPECT_FALSE(std::regex_search(code, kName)) << file.name() << ":" << i + 1 << ": " << file.lines[i];
    }
  }
}

std::string all_cmake_text() {
  std::ostringstream text;
  for (const char* folder : {"engine", "ui", "app", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().filename() != "CMakeLists.txt") continue;
      // A name counts only in the list of its own folder or of one above it.
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);)
        text << fs::relative(entry.path().parent_path(), kRoot).generic_string() << '\t' << line << '\n';
    }
  }
  return text.str();
}

TEST(Lint, every_source_and_test_file_is_listed_in_cmake) {
  const std::string lists = all_cmake_text();
  for (const SourceFile& file : read_sources({"engine", "ui", "app", "tests"}, {".cpp"})) {
    const std::string name = file.path.filename().string();
    bool listed = false;
    std::istringstream stream(lists);
    for (std::string line; !listed && std::getline(stream, line);) {
      const auto tab = line.find('\t');
      const std::string folder = line.substr(0, tab);
      listed = file.name().starts_with(folder + "/") && line.find(name, tab) != std::string::npos;
    }
    // The fuzz driver is added by the function that makes every fuzz target.
    EXPECT_TRUE(listed || name == "fuzz_main.cpp")
        << file.name() << " is in no CMakeLists.txt above it: it would never be built";
  }
}

// Help > Keyboard shortcuts lists the table and the menus: a key that a view names by itself is not in it.
TEST(Lint, views_ask_the_table_of_keys_and_each_key_in_it_is_asked_for) {
  static const std::regex kNamesKey(R"(\bQt::Key_|matches\(QKeySequence::)"), kRow(R"(\{ViewKey::(\w+),)");
  std::set<std::string> inTable;
  std::string views;
  for (const SourceFile& file : read_sources({"ui"}, kCode)) {
    const bool isTable = file.name() == "ui/keys/view_keys.cpp";
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      std::smatch row;
      if (isTable && std::regex_search(file.lines[i], row, kRow)) inTable.insert(row[1].str());
      if (isTable || file.name() == "ui/main_window/window_menus.cpp") continue;
      views += file.lines[i] + '\n';
      EXPECT_FALSE(std::regex_search(file.lines[i], kNamesKey)) << file.name() << ":" << i + 1 << ": " << file.lines[i];
    }
  }
  EXPECT_GT(inTable.size(), 20U);
  for (const std::string& key : inTable)
    EXPECT_TRUE(std::regex_search(views, std::regex("ViewKey::" + key + "\\b"))) << "no view asks for " << key;
}

// ui/chat/x.cpp is tested by tests/ui/chat/x_test.cpp, or CONTRIBUTING.md names it with what tests it instead.
// The texts are English and the user's locale may be another: numbers of both kinds on one screen cannot be compared.
TEST(Lint, only_one_folder_of_the_window_asks_for_a_locale) {
  static const std::regex kLocale(R"(\bQLocale\s*[({]|\bQLocale\s+[a-zA-Z]|"[^"]*%L[0-9])");
  int n_there = 0;
  for (const SourceFile& file : read_sources({"ui", "app"}, kCode)) {
    const bool is_there = file.name().starts_with("ui/format/");
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (!std::regex_search(file.lines[i], kLocale)) continue;
      n_there += is_there ? 1 : 0;
      EXPECT_TRUE(is_there) << file.name() << ":" << i + 1 << ": " << file.lines[i] << ": see ui/format/format_bytes.h";
    }
  }
  EXPECT_GT(n_there, 0);
}

// The window's process has its user's locale: these read "1.5" as 1 where numbers have a comma.
TEST(Lint, only_one_file_asks_what_depends_on_the_locale_of_the_process) {
  static const std::regex kDepends(
      R"(\b(std::)?(strto(d|f|ld)|ato[fli]|sto(d|f|ld)|strftime|tolower|toupper|setlocale|put_time|get_time)\()");
  int n_files = 0;
  for (const SourceFile& file : read_sources({"engine", "ui", "app"}, kCode)) {
    ++n_files;
    if (file.path.stem() == "c_locale") continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_FALSE(std::regex_search(file.lines[i], kDepends))
          << file.name() << ":" << i + 1 << ": " << file.lines[i] << ": see engine/base/c_locale.h";
    }
  }
  EXPECT_GT(n_files, 300);
}

TEST(Lint, every_source_of_the_window_has_its_test_or_a_reason) {
  std::ifstream stream(kRoot / "CONTRIBUTING.md");
  const std::string excuses((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  const auto files = read_sources({"ui"}, {".cpp"});
  ASSERT_GT(files.size(), 40U);
  for (const SourceFile& file : files) {
    const fs::path folder = kRoot / "tests" / file.path.parent_path();
    const bool is_tested = fs::exists(folder / (file.path.stem().string() + "_test.cpp"));
    const bool is_excused = excuses.find("`" + file.name() + "`") != std::string::npos;
    EXPECT_TRUE(is_tested || is_excused) << file.name() << " has no test, and CONTRIBUTING.md does not say why";
    EXPECT_FALSE(is_tested && is_excused) << file.name() << " has a test: CONTRIBUTING.md need not excuse it";
  }
}

TEST(Lint, no_path_of_one_machine_is_in_the_tree) {
  auto extensions = kCode;
  extensions.insert({".py", ".sh", ".cmake", ".md", ".txt", ".json"});
  static const std::regex kMachinePath(R"((^|[\s"'(=])/(work|root|home/[a-z]+|opt/oracle)/)");
  for (const SourceFile& file :
       read_sources({"engine", "ui", "app", "tests", "resources", "cmake", "docs"}, extensions)) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (file.path.filename() == "lint_test.cpp") continue;
      EXPECT_FALSE(std::regex_search(file.lines[i], kMachinePath))
          << file.name() << ":" << i + 1 << ": " << file.lines[i];
    }
  }
}

}  // namespace
}  // namespace headroom
