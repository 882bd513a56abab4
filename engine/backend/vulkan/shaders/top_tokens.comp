// The likeliest tokens of a row in their order, and the logits of those that are asked for by id. Groups: (1, queries).
// As many blocks as tokens are asked for have a maximum of at least `least`: no less likely token is among the best, and
// only these blocks are looked into. Where more such tokens are found than there is room for, the last of the best is
// searched for first.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
#include "lib/candidates.glsl"

const uint kRoom = 2 * kMostCandidates, kDigits = 256;
shared uvec2 found[kRoom];
shared uint n_found;
shared uint counts[kDigits];
shared uint digit_found, n_left;

// Tokens and blocks as pairs of which the larger one comes first: the order of its logit, then the lower id.
uvec2 ranked(uint order, uint id) { return uvec2(order, ~id); }
bool comes_before(uvec2 a, uvec2 b) { return a.x != b.x ? a.x > b.x : a.y > b.y; }

// Digit 0 is the highest of eight.
uint digit_of(uvec2 pair, uint digit) { return (pair[digit / 4u] >> (24u - 8u * (digit & 3u))) & 255u; }
uvec2 mask_before(uint digit) {
  const uint high = digit == 0u ? 0u : digit >= 4u ? ~0u : ~0u << (32u - 8u * digit);
  return uvec2(high, digit <= 4u ? 0u : ~0u << (64u - 8u * digit));
}

// Those whose digits before this one are known count by this digit.
void count(uvec2 pair, uvec2 known, uint digit) {
  if ((pair & mask_before(digit)) == known) atomicAdd(counts[digit_of(pair, digit)], 1u);
}

// All tokens of the row from `least` on are found, or counted.
void visit_tokens(uint thread, uint query, uvec2 least, bool is_counting, uvec2 known, uint digit) {
  const uint row_at = query_row(query) * p.n_vocab;
  for (uint block = thread; block < n_blocks(); block += kThreads) {
    if (maxima[query * p.maxima_words + block] < least.x) continue;
    const uint end = min(p.n_vocab, (block + 1u) * kRowBlock);
    for (uint first = block * kRowBlock; first < end; first += 4u) {
      [[unroll]] for (uint i = 0u; i < 4u; ++i) {
        const uint id = first + i;
        const uvec2 token = ranked(id < end ? order_of(logits[row_at + id]) : 0u, id);
        if (comes_before(least, token)) continue;
        if (is_counting) {
          count(token, known, digit);
        } else {
          const uint at = atomicAdd(n_found, 1u);
          if (at < kRoom) found[at] = token;
        }
      }
    }
  }
}

// Leaves the digit of the n-th of what was counted, and which of those with that digit it is.
void find_digit(uint thread, uint n) {
  for (uint stride = 1u; stride < kDigits; stride *= 2u) {  // counts become those of this digit and all above it
    const uint low = thread + stride < kDigits ? counts[thread + stride] : 0u;
    const uint high = thread + kThreads + stride < kDigits ? counts[thread + kThreads + stride] : 0u;
    barrier();
    counts[thread] += low;
    counts[thread + kThreads] += high;
    barrier();
  }
  [[unroll]] for (uint i = 0u; i < kDigits; i += kThreads) {
    const uint digit = thread + i, above = digit + 1u < kDigits ? counts[digit + 1u] : 0u;
    if (counts[digit] >= n && above < n) {
      digit_found = digit;
      n_left = n - above;
    }
  }
  barrier();
}

// The n-th of all blocks by their maxima, of which the id is left out; or of all tokens from `least` on.
uvec2 nth(uint thread, uint query, uint n, bool is_of_tokens, uvec2 least) {
  uvec2 known = uvec2(0u);
  for (uint digit = 0u; digit < (is_of_tokens ? 8u : 4u); ++digit) {
    counts[thread] = counts[thread + kThreads] = 0u;
    barrier();
    if (is_of_tokens) {
      visit_tokens(thread, query, least, true, known, digit);
    } else {
      for (uint block = thread; block < n_blocks(); block += kThreads)
        count(ranked(maxima[query * p.maxima_words + block], block), known, digit);
    }
    barrier();
    find_digit(thread, n);
    known[digit / 4u] |= digit_found << (24u - 8u * (digit & 3u));
    n = n_left;
  }
  return known;
}

// All have read the number before this one: a search lies between.
void find(uint thread, uint query, uvec2 least) {
  if (thread == 0u) n_found = 0u;
  barrier();
  visit_tokens(thread, query, least, false, uvec2(0u), 0u);
  barrier();
}

// A bitonic sort of what was found; what is behind it becomes no token.
void sort_found(uint thread) {
  uint n = 1u;
  while (n < n_found) n *= 2u;
  for (uint i = thread + n_found; i < n; i += kThreads) found[i] = uvec2(0u);
  barrier();
  for (uint run = 2u; run <= n; run *= 2u) {
    for (uint stride = run / 2u; stride > 0u; stride /= 2u) {
      for (uint i = thread; i < n / 2u; i += kThreads) {
        const uint low = 2u * i - (i & (stride - 1u)), high = low + stride;
        const uvec2 a = found[low], b = found[high];
        if (comes_before(b, a) == ((low & run) == 0u)) {
          found[low] = b;
          found[high] = a;
        }
      }
      barrier();
    }
  }
}

void main() {
  const uint thread = gl_LocalInvocationID.x, query = gl_WorkGroupID.y, n_best = n_best_of(query);
  if (n_best == 0u) return;  // the whole group
  uvec2 least = uvec2(1u, 0u);  // all tokens, and nothing behind the last
  if (n_best <= n_blocks()) least = nth(thread, query, n_best, false, least);
  find(thread, query, least);
  if (n_found > kRoom) find(thread, query, nth(thread, query, n_best, true, least));
  sort_found(thread);
  const uint answer_at = query * p.answer_words;
  for (uint i = thread; i < n_best; i += kThreads) {
    answers[answer_at + 2u * i] = bits_of(found[i].x);
    answers[answer_at + 2u * i + 1u] = ~found[i].y;
  }
  const uint row_at = query_row(query) * p.n_vocab, n_ids = n_ids_of(query);
  for (uint i = thread; i < n_ids; i += kThreads) {
    const uint id = inputs[p.ids_at + query * kMostCandidates + i];
    answers[answer_at + p.answer_logits_at + i] = bits_of(order_of(logits[row_at + id]));
  }
}
