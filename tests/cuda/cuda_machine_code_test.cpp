// What the assembler says of each kernel, and how many blocks of it a multiprocessor runs, against a committed
// baseline: tests/cuda/machine_code.tsv, a line of which changes with a reason in the commit. The build's kernels are
// those of one architecture; HEADROOM_ALL_KERNELS names a folder with those of all (tests/cuda/all_architectures.sh).
// With HEADROOM_WRITE_TABLES the lines are written anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "support/sass/occupancy.h"

namespace headroom::test {
namespace {

constexpr const char* kTable = HEADROOM_SOURCE_DIR "/tests/cuda/machine_code.tsv";
constexpr const char* kColumns =
    "architecture\tkernel\tthreads\tregisters\tshared_bytes\tblocks\twarps\tof_warps\tlimited_by";
// Every card that we compile for has this much shared memory for a block.
constexpr int kSharedBytes = 48 * 1024;

struct KernelFile {
  std::string name;
  std::vector<std::string> entries;
};
std::vector<KernelFile> kernel_files() {
#define HEADROOM_KERNELS(file, ...) {#file, {__VA_ARGS__}},
  return {
#include "backend/cuda/kernel_files.inl"
  };
#undef HEADROOM_KERNELS
}

struct MachineCode {
  int registers = 0, stack = -1, spilled = -1, shared = 0;
};

// By architecture and entry, of the texts that the assembler wrote for a file.
using MachineCodes = std::map<int, std::map<std::string, MachineCode>>;
void read_machine_code(const std::string& path, MachineCodes& found) {
  static const std::regex of_entry(R"(Compiling entry function '(\w+)' for 'sm_(\d+)')"),
      of_stack(R"((\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads)"),
      of_registers(R"(Used (\d+) registers)"), of_shared(R"((\d+) bytes smem)");
  std::ifstream text(path);
  MachineCode* code = nullptr;
  std::string line;
  for (std::smatch match; std::getline(text, line);) {
    if (std::regex_search(line, match, of_entry)) code = &found[std::stoi(match[2])][match[1]];
    if (code == nullptr) continue;
    if (std::regex_search(line, match, of_stack)) {
      // A function that the entry calls has a line of its own behind it.
      code->stack = std::max(code->stack, std::stoi(match[1]));
      code->spilled = std::max(code->spilled, std::stoi(match[2]) + std::stoi(match[3]));
    }
    if (!std::regex_search(line, match, of_registers)) continue;
    code->registers = std::stoi(match[1]);
    if (std::regex_search(line, match, of_shared)) code->shared = std::stoi(match[1]);
  }
}

// By entry: what KERNEL() says, as the compiler was told it.
std::map<std::string, int> read_threads(const std::string& path) {
  static const std::regex of_entry(R"(\.entry (\w+)\()"), of_threads(R"(\.maxntid (\d+))");
  std::map<std::string, int> found;
  std::ifstream text(path);
  std::string line, entry;
  for (std::smatch match; std::getline(text, line);) {
    if (std::regex_search(line, match, of_entry)) entry = match[1];
    if (std::regex_search(line, match, of_threads)) found[entry] = std::stoi(match[1]);
  }
  return found;
}

// The lines of the table, without what stands before "sm_", by architecture and kernel.
using Table = std::map<std::pair<int, std::string>, std::string>;

std::string table_line(const SmLimits& limits, const std::string& entry, int threads, const MachineCode& code) {
  const Occupancy occupancy = occupancy_of(limits, threads, code.registers, code.shared);
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", limits.architecture, entry, threads, code.registers,
                     code.shared, occupancy.blocks, occupancy.warps, limits.warps, occupancy.limited_by);
}

// Of all kernels, for the architectures that they were compiled for; holds what must hold whatever the table says.
Table found_table(const std::string& folder, std::set<int>& architectures) {
  Table found;
  for (const KernelFile& file : kernel_files()) {
    MachineCodes by_architecture;
    for (const SmLimits& limits : kSmLimits)
      read_machine_code(fmt::format("{}/{}.sm_{}.txt", folder, file.name, limits.architecture), by_architecture);
    const std::map<std::string, int> threads = read_threads(HEADROOM_PTX_FOLDER "/" + file.name + ".ptx");
    for (const SmLimits& limits : kSmLimits) {
      const auto codes = by_architecture.find(limits.architecture);
      if (codes == by_architecture.end()) continue;
      architectures.insert(limits.architecture);
      for (const std::string& entry : file.entries) {
        const std::string name = fmt::format("{} for sm_{}", entry, limits.architecture);
        if (!codes->second.contains(entry) || !threads.contains(entry)) {
          ADD_FAILURE() << name << " was not compiled";
          continue;
        }
        const MachineCode& code = codes->second.at(entry);
        EXPECT_EQ(code.stack, 0) << name;
        EXPECT_EQ(code.spilled, 0) << name;
        EXPECT_GT(code.registers, 0) << name;
        EXPECT_LE(code.shared, kSharedBytes) << name;
        EXPECT_GE(occupancy_of(limits, threads.at(entry), code.registers, code.shared).blocks, 1) << name;
        found[{limits.architecture, entry}] = table_line(limits, entry, threads.at(entry), code);
      }
    }
  }
  return found;
}

Table read_table(std::string& compiler) {
  Table table;
  std::ifstream file(kTable);
  std::string line;
  std::getline(file, line);
  compiler = line.substr(std::min(line.size(), std::string("# NVRTC ").size()));
  compiler = compiler.substr(0, compiler.find(' '));
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#' || line == kColumns) continue;
    const std::size_t tab = line.find('\t');
    table[{std::atoi(line.c_str()), line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1)}] = line;
  }
  return table;
}

void write_table(const Table& table) {
  std::ofstream file(kTable);
  file << "# NVRTC " HEADROOM_NVRTC_VERSION
          " of each kernel, written by CudaMachineCode with HEADROOM_WRITE_TABLES: threads of "
          "a block at most,\n# registers of a thread, static shared memory of a block; blocks and warps that a "
          "multiprocessor "
          "runs at once, of\n# how many warps at most, and what sets that limit (tests/support/sass/occupancy.h).\n"
       << kColumns << '\n';
  for (const auto& [key, line] : table) file << line << '\n';
}

TEST(CudaMachineCode, keeps_to_registers_shared_memory_and_occupancy_as_the_baseline_says) {
  const char* all = std::getenv("HEADROOM_ALL_KERNELS");
  std::set<int> architectures;
  const Table found = found_table(all == nullptr ? HEADROOM_KERNEL_FOLDER : all, architectures);
  EXPECT_GE(architectures.size(), all == nullptr ? 1U : 2U) << "kernels of too few architectures";
  std::string compiler;
  Table table = read_table(compiler);
  if (std::getenv("HEADROOM_WRITE_TABLES") != nullptr) {
    std::erase_if(table, [&](const auto& entry) {
      return compiler != HEADROOM_NVRTC_VERSION || architectures.contains(entry.first.first);
    });
    for (const auto& entry : found) table.insert(entry);
    write_table(table);
    FAIL() << kTable << " was written anew; read it, and run without HEADROOM_WRITE_TABLES";
  }
  ASSERT_FALSE(table.empty()) << kTable;
  EXPECT_EQ(compiler, HEADROOM_NVRTC_VERSION) << kTable << ": renewed for another compiler";
  for (const auto& [key, line] : found) EXPECT_EQ(table[key], line);
  for (const auto& [key, line] : table) {
    EXPECT_TRUE(!architectures.contains(key.first) || found.contains(key)) << "no such kernel any more: " << line;
  }
}

// The gate sees what it is there for: a spill, a stack, also of a kernel that calls a function without them.
TEST(CudaMachineCode, what_the_assembler_says_is_read) {
  const std::string path = testing::TempDir() + "/machine_code.txt";
  std::ofstream(path)
      << "ptxas info    : Compiling entry function 'wrong' for 'sm_75'\n"
         "ptxas info    : Function properties for wrong\n"
         "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
         "ptxas info    : Used 40 registers, used 1 barriers, 8 bytes cumulative stack size, 512 bytes smem\n"
         "ptxas info    : Function properties for what_wrong_calls\n"
         "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
         "ptxas info    : Compiling entry function 'right' for 'sm_90'\n"
         "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
         "ptxas info    : Used 20 registers, used 0 barriers\n";
  MachineCodes codes;
  read_machine_code(path, codes);
  ASSERT_TRUE(codes.contains(75) && codes.at(75).contains("wrong"));
  EXPECT_EQ(codes.at(75).at("wrong").stack, 8);
  EXPECT_EQ(codes.at(75).at("wrong").spilled, 16);
  EXPECT_EQ(codes.at(75).at("wrong").registers, 40);
  EXPECT_EQ(codes.at(75).at("wrong").shared, 512);
  ASSERT_TRUE(codes.contains(90) && codes.at(90).contains("right"));
  EXPECT_EQ(codes.at(90).at("right").stack, 0);
  EXPECT_EQ(codes.at(90).at("right").shared, 0);
}

}  // namespace
}  // namespace headroom::test
