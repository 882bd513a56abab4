// Runs what tests write as PTX.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/ptx/machine.h"

namespace headroom::ptx {

inline constexpr std::size_t kWords = 4096;

class Ptx : public testing::Test {
 protected:
  // Of an entry whose parameter is the address of `memory_`; %tid.x is in %r0 and the thread's word at [%rd1].
  std::string run(const std::string& body, std::uint32_t n_threads = 32, std::uint32_t seed = 1,
                  std::uint32_t n_blocks = 1) {
    const std::string text =
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry test(\n"
        ".param .align 8 .b8 test_param_0[8]\n)\n.maxntid 256, 1, 1\n{\n"
        ".reg .pred %p<8>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<16>;\n.reg .b16 %rs<4>;\n"
        ".shared .align 16 .b8 room[4096];\n"
        "mov.u32 %r0, %tid.x;\nld.param.u64 %rd0, [test_param_0];\n"
        "mul.wide.u32 %rd1, %r0, 4;\nadd.s64 %rd1, %rd0, %rd1;\n" +
        body + "\nret;\n}\n";
    const Result<std::map<std::string, Entry>> parsed = parse(text);
    if (!parsed) return parsed.error().message.text();
    const std::uint32_t* address = memory_.data();
    Launch setup;
    setup.entry = &parsed->at("test");
    setup.grid[0] = n_blocks;
    setup.n_threads = n_threads;
    setup.params = {reinterpret_cast<const std::byte*>(&address), sizeof(address)};
    setup.seed = seed;
    setup.is_allocated = [this](std::uint64_t at, std::size_t bytes) {
      const auto first = reinterpret_cast<std::uint64_t>(memory_.data());
      return at >= first && at + bytes <= first + kWords * 4;
    };
    return ptx::run(setup);
  }

  std::vector<std::uint32_t> memory_ = std::vector<std::uint32_t>(kWords, 77);
};

}  // namespace headroom::ptx
