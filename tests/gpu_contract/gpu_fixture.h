// What the tests of all GPU backends share. Which one is tested says the gpu_under_test.h of the program:
//   cpu_and_gpu(is_unified)                     the CPU and the first of its devices
//   kGpuId, kSharesMemory                       of that device; whether it can share the host's memory
//   with_every_arithmetic(weight, check)        calls check(largest relative error) with each way in which products
//                                               with such weights are made; with_some_arithmetics(weight, place, check)
//                                               with those that is_checked() takes
//   lose_gpu_at(n), refuse_gpu_arena(n)         seed the loss of the device, and a refusal that says kRefusal
//   hang_gpu_at(n), end_gpu_hangs(ends)         seed that the device never answers, and that it does after all
//   take_gpu_memory_but(left)                   as another program does until give_gpu_memory_back(); kTellsOthers:
//                                               somebody tells what it has
//   sample_gpu()                                the device's memory now, from any thread
//   kCompilesAtFirstUse                         kernels are compiled when they are first launched
//   kHasHalfAttention                           attention of prompts has kernels of its own for half models
//   UseDevices("0,0")                           the devices that are looked for meanwhile
//   tells_more(n_rows)                          whether this arithmetic has not been seen with so many rows
#pragma once

#include "gpu_under_test.h"

namespace headroom::test {

// A whole model on the device, as on a card with memory of its own.
inline std::unique_ptr<LoadedCpu> load_on_gpu(const std::filesystem::path& path, PlanOptions options) {
  options.devices = {{1}};
  options.n_gpu_layers = static_cast<std::int32_t>(take(read_model_info(take(open_model_file(path)))).n_layers());
  options.n_cpu_ffn = 0;
  return load_on(path, cpu_and_gpu(false), options);
}

inline std::vector<bool> ways_to_have_memory() { return kSharesMemory ? std::vector{false, true} : std::vector{false}; }
inline std::string memory_name_of(const ::testing::TestParamInfo<bool>& each) { return each.param ? "shared" : "own"; }

}  // namespace headroom::test
