// Products of a matrix with one row, or with up to eight, and what is done with them; also those of experts. A block
// has a panel, each of its warps a part of the columns. Blocks: (panels of all matrices that are read together, 1); of
// experts (panels, choices of all rows) up, (panels, rows) down.
#include "lib/grouped.cuh"
#include "lib/int8.cuh"
#include "lib/products.cuh"
#include "lib/reduce.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kMostThreads = 512;

using MatvecArgs = args::KernelArgs<args::MatvecConstants, args::MatvecPush>;
using MatvecParams = Params<MatvecArgs>;

// The rows that a panel is multiplied with, and the blocks of columns that this warp has: part, part + n_parts, ...
struct Share {
  u32 part, n_parts, first_row, n_rows;
};

// Adds the thread's row of the panel . activations[first_row + i] to sums[i].
template <u32 kType, u32 kRows>
DEVICE void add_int8_products(const PanelRow& row, const uint4* encoded, u32 n_groups, const Share& share,
                              float (&sums)[kRows]) {
  // All codes of a block are asked for before the first of them is used: what is under way is what a card is fed by.
  constexpr u32 kAhead = kRows == 1 ? kBlockGroups : 2;
  for (u32 block = share.part; block * kBlockGroups < n_groups; block += share.n_parts) {
    const Block scales = read_block<kType>(row, block);
    const u32 end = smaller(n_groups, (block + 1) * kBlockGroups);
    for (u32 first = block * kBlockGroups; first < end; first += kAhead) {
      Codes ahead[kAhead];
#pragma unroll
      for (u32 i = 0; i < kAhead; ++i) ahead[i] = read_codes<kType>(row, smaller(first + i, end - 1));
#pragma unroll
      for (u32 k = 0; k < kAhead; ++k) {
        const u32 group = first + k;
        if (group >= end) break;
        const Factors factors = group_factors<kType>(scales, group % kBlockGroups);
        u32 codes[8];
#pragma unroll
        for (u32 w = 0; w < 8; ++w) codes[w] = code_word<kType>(ahead[k], w);
#pragma unroll
        for (u32 i = 0; i < kRows; ++i) {
          if (i >= share.n_rows) break;
          const uint4* with = encoded + (std::uint64_t{share.first_row + i} * n_groups + group) * 3;
          sums[i] += group_product<kType>(codes, factors, encoded_group(with));
        }
      }
    }
  }
}

// Four activations; 0 behind the end of the row.
DEVICE Four activations(const float* values, u32 n_cols, bool has_tail, u32 row, u32 col) {
  const float* at = values + std::uint64_t{row} * n_cols + col;
  Four found;
  if (!has_tail) {
    const float4 quad = *reinterpret_cast<const float4*>(at);
    return {quad.x, quad.y, quad.z, quad.w};
  }
#pragma unroll
  for (u32 i = 0; i < 4; ++i) found.of[i] = col + i < n_cols ? at[i] : 0;
  return found;
}

template <u32 kType, u32 kRows>
DEVICE void add_f32_products(const PanelRow& row, const float* values, const MatvecArgs& words, const Share& share,
                             float (&sums)[kRows]) {
  for (u32 block = share.part; block * kBlockGroups < words.n_groups; block += share.n_parts) {
    const Block scales = read_block<kType>(row, block);
    const u32 end = smaller(words.n_groups, (block + 1) * kBlockGroups);
    for (u32 group = block * kBlockGroups; group < end; ++group) {
      const Factors factors = group_factors<kType>(scales, group % kBlockGroups);
      Codes codes{};
      if constexpr (is_block_format(kType)) codes = read_codes<kType>(row, group);
#pragma unroll
      for (u32 w = 0; w < 8; ++w) {
        Four elems;
        if constexpr (is_block_format(kType)) {
          const u32 word = code_word<kType>(codes, w);
#pragma unroll
          for (u32 i = 0; i < 4; ++i)
            elems.of[i] =
                (w < 4 ? factors.low : factors.high) * (kType == kQ8_0 ? signed_byte(word, i) : plain_byte(word, i)) +
                (w < 4 ? factors.low_added : factors.high_added);
        } else {
          elems = plain_elems<kType>(row, group, w);
        }
#pragma unroll
        for (u32 i = 0; i < kRows; ++i) {
          if (i < share.n_rows)
            sums[i] += dot(elems, activations(values, words.n_cols, words.product.has_tail != 0, share.first_row + i,
                                              group * kGroup + 4 * w));
        }
      }
    }
  }
}

template <u32 kRows, bool kIsInt8>
DEVICE void add_products(const MatvecParams& p, u32 of_matrix, u32 panel, const Share& share, float (&sums)[kRows]) {
  const MatvecArgs& words = p.words;
  const uint4* matrix = buffer<const uint4>(p, 1 + of_matrix);
  const u32 type = of_matrix == 0 ? words.product.type : words.product.second_type;
  if constexpr (kIsInt8) {
    with_block_type(type, [&]<u32 kType>() {
      add_int8_products<kType>(panel_row(kType, matrix, panel, lane_index(), words.n_groups), buffer<const uint4>(p, 3),
                               words.n_groups, share, sums);
    });
  } else {
    with_type(type, [&]<u32 kType>() {
      add_f32_products<kType>(panel_row(kType, matrix, panel, lane_index(), words.n_groups), buffer<const float>(p, 3),
                              words, share, sums);
    });
  }
}

// What each warp reads first of its panel.
DEVICE void prefetch_weights(const BatchedLaunch<MatvecArgs>& all) {
  const u32 member = member_at(all, block_x());
  const MatvecParams& p = all.members[member].params;
  const MatvecArgs& words = p.words;
  if (words.experts != 0) return;  // whose are not chosen yet
  const u32 part = warp_index(), n_matrices = words.product.epilogue == kGate ? 2 : 1, of_matrix = part % n_matrices;
  const u32 type = of_matrix == 0 ? words.product.type : words.product.second_type;
  const u32 block = part / n_matrices, units = group_units(type), first = block * kBlockGroups;
  const PanelRow row = panel_row(type, buffer<const uint4>(p, 1 + of_matrix), block_x() - all.firsts[member],
                                 lane_index(), words.n_groups);
  const u32 end = smaller(words.n_groups, first + kBlockGroups) * units;
  if (is_block_format(type) && first < words.n_groups) prefetch_l2(row.headers + block * kPanelRows);
  for (u32 unit = first * units; unit < end; ++unit) prefetch_l2(row.codes + unit * kPanelRows);
}

template <u32 kRows, bool kIsInt8>
DEVICE void matvec(const MatvecParams& p, u32 across, auto& part_sums, auto& gated) {
  const MatvecArgs& words = p.words;
  const ProductConstants& constants = words.product;
  const u32* inputs = inputs_of(p);
  const u32 lane = lane_index(), part = warp_index(), n_parts = words.n_threads / kWarp;
  const u32 matrix_panels = divide_up(words.n_out, kPanelRows), first_out = words.experts == 0 ? 0 : block_y();
  const u32 n = across * kPanelRows + lane + (words.experts == 0 ? words.first : 0);
  const u32 n_matrices = constants.epilogue == kGate ? 2 : 1;
  u32 n_rows = 1;
  if constexpr (kRows > 1)
    n_rows = smaller(kRows, constants.is_of_logits != 0 ? step_logit_rows(inputs) : step_rows(inputs));
  const u32* choices = buffer<const u32>(p, 5);
  if (words.experts == kUp && (choices[first_out] < words.first || choices[first_out] >= words.last))
    return;  // the whole block: another window has it
  float sums[kRows]{};
  const u32 n_choices = words.experts == kDown ? words.n_used : 1;
  for (u32 i = 0; i < n_choices; ++i) {
    u32 panel = across, from = 0;
    float weight = 1;
    if (words.experts != 0) {
      const u32 choice = first_out * n_choices + i, expert = choices[choice];
      if (expert < words.first || expert >= words.last) continue;
      panel += (expert - words.first) * matrix_panels;
      from = words.experts == kUp ? choice / words.n_used : choice;
      if (words.experts == kDown) weight = buffer<const float>(p, 6)[choice];
    }
    float more[kRows]{};
    add_products<kRows, kIsInt8>(p, part % n_matrices, panel, {part / n_matrices, n_parts / n_matrices, from, n_rows},
                                 more);
#pragma unroll
    for (u32 k = 0; k < kRows; ++k) sums[k] += weight * more[k];
  }
#pragma unroll
  for (u32 i = 0; i < kRows; ++i) part_sums[i * kMostThreads + thread_index()] = sums[i];
  BARRIER();
  // From here on a thread has one result at a time: of a feature and a row.
  for (u32 row = part; row < n_rows; row += n_parts) {
    float total = 0, second_total = 0;
    for (u32 i = 0; i < n_parts; ++i) {
      const float more = part_sums[row * kMostThreads + i * kPanelRows + lane];
      if (constants.epilogue == kGate && i % 2 == 1) {
        second_total += more;
      } else {
        total += more;
      }
    }
    if (constants.has_bias != 0 && n < words.n_out) total += buffer<const float>(p, 5)[n];
    total = finished(constants, words.cap, total, second_total);
    if (constants.encodes != 0) {
      gated[row * kPanelRows + lane] = total;
    } else if (n < words.n_out) {
      float* to = buffer<float>(p, 4) + std::uint64_t{first_out + row} * words.n_out + n;
      *to = constants.epilogue == kAdd ? *to + total : total;
    }
  }
  if (constants.encodes == 0) return;
  BARRIER();
  // A panel is a group of the activations. There are two parts at least: as many eights of threads as rows.
  const u32 row = thread_index() / 8, word = thread_index() % 8;
  Four elems;
#pragma unroll
  for (u32 i = 0; i < 4; ++i)
    elems.of[i] = row < n_rows ? static_cast<float>(gated[row * kPanelRows + 4 * word + i]) : 0;
  u32* to = buffer<u32>(p, 4) + (std::uint64_t{first_out + row} * matrix_panels + n / kPanelRows) * kGroupWords;
  put_group(to, elems, row < n_rows);
}

}  // namespace

KERNEL_PDL(matvec_1, kMostThreads, BatchedLaunch<MatvecArgs>, prefetch_weights) {
  SHARED(float, part_sums, kMostThreads);
  SHARED(float, gated, kPanelRows);
  const u32 member = member_at(p, block_x());
  matvec<1, false>(p.members[member].params, block_x() - p.firsts[member], part_sums, gated);
}
KERNEL_PDL(matvec_8, kMostThreads, BatchedLaunch<MatvecArgs>, prefetch_weights) {
  SHARED(float, part_sums, 8 * kMostThreads);
  SHARED(float, gated, 8 * kPanelRows);
  const u32 member = member_at(p, block_x());
  matvec<8, false>(p.members[member].params, block_x() - p.firsts[member], part_sums, gated);
}
KERNEL_PDL(matvec_int8_1, kMostThreads, BatchedLaunch<MatvecArgs>, prefetch_weights) {
  SHARED(float, part_sums, kMostThreads);
  SHARED(float, gated, kPanelRows);
  const u32 member = member_at(p, block_x());
  matvec<1, true>(p.members[member].params, block_x() - p.firsts[member], part_sums, gated);
}
KERNEL_PDL(matvec_int8_8, kMostThreads, BatchedLaunch<MatvecArgs>, prefetch_weights) {
  SHARED(float, part_sums, 8 * kMostThreads);
  SHARED(float, gated, 8 * kPanelRows);
  const u32 member = member_at(p, block_x());
  matvec<8, true>(p.members[member].params, block_x() - p.firsts[member], part_sums, gated);
}

}  // namespace headroom::cuda
