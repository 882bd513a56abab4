// What the assembler says of each kernel, against a committed baseline: registers, stack, shared memory. A change is a
// line of tests/cuda/machine_code.json with a reason in the commit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "backend/cuda/cuda_kernels.h"

namespace headroom {
namespace {

// Of the card that kernels are compiled for outside the release preset.
constexpr const char* kArchitecture = "sm_90";
// Every card that we compile for has this much shared memory for a block. That its registers suffice for a kernel's
// threads is nvcc's to see to: it is told how many there are, and spills are errors.
constexpr int kSharedBytes = 48 * 1024;

struct MachineCode {
  int registers = 0, stack = -1, spilled = -1, shared = 0;
};

// By entry, of the text that nvcc wrote for a file.
std::map<std::string, MachineCode> read_machine_code(const std::string& file) {
  static const std::regex kEntry(R"(Compiling entry function '(\w+)' for '(\w+)')"),
      kStack(R"((\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads)"),
      kUsed(R"(Used (\d+) registers)"), kShared(R"((\d+) bytes smem)");
  std::map<std::string, MachineCode> found;
  std::ifstream text(std::string(HEADROOM_KERNEL_FOLDER) + "/" + file + ".txt");
  std::string line, entry;
  for (std::smatch match; std::getline(text, line);) {
    if (std::regex_search(line, match, kEntry)) entry = match[2] == kArchitecture ? match[1].str() : "";
    if (entry.empty()) continue;
    MachineCode& code = found[entry];
    if (std::regex_search(line, match, kStack)) {
      code.stack = std::stoi(match[1]);
      code.spilled = std::stoi(match[2]) + std::stoi(match[3]);
    }
    if (!std::regex_search(line, match, kUsed)) continue;
    code.registers = std::stoi(match[1]);
    if (std::regex_search(line, match, kShared)) code.shared = std::stoi(match[1]);
  }
  return found;
}

TEST(CudaMachineCode, keeps_to_registers_and_shared_memory_as_the_baseline_says) {
  std::ifstream file(HEADROOM_SOURCE_DIR "/tests/cuda/machine_code.json");
  const nlohmann::json baseline = nlohmann::json::parse(file);
  // Another compiler counts otherwise: of it no more is asked than what holds for each.
  const bool is_same_compiler = baseline["nvcc"] == HEADROOM_NVCC_RELEASE;
  nlohmann::json found = {{"nvcc", HEADROOM_NVCC_RELEASE}, {"architecture", kArchitecture}};
  for (const CudaKernelFile& kernels : cuda_kernel_files()) {
    const std::map<std::string, MachineCode> codes = read_machine_code(std::string(kernels.name));
    for (const std::string_view name : kernels.entries) {
      const std::string entry(name);
      ASSERT_TRUE(codes.contains(entry)) << entry << " was not compiled for " << kArchitecture;
      const MachineCode& code = codes.at(entry);
      found["kernels"][entry] = {{"registers", code.registers}, {"shared_bytes", code.shared}};
      EXPECT_EQ(code.stack, 0) << entry;
      EXPECT_EQ(code.spilled, 0) << entry;
      EXPECT_GT(code.registers, 0) << entry;
      EXPECT_LE(code.shared, kSharedBytes) << entry;
      if (!is_same_compiler) continue;
      EXPECT_EQ(baseline["kernels"].value(entry, nlohmann::json()), found["kernels"][entry]) << entry;
    }
  }
  EXPECT_EQ(baseline["architecture"], kArchitecture);
  if (HasFailure()) fmt::print("{}\n", found.dump(1));
}

}  // namespace
}  // namespace headroom
