// One loaded model at work: the session arenas, and the cache of every slot.
#pragma once

#include <bitset>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/stop.h"
#include "run/checkpoints.h"
#include "run/event.h"
#include "run/executor.h"
#include "run/growth_meter.h"
#include "run/load_model.h"
#include "run/loaded_model.h"
#include "run/sampler.h"
#include "run/slot_cache.h"

namespace headroom {

// What one step computes of one slot: tokens that follow what the slot holds. A prompt comes in parts of up to n_batch
// tokens; a decode step has the last token of the answer and behind it its drafts.
struct SlotRows {
  std::uint32_t slot = 0;
  std::span<const TokenId> tokens;
  std::uint32_t n_logit_rows = 0;  // the last so many of the tokens have logits
};

// A row of the last step's logits that a token is to be chosen from.
struct SampledRow {
  std::uint32_t row = 0;  // 0: the step's first with logits
  Sampler* sampler = nullptr;
  std::span<const TokenId> recent{};    // as of Sampler::ask(); step_and_sample() writes it
  std::span<TokenLogprob> likeliest{};  // out: not empty where the probabilities of so many tokens are asked for
  TokenId token = 0;                    // out
  float logprob = 0;                    // out, where they are: its own
};

// Used from one thread. Of one LoadedModel at most one session lives at a time: its backends are bound to it. Nothing
// is allocated after open().
class Session {
 public:
  // Maps the session arenas of `plan`, which keeps the weights of `model` where they are, and clears them: `advance` is
  // told, and a stop ends it (kCancelled), which binding looks at too. kDoesNotFit and kResource name the bytes.
  static Result<std::unique_ptr<Session>> open(
      std::shared_ptr<const LoadedModel> model, std::shared_ptr<const MemoryPlan> plan, const StopToken& stop = {},
      const Advance& advance = [](Bytes) {});

  // Whether `plan` keeps the weights where they were loaded: see what_to_load_again(); kUsage otherwise.
  static Status check_same_weights(const LoadedModel& model, const MemoryPlan& plan);

  const LoadedModel& model() const { return *model_; }
  const MemoryPlan& plan() const { return *plan_; }
  const std::shared_ptr<const MemoryPlan>& shared_plan() const { return plan_; }
  const SlotCache& cache() const { return *cache_; }
  std::span<Candidate> sampler_scratch() { return sampler_.known; }  // (n_vocab), for samplers on this session's thread
  std::uint32_t max_logit_rows() const { return plan_->program.max_logit_rows; }

  // Bytes that went from device to device since open(), without the logits.
  Bytes bytes_crossed() const { return executor_->bytes_crossed(); }

  DecodeTimes take_decode_times() { return executor_->take_decode_times(); }

  // Planned against mapped of all arenas, weights first, and what was taken beside them since open().
  MemoryReport memory_report() const;
  MemoryGrowth growth() const;
  std::uint64_t n_allocations_after_open() const;

  // Takes the cache of `slot` back to what it shares with `prompt`, or copies what another slot shares with it where
  // that is clearly more, and returns how many tokens that are: at most all but one, so that the last is computed and
  // has logits. Where the model needs checkpoints, decides at which tokens of the prompt the slot is to have some.
  // kDoesNotFit when the prompt is longer than n_ctx, kUsage when it is empty or names a token outside the vocabulary:
  // the cache is then as it was. A copy that fails leaves the slot empty (kResource, kDeviceLost).
  Result<std::uint32_t> begin_prompt(std::uint32_t slot, std::span<const TokenId> prompt, const StopToken& stop = {});

  // One step over several slots: prompts of some beside answers of others. Parts name each slot at most once,
  // ascending; a part has 1 to n_batch tokens, and all parts together at most step_rows() tokens and max_logit_rows()
  // rows with logits, which count over the parts in their order. The slots hold the tokens afterwards, and where a part
  // ends at the next checkpoint of its slot, that is made. On an error, kCancelled among them, each slot holds what it
  // held before the call; of a model with states those of the step are back at their last checkpoint, or empty.
  Status step(std::span<const SlotRows> parts, const StopToken& stop);
  Status step(const SlotRows& part, const StopToken& stop) { return step({&part, 1}, stop); }

  // step(), and sample() of some of its rows: what the samplers ask goes along with the step, so that a GPU is waited
  // for once. `sampled` counts rows of the step that runs, ascending. On an error slots may hold the tokens already, if
  // whole rows had to be read.
  Status step_and_sample(std::span<const SlotRows> parts, std::span<SampledRow> sampled, const StopToken& stop);

  // Chooses a token for each of several rows of the last step, each with settings of its own, one sampler's rows in the
  // order given. Whole rows are read only where candidates do not suffice. Errors as of a step.
  Status sample(std::span<SampledRow> rows);

  // A whole row of the last step's logits, (n_vocab), valid until the next call or step.
  Result<std::span<const float>> logits(std::uint32_t row) { return executor_->logits(row); }
  std::uint64_t n_rows_read() const { return executor_->n_rows_read(); }  // since open()

  // Of a prompt of which so many tokens are left: how many a step should have of it at most, so that it ends where the
  // slot is to have a checkpoint. More are computed as well, and pass it over.
  std::uint32_t rows_to_checkpoint(std::uint32_t slot, std::uint32_t n_left) const;

  void clear(std::uint32_t slot) { cache_->clear(slot); }  // the slot holds nothing

  // Takes the tokens of a slot from `n_tokens` on back, and returns how many tokens the slot holds then: the furthest
  // position up to `n_tokens` at which it can be taken up again. Up to n_draft tokens of the last step can always be
  // taken back; going back further may find that a window has overwritten what the next token would see, or that a
  // state stands elsewhere: then the slot is back at a checkpoint, or empty. Errors as of a step: the slot is empty.
  Result<std::uint32_t> take_back(std::uint32_t slot, std::uint32_t n_tokens);

 private:
  Session(std::shared_ptr<const LoadedModel> model, std::shared_ptr<const MemoryPlan> plan);
  Status check_free() const;
  std::vector<Arena*> all_arenas() const;
  Status map_arenas(const StopToken& stop, const Advance& advance);
  void check_part(const SlotRows& part) const;
  Status list_rows(std::span<const SlotRows> parts);
  Status run_step(std::span<const SlotRows> parts, const StopToken& stop);
  // Which rows of a group asked for candidates.
  using Asked = std::bitset<kMostCandidateRows>;
  Asked ask(std::span<const SampledRow> rows);
  Status choose(std::span<SampledRow> rows, const Asked& asked);
  void stage_recent(std::span<SampledRow> rows);
  Status share_longest(std::uint32_t slot, std::span<const TokenId> prompt, const StopToken& stop);
  Status share_prompt(std::uint32_t from_slot, std::uint32_t to_slot, const SlotCache::Resume& at,
                      const StopToken& stop);
  Result<std::uint32_t> resume(std::uint32_t slot, const SlotCache::Resume& at);
  Status make_due_checkpoint(std::uint32_t slot);
  Status check_tokens(std::uint32_t slot, std::span<const TokenId> tokens) const;

  std::shared_ptr<const LoadedModel> model_;
  std::shared_ptr<const MemoryPlan> plan_;
  std::vector<std::unique_ptr<Arena>> arenas_;  // one per arena of the plan; null for those of the model
  std::vector<Arena*> mapped_;                  // likewise, with those of the model; null for those of the load
  std::unique_ptr<Executor> executor_;
  std::optional<SlotCache> cache_;  // from open() on, like the next
  std::optional<Checkpoints> checkpoints_;
  std::vector<StepRow> rows_;              // room for step_rows()
  std::vector<std::uint32_t> logit_rows_;  // room for step_rows()
  struct SamplerSpace {                    // in the plan's host arena
    std::span<Candidate> known;
    std::vector<CandidateSpace> rows;
  };
  std::byte* host_region(RegionKind kind, Bytes least) const;
  SamplerSpace find_sampler_space() const;
  SamplerSpace sampler_;
  std::vector<CandidateQuery> queries_;  // room for those of sampler_.rows
  std::optional<GrowthMeter> meter_;     // from open() on
  Bytes heap_bytes_ = 0;                 // that open() left on the heap
};

}  // namespace headroom
