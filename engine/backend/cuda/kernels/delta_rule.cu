// The rule of delta nets: the state S of a value head, and with each row
//   S = exp(decay) S, S += k beta (v - S^T k)^T, read = S^T q.
// A block has 32 columns of a state; a lane is a column, and the warps share out its rows. It takes chunks of kRows, in
// which S is read and written once. With G_t the sum of the decays up to row t, row t sees the state from before the
// chunk as exp(G_t) S, and what row j corrected as exp(G_t - G_j) k_j r_j^T. So the corrections are
//   r_t = beta_t (v_t - exp(G_t) S^T k_t - sum over j < t of exp(G_t - G_j) (k_j . k_t) r_j),
// each after the ones before it, and all of the rest are products with S or sums of r. No exponent is above 0. All in
// f32: a state goes through every row of a conversation, and what tiles of fewer digits round off stays in it.
// With keys of up to kTile elements a thread keeps its part of the state in registers from the first chunk to the last,
// and loads the next chunk's rows while it computes this one. Longer keys have no room there: the state is read from
// memory and written back with each chunk. Blocks: (blocks of columns of all value heads, slots of the step).
#include "backend/cuda/kernel_limits.h"
#include "lib/reduce.cuh"
#include "lib/runs.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kDeltaColumns = 32, kParts = kDeltaThreads / kDeltaColumns;
// Keys and queries stand in shared memory in tiles of kTile elements; the pitch keeps rows in banks of their own. There
// are kSides threads for each element: with 2, one loads it of rows 0, 2, 4, ..., the other of rows 1, 3, 5, ...
constexpr u32 kTile = kDeltaTile, kPitch = kTile + 4, kSides = kDeltaThreads / kTile;

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
  const u32 in_tile = thread_index() % kTile, i = first + in_tile;
#pragma unroll
  for (u32 t = thread_index() / kTile; t < kRows; t += kSides)
    to[t * kPitch + in_tile] = t < chunk.n && i < chunk.key_dim ? from[std::uint64_t{t} * chunk.width + i] : 0.0F;
}

// What a row brings beside its key and query, asked for before it is used: for the first warp, a column's value of each
// row, and the logarithm of the decay and beta of the row that is the lane's number. Zeros behind the end.
template <u32 kRows>
struct RowValues {
  float values[kRows];
  float decay, beta;
};
template <u32 kRows>
DEVICE void read_values(const Chunk& chunk, RowValues<kRows>& to) {
  const u32 lane = lane_index();
#pragma unroll
  for (u32 t = 0; t < kRows; ++t)
    to.values[t] =
        t < chunk.n && chunk.is_there && warp_index() == 0 ? chunk.values[std::uint64_t{t} * chunk.width] : 0.0F;
  const float* rates = chunk.rates + std::uint64_t{lane} * 2 * chunk.n_heads;
  to.decay = lane < chunk.n ? rates[0] : 0.0F;
  to.beta = lane < chunk.n ? rates[chunk.n_heads] : 0.0F;
}

// Sums of the logarithms of the decays up to each row, and betas, by the first warp.
template <u32 kRows>
DEVICE void put_rates(const RowValues<kRows>& of, auto& sums, auto& betas) {
  if (warp_index() != 0) return;
  const u32 lane = lane_index();
  float sum = of.decay;
  for (u32 beyond = 1; beyond < kRows; beyond *= 2) {
    const float before = shuffle(sum, (lane - beyond) % kWarp);
    if (lane >= beyond) sum += before;
  }
  if (lane >= kRows) return;
  sums[lane] = sum;
  betas[lane] = of.beta;
}

// sum + a . b, a multiply-add for each element.
DEVICE float add_dot(float sum, const float4& a, const float4& b) {
  return a.w * b.w + (a.z * b.z + (a.y * b.y + (a.x * b.x + sum)));
}

// Of all parts.
template <u32 kRows>
DEVICE float part_sum(auto& area, u32 row) {
  float sum = 0;
#pragma unroll
  for (u32 part = 0; part < kParts; ++part) sum += area[(part * 2 * kRows + row) * kDeltaColumns + lane_index()];
  return sum;
}

constexpr u32 kAhead = 2;  // quads of a state that a thread does not hold and asks for at once

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
    sum = add_dot(sum, pair.is_of_keys ? quad_at(keys, at_t) : quad_at(queries, at_t), quad_at(keys, at_j));
  }
  return sum;
}

// Products of all rows with this warp's rows of the state, over the tile that begins at row `first` of it.
template <u32 kRows>
DEVICE void read_state(const Chunk& chunk, u32 first, u32 n_quads, auto& keys, auto& queries, float (&with_keys)[kRows],
                       float (&with_queries)[kRows]) {
  for (u32 base = warp_index(); base < n_quads; base += kAhead * kParts) {
    float4 s[kAhead];
#pragma unroll
    for (u32 a = 0; a < kAhead; ++a) s[a] = load_state(chunk, first + 4 * (base + a * kParts));
#pragma unroll
    for (u32 a = 0; a < kAhead; ++a) {
      const u32 quad = base + a * kParts;
      if (quad >= n_quads) continue;
#pragma unroll
      for (u32 t = 0; t < kRows; ++t) {
        with_keys[t] = add_dot(with_keys[t], quad_at(keys, t * kPitch + 4 * quad), s[a]);
        with_queries[t] = add_dot(with_queries[t], quad_at(queries, t * kPitch + 4 * quad), s[a]);
      }
    }
  }
}

// Four rows of a column of decay S + sum of k_t added_t^T; `at`: their elements of keys.
template <u32 kRows>
DEVICE float4 corrected(const float4& s, auto& keys, u32 at, float decay, const float (&added)[kRows]) {
  float4 sum = make_float4(decay * s.x, decay * s.y, decay * s.z, decay * s.w);
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) {
    const float4 key = quad_at(keys, t * kPitch + at);
    sum = make_float4(sum.x + added[t] * key.x, sum.y + added[t] * key.y, sum.z + added[t] * key.z,
                      sum.w + added[t] * key.w);
  }
  return sum;
}

// Likewise of this warp's rows of the state, as read_state().
template <u32 kRows>
DEVICE void correct_state(const Chunk& chunk, u32 first, u32 n_quads, auto& keys, float decay,
                          const float (&added)[kRows]) {
  for (u32 base = warp_index(); base < n_quads; base += kAhead * kParts) {
    float4 s[kAhead];
#pragma unroll
    for (u32 a = 0; a < kAhead; ++a)
      s[a] = chunk.is_new ? make_float4(0, 0, 0, 0) : load_state(chunk, first + 4 * (base + a * kParts));
#pragma unroll
    for (u32 a = 0; a < kAhead; ++a) {
      const u32 quad = base + a * kParts;
      if (quad >= n_quads) continue;
      store_state(chunk, first + 4 * quad, corrected<kRows>(s[a], keys, 4 * quad, decay, added));
    }
  }
}

// r of this lane's column, each from the ones before it.
template <u32 kRows>
DEVICE void solve(const RowValues<kRows>& of, auto& area, auto& sums, auto& betas, auto& of_keys, auto& corrections) {
  float more[kRows];
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) {
    float before = exp_of(sums[t]) * part_sum<kRows>(area, t);
#pragma unroll
    for (u32 j = 0; j < t; ++j) before += of_keys[t * kRows + j] * more[j];
    more[t] = betas[t] * (of.values[t] - before);
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

// What each warp has of the products with S, and what rows see of each other.
template <u32 kRows>
DEVICE void put_products(const Pair& pair, float product, const float (&with_keys)[kRows],
                         const float (&with_queries)[kRows], auto& sums, auto& area, auto& of_keys, auto& of_queries) {
  const u32 part = warp_index(), lane = lane_index();
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) {
    area[(part * 2 * kRows + t) * kDeltaColumns + lane] = with_keys[t];
    area[((part * 2 + 1) * kRows + t) * kDeltaColumns + lane] = with_queries[t];
  }
  if (!pair.is_there) return;
  const float seen = pair.j <= pair.t ? exp_of(sums[pair.t] - sums[pair.j]) * product : 0.0F;
  if (pair.is_of_keys) {
    of_keys[pair.t * kRows + pair.j] = seen;
  } else {
    of_queries[pair.t * kRows + pair.j] = seen;
  }
}

// What is added to a column of the state with each row's key.
template <u32 kRows>
DEVICE void read_added(auto& sums, auto& corrections, float (&added)[kRows]) {
  const float total = sums[kRows - 1];
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) added[t] = exp_of(total - sums[t]) * corrections[t * kDeltaColumns + lane_index()];
}

template <u32 kRows>
DEVICE Pair pair_of_thread() {
  const u32 thread = thread_index();
  return {thread / kRows % kRows, thread % kRows, thread < kRows * kRows, thread < 2 * kRows * kRows};
}

// The rows of the step that are this block's.
struct Run {
  u32 begin, end, slot;
  bool is_new;  // its first row has position 0
};
DEVICE Run run_of_block(const DeltaRuleParams& p) {
  const DeltaRuleWords& words = p.words;
  const u32* inputs = inputs_of(p);
  const u32 first = run_begin(inputs, words.rows_at, block_y()), last = run_begin(inputs, words.rows_at, block_y() + 1);
  const u32 begin = first > words.first_row ? first : words.first_row, end = smaller(last, words.end_row);
  if (begin >= end) return {};
  const StepRow row = step_row(inputs, words.rows_at, first);
  return {begin, end, row.slot, begin == first && row.position == 0};
}

// An element of each row's key, or of its query: half of the threads have the ones, half the others.
template <u32 kRows>
struct RowElems {
  float of[kRows];
};
template <u32 kRows>
DEVICE void read_elems(const Chunk& chunk, RowElems<kRows>& to) {
  static_assert(kSides == 2);
  const u32 i = thread_index() % kTile;
  const float* from = thread_index() < kTile ? chunk.keys : chunk.queries;
#pragma unroll
  for (u32 t = 0; t < kRows; ++t)
    to.of[t] = t < chunk.n && i < chunk.key_dim ? from[std::uint64_t{t} * chunk.width + i] : 0.0F;
}
template <u32 kRows>
DEVICE void put_elems(const RowElems<kRows>& of, auto& keys, auto& queries) {
  const u32 i = thread_index() % kTile;
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) {
    if (thread_index() < kTile) {
      keys[t * kPitch + i] = of.of[t];
    } else {
      queries[t * kPitch + i] = of.of[t];
    }
  }
}

template <u32 kRows>
DEVICE void run_held_rule(const DeltaRuleParams& p) {
  SHARED(float, keys, kRows* kPitch);
  // As of run_long_rule().
  SHARED(float, area, 2 * kRows * kDeltaThreads);
  SHARED(float, corrections, kRows* kDeltaColumns);
  SHARED(float, of_keys, kRows* kRows);
  SHARED(float, of_queries, kRows* kRows);
  SHARED(float, sums, kRows);
  SHARED(float, betas, kRows);
  const Run run = run_of_block(p);
  if (run.begin >= run.end) return;
  constexpr u32 kQuads = kTile / 4 / kParts;
  const u32 part = warp_index();
  const Pair pair = pair_of_thread<kRows>();
  Chunk chunk = first_chunk(p, run.begin, run.slot);
  chunk.n = smaller(kRows, run.end - run.begin);
  float4 state[kQuads];
#pragma unroll
  for (u32 i = 0; i < kQuads; ++i)
    state[i] = run.is_new ? make_float4(0, 0, 0, 0) : load_state(chunk, 4 * (part + i * kParts));
  RowElems<kRows> elems;
  RowValues<kRows> values;
  read_elems(chunk, elems);
  read_values(chunk, values);
  for (u32 row = run.begin; row < run.end; row += kRows) {
    put_elems<kRows>(elems, keys, area);
    put_rates<kRows>(values, sums, betas);
    BARRIER();
    // Of the next chunk, while this one is computed.
    const RowValues<kRows> now = values;
    Chunk next = chunk;
    go_on(next, kRows);
    if (row + kRows < run.end) {
      next.n = smaller(kRows, run.end - row - kRows);
      read_elems(next, elems);
      read_values(next, values);
    }
    float with_keys[kRows] = {}, with_queries[kRows] = {};
    const float product = pair_product(pair, keys, area, divide_up(chunk.key_dim, 4));
#pragma unroll
    for (u32 i = 0; i < kQuads; ++i) {
      const u32 quad = part + i * kParts;
#pragma unroll
      for (u32 t = 0; t < kRows; ++t) {
        with_keys[t] = add_dot(with_keys[t], quad_at(keys, t * kPitch + 4 * quad), state[i]);
        with_queries[t] = add_dot(with_queries[t], quad_at(area, t * kPitch + 4 * quad), state[i]);
      }
    }
    BARRIER();  // the queries have been read
    put_products<kRows>(pair, product, with_keys, with_queries, sums, area, of_keys, of_queries);
    BARRIER();
    if (part == 0) solve<kRows>(now, area, sums, betas, of_keys, corrections);
    BARRIER();
    put_read<kRows>(chunk, area, sums, of_queries, corrections);
    float added[kRows];
    read_added<kRows>(sums, corrections, added);
    const float decay = exp_of(sums[kRows - 1]);
#pragma unroll
    for (u32 i = 0; i < kQuads; ++i) state[i] = corrected<kRows>(state[i], keys, 4 * (part + i * kParts), decay, added);
    chunk = next;
    if (kRows > 1) BARRIER();  // all of this chunk has been read
  }
#pragma unroll
  for (u32 i = 0; i < kQuads; ++i) store_state(chunk, 4 * (part + i * kParts), state[i]);
}

template <u32 kRows>
DEVICE void run_long_rule(const DeltaRuleParams& p) {
  SHARED(float, keys, kRows* kPitch);
  // Queries of the tile; then what each warp has of the products with S: with keys, then with queries.
  SHARED(float, area, 2 * kRows * kDeltaThreads);
  SHARED(float, corrections, kRows* kDeltaColumns);  // r
  SHARED(float, of_keys, kRows* kRows);              // exp(G_t - G_j) times k_j . k_t
  SHARED(float, of_queries, kRows* kRows);           // likewise with q_t
  SHARED(float, sums, kRows);
  SHARED(float, betas, kRows);
  const Run run = run_of_block(p);
  if (run.begin >= run.end) return;
  const Pair pair = pair_of_thread<kRows>();
  Chunk chunk = first_chunk(p, run.begin, run.slot);
  for (u32 row = run.begin; row < run.end; row += kRows) {
    chunk.n = smaller(kRows, run.end - row);
    chunk.is_new = run.is_new && row == run.begin;
    RowValues<kRows> values;
    read_values(chunk, values);
    put_rates<kRows>(values, sums, betas);
    float with_keys[kRows] = {}, with_queries[kRows] = {}, product = 0;
    for (u32 first = 0; first < chunk.key_dim; first += kTile) {
      load_tile<kRows>(chunk, chunk.keys, first, keys);
      load_tile<kRows>(chunk, chunk.queries, first, area);
      BARRIER();
      product += pair_product(pair, keys, area, quads_of(chunk, first));
      if (!chunk.is_new) read_state<kRows>(chunk, first, quads_of(chunk, first), keys, area, with_keys, with_queries);
      BARRIER();  // the tile has been read
    }
    put_products<kRows>(pair, product, with_keys, with_queries, sums, area, of_keys, of_queries);
    BARRIER();
    if (warp_index() == 0) solve<kRows>(values, area, sums, betas, of_keys, corrections);
    BARRIER();
    put_read<kRows>(chunk, area, sums, of_queries, corrections);
    float added[kRows];
    read_added<kRows>(sums, corrections, added);
    const float decay = exp_of(sums[kRows - 1]);
    for (u32 first = 0; first < chunk.key_dim; first += kTile) {
      load_tile<kRows>(chunk, chunk.keys, first, keys);
      BARRIER();
      correct_state<kRows>(chunk, first, quads_of(chunk, first), keys, decay, added);
      BARRIER();  // the tile has been read
    }
    go_on(chunk, kRows);
  }
}

}  // namespace

KERNEL(delta_rule_1, kDeltaThreads, DeltaRuleParams) { run_held_rule<1>(p); }
KERNEL(delta_rule_8, kDeltaThreads, DeltaRuleParams) { run_held_rule<8>(p); }
KERNEL(delta_rule_long, kDeltaThreads, DeltaRuleParams) { run_long_rule<8>(p); }

}  // namespace headroom::cuda
