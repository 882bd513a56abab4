// How probable tokens are in the model's own distribution: before penalties, temperature, and whatever cuts candidates.
#pragma once

#include <span>

#include "backend/candidates.h"
#include "text/tokenizer.h"

namespace headroom {

struct TokenLogprob {
  TokenId id = 0;
  float logprob = 0;  // natural logarithm of its probability
};

// What a query needs for the probabilities of its likeliest tokens, `n_top` of them or all that there are: more of the
// best where it asks for fewer, and the sum of the row. `best` is the room for them.
void ask_for_logprobs(CandidateQuery& query, std::uint32_t n_top, std::span<Candidate> best);

// Fills `likeliest` from the answer of such a query, the likeliest first, and returns the logarithm of `chosen`, which
// is among its candidates. Off by the error of the sum: kMostSumError.
float read_logprobs(const CandidateQuery& answer, TokenId chosen, std::span<TokenLogprob> likeliest);
// The same from a whole row, (n_vocab).
float read_logprobs(std::span<const float> row, TokenId chosen, std::span<TokenLogprob> likeliest);

}  // namespace headroom
