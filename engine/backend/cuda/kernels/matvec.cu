// Products of a matrix with one row, or with up to eight, and what is done with them; also those of experts. A block
// has a panel, each of its warps a part of the columns. Blocks: (panels of all matrices that are read together, 1); of
// experts (panels, choices of all rows) up, (panels, rows) down. Example: of 4,096 columns, 16 blocks of 256, each of
// 16 warps has one; of 8 experts' 768 columns each of 12 warps has two blocks, down.
#include "lib/grouped.cuh"
#include "lib/int8.cuh"
#include "lib/products.cuh"
#include "lib/reduce.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kMostThreads = 512;

// Activations of a block of columns, which lie in shared memory for each warp.
constexpr u32 kStagedUnits = 3 * kBlockGroups, kStagedWords = kMostThreads / kWarp * kStagedUnits * 4;

using MatvecArgs = args::KernelArgs<args::MatvecConstants, args::MatvecPush>;
using MatvecParams = Params<MatvecArgs>;

// The rows that a panel is multiplied with, and the blocks of columns that this warp has: part, part + n_parts, ...
struct Share {
  u32 part, n_parts, first_row, n_rows;
};

// Of one row a warp reads what it multiplies with once for a block of columns, a lane a unit, and waits for it once:
// read where it is used, each group would wait for the cache anew. Of more rows each group is read from there.
template <u32 kRows>
class Activations {
 public:
  // Asks for n_groups of the first of the rows, from `with` on: groups 0, 1, ... for group(), once they have arrived.
  DEVICE void ask(auto& staged, const uint4* with, u32 n_groups) {
    with_ = with;
    if constexpr (kRows == 1) {
      WARP_BARRIER();  // what stood there has been read
      if (lane_index() < 3 * n_groups) copy_unit(staged, word_at(lane_index()), with + lane_index());
    }
  }
  DEVICE void arrive() {
    if constexpr (kRows == 1) {
      await_copies();
      WARP_BARRIER();
    }
  }
  // Of row i, each of which has n_groups.
  DEVICE EncodedGroup group(auto& staged, u32 group, u32 row, u32 n_groups) const {
    if constexpr (kRows == 1) {
      return encoded_group(unit_at(staged, word_at(3 * group)), unit_at(staged, word_at(3 * group + 1)),
                           unit_at(staged, word_at(3 * group + 2)));
    }
    return encoded_group(with_ + (std::uint64_t{row} * n_groups + group) * 3);
  }

 private:
  DEVICE static u32 word_at(u32 unit) { return (warp_index() * kStagedUnits + unit) * 4; }

  const uint4* with_ = nullptr;
};

// Adds what a group of the thread's row makes with that group of the rows.
template <u32 kType, u32 kRows>
DEVICE void add_group(const Block& block, u32 in_block, const Codes& packed, const Activations<kRows>& with,
                      auto& staged, u32 n_groups, u32 n_rows, float (&sums)[kRows]) {
  const Factors factors = group_factors<kType>(block, packed, in_block);
  u32 codes[8];
  put_code_words<kType>(block, packed, in_block, codes);
#pragma unroll
  for (u32 i = 0; i < kRows; ++i) {
    if (kRows > 1 && i >= n_rows) break;
    sums[i] += group_product<kType>(codes, factors, with.group(staged, in_block, i, n_groups));
  }
}

// Groups whose codes are asked for together, of kMost at most: of formats with more units of them, or of which more
// stands in registers, fewer. With points of a grid of two groups the compiler for cards from sm_100 on spills.
template <u32 kType, u32 kMost>
inline constexpr u32 kGroupsAhead =
    is_grid_type(kType) && kArchitecture >= 1000 ? 1
    : kType == kQ8_0 || has_code_values(kType) || kPlanes<kType>.highs > 0 || kPlanes<kType>.headers > 1
        ? smaller(kMost, 2)
        : kMost;

// Adds the thread's row of the panel . activations[first_row + i] to sums[i]. The codes of kAhead groups are asked for
// before the first of them is used: what is under way is what a card is fed by. So nothing is decided in between, and
// only whole blocks of columns are read so: the compiler moves a load behind a jump to where it is used.
template <u32 kType, u32 kAhead, u32 kRows>
DEVICE void add_int8_products(const PanelRow& row, const uint4* encoded, u32 n_groups, const Share& share, auto& staged,
                              float (&sums)[kRows]) {
  const u32 n_whole = n_groups / kBlockGroups;
  const uint4* with = encoded + (std::uint64_t{share.first_row} * n_groups + share.part * kBlockGroups) * 3;
  PanelRow at = row_at<kType>(row, share.part);
  Activations<kRows> activations;
  u32 block = share.part;
#pragma unroll 1
  for (; block < n_whole; block += share.n_parts) {
    if (block + share.n_parts < n_whole) prefetch_block<kType>(row_at<kType>(at, share.n_parts), block + share.n_parts);
    activations.ask(staged, with, kBlockGroups);
    const Block factors = read_block_at<kType>(at, block);
#pragma unroll 1
    for (u32 step = 0; step < kBlockGroups / kAhead; ++step) {
      const u32 first = step * kAhead;  // so the compiler knows which of these groups share a unit
      Codes codes[kAhead];
#pragma unroll
      for (u32 i = 0; i < kAhead; ++i) codes[i] = read_codes<kType>(at, first + i);
      activations.arrive();  // in the first step; they stay for the others
#pragma unroll
      for (u32 i = 0; i < kAhead; ++i) {
        WARP_BARRIER();  // which no load is moved over
        add_group<kType>(factors, first + i, codes[i], activations, staged, n_groups, share.n_rows, sums);
      }
    }
    at = row_at<kType>(at, share.n_parts);
    with += share.n_parts * kBlockGroups * 3;
  }
  if (block != n_whole) return;
  const u32 n_more = n_groups % kBlockGroups;
  if (n_more == 0) return;
  activations.ask(staged, with, n_more);
  const Block factors = read_block_at<kType>(at, block);
  activations.arrive();
#pragma unroll 1
  for (u32 group = 0; group < n_more; ++group)
    add_group<kType>(factors, group, read_codes<kType>(at, group), activations, staged, n_groups, share.n_rows, sums);
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

// Adds a group of plain numbers times one row. All of it is under way at once: nothing is decided in between.
template <u32 kType>
DEVICE void add_plain_group(const PanelRow& row, u32 group, const float* with, float& sum) {
  Four elems[8], by[8];
#pragma unroll
  for (u32 w = 0; w < 8; ++w) {
    elems[w] = plain_elems<kType>(row, group, w);
    by[w] = activations(with, 0, false, 0, group * kGroup + 4 * w);
  }
#pragma unroll
  for (u32 w = 0; w < 8; ++w) sum += dot(elems[w], by[w]);
}

template <u32 kType, u32 kRows>
DEVICE void add_f32_products(const PanelRow& row, const float* values, const MatvecArgs& words, const Share& share,
                             float (&sums)[kRows]) {
  const bool has_tail = words.product.has_tail != 0;
  const auto add = [&](const Four& elems, u32 col) {
#pragma unroll
    for (u32 i = 0; i < kRows; ++i) {
      if (i < share.n_rows)
        sums[i] += dot(elems, activations(values, words.n_cols, has_tail, share.first_row + i, col));
    }
  };
  for (u32 block = share.part; block * kBlockGroups < words.n_groups; block += share.n_parts) {
    const Block scales = read_block<kType>(row, block);
    const u32 end = smaller(words.n_groups, (block + 1) * kBlockGroups);
    for (u32 group = block * kBlockGroups; group < end; ++group) {
      if constexpr (is_block_format(kType)) {
        const Codes packed = read_codes<kType>(row, group);
        const Factors factors = group_factors<kType>(scales, packed, group % kBlockGroups);
#pragma unroll
        for (u32 w = 0; w < 8; ++w)
          add(coded_elems(factors, code_word<kType>(scales, packed, group % kBlockGroups, w), w),
              group * kGroup + 4 * w);
      } else if (kRows == 1 && !has_tail) {
        add_plain_group<kType>(row, group, values + std::uint64_t{share.first_row} * words.n_cols, sums[0]);
      } else {
#pragma unroll
        for (u32 w = 0; w < 8; ++w) add(plain_elems<kType>(row, group, w), group * kGroup + 4 * w);
      }
    }
  }
}

// kAhead: of add_int8_products; 0: activations are f32.
template <u32 kRows, u32 kAhead>
DEVICE void add_products(const MatvecParams& p, u32 of_matrix, u32 panel, const Share& share, auto& staged,
                         float (&sums)[kRows]) {
  const MatvecArgs& words = p.words;
  const uint4* matrix = buffer<const uint4>(p, 1 + of_matrix);
  const u32 type = of_matrix == 0 ? words.product.type : words.product.second_type;
  if constexpr (kAhead > 0) {
    with_block_type(type, [&]<u32 kType>() {
      add_int8_products<kType, kGroupsAhead<kType, kAhead>>(
          panel_row(kType, matrix, panel, lane_index(), words.n_groups), buffer<const uint4>(p, 3), words.n_groups,
          share, staged, sums);
    });
  } else {
    with_type(type, [&]<u32 kType>() {
      add_f32_products<kType>(panel_row(kType, matrix, panel, lane_index(), words.n_groups), buffer<const float>(p, 3),
                              words, share, sums);
    });
  }
}

// Asks for a block of columns of a format that is known only when the kernel runs.
DEVICE void prefetch_columns(u32 type, const PanelRow& row, u32 block, u32 n_groups) {
  const u32 first = block * kBlockGroups;
  const GpuPlanes planes = planes_of(type);
  if (first >= n_groups) return;
  for (u32 unit = 0; unit < planes.headers; ++unit)
    prefetch_l2(row.headers + ((block >> planes.header_shift) * planes.headers + unit) * kPanelRows);
  if (planes.scale_shift > 0) prefetch_l2(row.scales + (block >> planes.scale_shift) * kPanelRows);
  const u32 end = code_units(planes, smaller(n_groups, first + kBlockGroups));
  for (u32 unit = code_units(planes, first); unit < end; ++unit) prefetch_l2(row.codes + unit * kPanelRows);
  for (u32 unit = 0; unit < planes.highs; ++unit) prefetch_l2(row.highs + (block * planes.highs + unit) * kPanelRows);
}

// What each warp reads first of its panel.
DEVICE void prefetch_weights(const BatchedLaunch<MatvecArgs>& all) {
  const u32 member = member_at(all, block_x());
  const MatvecParams& p = all.members[member].params;
  const MatvecArgs& words = p.words;
  const u32 part = warp_index(), n_matrices = words.product.epilogue == kGate ? 2 : 1, of_matrix = part % n_matrices;
  const u32 type = of_matrix == 0 ? words.product.type : words.product.second_type;
  const PanelRow row = panel_row(type, buffer<const uint4>(p, 1 + of_matrix), block_x() - all.firsts[member],
                                 lane_index(), words.n_groups);
  prefetch_columns(type, row, part / n_matrices, words.n_groups);
}

// Adds up what the warps have in part_sums, in their order, and does with it what the product's epilogue says. Of
// experts up, `expert` is the one; down, biases are in the sums already.
template <u32 kRows>
DEVICE void finish(const MatvecParams& p, u32 n, u32 first_out, u32 n_rows, auto& part_sums, auto& gated,
                   u32 expert = 0) {
  const MatvecArgs& words = p.words;
  const ProductConstants& constants = words.product;
  const u32 lane = lane_index(), n_parts = words.n_threads / kWarp;
  // A thread has one result at a time: of a feature and a row.
  for (u32 row = warp_index(); row < n_rows; row += n_parts) {
    float total = 0, second_total = 0;
    for (u32 i = 0; i < n_parts; ++i) {
      const float more = part_sums[row * kMostThreads + i * kPanelRows + lane];
      if (constants.epilogue == kGate && i % 2 == 1) {
        second_total += more;
      } else {
        total += more;
      }
    }
    if (constants.has_bias != 0 && n < words.n_out) {
      if (words.experts == 0) total += buffer<const float>(p, 5)[n];
      if (words.experts == kUp) {
        const std::uint64_t at = std::uint64_t{expert} * words.n_out + n;
        total += buffer<const float>(p, 7)[at];
        second_total += buffer<const float>(p, 6)[at];
      }
    }
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
  const u32 n_panels = divide_up(words.n_out, kPanelRows);
  u32* to = buffer<u32>(p, 4) + (std::uint64_t{first_out + row} * n_panels + n / kPanelRows) * kGroupWords;
  put_group(to, elems, row < n_rows);
}

template <u32 kRows, u32 kAhead>
DEVICE void matvec(const BatchedLaunch<MatvecArgs>& all, auto& staged, auto& part_sums, auto& gated) {
  const u32 member = member_at(all, block_x()), panel = block_x() - all.firsts[member];
  const MatvecParams& p = all.members[member].params;
  const MatvecArgs& words = p.words;
  const u32 n_matrices = words.product.epilogue == kGate ? 2 : 1, part = warp_index();
  u32 n_rows = 1;
  if constexpr (kRows > 1)
    n_rows = smaller(kRows, words.product.is_of_logits != 0 ? step_logit_rows(inputs_of(p)) : step_rows(inputs_of(p)));
  float sums[kRows]{};
  add_products<kRows, kAhead>(p, part % n_matrices, panel,
                              {part / n_matrices, words.n_threads / kWarp / n_matrices, 0, n_rows}, staged, sums);
#pragma unroll
  for (u32 i = 0; i < kRows; ++i) part_sums[i * kMostThreads + thread_index()] = sums[i];
  BARRIER();
  // Found again: otherwise registers that the products need would hold it meanwhile.
  const u32 again = member_at(all, block_x());
  const MatvecParams& q = all.members[again].params;
  finish<kRows>(q, (block_x() - all.firsts[again]) * kPanelRows + lane_index() + q.words.first, 0, n_rows, part_sums,
                gated);
}

// What a warp of a block of experts has: of a choice, by its place among those of all rows, a part of the columns.
struct ExpertItem {
  u32 choice, of_matrix, part;
};

// Items of a block, of which warp w has items w, w + n_warps, ... Up, one row and one choice of it (block_y), each warp
// has one: a part of a matrix. Down, of all chosen experts of a row (block_y) the blocks of columns. Example: of 4
// experts with 12 blocks each 16 warps have three blocks each.
struct ExpertItems {
  u32 n, n_parts, n_used, n_matrices;
  bool is_up;
  DEVICE ExpertItem at(u32 item) const {
    if (is_up) return {block_y(), item % n_matrices, item / n_matrices};
    return {block_y() * n_used + item / n_parts, 0, item % n_parts};
  }
};
DEVICE ExpertItems expert_items(const MatvecArgs& words) {
  const u32 n_warps = words.n_threads / kWarp, n_matrices = words.product.epilogue == kGate ? 2 : 1;
  if (words.experts == kUp) return {n_warps, n_warps / n_matrices, words.n_used, n_matrices, true};
  const u32 n_blocks = divide_up(words.n_groups, kBlockGroups);
  return {n_blocks * words.n_used, n_blocks, words.n_used, 1, false};
}

// Asks for the first block of columns of each of the warp's items, and for biases, before it waits for any of them.
DEVICE void prefetch_experts(const MatvecParams& p, const ExpertItems& items, u32 across) {
  const MatvecArgs& words = p.words;
  const u32* choices = buffer<const u32>(p, 5);
  const u32 n_panels = divide_up(words.n_out, kPanelRows), n = across * kPanelRows + lane_index();
  const bool has_bias = words.product.has_bias != 0 && n < words.n_out;
  for (u32 i = warp_index(); i < items.n; i += words.n_threads / kWarp) {
    const ExpertItem item = items.at(i);
    const u32 expert = choices[item.choice];
    if (expert < words.first || expert >= words.last) continue;
    const u32 type = item.of_matrix == 0 ? words.product.type : words.product.second_type;
    const PanelRow row = panel_row(type, buffer<const uint4>(p, 1 + item.of_matrix),
                                   across + (expert - words.first) * n_panels, lane_index(), words.n_groups);
    prefetch_columns(type, row, item.part, words.n_groups);
    if (has_bias && item.part == 0)
      prefetch_l2(buffer<const uint4>(p, 7 - item.of_matrix) + (std::uint64_t{expert} * words.n_out + n) / 4);
  }
}

template <u32 kAhead>
DEVICE void matvec_experts(const BatchedLaunch<MatvecArgs>& all, auto& staged, auto& part_sums, auto& gated) {
  const u32 member = member_at(all, block_x()), across = block_x() - all.firsts[member];
  const MatvecParams& p = all.members[member].params;
  const MatvecArgs& words = p.words;
  const ExpertItems items = expert_items(words);
  const u32* choices = buffer<const u32>(p, 5);
  const u32 n_panels = divide_up(words.n_out, kPanelRows), n = across * kPanelRows + lane_index();
  prefetch_experts(p, items, across);
  float sum = 0;
#pragma unroll 1
  for (u32 i = warp_index(); i < items.n; i += words.n_threads / kWarp) {
    const ExpertItem item = items.at(i);
    const u32 expert = choices[item.choice];
    if (expert < words.first || expert >= words.last) {  // another window has it
      if (items.is_up) return;                           // with the whole block
      continue;
    }
    // All that comes to the product is read before it: otherwise registers would hold meanwhile where it stands.
    const bool has_bias = !items.is_up && words.product.has_bias != 0 && item.part == 0 && n < words.n_out;
    float more[1]{has_bias ? buffer<const float>(p, 7)[std::uint64_t{expert} * words.n_out + n] : 0};
    const float weight = items.is_up ? 1 : buffer<const float>(p, 6)[item.choice];
    add_products<1, kAhead>(p, item.of_matrix, across + (expert - words.first) * n_panels,
                            {item.part, items.n_parts, items.is_up ? item.choice / words.n_used : item.choice, 1},
                            staged, more);
    sum += weight * more[0];
  }
  part_sums[thread_index()] = sum;
  BARRIER();
  finish<1>(p, n, block_y(), 1, part_sums, gated, items.is_up ? choices[block_y()] : 0);
}

}  // namespace

KERNEL_PDL(matvec_1, kMostThreads, BatchedLaunch<MatvecArgs>, prefetch_weights) {
  SHARED(float, part_sums, kMostThreads);
  SHARED(float, gated, kPanelRows);
  matvec<1, 0>(p, gated, part_sums, gated);  // nothing is staged
}
// For cards of compute capability 12 compilers would take 66 registers, so that one block stood on a multiprocessor
// instead of two.
KERNEL_PDL_BLOCKS(matvec_8, kMostThreads, 2, BatchedLaunch<MatvecArgs>, prefetch_weights) {
  SHARED(float, part_sums, 8 * kMostThreads);
  SHARED(float, gated, 8 * kPanelRows);
  matvec<8, 0>(p, gated, part_sums, gated);
}
// Two blocks on a multiprocessor: what one waits for its first weights, adds up and ends, the other one reads.
KERNEL_PDL_BLOCKS(matvec_int8_1, kMostThreads, 2, BatchedLaunch<MatvecArgs>, prefetch_weights) {
  SHARED(u32, staged, kStagedWords);
  SHARED(float, part_sums, kMostThreads);
  SHARED(float, gated, kPanelRows);
  matvec<1, 4>(p, staged, part_sums, gated);
}
KERNEL_PDL(matvec_int8_8, kMostThreads, BatchedLaunch<MatvecArgs>, prefetch_weights) {
  SHARED(float, part_sums, 8 * kMostThreads);
  SHARED(float, gated, 8 * kPanelRows);
  matvec<8, 2>(p, gated, part_sums, gated);
}
KERNEL(matvec_experts, kMostThreads, BatchedLaunch<MatvecArgs>) {
  SHARED(float, part_sums, kMostThreads);
  SHARED(float, gated, kPanelRows);
  matvec_experts<0>(p, gated, part_sums, gated);
}
// Likewise, where the compiler has registers for that.
KERNEL_PDL_BLOCKS(matvec_int8_experts, kMostThreads, kArchitecture >= 900 ? 2 : 1, BatchedLaunch<MatvecArgs>,
                  nothing_ahead) {
  SHARED(u32, staged, kStagedWords);
  SHARED(float, part_sums, kMostThreads);
  SHARED(float, gated, kPanelRows);
  matvec_experts<4>(p, staged, part_sums, gated);
}

}  // namespace headroom::cuda
