// Heads times a gate of the same size: those of a delta net are normed, and multiplied by SiLU of the gate; those of
// attention by its sigmoid. In place, or as int8. Blocks: (heads, rows).
#include "lib/int8.cuh"
#include "lib/reduce.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = 64;
constexpr u32 kInt8 = 1;  // enum class Encoding

using GateHeadsWords = args::KernelArgs<args::GateHeadsConstants, args::GateHeadsPush>;
using GateHeadsParams = Params<GateHeadsWords>;

DEVICE float gated(const GateHeadsParams& p, const float* head, const float* gates, float factor, u32 i) {
  if (p.words.is_normed == 0) return head[i] / (1 + exp_of(-gates[i]));
  return head[i] * factor * buffer<const float>(p, 1)[i] * silu(gates[i]);
}

}  // namespace

KERNEL(gate_heads, kThreads, GateHeadsParams) {
  SHARED(float, room, kThreads / kWarp);
  const GateHeadsWords& words = p.words;
  const u32 head_dim = words.head_dim, thread = thread_index();
  const std::uint64_t first = (std::uint64_t{block_y()} * words.n_heads + block_x()) * head_dim;
  float* head = buffer<float>(p, 4) + first;
  const float* gates = buffer<const float>(p, 3) + first;
  float factor = 1;
  if (words.is_normed != 0) {
    float squares = 0;
    for (u32 i = thread; i < head_dim; i += kThreads) squares += head[i] * head[i];
    factor = 1 / sqrtf(block_sum<kThreads>(room, squares) / static_cast<float>(head_dim) + words.epsilon);
  }
  if (words.encoding != kInt8) {
    for (u32 i = thread; i < head_dim; i += kThreads) head[i] = gated(p, head, gates, factor, i);
    return;
  }
  // Whole groups of 32 elements, of which eight threads have four each.
  u32* to = buffer<u32>(p, 5) + first / 32 * kGroupWords;
  for (u32 base = 0; base < head_dim; base += 4 * kThreads) {
    const u32 i = base + 4 * thread;
    Four elems{};
    for (u32 k = 0; k < 4 && i < head_dim; ++k) elems.of[k] = gated(p, head, gates, factor, i + k);
    put_group(to + i / 32 * kGroupWords, elems, i < head_dim);
  }
}

}  // namespace headroom::cuda
