// The programs that the build compiles kernels with: what they say of a file that is wrong, and what the build is told
// of what was read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "support/temp_folder.h"

namespace headroom::test {
namespace {

using testing::HasSubstr;

struct Ran {
  int status = 0;
  std::string said;
};

Ran run(const std::string& command) {
  Ran ran;
  FILE* output = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), output) != nullptr) ran.said += part.data();
  ran.status = pclose(output);
  return ran;
}

class CompileKernel : public testing::Test {
 protected:
  std::string folder() const { return folder_.path().string(); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  Ran compile(const std::string& name, const std::string& options = "",
              const std::string& nvrtc = HEADROOM_NVRTC) const {
    return run(HEADROOM_COMPILE_KERNEL " --nvrtc " + nvrtc + " --for sm_90 --to '" + path("made") + "' -I '" +
               folder() + "' " + options + " '" + path(name) + "'");
  }
  void expect_refusal(const std::string& source, const std::string& why) const {
    write("wrong.cu", source);
    const Ran ran = compile("wrong.cu");
    EXPECT_NE(ran.status, 0);
    EXPECT_THAT(ran.said, HasSubstr("compile_kernel: wrong.cu for sm_90: "));
    EXPECT_THAT(ran.said, HasSubstr(why));
    EXPECT_EQ(read("made.cubin"), "") << "the build would take it for compiled";
  }

  const TempFolder folder_;
};

constexpr const char* kKernel = "extern \"C\" __global__ void copy(const float* from, float* to) { *to = *from; }\n";

TEST_F(CompileKernel, writes_machine_code_ptx_and_what_the_assembler_says) {
  write("right.cu", kKernel);
  const Ran ran = compile("right.cu");
  EXPECT_EQ(ran.status, 0) << ran.said;
  EXPECT_EQ(ran.said, "");
  EXPECT_EQ(read("made.cubin").substr(0, 4), "\177ELF");
  EXPECT_THAT(read("made.ptx"), HasSubstr(".entry copy("));
  EXPECT_THAT(read("made.txt"), HasSubstr("Compiling entry function 'copy' for 'sm_90'"));
}

TEST_F(CompileKernel, names_the_file_the_card_and_what_is_wrong) {
  expect_refusal("extern \"C\" __global__ void copy(float* to) { *to = 1 }\n", "wrong.cu(1): error: expected a \";\"");
  expect_refusal("#include \"nowhere.cuh\"\n", "cannot open source file \"nowhere.cuh\"");
  write("right.cu", kKernel);
  EXPECT_THAT(
      compile("right.cu", "--for sm_12").said,
      HasSubstr("right.cu for sm_12: expected code without a warning, NVRTC says:\nnvrtc: error: invalid value"));
  EXPECT_THAT(compile("right.cu", "", "nowhere").said, HasSubstr("nowhere/libnvrtc.so.12 cannot be opened"));
  EXPECT_THAT(compile("none.cu").said, HasSubstr("none.cu cannot be read"));
}

TEST_F(CompileKernel, a_warning_is_an_error_and_so_is_a_register_that_is_spilled) {
  expect_refusal("extern \"C\" __global__ void copy(float* to) { int unused; *to = 1; }\n",
                 "\"unused\" was declared but never referenced");
  expect_refusal(
      "extern \"C\" __global__ void __launch_bounds__(1024, 1) copy(volatile float* to) {\n"
      "  float all[100];\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 100; ++i) all[i] = to[i];\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 100; ++i) to[i] = all[99 - i];\n"
      "}\n",
      "Registers are spilled");
}

TEST_F(CompileKernel, tells_the_build_all_headers_that_were_read) {
  write("outer.cuh",
        "#pragma once\n#include <inner>\n#include \"outer.cuh\"\n#ifdef NOBODY\n#include \"of_host.h\"\n#endif\n");
  write("inner", "constexpr float kOne = 1;\n");
  write("with.cu",
        std::string("  #  include \"outer.cuh\"\n") + kKernel + "__device__ float used() { return kOne; }\n");
  const Ran ran = compile("with.cu");
  EXPECT_EQ(ran.status, 0) << ran.said;
  EXPECT_EQ(read("made.d"), path("made.cubin") + ": " + path("with.cu") + " \\\n  " + path("inner") + " \\\n  " +
                                path("outer.cuh") + "\n");
}

TEST_F(CompileKernel, what_is_packed_is_known_by_its_name) {
  const Ran ran = run(HEADROOM_PACK_KERNEL " " HEADROOM_NVRTC " '" + path("image") + "' '" + path("norm.cubin") + "'");
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.said, HasSubstr("norm.cubin: expected a name as norm.sm_90.cubin"));
  write("norm.sm_75.cubin", "no machine code");
  EXPECT_THAT(
      run(HEADROOM_PACK_KERNEL " " HEADROOM_NVRTC " '" + path("image") + "' '" + path("norm.sm_75.cubin") + "'").said,
      HasSubstr("image: nvFatbinAddCubin: "));
}

}  // namespace
}  // namespace headroom::test
