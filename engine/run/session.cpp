#include "run/session.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/heap.h"
#include "plan/plan_options.h"
#include "plan/reload_need.h"
#include "run/logprobs.h"
#include "run/memory_request.h"

namespace headroom {
namespace {

// A copy of fewer tokens of another slot saves too little.
constexpr std::uint32_t kLeastShared = 32;

// The next n of what stands in `bytes` from `at` on, which goes on behind them.
template <class T>
std::span<T> take(std::byte*& at, std::size_t n, Bytes bytes) {
  return {reinterpret_cast<T*>(std::exchange(at, at + bytes)), n};
}

}  // namespace

Session::Session(std::shared_ptr<const LoadedModel> model, std::shared_ptr<const MemoryPlan> plan)
    : model_(std::move(model)), plan_(std::move(plan)), arenas_(plan_->arenas.size()) {
  rows_.reserve(plan_->program.max_rows);
  logit_rows_.reserve(plan_->program.max_rows);
}

// In host memory whatever device computes the logits.
std::byte* Session::host_region(RegionKind kind, Bytes least) const {
  const std::optional<RegionRef> found = find_region(*plan_, find_cpu(plan_->devices).value(), kind);
  CHECK(found && arenas_[found->arena] != nullptr, "the plan lacks a region on the host");
  const Region& region = plan_->arenas[found->arena].regions[found->region];
  CHECK(region.size >= least, "a region of the plan is too small");
  return arenas_[found->arena]->host_address() + region.offset;
}

Session::SamplerSpace Session::find_sampler_space() const {
  const ModelInfo& model = *model_->info;
  const SamplerLayout layout = sampler_layout(model, plan_->options);
  std::byte* at = host_region(RegionKind::kSampler, layout.total());
  SamplerSpace space;
  space.known = take<Candidate>(at, model.n_vocab, layout.known_bytes);
  for (std::uint32_t row = 0; row < layout.n_rows; ++row) {
    CandidateSpace& of_row = space.rows.emplace_back();
    of_row.best = take<Candidate>(at, kMostCandidates, layout.best_bytes);
    of_row.ids = take<TokenId>(at, kMostCandidates, layout.ids_bytes);
    of_row.logits = take<float>(at, kMostCandidates, layout.logits_bytes);
  }
  return space;
}

Status Session::check_same_weights(const LoadedModel& model, const MemoryPlan& plan) {
  if (what_to_load_again(*model.plan, plan) != ReloadNeed::kModel) return ok_status();
  return Error{
      ErrorCode::kUsage,
      Message::say("the plan places other weights than those that are loaded: load the model with it instead")};
}

Result<std::unique_ptr<Session>> Session::open(std::shared_ptr<const LoadedModel> model,
                                               std::shared_ptr<const MemoryPlan> plan, const StopToken& stop,
                                               const Advance& advance) {
  if (Status same = check_same_weights(*model, *plan); !same) return same.error();
  const HeapMeter heap;
  std::unique_ptr<Session> session(
      new Session(std::move(model), std::move(plan)));  // NOLINT: the constructor is private
  const LoadedModel& loaded = *session->model_;
  if (Status fits = session->check_free(); !fits) return fits.error();
  if (Status mapped = session->map_arenas(stop, advance); !mapped) return mapped.error();
  session->mapped_ = session->all_arenas();
  Result<std::span<const std::vector<float>>> balance = std::span<const std::vector<float>>();
  if (loaded.balance) balance = loaded.balance->of(*session->plan_, nullptr, stop);
  if (!balance) return balance.error();
  Result<std::unique_ptr<Executor>> executor =
      Executor::open(*loaded.info, *session->plan_, loaded.backends, session->mapped_, *balance, stop);
  if (!executor) return executor.error();
  session->executor_ = std::move(*executor);
  const Bytes token_bytes = slot_token_bytes(session->plan_->options);
  session->cache_.emplace(*loaded.info, session->plan_->options,
                          std::span(reinterpret_cast<TokenId*>(session->host_region(RegionKind::kTokens, token_bytes)),
                                    token_bytes / kTokenIdBytes));
  session->checkpoints_.emplace(*loaded.info, *session->plan_, loaded.backends, session->mapped_);
  session->sampler_ = session->find_sampler_space();
  session->queries_.reserve(session->sampler_.rows.size());
  session->heap_bytes_ = heap.taken();
  session->meter_.emplace(loaded.backends);
  return session;
}

Status Session::map_arenas(const StopToken& stop, const Advance& advance) {
  for (std::size_t i = 0; i < plan_->arenas.size(); ++i) {
    const ArenaPlan& plan = plan_->arenas[i];
    if (plan.lifetime != Lifetime::kSession) continue;
    Backend& backend = *model_->backends[plan.mapped_by];
    Result<std::unique_ptr<Arena>> arena = backend.map_arena(plan);
    if (!arena) return arena.error();
    arenas_[i] = std::move(*arena);
    if (Status cleared = backend.clear_arena(*arenas_[i], stop, advance); !cleared) return cleared;
  }
  return ok_status();
}

// The weights' arenas stand in one order in every plan of the model.
std::vector<Arena*> Session::all_arenas() const {
  std::vector<Arena*> weights;
  for (std::size_t i = 0; i < model_->arenas.size(); ++i) {
    if (model_->plan->arenas[i].lifetime == Lifetime::kModel) weights.push_back(model_->arenas[i].get());
  }
  std::vector<Arena*> all;
  auto next = weights.begin();
  for (std::size_t i = 0; i < plan_->arenas.size(); ++i)
    all.push_back(plan_->arenas[i].lifetime == Lifetime::kModel ? *next++ : arenas_[i].get());
  return all;
}

// Another program may have taken memory since the plan was made.
Status Session::check_free() const {
  const auto asked = [&](DeviceIndex device) {
    Bytes bytes = 0;
    for (const ArenaPlan& arena : plan_->arenas)
      bytes += arena.device == device && arena.lifetime == Lifetime::kSession ? arena.size : 0;
    return bytes;
  };
  const auto held = [&](DeviceIndex device) {
    Bytes bytes = 0;
    for (std::size_t i = 0; i < model_->arenas.size(); ++i) {
      if (model_->arenas[i] && model_->plan->arenas[i].device == device) bytes += model_->arenas[i]->mapped_bytes();
    }
    return bytes;
  };
  const Result<std::vector<MemoryRequest>> asks = read_memory_requests(model_->backends, asked, held);
  return asks ? check_fits_now(*plan_, *asks) : Status(asks.error());
}

MemoryReport Session::memory_report() const {
  MemoryReport report;
  for (std::size_t i = 0; i < plan_->arenas.size(); ++i) {
    const ArenaPlan& arena = plan_->arenas[i];
    if (arena.lifetime == Lifetime::kLoad) continue;
    report.arenas.push_back({plan_->devices[arena.device].id, arena.lifetime, arena.size, mapped_[i]->mapped_bytes()});
  }
  report.heap_bytes = model_->heap_bytes + heap_bytes_;
  report.grown = growth();
  return report;
}

MemoryGrowth Session::growth() const { return meter_->growth(); }

std::uint64_t Session::n_allocations_after_open() const { return growth().n_arenas; }

Status Session::check_tokens(std::uint32_t slot, std::span<const TokenId> tokens) const {
  if (slot >= cache_->n_slots()) {
    return Error{ErrorCode::kUsage, Message::say("slot {} does not exist: the plan has {}", slot, cache_->n_slots())};
  }
  const auto unknown =
      std::find_if(tokens.begin(), tokens.end(), [&](TokenId token) { return token >= model_->info->n_vocab; });
  if (unknown != tokens.end()) {
    return Error{ErrorCode::kUsage,
                 Message::say("token {} is outside the vocabulary of {}", *unknown, model_->info->n_vocab)};
  }
  return ok_status();
}

Result<std::uint32_t> Session::begin_prompt(std::uint32_t slot, std::span<const TokenId> prompt,
                                            const StopToken& stop) {
  if (Status known = check_tokens(slot, prompt); !known) return known.error();
  if (prompt.empty())
    return Error{ErrorCode::kUsage, Message::say("the prompt is empty: there is nothing to continue")};
  if (prompt.size() > cache_->n_ctx()) {
    return Error{ErrorCode::kDoesNotFit,
                 Message::say("the prompt has {} tokens, the context holds {}", prompt.size(), cache_->n_ctx())};
  }
  if (Status shared = share_longest(slot, prompt, stop); !shared) return shared.error();
  const Result<std::uint32_t> n_reused = resume(slot, cache_->reusable(slot, prompt));
  if (!n_reused) return n_reused.error();
  const Tokenizer* const tokenizer = model_->tokenizer.get();
  cache_->plan_checkpoints(slot, prompt,
                           [&](TokenId token) { return tokenizer != nullptr && tokenizer->is_control(token); });
  if (Status made = make_due_checkpoint(slot); !made) return made.error();
  return n_reused;
}

// A copy that fails leaves what no one knows.
Result<std::uint32_t> Session::resume(std::uint32_t slot, const SlotCache::Resume& at) {
  if (at.checkpoint) {
    if (Status taken_up = checkpoints_->take_up(slot, *at.checkpoint, slot); !taken_up) {
      cache_->clear(slot);
      return taken_up.error();
    }
  }
  cache_->resume(slot, at);
  return at.n_tokens;
}

Result<std::uint32_t> Session::take_back(std::uint32_t slot, std::uint32_t n_tokens) {
  return resume(slot, cache_->resume_at(slot, n_tokens));
}

Status Session::make_due_checkpoint(std::uint32_t slot) {
  const std::optional<std::uint32_t> index = cache_->due_checkpoint(slot);
  if (!index) return ok_status();
  if (Status made = checkpoints_->make(slot, *index); !made) {
    cache_->clear(slot);
    return made;
  }
  cache_->checkpoint_made(slot, *index);
  return ok_status();
}

std::uint32_t Session::rows_to_checkpoint(std::uint32_t slot, std::uint32_t n_left) const {
  const std::optional<std::uint32_t> next = cache_->next_checkpoint(slot);
  const auto n_held = static_cast<std::uint32_t>(cache_->tokens(slot).size());
  return next && *next > n_held ? std::min(n_left, *next - n_held) : n_left;
}

// What another slot has computed of this prompt is copied, where it is clearly more than the slot itself has.
Status Session::share_longest(std::uint32_t slot, std::span<const TokenId> prompt, const StopToken& stop) {
  std::uint32_t from = slot;
  SlotCache::Resume most = cache_->reusable(slot, prompt);
  most.n_tokens += kLeastShared - 1;
  for (std::uint32_t other = 0; other < cache_->n_slots(); ++other) {
    const SlotCache::Resume at = other == slot ? SlotCache::Resume() : cache_->reusable(other, prompt);
    if (at.n_tokens > most.n_tokens) std::tie(from, most) = std::tie(other, at);
  }
  return from == slot ? ok_status() : share_prompt(from, slot, most, stop);
}

Status Session::step(std::span<const SlotRows> parts, const StopToken& stop) {
  if (Status listed = list_rows(parts); !listed) return listed;
  queries_.clear();
  return run_step(parts, stop);
}

Status Session::step_and_sample(std::span<const SlotRows> parts, std::span<SampledRow> sampled, const StopToken& stop) {
  if (Status listed = list_rows(parts); !listed) return listed;
  stage_recent(sampled);
  const std::span<SampledRow> group = sampled.first(std::min(sampler_.rows.size(), sampled.size()));
  const Asked asked = ask(group);
  if (Status done = run_step(parts, stop); !done) return done;
  if (Status chosen = choose(group, asked); !chosen) return chosen;
  return sample(sampled.subspan(group.size()));
}

Status Session::list_rows(std::span<const SlotRows> parts) {
  rows_.clear();
  logit_rows_.clear();
  for (const SlotRows& part : parts) {
    if (Status known = check_tokens(part.slot, part.tokens); !known) return known;
    check_part(part);
    const auto n_held = static_cast<std::uint32_t>(cache_->tokens(part.slot).size());
    for (std::uint32_t i = 0; i < part.tokens.size(); ++i) {
      if (i + part.n_logit_rows >= part.tokens.size()) logit_rows_.push_back(static_cast<std::uint32_t>(rows_.size()));
      rows_.push_back({part.tokens[i], part.slot, n_held + i});
    }
  }
  return ok_status();
}

// The samplers look at the tokens before those that they choose, and the slots do not hold those of this step yet.
void Session::stage_recent(std::span<SampledRow> rows) {
  auto next = rows.begin();
  for (std::uint32_t row = 0, logit_row = 0; row < rows_.size(); ++row) {
    const std::span<const TokenId> recent = cache_->stage(rows_[row].slot, rows_[row].position, rows_[row].token);
    if (logit_row == logit_rows_.size() || logit_rows_[logit_row] != row) continue;
    if (next != rows.end() && next->row == logit_row) next++->recent = recent;
    ++logit_row;
  }
  CHECK(next == rows.end(), "a token is chosen from a row that the step does not have, or out of order");
}

// A part that callers make wrong is their bug: nothing a user says leads here.
void Session::check_part(const SlotRows& part) const {
  CHECK(rows_.empty() || rows_.back().slot < part.slot, "the parts of a step name a slot twice or out of order");
  CHECK(!part.tokens.empty() && part.tokens.size() <= plan_->options.n_batch &&
            rows_.size() + part.tokens.size() <= plan_->program.max_rows,
        "a step larger than the plan has rows for");
  CHECK(part.n_logit_rows <= part.tokens.size() && logit_rows_.size() + part.n_logit_rows <= max_logit_rows(),
        "more logits than the plan has rows for");
  CHECK(cache_->tokens(part.slot).size() + part.tokens.size() <= cache_->n_ctx(),
        "a step beyond the end of the context");
}

// Answers queries_ along with the step. One that broke off may have written any of its rows, and
// left a state behind any of them.
Status Session::run_step(std::span<const SlotRows> parts, const StopToken& stop) {
  Status done = executor_->step(rows_, logit_rows_, stop, queries_);
  if (!done) {
    for (const StepRow& row : rows_) cache_->note_written(row.slot, row.position);
    for (const SlotRows& part : parts) {
      if (cache_->is_torn(part.slot)) (void)take_back(part.slot, cache_->n_ctx());  // or empty
    }
    return done;
  }
  for (const SlotRows& part : parts) {
    for (const TokenId token : part.tokens) cache_->append(part.slot, token);
  }
  for (const SlotRows& part : parts) {
    if (Status made = make_due_checkpoint(part.slot); !made) return made;
  }
  return done;
}

Status Session::sample(std::span<SampledRow> rows) {
  while (!rows.empty()) {
    const std::span<SampledRow> group = rows.first(std::min(sampler_.rows.size(), rows.size()));
    const Asked asked = ask(group);
    if (Status found = executor_->top_k(queries_); !found) return found;
    if (Status chosen = choose(group, asked); !chosen) return chosen;
    rows = rows.subspan(group.size());
  }
  return ok_status();
}

// Leaves in queries_ what the samplers of a group need, in its order.
Session::Asked Session::ask(std::span<const SampledRow> rows) {
  queries_.clear();
  Asked asked;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::optional<CandidateQuery> query = rows[i].sampler->ask(rows[i].recent, sampler_.rows[i]);
    if (!query) continue;
    query->row = rows[i].row;
    if (!rows[i].likeliest.empty())
      ask_for_logprobs(*query, static_cast<std::uint32_t>(rows[i].likeliest.size()), sampler_.rows[i].best);
    queries_.push_back(*query);
    asked.set(i);
  }
  return asked;
}

// From the answers in queries_, and from whole rows where they leave the choice open.
Status Session::choose(std::span<SampledRow> rows, const Asked& asked) {
  auto answer = queries_.begin();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SampledRow& row = rows[i];
    const CandidateQuery* const of_row = asked[i] ? &*answer++ : nullptr;
    if (const std::optional<TokenId> token = of_row != nullptr ? row.sampler->choose(*of_row) : std::nullopt) {
      row.token = *token;
      if (!row.likeliest.empty()) row.logprob = read_logprobs(*of_row, row.token, row.likeliest);
      continue;
    }
    const Result<std::span<const float>> logits = executor_->logits(row.row);
    if (!logits) return logits.error();
    row.token = row.sampler->choose(*logits, row.recent);
    if (!row.likeliest.empty()) row.logprob = read_logprobs(*logits, row.token, row.likeliest);
  }
  return ok_status();
}

// What the other slot has now, and over it what it had at its checkpoint.
Status Session::share_prompt(std::uint32_t from_slot, std::uint32_t to_slot, const SlotCache::Resume& at,
                             const StopToken& stop) {
  Status copied = executor_->copy_state(from_slot, to_slot, at.n_tokens, stop);
  if (copied.ok() && at.checkpoint) copied = checkpoints_->take_up(from_slot, *at.checkpoint, to_slot);
  if (!copied) {
    cache_->clear(to_slot);  // some device may have copied its part
    return copied;
  }
  cache_->copy(from_slot, to_slot, at);
  return ok_status();
}

}  // namespace headroom
