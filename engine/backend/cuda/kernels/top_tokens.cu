// The likeliest tokens of a row in their order, and the logits of those that are asked for by id. Blocks: (1, queries).
// As many blocks of tokens as tokens are asked for have a maximum of at least `least`: no less likely token is among
// the best, and only these blocks are looked into. Where more such tokens are found than there is room for, the last of
// the best is searched for first.
#include "lib/candidates.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = kCandidateThreads, kRoom = 2 * kMostCandidates, kDigits = 256;

// Tokens and blocks as numbers of which the larger one comes first: the order of its logit, then the lower id.
using Ranked = std::uint64_t;
DEVICE Ranked ranked(u32 order, u32 id) { return (Ranked{order} << 32) | ~id; }
DEVICE u32 order_in(Ranked token) { return static_cast<u32>(token >> 32); }
DEVICE u32 id_in(Ranked token) { return ~static_cast<u32>(token); }

// Digit 0 is the highest of eight.
DEVICE u32 digit_of(Ranked token, u32 digit) { return static_cast<u32>(token >> (56 - 8 * digit)) & 255U; }

// The digits of the n-th that are known count those with the next one.
struct Known {
  Ranked digits;
  u32 n;  // of the digits
};

DEVICE void count(auto& counts, Ranked token, const Known& known) {
  const u32 shift = 64 - 8 * known.n;
  if (known.n == 0 || token >> shift == known.digits >> shift) ATOMIC_ADD(counts, digit_of(token, known.n), 1U);
}

// All tokens of the row from `least` on are counted, or found.
template <bool kIsCounting>
DEVICE void visit_tokens(const CandidateParams& p, auto& room, Ranked least, const Known& known) {
  const u32 n_vocab = p.words.n_vocab;
  const u32* logits = logits_of(p, query_of(p, block_y()));
  const u32* maxima = maxima_of(p, block_y());
  for (u32 block = thread_index(); block < divide_up(n_vocab, kRowBlock); block += kThreads) {
    if (maxima[block] < order_in(least)) continue;
    const u32 end = smaller(n_vocab, (block + 1) * kRowBlock);
    for (u32 id = block * kRowBlock; id < end; ++id) {
      const Ranked token = ranked(order_of(logits[id]), id);
      if (token < least) continue;
      if constexpr (kIsCounting) {
        count(room.counts, token, known);
      } else {
        const u32 at = ATOMIC_ADD(room.n_found, 0, 1U);
        if (at < kRoom) room.found[at] = token;
      }
    }
  }
}

// Leaves the digit of the n-th of what was counted, and which of those with that digit it is.
DEVICE void find_digit(auto& counts, auto& found_digit, u32 n) {
  const u32 thread = thread_index();
  for (u32 stride = 1; stride < kDigits; stride *= 2) {  // counts become those of this digit and all above it
    const u32 low = thread + stride < kDigits ? static_cast<u32>(counts[thread + stride]) : 0;
    const u32 high = thread + kThreads + stride < kDigits ? static_cast<u32>(counts[thread + kThreads + stride]) : 0;
    BARRIER();
    counts[thread] += low;
    counts[thread + kThreads] += high;
    BARRIER();
  }
  for (u32 digit = thread; digit < kDigits; digit += kThreads) {
    const u32 here = counts[digit], above = digit + 1 < kDigits ? static_cast<u32>(counts[digit + 1]) : 0;
    if (here >= n && above < n) {
      found_digit[0] = digit;
      found_digit[1] = n - above;
    }
  }
  BARRIER();
}

// The n-th of all blocks by their maxima, of which the id is left out; or of all tokens from `least` on.
DEVICE Ranked nth(const CandidateParams& p, auto& room, u32 n, bool is_of_tokens, Ranked least) {
  const u32 thread = thread_index(), n_blocks = divide_up(p.words.n_vocab, kRowBlock);
  Known known{};
  for (; known.n < (is_of_tokens ? 8 : 4); ++known.n) {
    room.counts[thread] = 0U;
    room.counts[thread + kThreads] = 0U;
    BARRIER();
    if (is_of_tokens) {
      visit_tokens<true>(p, room, least, known);
    } else {
      for (u32 block = thread; block < n_blocks; block += kThreads)
        count(room.counts, ranked(maxima_of(p, block_y())[block], block), known);
    }
    BARRIER();
    find_digit(room.counts, room.found_digit, n);
    known.digits |= Ranked{static_cast<u32>(room.found_digit[0])} << (56 - 8 * known.n);
    n = room.found_digit[1];
  }
  return known.digits;
}

DEVICE void find(const CandidateParams& p, auto& room, Ranked least) {
  if (thread_index() == 0) room.n_found[0] = 0U;
  BARRIER();
  visit_tokens<false>(p, room, least, Known{});
  BARRIER();
}

// Shared memory of a block, by the arrays of the kernel.
template <class Found, class Number, class Counts, class Digit>
struct Room {
  Found& found;
  Number& n_found;
  Counts& counts;
  Digit& found_digit;
};

// A bitonic sort of what was found; what is behind it becomes no token.
DEVICE void sort_found(auto& found, u32 n_found) {
  const u32 thread = thread_index();
  u32 n = 1;
  while (n < n_found) n *= 2;
  for (u32 i = thread + n_found; i < n; i += kThreads) found[i] = Ranked{0};
  BARRIER();
  for (u32 run = 2; run <= n; run *= 2) {
    for (u32 stride = run / 2; stride > 0; stride /= 2) {
      for (u32 i = thread; i < n / 2; i += kThreads) {
        const u32 low = 2 * i - (i & (stride - 1)), high = low + stride;
        const Ranked a = found[low], b = found[high];
        if ((b > a) == ((low & run) == 0)) {
          found[low] = b;
          found[high] = a;
        }
      }
      BARRIER();
    }
  }
}

}  // namespace

KERNEL(top_tokens, kThreads, CandidateParams) {
  SHARED(Ranked, found, kRoom);
  SHARED(u32, n_found, 1);
  SHARED(u32, counts, kDigits);
  SHARED(u32, found_digit, 2);
  const u32 thread = thread_index(), index = block_y();
  const Query query = query_of(p, index);
  if (query.n_best == 0) return;   // the whole block
  Ranked least = Ranked{1} << 32;  // all tokens, and nothing behind the last
  Room room{found, n_found, counts, found_digit};
  if (query.n_best <= divide_up(p.words.n_vocab, kRowBlock)) least = nth(p, room, query.n_best, false, least);
  find(p, room, least);
  if (n_found[0] > kRoom) {
    const Ranked last = nth(p, room, query.n_best, true, least);
    find(p, room, last);
  }
  sort_found(found, n_found[0]);
  u32* answer = answer_of(p, index);
  for (u32 i = thread; i < query.n_best; i += kThreads) {
    const Ranked token = found[i];
    answer[2 * i] = logit_bits(order_in(token));
    answer[2 * i + 1] = id_in(token);
  }
  const u32* ids = inputs_of(p) + p.words.ids_at + index * kMostCandidates;
  for (u32 i = thread; i < query.n_ids; i += kThreads)
    answer[p.words.answer_logits_at + i] = logit_bits(order_of(logits_of(p, query)[ids[i]]));
}

}  // namespace headroom::cuda
