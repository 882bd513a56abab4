// Rows of the embedding become the residual, scaled. Blocks: (d_model / 128, rows).
#include "backend/cuda/kernel_limits.h"
#include "lib/panels.cuh"

namespace headroom::cuda {
namespace {

using EmbedWords = args::KernelArgs<args::EmbedConstants, args::EmbedPush>;

}  // namespace

KERNEL(embed, kEmbedThreads, Params<EmbedWords>) {
  const EmbedWords& words = p.words;
  const u32 row = block_y(), token = step_row(inputs_of(p), words.rows_at, row).token;
  const u32 col = (block_x() * kEmbedThreads + thread_index()) * kEmbedElems;
  if (token < words.first || token >= words.last || col >= words.n_cols) return;
  const u32 panel = (token - words.first) / kPanelRows, lane = (token - words.first) % kPanelRows;
  Four elems{};
  with_type(words.type, [&]<u32 kType>() {
    const PanelRow from = panel_row(kType, buffer<const uint4>(p, 1), panel, lane, words.n_groups);
    elems = row_elems<kType>(from, col / kGroup, col % kGroup / 4);
  });
  float* to = buffer<float>(p, 4) + std::uint64_t{row} * words.n_cols + col;
  for (u32 i = 0; i < 4 && col + i < words.n_cols; ++i) to[i] = words.scale * elems.of[i];
}

}  // namespace headroom::cuda
