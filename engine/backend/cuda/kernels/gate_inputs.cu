// A layer's part of the layer inputs, times act(gate): in the place of the gate, or as int8. Blocks: (1, rows).
#include "lib/int8.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = 64;
constexpr u32 kInt8 = 1;  // enum class Encoding

using GateInputsWords = args::KernelArgs<args::GateInputsConstants, args::GateInputsPush>;

}  // namespace

KERNEL(gate_inputs, kThreads, Params<GateInputsWords>) {
  const GateInputsWords& words = p.words;
  const u32 n_cols = words.n_cols, thread = thread_index(), row = block_y();
  const float* from = buffer<const float>(p, 3) + std::uint64_t{row} * words.n_elems + words.first;
  float* gates = buffer<float>(p, 4) + std::uint64_t{row} * n_cols;
  if (words.encoding != kInt8) {
    for (u32 i = thread; i < n_cols; i += kThreads) gates[i] = activated(words.activation, gates[i], from[i]);
    return;
  }
  // Whole groups of 32 elements, of which eight threads have four each.
  u32* to = buffer<u32>(p, 5) + std::uint64_t{row} * (n_cols / 32) * kGroupWords;
  for (u32 base = 0; base < n_cols; base += 4 * kThreads) {
    const u32 i = base + 4 * thread;
    Four elems{};
    for (u32 k = 0; k < 4 && i < n_cols; ++k) elems.of[k] = activated(words.activation, gates[i + k], from[i + k]);
    put_group(to + i / 32 * kGroupWords, elems, i < n_cols);
  }
}

}  // namespace headroom::cuda
