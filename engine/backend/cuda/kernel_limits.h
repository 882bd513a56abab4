// Sizes by which kernels of CUDA are compiled and by which the host launches them: included on both sides.
#pragma once

#include <cstdint>

namespace headroom::cuda {

inline constexpr std::uint32_t kEmbedThreads = 32;  // of a block of embed.cu, each of which has kEmbedElems columns
inline constexpr std::uint32_t kEmbedElems = 4;
inline constexpr std::uint32_t kEncodeThreads =
    128;  // of encode.cu: kEncodeTeam of them have a group of 32 activations
inline constexpr std::uint32_t kEncodeTeam = 8;
inline constexpr std::uint32_t kMostExperts = 1024;  // that are grouped, or ranked at once
inline constexpr std::uint32_t kRouteThreads = 256;
inline constexpr std::uint32_t kAddThreads = 128;  // of add_experts.cu, each of which has a column

inline constexpr std::uint32_t kDeltaThreads = 256;  // of delta_rule.cu: a warp has 32 columns of a state
inline constexpr std::uint32_t kDeltaTile = 128;     // elements of keys that it has at once
inline constexpr std::uint32_t kDeltaChunk = 8;      // rows for which a state is read and written once
inline constexpr std::uint32_t kDeltaPairWords = 2 * kDeltaChunk * (kDeltaChunk + 1);  // DeltaPairs of lib/delta.cuh
inline constexpr std::uint32_t kDeltaPairThreads = 128;  // of delta_pairs.cu: each has two rows of a chunk

// matvec_split.cu: blocks that share out the 32 rows of a panel. Four rows of a unit are 64 bytes, two sectors of
// memory.
inline constexpr std::uint32_t kMostPanelBlocks = 8;

// attend.cu
inline constexpr std::uint32_t kAttendThreads = 128;     // of a block
inline constexpr std::uint32_t kAttendTeam = 8;          // of them share out the scores of one query
inline constexpr std::uint32_t kAttendQueries = 16;      // of a block at most
inline constexpr std::uint32_t kAttendRoomWords = 4096;  // of shared memory: what queries, and what keys, take at most

// attend_tiles.cu, attend_long_tiles.cu: elements of the longest heads that they have a kernel for; queries of
// a block.
inline constexpr std::uint32_t kAttendTileDim = 512;
constexpr std::uint32_t attend_tile_queries(std::uint32_t head_dim) {
  return head_dim <= 128 ? 128 : head_dim <= 256 ? 64 : 32;
}

// attend_rows.cu: queries of a block, and elements of the longest heads that it has a kernel for.
inline constexpr std::uint32_t kAttendRowQueries = 16, kAttendRowDim = 256;

// attend_merge.cu: splits of a row at most.
inline constexpr std::uint32_t kMostAttendSplits = 512;

// copy_inputs.cu: threads of a block, and what it is given instead of buffers: words of 32 bits by their addresses.
inline constexpr std::uint32_t kCopyInputsThreads = 256, kMostInputCopies = 8;
struct CopyInputsParams {
  std::uint64_t from[kMostInputCopies], to[kMostInputCopies];
  std::uint32_t n_words[kMostInputCopies];
};

}  // namespace headroom::cuda
