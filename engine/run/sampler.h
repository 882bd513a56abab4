// Chooses the next token from logits.
#pragma once

#include <cstdint>
#include <span>

#include "run/random.h"
#include "text/sampler_settings.h"
#include "text/tokenizer.h"

namespace headroom {

// One token that may be chosen; `weight` is its logit, later its unnormalized probability.
struct Candidate {
  float weight = 0.0F;
  TokenId id = 0;
};

// kUsage names the setting that makes no sense (a negative temperature, a probability outside 0..1, a repetition
// penalty of 0).
Status check_sampler_settings(const SamplerSettings& settings);

// Likeliest token; ties go to the lowest id. `logits` is (n_vocab) and not empty.
TokenId argmax(std::span<const float> logits);

// Penalties, then top-k, min-p and top-p on the model's own distribution, then temperature, then one random number.
// Equal logits are ordered by id, so a seed gives one text whatever the number of threads. Allocates nothing.
class Sampler {
 public:
  // `candidates` is (n_vocab) scratch, used only inside sample(): samplers of one thread may share it. `seed` replaces
  // settings.seed.
  Sampler(const SamplerSettings& settings, std::uint64_t seed, std::span<Candidate> candidates);

  // `logits` is (n_vocab); `recent` the tokens before this one, oldest first: the last repetition_window of them are
  // penalized.
  TokenId sample(std::span<const float> logits, std::span<const TokenId> recent);

 private:
  void penalize(std::span<const TokenId> recent);
  std::span<Candidate> narrow();
  TokenId draw(std::span<const Candidate> kept);

  SamplerSettings settings_;
  Random random_;
  std::span<Candidate> candidates_;
};

}  // namespace headroom
