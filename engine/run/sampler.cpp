#include "run/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headroom {
namespace {

// Marks a candidate that was penalized already; ids stay below it because a vocabulary is bounded by the file's tensor
// shapes.
constexpr TokenId kSeen = 0x80000000U;

// Candidates that are asked for where only their probabilities say how many are kept: more than nearly all answers need
// for one token, and a device finds them as fast as a few.
constexpr std::uint32_t kNucleus = 256;

bool has_lower_id(const Candidate& a, const Candidate& b) { return a.id < b.id; }

// Relative to the likeliest.
double probability(const Candidate& candidate, float best) {
  return std::exp(static_cast<double>(candidate.logit) - best);
}

}  // namespace

Status check_sampler_settings(const SamplerSettings& settings) {
  const auto refuse = [](const Message& name, const Message& expected, float found) {
    return Error{ErrorCode::kUsage, Message::say("sampler: {} must be {}, found {}", name, expected, found)};
  };
  if (!(settings.temperature >= 0.0F && settings.temperature <= 100.0F))
    return refuse(Message::say("temperature"), Message::say("from 0 to 100"), settings.temperature);
  if (!(settings.top_p > 0.0F && settings.top_p <= 1.0F))
    return refuse(Message::say("top-p"), Message::say("above 0 and at most 1"), settings.top_p);
  if (!(settings.min_p >= 0.0F && settings.min_p <= 1.0F))
    return refuse(Message::say("min-p"), Message::say("from 0 to 1"), settings.min_p);
  if (!(settings.repetition_penalty > 0.0F && settings.repetition_penalty <= 100.0F)) {
    return refuse(Message::say("repetition penalty"), Message::say("above 0 and at most 100"),
                  settings.repetition_penalty);
  }
  if (!(std::abs(settings.presence_penalty) <= 100.0F))
    return refuse(Message::say("presence penalty"), Message::say("from -100 to 100"), settings.presence_penalty);
  return ok_status();
}

TokenId argmax(std::span<const float> logits) {
  std::size_t best = 0;
  for (std::size_t id = 1; id < logits.size(); ++id) {
    if (logits[id] > logits[best]) best = id;
  }
  return static_cast<TokenId>(best);
}

Sampler::Sampler(const SamplerSettings& settings, std::uint64_t seed, std::span<Candidate> known,
                 std::span<const TokenId> suppressed)
    : settings_(settings), random_(seed), known_(known), suppressed_(suppressed) {}

// Asks for top_k tokens plus one for each penalised token: a penalty can push at most that many of the best tokens out.
// A negative penalty can lift a token among the best, so the logits of all penalised tokens are asked for by their ids.
std::optional<CandidateQuery> Sampler::ask(std::span<const TokenId> recent, const CandidateSpace& space) const {
  CandidateQuery query;
  std::size_t n_best = kNucleus;
  if (settings_.temperature == 0.0F) {
    n_best = 1;
  } else if (has_top_k()) {
    n_best = settings_.top_k;
  } else if (settings_.top_p < 1.0F) {
    query.wants_sum = true;
  } else if (settings_.min_p <= 0.0F) {
    return std::nullopt;
  }
  std::size_t n_ids = 0;
  for (const std::span<const TokenId> ids : {window(recent), suppressed_}) {
    for (const TokenId id : ids) {
      const auto end = space.ids.begin() + static_cast<std::ptrdiff_t>(n_ids);
      const auto at = std::lower_bound(space.ids.begin(), end, id);
      if (id >= known_.size() || (at != end && *at == id)) continue;
      if (end == space.ids.end()) return std::nullopt;
      std::move_backward(at, end, end + 1);
      *at = id;
      ++n_ids;
    }
  }
  n_best = std::min(n_best + n_ids, known_.size());
  if (n_best > space.best.size()) return std::nullopt;
  query.ids = space.ids.first(n_ids);
  query.best = space.best.first(n_best);
  query.logits = space.logits.first(n_ids);
  return query;
}

std::optional<TokenId> Sampler::choose(const CandidateQuery& answer) {
  const bool is_all = answer.best.size() == known_.size();
  return choose_among(merge(answer), is_all ? nullptr : &answer);
}

TokenId Sampler::choose(std::span<const float> logits, std::span<const TokenId> recent) {
  CHECK(logits.size() == known_.size() && !logits.empty(), "the sampler's scratch was made for another vocabulary");
  for (std::size_t id = 0; id < logits.size(); ++id) known_[id] = {finite_logit(logits[id]), static_cast<TokenId>(id)};
  for (const TokenId id : window(recent)) {
    if (id >= known_.size() || (known_[id].id & kSeen) != 0) continue;
    known_[id] = {penalized(known_[id]), id | kSeen};
  }
  for (const TokenId id : window(recent)) {
    if (id < known_.size()) known_[id].id = id;
  }
  for (const TokenId id : suppressed_) {
    if (id < known_.size()) known_[id].logit = penalized(known_[id]);
  }
  return *choose_among(known_, nullptr);
}

// The tokens that are penalized.
std::span<const TokenId> Sampler::window(std::span<const TokenId> recent) const {
  if (settings_.repetition_penalty == 1.0F && settings_.presence_penalty == 0.0F) return {};
  return recent.last(std::min<std::size_t>(recent.size(), settings_.repetition_window));
}

// Repetition: the logit moves towards less likely, by division when positive and by multiplication when negative (CTRL,
// arXiv 1909.05858). Presence: subtracted once from every token seen. Each distinct token is penalized once.
float Sampler::penalized(const Candidate& candidate) const {
  if (is_suppressed(candidate.id)) return std::numeric_limits<float>::lowest();
  float logit = candidate.logit;
  const float penalty = settings_.repetition_penalty;
  if (penalty != 1.0F) logit = logit > 0.0F ? logit / penalty : logit * penalty;
  return finite_logit(logit - settings_.presence_penalty);
}

bool Sampler::is_suppressed(TokenId id) const { return std::binary_search(suppressed_.begin(), suppressed_.end(), id); }

// Every token of an answer once, penalized.
std::span<Candidate> Sampler::merge(const CandidateQuery& answer) {
  std::size_t n = 0;
  for (const Candidate& candidate : answer.best) {
    if (!std::binary_search(answer.ids.begin(), answer.ids.end(), candidate.id)) known_[n++] = candidate;
  }
  for (std::size_t i = 0; i < answer.ids.size(); ++i)
    known_[n++] = {penalized({answer.logits[i], answer.ids[i]}), answer.ids[i]};
  return known_.first(n);
}

// `open`: the answer that `known` is from, when it does not hold all tokens. None of the others is likelier than the
// last of its best, and none is penalized.
std::optional<TokenId> Sampler::choose_among(std::span<Candidate> known, const CandidateQuery* open) {
  if (settings_.temperature == 0.0F) return std::min_element(known.begin(), known.end(), is_likelier)->id;
  const std::optional<std::span<Candidate>> kept = narrow(known, open);
  if (!kept) return std::nullopt;
  return draw(*kept);
}

// The candidates that top-k, min-p and top-p leave, best first. Never empty; absent when tokens that are not known
// could be among them.
std::optional<std::span<Candidate>> Sampler::narrow(std::span<Candidate> kept, const CandidateQuery* open) const {
  if (has_top_k()) {
    if (settings_.top_k < kept.size())
      std::nth_element(kept.begin(), kept.begin() + settings_.top_k - 1, kept.end(), is_likelier);
    kept = kept.first(settings_.top_k);
    open = nullptr;  // ask() made sure that they are known
  }
  const bool has_top_p = settings_.top_p<1.0F, has_min_p = settings_.min_p> 0.0F;
  if (!has_top_p && !has_min_p) {
    std::sort(kept.begin(), kept.end(), is_likelier);
    return kept;
  }
  const float best = std::min_element(kept.begin(), kept.end(), is_likelier)->logit;
  // Before anything is cut, so that min-p first and top-p first keep the same set.
  const Range mass = !has_top_p ? Range{} : open != nullptr ? mass_of_row(*open, best) : mass_of(kept, best);
  if (has_min_p) {
    const auto is_too_small = [&](const Candidate& candidate) {
      return probability(candidate, best) < settings_.min_p;
    };
    kept = kept.first(static_cast<std::size_t>(std::remove_if(kept.begin(), kept.end(), is_too_small) - kept.begin()));
    if (open != nullptr && is_too_small(open->best.back())) open = nullptr;  // so are all that are not known
  }
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const Range wanted =
      has_top_p ? Range{settings_.top_p * mass.least, settings_.top_p * mass.most} : Range{kNever, kNever};
  return nucleus(kept, open, best, wanted);
}

// The first of `kept` whose probabilities reach what is wanted, or all. Sorted in growing pieces: they are usually a
// few tokens of a large vocabulary.
std::optional<std::span<Candidate>> Sampler::nucleus(std::span<Candidate> kept, const CandidateQuery* open, float best,
                                                     Range wanted) {
  double reached = 0.0;
  std::size_t n_sorted = 0;
  for (std::size_t n_piece = 256; n_sorted < kept.size(); n_piece *= 4) {
    const std::size_t n_end = std::min(kept.size(), n_sorted + n_piece);
    std::partial_sort(kept.begin() + static_cast<std::ptrdiff_t>(n_sorted),
                      kept.begin() + static_cast<std::ptrdiff_t>(n_end), kept.end(), is_likelier);
    for (; n_sorted < n_end; ++n_sorted) {
      if (open != nullptr && is_likelier(open->best.back(), kept[n_sorted])) return std::nullopt;
      reached += probability(kept[n_sorted], best);
      if (reached >= wanted.most) return kept.first(n_sorted + 1);
      if (!(reached < wanted.least)) return std::nullopt;  // within what the sum may be off by
    }
  }
  if (open != nullptr) return std::nullopt;
  return kept;
}

// By id, so that the sum does not depend on the order in which candidates came.
Sampler::Range Sampler::mass_of(std::span<Candidate> all, float best) {
  if (!std::is_sorted(all.begin(), all.end(), has_lower_id)) std::sort(all.begin(), all.end(), has_lower_id);
  double mass = 0.0;
  for (const Candidate& candidate : all) mass += probability(candidate, best);
  return {mass, mass};
}

// Where mass_of() the whole penalized row lies: the sum of the answer, with the penalized tokens exchanged. NaN when a
// penalty moved the likeliest out of range.
Sampler::Range Sampler::mass_of_row(const CandidateQuery& answer, float best) const {
  const double before = answer.sum * probability(answer.best.front(), best);
  double mass = before;
  for (std::size_t i = 0; i < answer.ids.size(); ++i) {
    mass += probability({penalized({answer.logits[i], answer.ids[i]}), answer.ids[i]}, best);
    mass -= probability({answer.logits[i], answer.ids[i]}, best);
  }
  const double off = kMostSumError * before + 1e-9 * mass;  // the latter: what sums in double differ by
  return {mass - off, mass + off};
}

TokenId Sampler::draw(std::span<const Candidate> kept) {
  const double best = kept.front().logit;
  const auto weight = [&](const Candidate& candidate) {
    return std::exp((candidate.logit - best) / settings_.temperature);
  };
  double mass = 0.0;
  for (const Candidate& candidate : kept) mass += weight(candidate);
  double left = random_.next_unit() * mass;
  TokenId last = kept.front().id;  // of those with a weight: sums may be off by their last digits
  for (const Candidate& candidate : kept) {
    const double of_this = weight(candidate);
    left -= of_this;
    if (of_this > 0.0) last = candidate.id;
    if (left < 0.0) return candidate.id;
  }
  return last;
}

}  // namespace headroom
