// The rule of delta nets: the state S of a value head, and with each row
//   S = exp(decay) S, S += k beta (v - S^T k)^T, read = S^T q.
// A block has 32 columns of a state; a lane is a column, and the warps share out its rows. It takes chunks of rows, in
// which S is read and written once: with G_t the sum of the decays up to row t of the chunk,
//   x_t = v_t - exp(G_t) S^T k_t            what row t asks to be corrected,
//   r_t = sum over j <= t of M_tj x_j       what it corrects,
//   read_t = exp(G_t) S^T q_t + sum over j <= t of N_tj r_j,
//   S = exp(G_last) S + sum over t of exp(G_last - G_t) k_t r_t^T.
// M, N and the exponentials do not depend on S: delta_pairs.cu has made them for all chunks at once, so that what is
// done chunk after chunk are products alone, of which no row waits for another. All in f32: a state goes through every
// row of a conversation, and what tiles of fewer digits round off stays in it. Three products of TF32 would keep enough
// of them. They take longer than one of f32 where tiles take TF32 no faster than that: GeForce 30, by what NVIDIA's
// engineers say of it (github.com/NVIDIA/cutlass/discussions/390).
// With keys of up to kTile elements a thread keeps its part of the state in registers from the first chunk to the last,
// and loads the next chunk's rows while it computes this one. Longer keys have no room there: the state is read from
// memory and written back with each chunk. Blocks: (blocks of columns of all value heads, slots of the step).
#include "backend/cuda/kernel_limits.h"
#include "lib/delta.cuh"
#include "lib/reduce.cuh"
#include "lib/runs.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kDeltaColumns = 32, kParts = kDeltaThreads / kDeltaColumns;
// Elements of keys and queries that stand in shared memory at once. A thread loads the same element of each row: half
// of them of keys, half of queries.
constexpr u32 kTile = kDeltaTile;
static_assert(kDeltaThreads == 2 * kTile);
// Warps share out a chunk's products with S by rows of S; what follows has a warp for each row of the chunk.
constexpr u32 kRows = kDeltaChunk;
static_assert(kRows == kParts);

using DeltaRuleWords = args::KernelArgs<args::DeltaRuleConstants, args::DeltaRulePush>;
using DeltaRuleParams = Params<DeltaRuleWords>;

// What a thread works on: the rows of a chunk, with its column of the state, of values and of what is read.
struct Chunk {
  const float* queries;  // of the first row, as all of these
  const float* keys;
  const float* values;
  const float* rates;  // decays; betas are n_heads behind
  const float* pairs;  // DeltaPairs
  float* read;
  float* state;
  u32 width, n_heads, read_width, key_dim, value_dim;
  bool is_there;   // the column
  u32 first, end;  // rows that are of the slot, among kRows
};

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

// The chunk that begins at `row`, a multiple of n_rows, as far as the run has it.
DEVICE Chunk chunk_at(const DeltaRuleParams& p, const Run& run, u32 row, u32 n_rows) {
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
  chunk.pairs = buffer<const float>(p, 7) + (std::uint64_t{row / kRows} * chunk.n_heads + head) * DeltaPairs::kWords;
  chunk.state = buffer<float>(p, 5) + (std::uint64_t{run.slot} * chunk.n_heads + head) * key_dim * value_dim + column;
  chunk.first = run.begin > row ? run.begin - row : 0;
  chunk.end = smaller(run.end - row, n_rows);
  return chunk;
}

DEVICE Chunk next_chunk(const Chunk& chunk, const Run& run, u32 next_row) {
  Chunk next = chunk;
  next.queries += std::uint64_t{kRows} * chunk.width;
  next.keys += std::uint64_t{kRows} * chunk.width;
  next.values += std::uint64_t{kRows} * chunk.width;
  next.pairs += std::uint64_t{chunk.n_heads} * DeltaPairs::kWords;
  next.read += std::uint64_t{kRows} * chunk.read_width;
  next.first = 0;
  next.end = next_row < run.end ? smaller(run.end - next_row, kRows) : 0;
  return next;
}

DEVICE bool has_row(const Chunk& chunk, u32 t) { return t >= chunk.first && t < chunk.end; }

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

// What a thread loads of a chunk, asked for before it is used: its element of each row's key or query, the value of its
// warp's row, and a word of the pairs. Rows that are not the slot's are zeros, which change no state.
struct Loaded {
  float elems[kRows];
  float value, pair;
};
DEVICE float loaded_elem(const Chunk& chunk, u32 t, u32 first_elem) {
  const u32 i = first_elem + thread_index() % kTile;
  const float* from = thread_index() < kTile ? chunk.keys : chunk.queries;
  return has_row(chunk, t) && i < chunk.key_dim ? from[std::uint64_t{t} * chunk.width + i] : 0.0F;
}
DEVICE void load_elems(const Chunk& chunk, u32 first_elem, Loaded& to) {
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) to.elems[t] = loaded_elem(chunk, t, first_elem);
}
DEVICE void load_rest(const Chunk& chunk, Loaded& to) {
  const u32 t = warp_index();
  to.value = has_row(chunk, t) && chunk.is_there ? chunk.values[std::uint64_t{t} * chunk.width] : 0.0F;
  to.pair = thread_index() < DeltaPairs::kWords ? chunk.pairs[thread_index()] : 0.0F;
}

// `at`: where the chunk's keys and queries begin, of which there may be two.
DEVICE void put_elems(const Loaded& of, u32 at, auto& keys, auto& queries) {
  const u32 i = thread_index() % kTile;
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) {
    if (thread_index() < kTile) {
      keys[at + t * kTile + i] = of.elems[t];
    } else {
      queries[at + t * kTile + i] = of.elems[t];
    }
  }
}
DEVICE void put_pair(const Loaded& of, u32 at, auto& pairs) {
  if (thread_index() < DeltaPairs::kWords) pairs[at + thread_index()] = of.pair;
}

// sum + a . b, a multiply-add for each element.
DEVICE float add_dot(float sum, const float4& a, const float4& b) {
  return a.w * b.w + (a.z * b.z + (a.y * b.y + (a.x * b.x + sum)));
}

// Products of a chunk's rows with this warp's rows of the state.
struct WithState {
  float keys[kRows], queries[kRows];
};
// `at`: of the quad in the first row.
DEVICE void add_products(WithState& sums, const float4& s, u32 at, auto& keys, auto& queries) {
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) {
    sums.keys[t] = add_dot(sums.keys[t], quad_at(keys, at + t * kTile), s);
    sums.queries[t] = add_dot(sums.queries[t], quad_at(queries, at + t * kTile), s);
  }
}
DEVICE void put_products(const WithState& sums, auto& area) {
  const u32 at = warp_index() * 2 * kRows * kDeltaColumns + lane_index();
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) {
    area[at + t * kDeltaColumns] = sums.keys[t];
    area[at + (kRows + t) * kDeltaColumns] = sums.queries[t];
  }
}
// Of all parts, of `n` rows each.
DEVICE float part_sum(auto& area, u32 n, u32 row) {
  float sum = 0;
#pragma unroll
  for (u32 part = 0; part < kParts; ++part) sum += area[(part * n + row) * kDeltaColumns + lane_index()];
  return sum;
}

// The sum over j of a row of M or N, which begins at `at`, with what the chunk's rows have of this lane's column.
DEVICE float pair_sum(auto& pairs, u32 at, const float (&of)[kRows]) {
  float sum = 0;
#pragma unroll
  for (u32 j = 0; j < kRows; j += 4)
    sum = add_dot(sum, quad_at(pairs, at + j), make_float4(of[j], of[j + 1], of[j + 2], of[j + 3]));
  return sum;
}
DEVICE void read_column(auto& of, float (&to)[kRows]) {
#pragma unroll
  for (u32 j = 0; j < kRows; ++j) to[j] = of[j * kDeltaColumns + lane_index()];
}

// Four rows of a column of decay S + sum of k_t added_t^T; `at`: their elements of the first key.
DEVICE float4 corrected(const float4& s, auto& keys, u32 at, float decay, const float (&added)[kRows]) {
  float4 sum = make_float4(decay * s.x, decay * s.y, decay * s.z, decay * s.w);
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) {
    const float4 key = quad_at(keys, at + t * kTile);
    sum = make_float4(sum.x + added[t] * key.x, sum.y + added[t] * key.y, sum.z + added[t] * key.z,
                      sum.w + added[t] * key.w);
  }
  return sum;
}

// From what each warp has left in `area`, S^T k_t and S^T q_t: writes what is read, and puts into `added` each row's r,
// times exp(G_last - G_t), of this lane's column. Example: of row 2 M has three numbers, so r_2 is their sum with x_0,
// x_1 and x_2. `at`: of the pairs. meanwhile() is called when nobody reads the chunk before any more.
DEVICE void correct(const Chunk& chunk, float value, u32 at, auto& area, auto& pairs, auto& asked, auto& corrections,
                    float (&added)[kRows], const auto& meanwhile) {
  const u32 t = warp_index();
  const float from_start = pairs[at + DeltaPairs::kFromStart + t];
  float column[kRows];
  BARRIER();
  asked[t * kDeltaColumns + lane_index()] = value - from_start * part_sum(area, 2 * kRows, t);
  float read = from_start * part_sum(area, 2 * kRows, kRows + t);
  BARRIER();
  meanwhile();
  read_column(asked, column);
  corrections[t * kDeltaColumns + lane_index()] = pair_sum(pairs, at + DeltaPairs::kCorrect + t * kRows, column);
  BARRIER();
  read_column(corrections, column);
  read += pair_sum(pairs, at + DeltaPairs::kRead + t * kRows, column);
  if (has_row(chunk, t) && chunk.is_there) chunk.read[std::uint64_t{t} * chunk.read_width] = read;
#pragma unroll
  for (u32 j = 0; j < kRows; ++j) added[j] = pairs[at + DeltaPairs::kToEnd + j] * column[j];
}

DEVICE float decay_of(const Chunk& chunk, u32 at, auto& pairs) {
  return pairs[at + DeltaPairs::kFromStart + chunk.end - 1];
}

DEVICE void run_held_rule(const DeltaRuleParams& p) {
  // Of two chunks: of one that is computed, and of the next.
  SHARED(float, keys, 2 * kRows * kTile);
  SHARED(float, queries, 2 * kRows * kTile);
  SHARED(float, pairs, 2 * DeltaPairs::kWords);
  SHARED(float, area, kParts * 2 * kRows * kDeltaColumns);  // what each warp has of the products with S
  SHARED(float, asked, kRows* kDeltaColumns);               // x
  SHARED(float, corrections, kRows* kDeltaColumns);         // r
  const Run run = run_of_block(p);
  if (run.begin >= run.end) return;
  constexpr u32 kQuads = kTile / 4 / kParts;
  const u32 part = warp_index();
  u32 row = run.begin / kRows * kRows;
  Chunk chunk = chunk_at(p, run, row, kRows);
  Loaded loaded{};
  load_elems(chunk, 0, loaded);
  load_rest(chunk, loaded);
  float4 state[kQuads];
#pragma unroll
  for (u32 i = 0; i < kQuads; ++i)
    state[i] = run.is_new ? make_float4(0, 0, 0, 0) : load_state(chunk, 4 * (part + i * kParts));
  put_elems(loaded, 0, keys, queries);
  put_pair(loaded, 0, pairs);
  BARRIER();
  for (u32 at = 0; row < run.end; at = 1 - at, row += kRows) {
    const float value = loaded.value;
    const Chunk next = next_chunk(chunk, run, row + kRows);
    if (next.end != 0) {
      load_elems(next, 0, loaded);
      load_rest(next, loaded);
    }
    WithState sums{};
#pragma unroll
    for (u32 i = 0; i < kQuads; ++i)
      add_products(sums, state[i], at * kRows * kTile + 4 * (part + i * kParts), keys, queries);
    put_products(sums, area);
    float added[kRows];
    correct(chunk, value, at * DeltaPairs::kWords, area, pairs, asked, corrections, added, [&] {
      put_elems(loaded, (1 - at) * kRows * kTile, keys, queries);
      put_pair(loaded, (1 - at) * DeltaPairs::kWords, pairs);
    });
    const float decay = decay_of(chunk, at * DeltaPairs::kWords, pairs);
#pragma unroll
    for (u32 i = 0; i < kQuads; ++i)
      state[i] = corrected(state[i], keys, at * kRows * kTile + 4 * (part + i * kParts), decay, added);
    chunk = next;
  }
#pragma unroll
  for (u32 i = 0; i < kQuads; ++i) store_state(chunk, 4 * (part + i * kParts), state[i]);
}

DEVICE void run_long_rule(const DeltaRuleParams& p) {
  SHARED(float, keys, kRows* kTile);
  SHARED(float, queries, kRows* kTile);
  SHARED(float, pairs, DeltaPairs::kWords);
  SHARED(float, area, kParts * 2 * kRows * kDeltaColumns);
  SHARED(float, asked, kRows* kDeltaColumns);
  SHARED(float, corrections, kRows* kDeltaColumns);
  const Run run = run_of_block(p);
  if (run.begin >= run.end) return;
  u32 row = run.begin / kRows * kRows;
  Chunk chunk = chunk_at(p, run, row, kRows);
  for (bool is_new = run.is_new; row < run.end; row += kRows, is_new = false) {
    Loaded loaded{};
    load_rest(chunk, loaded);
    const auto quads_of = [&](u32 first) { return divide_up(smaller(chunk.key_dim - first, kTile), 4); };
    WithState sums{};
    for (u32 first = 0; first < chunk.key_dim; first += kTile) {
      load_elems(chunk, first, loaded);
      BARRIER();  // what stands there has been read
      put_elems(loaded, 0, keys, queries);
      if (first == 0) put_pair(loaded, 0, pairs);
      BARRIER();
      for (u32 quad = warp_index(); quad < quads_of(first) && !is_new; quad += kParts)
        add_products(sums, load_state(chunk, first + 4 * quad), 4 * quad, keys, queries);
    }
    put_products(sums, area);
    float added[kRows];
    correct(chunk, loaded.value, 0, area, pairs, asked, corrections, added, [] {});
    const float decay = decay_of(chunk, 0, pairs);
    for (u32 first = 0; first < chunk.key_dim; first += kTile) {
      load_elems(chunk, first, loaded);
      BARRIER();
      put_elems(loaded, 0, keys, queries);
      BARRIER();
      for (u32 quad = warp_index(); quad < quads_of(first); quad += kParts) {
        const float4 s = is_new ? make_float4(0, 0, 0, 0) : load_state(chunk, first + 4 * quad);
        store_state(chunk, first + 4 * quad, corrected(s, keys, 4 * quad, decay, added));
      }
    }
    chunk = next_chunk(chunk, run, row + kRows);
  }
}

// A step of one row: r = beta (v - exp(decay) S^T k), read = exp(decay) S^T q + (q . k) r.
DEVICE void run_one_row(const DeltaRuleParams& p) {
  SHARED(float, keys, kTile);
  SHARED(float, queries, kTile);
  constexpr u32 kSums = 3;  // of keys with S, of queries with S, of queries with keys
  SHARED(float, area, kParts* kSums* kDeltaColumns);
  const Run run = run_of_block(p);
  if (run.begin >= run.end) return;
  constexpr u32 kQuads = kTile / 4 / kParts;
  const u32 part = warp_index(), lane = lane_index(), thread = thread_index();
  const Chunk chunk = chunk_at(p, run, run.begin, 1);
  const float elem = loaded_elem(chunk, 0, 0), value = chunk.is_there ? chunk.values[0] : 0.0F;
  const float decay = exp_of(chunk.rates[0]), beta = chunk.rates[chunk.n_heads];
  float4 state[kQuads];
#pragma unroll
  for (u32 i = 0; i < kQuads; ++i)
    state[i] = run.is_new ? make_float4(0, 0, 0, 0) : load_state(chunk, 4 * (part + i * kParts));
  if (thread < kTile) {
    keys[thread] = elem;
  } else {
    queries[thread - kTile] = elem;
  }
  BARRIER();
  float sums[kSums] = {};
#pragma unroll
  for (u32 i = 0; i < kQuads; ++i) {
    const float4 key = quad_at(keys, 4 * (part + i * kParts)), query = quad_at(queries, 4 * (part + i * kParts));
    sums[0] = add_dot(sums[0], key, state[i]);
    sums[1] = add_dot(sums[1], query, state[i]);
    sums[2] = add_dot(sums[2], query, key);
  }
#pragma unroll
  for (u32 i = 0; i < kSums; ++i) area[(part * kSums + i) * kDeltaColumns + lane] = sums[i];
  BARRIER();
  const float correction = beta * (value - decay * part_sum(area, kSums, 0));
  if (part == 0 && chunk.is_there)
    chunk.read[0] = decay * part_sum(area, kSums, 1) + part_sum(area, kSums, 2) * correction;
#pragma unroll
  for (u32 i = 0; i < kQuads; ++i) {
    const float4 key = quad_at(keys, 4 * (part + i * kParts)), s = state[i];
    store_state(chunk, 4 * (part + i * kParts),
                make_float4(decay * s.x + correction * key.x, decay * s.y + correction * key.y,
                            decay * s.z + correction * key.z, decay * s.w + correction * key.w));
  }
}

}  // namespace

KERNEL(delta_rule_1, kDeltaThreads, DeltaRuleParams) { run_one_row(p); }
KERNEL(delta_rule_8, kDeltaThreads, DeltaRuleParams) { run_held_rule(p); }
KERNEL(delta_rule_long, kDeltaThreads, DeltaRuleParams) { run_long_rule(p); }

}  // namespace headroom::cuda
