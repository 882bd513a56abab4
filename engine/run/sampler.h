// Chooses the next token, from candidates or from a whole row of logits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "backend/candidates.h"
#include "run/random.h"
#include "text/sampler_settings.h"
#include "text/tokenizer.h"

namespace headroom {

// kUsage names the setting that makes no sense (a negative temperature, a probability outside 0..1, a repetition
// penalty of 0).
Status check_sampler_settings(const SamplerSettings& settings);

// Likeliest token; ties go to the lowest id. `logits` is (n_vocab) and not empty.
TokenId argmax(std::span<const float> logits);

// Room for one row's query and its answer; each (kMostCandidates).
struct CandidateSpace {
  std::span<Candidate> best;
  std::span<TokenId> ids;
  std::span<float> logits;
};

// Penalties, then top-k, min-p and top-p on the model's own distribution, then temperature, then one random number.
// Equal logits are ordered by id, so a seed gives one text whatever the number of threads, and the same one from
// candidates and from the whole row. Allocates nothing.
class Sampler {
 public:
  // `known` is (n_vocab) scratch, used only inside choose(): samplers of one thread may share it. `seed` replaces
  // settings.seed. `suppressed` are tokens that are never chosen, ascending; they outlive the sampler.
  Sampler(const SamplerSettings& settings, std::uint64_t seed, std::span<Candidate> known,
          std::span<const TokenId> suppressed = {});

  // What the next choose() needs of its row, in `space`; absent: the whole row, because nothing narrows the choice, or
  // by too little. `recent` are the tokens before this one, oldest first: the last repetition_window of them are
  // penalized, as are those that are suppressed, by all that there is.
  std::optional<CandidateQuery> ask(std::span<const TokenId> recent, const CandidateSpace& space) const;

  // The token, from the answer to ask(); absent when the answer leaves it open: choose() from the whole row then. A
  // random number is used for a token alone.
  std::optional<TokenId> choose(const CandidateQuery& answer);

  // `logits` is (n_vocab).
  TokenId choose(std::span<const float> logits, std::span<const TokenId> recent);

 private:
  // A sum of exponentials that is known to lie within.
  struct Range {
    double least = 0, most = 0;
  };
  bool has_top_k() const { return settings_.top_k > 0 && settings_.top_k < known_.size(); }
  std::span<const TokenId> window(std::span<const TokenId> recent) const;
  bool is_suppressed(TokenId id) const;
  float penalized(const Candidate& candidate) const;
  std::span<Candidate> merge(const CandidateQuery& answer);
  std::optional<TokenId> choose_among(std::span<Candidate> known, const CandidateQuery* open);
  std::optional<std::span<Candidate>> narrow(std::span<Candidate> kept, const CandidateQuery* open) const;
  static std::optional<std::span<Candidate>> nucleus(std::span<Candidate> kept, const CandidateQuery* open, float best,
                                                     Range wanted);
  static Range mass_of(std::span<Candidate> all, float best);
  Range mass_of_row(const CandidateQuery& answer, float best) const;
  TokenId draw(std::span<const Candidate> kept);

  SamplerSettings settings_;
  Random random_;
  std::span<Candidate> known_;
  std::span<const TokenId> suppressed_;
};

}  // namespace headroom
