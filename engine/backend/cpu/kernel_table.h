// The kernels of one instruction set, as a table of functions. kernels/*.inl are compiled once for each set. This
// header has plain data only: the linker keeps one copy of an inline function for the whole program, and that copy
// could be the one with AVX-512 instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu_features.h"
#include "format/dtype.h"
#include "model/activation.h"

namespace headroom {

inline constexpr std::uint32_t kTileCols = 8;  // activation columns (tokens or query heads) that a kernel takes at once
inline constexpr std::uint32_t kDirectCols =
    4;  // up to this many columns the kernels read packed panels; beyond, slabs are unpacked first
inline constexpr std::uint32_t kPairPanels = 2;  // panels that are multiplied side by side when they are unpacked
inline constexpr std::uint32_t kKeyChunk = 128;  // keys between two updates of the running softmax
inline constexpr float kNoScore =
    -1e30F;  // below any real score: what a hidden key has, and where a running maximum starts
inline constexpr float kLargestLogit = 0x1.fffffep127F;  // what infinite logits count as
inline constexpr std::uint32_t kLogitBlock = 64;         // of which block_maxima gives the largest
inline constexpr std::uint32_t kTilePanels = 2;          // panels of 16 queries that are attended for at once
inline constexpr std::uint32_t kSlabCols = 256;          // columns of a panel that are unpacked at a time
// A slab: (kSlabCols / 4, 16) dwords of unsigned bytes with an offset of 128, then (kSlabCols / 32, 16) f32 scales, or
// (16) where one suffices.
inline constexpr std::uint32_t kWordSlabCols = 128;  // of one with 16 bits per element
inline constexpr std::size_t kSlabBytes = kSlabCols * 16 + kSlabCols / 32 * 64;

// Activations of a row that are many times larger than the rest of their slab: they are multiplied apart, in f32, and
// what has the slab's one scale has zeros instead. With a step for all of them too little would be left of the others:
// of 255 numbers within 3 beside one of 100, in steps of 100 / 127, only four sizes. Trained models have such
// activations, in the same few channels of every row.
inline constexpr std::uint32_t kMostOutliers = 4;
struct SlabOutliers {
  float values[kMostOutliers];
  std::uint8_t columns[kMostOutliers];  // of the slab, ascending
};

// Where a packed panel keeps the fifth bits of Q5_0 and Q5_1, one for each of 32 elements, in a word: that of element
// 4 j + k is bit spread_bit(j) of byte k. A kernel has elements 4 j to 4 j + 3 in the four bytes of a register's lane,
// so that one shift and one mask give it their bits: of elements 12 to 15 those are bit 5 of each byte. To spread a
// word twice changes nothing: of the five bits of an index 4 and 1 change places, and 3 and 0. consteval: see above.
consteval int spread_bit(int j) { return j % 2 * 4 + j / 4 * 2 + j / 2 % 2; }

// Up to kTileCols activation columns of n_cols elements, interleaved as the kernels read them; `width` columns:
struct ActTile {
  const float* f32 = nullptr;                        // (n_cols, width): for float weights
  const std::int8_t* quants = nullptr;               // (n_cols / 32, width, 32): for the rest, element = scale * quant
  const float* scales = nullptr;                     // (n_cols / 32, width)
  const std::int32_t* offset_corrections = nullptr;  // (n_cols / 32, width): -128 * sum of 32 quants
  const std::int32_t* offset_corrections16 = nullptr;  // (n_cols / 32, width, 2): -128 * sums of 16 quants
  const std::int8_t* sums = nullptr;  // (n_cols / 256, width, 2, 8): sums of 32 quants as 64 * first + second
  const std::int32_t* slab_offset_corrections = nullptr;  // (n_cols / 256, width): -128 * sum of 256 quants
  const SlabOutliers* outliers = nullptr;                 // (n_cols / 256, width): of rows for slabs
  const std::uint8_t* outlier_counts = nullptr;           // (n_cols / 256, width): how many of them there are
  std::size_t row_stride =
      0;  // bytes that a row of int8 has: from row to row where a set keeps the rows for slabs whole (AMX)
  const std::int16_t* words =
      nullptr;  // (n_cols / 64, width, 64): for F16 and BF16 weights and many columns, element = scale * word
  const float* word_scales = nullptr;  // (n_cols / 64, width)
  std::uint32_t width = 0;
  bool reads_ahead = false;  // needs_read_ahead(): weights are prefetched
};

// Sixteen rows times the columns of a tile. out: column c at out + c * out_stride, 16 floats.
using DotFn = void (*)(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out,
                       std::uint32_t out_stride);
// Which columns of a slab are wanted: of column c bit c % 32 of of_32[c / 32].
struct WantedColumns {
  std::uint32_t of_32[kSlabCols / 32] = {};
};
// The exact weights of the wanted columns of a slab of a packed panel: of column c of the slab 16, at out + c * stride.
// Columns are wanted only where the panel has them.
using ColumnsFn = void (*)(const std::byte* panel, std::uint32_t slab, const WantedColumns& wanted, float* out,
                           std::uint32_t stride);
// Columns [slab * kSlabCols, n_cols) of a packed panel, at most kSlabCols of them (kWordSlabCols of F16 and BF16) -> a
// slab.
using UnpackFn = void (*)(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to);
// Slabs times the same columns of tiles whose activations have one scale per 256, and outliers apart: added to the
// sums, or written as the first.
struct SlabJob {
  const std::byte* slabs = nullptr;  // (n_panels, kSlabBytes)
  std::uint32_t n_panels = 0, n_cols = 0, slab = 0;
  std::uint32_t first_slab = 0;  // where the sums start; 0 if elements are words
  const ActTile* tiles = nullptr;
  std::uint32_t n_tiles = 0;
  float* out = nullptr;  // (n_tiles, kPairPanels, kTileCols, 16)
  // What outliers are multiplied with: packed panels. Slabs are rounded, which a large activation would show.
  const std::byte* panels = nullptr;
  std::size_t panel_stride = 0;
  ColumnsFn columns = nullptr;  // null: there are no outliers, as of words
  // A bit for each tile that may have outliers in this slab, all of them at first. A kernel clears the bits of tiles
  // that have none, so that the job of the next panels looks at the others alone. Null: every job looks at all tiles.
  std::uint64_t* outlier_tiles = nullptr;
  // Packed bytes of each panel that are prefetched while a tile is multiplied: the next slab.
  const std::byte* ahead = nullptr;
  std::size_t ahead_bytes = 0;  // per tile, a multiple of 64
};
using DotSlabsFn = void (*)(const SlabJob& job);
// acc = acc * factor + weights . V: adds the values of n_keys keys to the results of each query. acc: (n_queries,
// acc_stride); weights: (n_queries, weight_stride); groups: of 16 keys each.
struct ValueJob {
  const std::byte* groups = nullptr;
  std::uint32_t n_keys = 0, head_dim = 0, n_queries = 0;
  const float* weights = nullptr;
  std::uint32_t weight_stride = 0;
  const float* factors = nullptr;  // (n_queries)
  const float* shifts = nullptr;   // (16) of the keys of a group, in steps of their codes: Q4_0 only
  float* acc = nullptr;
  std::uint32_t acc_stride = 0;  // head_dim rounded up to 32
};
using ValueFn = void (*)(const ValueJob& job);
// Attention of many queries, in 16-bit words and with a lane per query. A query of head_dim elements -> its lane of a
// panel of (head_dim / 2, 16) dwords of two elements, and of 16 scales, times `factor`.
using QueryWordsFn = void (*)(const float* query, std::uint32_t head_dim, float factor, std::uint32_t lane,
                              std::byte* words, float* scales);
// A panel of 16 keys -> (head_dim / 2, 16) dwords of two elements, and 16 scales.
using KeyWordsFn = void (*)(const std::byte* panel, std::uint32_t head_dim, std::byte* words, float* scales);
// Groups of the first n_keys keys, at most kKeyChunk -> (n_keys rounded up to 16, / 2; head_dim rounded up to 32)
// dwords of two keys, and a scale per element of the head; shifts: as ValueJob.
using ValueWordsFn = void (*)(const std::byte* groups, std::uint32_t n_keys, std::uint32_t head_dim,
                              const float* shifts, std::byte* words, float* scales);
// One chunk of keys and values for panels of 16 queries.
struct TileJob {
  std::uint32_t n_panels = 0;              // at most kTilePanels
  std::uint32_t head_dim = 0, n_keys = 0;  // n_keys is a multiple of 16
  const std::byte *queries = nullptr, *keys = nullptr, *values = nullptr;
  const float *query_scales = nullptr, *key_scales = nullptr, *value_scales = nullptr;
  float softcap = 0.0F;                           // of scores in powers of two; 0: none
  bool all_seen = false;                          // by all queries; else a query sees keys [first, last) of the chunk:
  const float *first = nullptr, *last = nullptr;  // (n_panels, 16)
  float* scores = nullptr;                        // (kTilePanels, kKeyChunk, 16), scratch
  float* acc = nullptr;                           // (n_panels, head_dim rounded up to 32, 16) results, running
  float *maxima = nullptr, *sums = nullptr;       // (n_panels, 16), running; maxima in powers of two
};
// Turns the results of a panel of queries, which stand in lanes, into rows.
struct ResultJob {
  float* acc = nullptr;             // (head_dim, 16), of the TileJob; what it holds is lost
  const float* sums = nullptr;      // (16)
  const float* rotation = nullptr;  // (head_dim) factors that values were rotated with, or null
  std::uint32_t head_dim = 0, n_queries = 0;
  float* const* outputs = nullptr;  // (n_queries) rows of head_dim
};
// Scores of keys [first, last) of each query become exp(score - running maximum), the others 0.
struct SoftmaxJob {
  float* scores = nullptr;  // (n_queries, stride), n_keys of each used; n_keys is a multiple of 16
  std::uint32_t n_queries = 0, n_keys = 0, stride = 0;
  const std::int32_t* first = nullptr;  // (n_queries)
  const std::int32_t* last = nullptr;
  float* maxima = nullptr;   // running, in and out
  float* sums = nullptr;     // running, in and out
  float* factors = nullptr;  // out: what earlier results are to be multiplied with
};

// Where the products of a panel with the columns of a tile are written.
struct ProductPlace {
  float* out = nullptr;    // of the first row of the panel and the first column
  std::size_t stride = 0;  // from column to column
  std::uint32_t n_cols = 0, n_rows = 0;
};

// Some channels of a convolution over rows that follow each other in a slot, in place. Of a delta net each row becomes
// silu(sum of tap * row). Of a short convolution each is multiplied by its factor first, and becomes gate * sum.
struct ConvJob {
  float* rows = nullptr;                             // (n_rows, stride)
  const float *factors = nullptr, *gates = nullptr;  // likewise; null: of a delta net
  std::size_t stride = 0;                            // of taps and states too
  std::uint32_t n_rows = 0, n_channels = 0, width = 0;
  const float* taps = nullptr;  // (width, stride)
  float* state = nullptr;       // (width - 1, stride): what went in before the first row, and then the newest of it
  bool is_new = false;          // nothing went in before: what the state holds counts for nothing
};
// A value head of a delta net over rows that follow each other in a slot: see OpKind::kDeltaRule.
struct DeltaJob {
  const float *queries = nullptr, *keys = nullptr, *values = nullptr;  // (n_rows, stride) each
  std::size_t stride = 0;
  const float *decays = nullptr, *betas = nullptr;  // (n_rows, rate_stride); of the decay the logarithm, at most 0
  std::size_t rate_stride = 0;
  // Panels of 16 columns, (key_dim, 16) each; the last has as many columns as are left.
  float* state = nullptr;
  float* read = nullptr;  // (n_rows, read_stride)
  std::size_t read_stride = 0;
  std::uint32_t n_rows = 0, key_dim = 0, value_dim = 0;
  bool is_new = false;  // as in ConvJob
};

// Up to 16 blocks, a lane each. Scales to try are the extreme element over each divisor; codes stand for nibble - 8 +
// shift.
struct Q4Blocks {
  std::uint32_t n_blocks = 0;
  const float* elems[16] = {};
  std::uint32_t n_elems[16] = {};  // 32 or, at the end of a row, less: what is missing is zero
  float shifts[16] = {};
  const float* divisors = nullptr;
  std::uint32_t n_divisors = 0;
};

struct KernelTable {  // made by make_kernel_table
  Isa isa;
  DotFn dot[kNDTypes];          // by DType; null: no kernel
  ColumnsFn columns[kNDTypes];  // null: the type has no int8 activations
  UnpackFn unpack[kNDTypes];    // null: the packed form is read for any width
  DotSlabsFn dot_slabs[kNDTypes];
  ValueFn values[kNDTypes];
  QueryWordsFn query_words;
  KeyWordsFn key_words[kNDTypes];  // null: no words, as of F32
  ValueWordsFn value_words[kNDTypes];
  void (*attend_tile)(const TileJob& job);
  void (*take_results)(const ResultJob& job);
  void (*softmax)(const SoftmaxJob& job);
  // Each of n numbers, a multiple of 16, becomes cap * tanh(itself / cap).
  void (*softcap)(float* numbers, std::uint32_t n, float cap);
  // The largest logit of each kLogitBlock of n, as finite_logit() has it.
  void (*block_maxima)(const float* logits, std::uint32_t n, float* maxima);
  // Of exp(logit - most) over n logits, none of which is above `most`; at most 1,024, for the error's sake.
  float (*sum_exps)(const float* logits, std::uint32_t n, float most);
  // Of one head in place, any head_dim; factors: (head_dim) rotation_factor().
  void (*rotate)(float* head, std::uint32_t head_dim, const float* factors);
  void (*unrotate)(float* head, std::uint32_t head_dim, const float* factors);
  // A head -> its row in the cache; null: encode_kv_row().
  void (*encode[kNDTypes])(const float* row, std::uint32_t n_elems, std::byte* out);
  // quants: (4, 16) dwords of nibbles as in a Q4_0 block; scales: (16), each the best in least squares.
  void (*quantize_q4)(const Q4Blocks& blocks, std::uint32_t* quants, float* scales);
  // out = in * weight / sqrt(mean(in^2) + epsilon), n elements
  void (*norm)(const float* in, const float* weight, std::uint32_t n, float epsilon, float* out);
  // Writes column `column` of a tile (the pointers of which are ours to write): n elements, one scale per `group` (32
  // or 256) of them; the last group may be shorter.
  void (*quantize)(const float* in, std::uint32_t n, std::uint32_t group, std::uint32_t column, const ActTile& tile);
  // Likewise what slabs are multiplied with: outliers, and of the rest quants, offset_corrections,
  // slab_offset_corrections, and of the scales the first of each 256; n is a multiple of 32.
  void (*quantize_slabs)(const float* in, std::uint32_t n, std::uint32_t column, const ActTile& tile);
  // The same as 16-bit words; n is a multiple of 64.
  void (*quantize_words)(const float* in, std::uint32_t n, std::uint32_t column, const ActTile& tile);
  // Rotates the pairs of the first n elements of a head, which are neighbours or stand n / 2 apart: each becomes itself
  // times its cosine plus the other times its sine, (n) both, where sines of the first of a pair are negative.
  void (*turn_neighbours)(float* head, const float* cosines, const float* sines, std::uint32_t n);
  void (*turn_halves)(float* head, const float* cosines, const float* sines, std::uint32_t n);
  // Products of a panel, (n_cols, 16) as dot kernels leave them, into their rows; or added to them, with bias (n_rows)
  // unless it is null.
  void (*put_products)(const float* products, const ProductPlace& to);
  void (*add_products)(const float* products, const float* bias, const ProductPlace& to);
  // Likewise activation(gates) * ups.
  void (*silu_mul)(const float* gates, const float* ups, const ProductPlace& to);
  void (*gelu_mul)(const float* gates, const float* ups, const ProductPlace& to);     // tanh form
  void (*clamped_mul)(const float* gates, const float* ups, const ProductPlace& to);  // Activation::kClamped
  // head = head * length / sqrt(sum of head^2 + epsilon), n elements
  void (*l2_norm)(float* head, std::uint32_t n, float epsilon, float length);
  // out = values * sigmoid(gates), n of each; or values * silu(gates).
  void (*gate_sigmoid)(const float* values, const float* gates, std::uint32_t n, float* out);
  void (*gate_silu)(const float* values, const float* gates, std::uint32_t n, float* out);
  void (*convolve)(const ConvJob& job);
  void (*delta_rule)(const DeltaJob& job);
  // Rounds of int8 dot products on registers only, for the peak: returns their sum, kPeakSumPerRound each, as long as a
  // set's sums hold it. Rounds are multiples of 3.
  float (*int8_peak)(std::uint64_t n_rounds);
  // Likewise rounds of kTilePeakOpsPerRound and kTilePeakSumPerRound in tile registers; null: the set has none.
  float (*tile_peak)(std::uint64_t n_rounds);
  // Reads n_units of kReadUnitBytes: returns the sum of their 32-bit numbers, modulo 2^32 before they are added to
  // floats.
  float (*read)(const std::byte* from, std::uint64_t n_units);
};

// int8 multiply and add operations of one round of int8_peak, and of tile_peak.
inline constexpr std::uint64_t kPeakOpsPerRound = 16ULL * 64 * 2;
inline constexpr std::uint64_t kTilePeakOpsPerRound = 4ULL * 16 * 16 * 64 * 2;
inline constexpr std::uint64_t kReadUnitBytes = 512;
inline constexpr float kPeakSumPerRound = 16 * 16 * 20.0F, kTilePeakSumPerRound = 4 * 64.0F;

// The kernels of an instruction set that this machine can run.
KernelTable make_kernel_table(Isa isa);

namespace isa_scalar {
void fill_table(KernelTable& table);
}
namespace isa_avx2 {
void fill_table(KernelTable& table);
}
namespace isa_avxvnni {
void fill_table(KernelTable& table);
}
namespace isa_avx512 {
void fill_table(KernelTable& table);
void fill_tiles(KernelTable& table);  // what AMX does instead
}  // namespace isa_avx512
namespace isa_avx512vbmi {
void fill_grids(KernelTable& table, LabelLookUp look_up);  // what permutations of bytes do instead
}  // namespace isa_avx512vbmi
namespace isa_neon {
void fill_table(KernelTable& table);
}

}  // namespace headroom
