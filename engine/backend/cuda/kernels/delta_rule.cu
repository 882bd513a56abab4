// The rule of delta nets: the state S of a value head, and with each row
//   S = exp(decay) S, S += k beta (v - S^T k)^T, read = S^T q.
// A block has 32 columns of a state; a lane is a column, and the warps share out its rows. It takes chunks of kRows, in
// which S is read and written once. With G_t the sum of the decays up to row t, row t sees the state from before the
// chunk as exp(G_t) S, and what row j corrected as exp(G_t - G_j) k_j r_j^T. So the corrections are
//   r_t = beta_t (v_t - exp(G_t) S^T k_t - sum over j < t of exp(G_t - G_j) (k_j . k_t) r_j),
// each after the ones before it, and all of the rest are products with S or sums of r. No exponent is above 0. All in
// f32: a state goes through every row of a conversation, and what tiles of fewer digits round off stays in it.
// Blocks: (blocks of columns of all value heads, slots of the step).
#include "backend/cuda/kernel_limits.h"
#include "lib/reduce.cuh"
#include "lib/runs.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kDeltaColumns = 32, kParts = kDeltaThreads / kDeltaColumns;
// Elements of keys that stand in shared memory at once; the pitch keeps rows in banks of their own.
constexpr u32 kTile = kDeltaThreads, kPitch = kTile + 4;

using DeltaRuleWords = args::KernelArgs<args::DeltaRuleConstants, args::DeltaRulePush>;
using DeltaRuleParams = Params<DeltaRuleWords>;

// What a thread works on: n rows of the step, with its column of the state, of values and of what is read.
struct Chunk {
  const float* queries;  // of the first row, as all of these
  const float* keys;
  const float* values;
  const float* rates;  // decays; betas are n_heads behind
  float* read;
  float* state;
  u32 width, n_heads, read_width, key_dim, value_dim;
  bool is_there;  // the column
  u32 n;
  bool is_new;  // the state counts for nothing
};

DEVICE Chunk first_chunk(const DeltaRuleParams& p, u32 row, u32 slot) {
  const DeltaRuleWords& words = p.words;
  const u32 key_dim = words.key_dim, value_dim = words.value_dim, of_head = divide_up(value_dim, kDeltaColumns);
  const u32 block = words.first_block + block_x(), head = block / of_head;
  const u32 column = block % of_head * kDeltaColumns + lane_index(), q_dim = words.n_key_heads * key_dim;
  const u32 key_head =
      words.heads_are_tiled != 0 ? head % words.n_key_heads : head / (words.n_value_heads / words.n_key_heads);
  Chunk chunk{};
  chunk.n_heads = words.n_value_heads;
  chunk.read_width = words.n_value_heads * value_dim;
  chunk.width = 2 * q_dim + chunk.read_width;
  chunk.key_dim = key_dim;
  chunk.value_dim = value_dim;
  chunk.is_there = column < value_dim;
  const float* mixed = buffer<const float>(p, 3) + std::uint64_t{row} * chunk.width;
  chunk.queries = mixed + key_head * key_dim;
  chunk.keys = chunk.queries + q_dim;
  chunk.values = mixed + 2 * q_dim + head * value_dim + column;
  chunk.rates = buffer<const float>(p, 4) + std::uint64_t{row} * 2 * chunk.n_heads + head;
  chunk.read = buffer<float>(p, 6) + std::uint64_t{row} * chunk.read_width + head * value_dim + column;
  chunk.state = buffer<float>(p, 5) + (std::uint64_t{slot} * chunk.n_heads + head) * key_dim * value_dim + column;
  return chunk;
}

DEVICE void go_on(Chunk& chunk, u32 n_rows) {
  chunk.queries += std::uint64_t{n_rows} * chunk.width;
  chunk.keys += std::uint64_t{n_rows} * chunk.width;
  chunk.values += std::uint64_t{n_rows} * chunk.width;
  chunk.rates += std::uint64_t{n_rows} * 2 * chunk.n_heads;
  chunk.read += std::uint64_t{n_rows} * chunk.read_width;
}

// Four rows of the state from row i on.
DEVICE float4 load_state(const Chunk& chunk, u32 i) {
  const float* from = chunk.state + std::uint64_t{i} * chunk.value_dim;
  const auto row = [&](u32 k) { return chunk.is_there && i + k < chunk.key_dim ? from[k * chunk.value_dim] : 0.0F; };
  return make_float4(row(0), row(1), row(2), row(3));
}
DEVICE void store_state(const Chunk& chunk, u32 i, const float4& s) {
  float* to = chunk.state + std::uint64_t{i} * chunk.value_dim;
  const auto store = [&](u32 k, float elem) {
    if (chunk.is_there && i + k < chunk.key_dim) to[k * chunk.value_dim] = elem;
  };
  store(0, s.x), store(1, s.y), store(2, s.z), store(3, s.w);
}

// Elements [first, first + kTile) of all rows; rows behind the end are zeros, which change no state.
template <u32 kRows>
DEVICE void load_tile(const Chunk& chunk, const float* from, u32 first, auto& to) {
  const u32 i = first + thread_index();
#pragma unroll
  for (u32 t = 0; t < kRows; ++t)
    to[t * kPitch + thread_index()] =
        t < chunk.n && i < chunk.key_dim ? from[std::uint64_t{t} * chunk.width + i] : 0.0F;
}

// Sums of the logarithms of the decays up to each row, and betas.
template <u32 kRows>
DEVICE void load_rates(const Chunk& chunk, auto& sums, auto& betas) {
  const u32 t = thread_index();
  if (t >= kRows) return;
  float sum = 0;
  for (u32 i = 0; i <= t && i < chunk.n; ++i) sum += chunk.rates[std::uint64_t{i} * 2 * chunk.n_heads];
  sums[t] = sum;
  betas[t] = t < chunk.n ? chunk.rates[(std::uint64_t{t} * 2 + 1) * chunk.n_heads] : 0.0F;
}

DEVICE float dot(auto& a, u32 at_a, auto& b, u32 at_b) {
  return a[at_a] * b[at_b] + a[at_a + 1] * b[at_b + 1] + a[at_a + 2] * b[at_b + 2] + a[at_a + 3] * b[at_b + 3];
}
DEVICE float dot(auto& a, u32 at, const float4& b) {
  return a[at] * b.x + a[at + 1] * b.y + a[at + 2] * b.z + a[at + 3] * b.w;
}

// Of all parts.
template <u32 kRows>
DEVICE float part_sum(auto& area, u32 row) {
  float sum = 0;
#pragma unroll
  for (u32 part = 0; part < kParts; ++part) sum += area[(part * 2 * kRows + row) * kDeltaColumns + lane_index()];
  return sum;
}

// Quads of the state that a thread asks for at once.
template <u32 kRows>
constexpr u32 kAhead = kRows == 1 ? 4 : 2;

// Two rows: of keys, then of queries with keys.
struct Pair {
  u32 t, j;
  bool is_of_keys, is_there;
};

// The product of the pair, over a tile.
DEVICE float pair_product(const Pair& pair, auto& keys, auto& queries, u32 n_quads) {
  float sum = 0;
  for (u32 quad = 0; quad < n_quads && pair.is_there; ++quad) {
    const u32 at_t = pair.t * kPitch + 4 * quad, at_j = pair.j * kPitch + 4 * quad;
    sum += pair.is_of_keys ? dot(keys, at_t, keys, at_j) : dot(queries, at_t, keys, at_j);
  }
  return sum;
}

// Products of all rows with this warp's rows of the state, over the tile that begins at row `first` of it.
template <u32 kRows>
DEVICE void read_state(const Chunk& chunk, u32 first, u32 n_quads, auto& keys, auto& queries, float (&with_keys)[kRows],
                       float (&with_queries)[kRows]) {
  for (u32 base = warp_index(); base < n_quads; base += kAhead<kRows> * kParts) {
    float4 s[kAhead<kRows>];
#pragma unroll
    for (u32 a = 0; a < kAhead<kRows>; ++a) s[a] = load_state(chunk, first + 4 * (base + a * kParts));
#pragma unroll
    for (u32 a = 0; a < kAhead<kRows>; ++a) {
      const u32 quad = base + a * kParts;
      if (quad >= n_quads) continue;
#pragma unroll
      for (u32 t = 0; t < kRows; ++t) {
        with_keys[t] += dot(keys, t * kPitch + 4 * quad, s[a]);
        with_queries[t] += dot(queries, t * kPitch + 4 * quad, s[a]);
      }
    }
  }
}

// S = decay S + sum of k_t added_t^T, likewise.
template <u32 kRows>
DEVICE void correct_state(const Chunk& chunk, u32 first, u32 n_quads, auto& keys, float decay,
                          const float (&added)[kRows]) {
  for (u32 base = warp_index(); base < n_quads; base += kAhead<kRows> * kParts) {
    float4 s[kAhead<kRows>];
#pragma unroll
    for (u32 a = 0; a < kAhead<kRows>; ++a)
      s[a] = chunk.is_new ? make_float4(0, 0, 0, 0) : load_state(chunk, first + 4 * (base + a * kParts));
#pragma unroll
    for (u32 a = 0; a < kAhead<kRows>; ++a) {
      const u32 quad = base + a * kParts;
      if (quad >= n_quads) continue;
      float4 sum = make_float4(decay * s[a].x, decay * s[a].y, decay * s[a].z, decay * s[a].w);
#pragma unroll
      for (u32 t = 0; t < kRows; ++t) {
        const u32 at = t * kPitch + 4 * quad;
        sum = make_float4(sum.x + added[t] * keys[at], sum.y + added[t] * keys[at + 1], sum.z + added[t] * keys[at + 2],
                          sum.w + added[t] * keys[at + 3]);
      }
      store_state(chunk, first + 4 * quad, sum);
    }
  }
}

// r of this lane's column, each from the ones before it.
template <u32 kRows>
DEVICE void solve(const Chunk& chunk, auto& area, auto& sums, auto& betas, auto& of_keys, auto& corrections) {
  float more[kRows];
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) {
    float before = exp_of(sums[t]) * part_sum<kRows>(area, t);
#pragma unroll
    for (u32 j = 0; j < t; ++j) before += of_keys[t * kRows + j] * more[j];
    const float value = t < chunk.n && chunk.is_there ? chunk.values[std::uint64_t{t} * chunk.width] : 0.0F;
    more[t] = betas[t] * (value - before);
    corrections[t * kDeltaColumns + lane_index()] = more[t];
  }
}

template <u32 kRows>
DEVICE void put_read(const Chunk& chunk, auto& area, auto& sums, auto& of_queries, auto& corrections) {
  for (u32 t = warp_index(); t < chunk.n; t += kParts) {
    float sum = exp_of(sums[t]) * part_sum<kRows>(area, kRows + t);
    for (u32 j = 0; j <= t; ++j) sum += of_queries[t * kRows + j] * corrections[j * kDeltaColumns + lane_index()];
    if (chunk.is_there) chunk.read[std::uint64_t{t} * chunk.read_width] = sum;
  }
}

DEVICE u32 quads_of(const Chunk& chunk, u32 first) { return divide_up(smaller(chunk.key_dim - first, kTile), 4); }

template <u32 kRows>
DEVICE void run_rule(const DeltaRuleParams& p) {
  SHARED(float, keys, kRows* kPitch);
  // Queries of the tile; then what each warp has of the products with S: with keys, then with queries.
  SHARED(float, area, 2 * kRows * kDeltaThreads);
  SHARED(float, corrections, kRows* kDeltaColumns);  // r
  SHARED(float, of_keys, kRows* kRows);              // exp(G_t - G_j) times k_j . k_t
  SHARED(float, of_queries, kRows* kRows);           // likewise with q_t
  SHARED(float, sums, kRows);
  SHARED(float, betas, kRows);
  const DeltaRuleWords& words = p.words;
  const u32* inputs = inputs_of(p);
  const u32 run_first = run_begin(inputs, words.rows_at, block_y()),
            run_end = run_begin(inputs, words.rows_at, block_y() + 1);
  const u32 begin = run_first > words.first_row ? run_first : words.first_row, end = smaller(run_end, words.end_row);
  if (begin >= end) return;
  const StepRow run = step_row(inputs, words.rows_at, run_first);
  const u32 thread = thread_index(), lane = lane_index(), part = warp_index();
  const Pair pair{thread / kRows % kRows, thread % kRows, thread < kRows * kRows, thread < 2 * kRows * kRows};
  Chunk chunk = first_chunk(p, begin, run.slot);
  const u32 key_dim = chunk.key_dim;
  for (u32 row = begin; row < end; row += kRows) {
    chunk.n = smaller(kRows, end - row);
    chunk.is_new = row == run_first && run.position == 0;
    load_rates<kRows>(chunk, sums, betas);
    float with_keys[kRows] = {}, with_queries[kRows] = {}, product = 0;
    for (u32 first = 0; first < key_dim; first += kTile) {
      load_tile<kRows>(chunk, chunk.keys, first, keys);
      load_tile<kRows>(chunk, chunk.queries, first, area);
      BARRIER();
      product += pair_product(pair, keys, area, quads_of(chunk, first));
      if (!chunk.is_new) read_state<kRows>(chunk, first, quads_of(chunk, first), keys, area, with_keys, with_queries);
      BARRIER();  // the tile has been read
    }
#pragma unroll
    for (u32 t = 0; t < kRows; ++t) {
      area[(part * 2 * kRows + t) * kDeltaColumns + lane] = with_keys[t];
      area[((part * 2 + 1) * kRows + t) * kDeltaColumns + lane] = with_queries[t];
    }
    if (pair.is_there) {
      const float seen = pair.j <= pair.t ? exp_of(sums[pair.t] - sums[pair.j]) * product : 0.0F;
      if (pair.is_of_keys) {
        of_keys[pair.t * kRows + pair.j] = seen;
      } else {
        of_queries[pair.t * kRows + pair.j] = seen;
      }
    }
    BARRIER();
    if (part == 0) solve<kRows>(chunk, area, sums, betas, of_keys, corrections);
    BARRIER();
    put_read<kRows>(chunk, area, sums, of_queries, corrections);
    float added[kRows];
    const float total = sums[kRows - 1];
#pragma unroll
    for (u32 t = 0; t < kRows; ++t) added[t] = exp_of(total - sums[t]) * corrections[t * kDeltaColumns + lane];
    for (u32 first = 0; first < key_dim; first += kTile) {
      if (key_dim > kTile) {
        load_tile<kRows>(chunk, chunk.keys, first, keys);
        BARRIER();
      }
      correct_state<kRows>(chunk, first, quads_of(chunk, first), keys, exp_of(total), added);
      if (key_dim > kTile) BARRIER();  // the tile has been read
    }
    go_on(chunk, kRows);
    if (kRows > 1 && key_dim <= kTile) BARRIER();  // of the next chunk
  }
}

}  // namespace

KERNEL(delta_rule_1, kDeltaThreads, DeltaRuleParams) { run_rule<1>(p); }
KERNEL(delta_rule_8, kDeltaThreads, DeltaRuleParams) { run_rule<8>(p); }

}  // namespace headroom::cuda
