#include "prove/proof_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "prove/arena_guards.h"

namespace headroom {
namespace {

constexpr std::size_t kLikeliest = 8;  // that top_k() is asked for

// Tokens as a prompt has them, in no pattern that a kernel could share.
std::uint32_t token_at(std::uint32_t position, std::uint32_t n_vocab) { return (position * 37 + 5) % n_vocab; }

ArenaPlan bounce_plan(DeviceIndex device, const DeviceInfo& info) {
  ArenaPlan plan;
  plan.device = plan.mapped_by = device;
  plan.memory = info.traits.arena_memory == Memory::kDevice ? Memory::kPageLocked : Memory::kHost;
  plan.lifetime = Lifetime::kSession;
  plan.size = round_up(2 * kGuardBytes, info.granularity);
  return plan;
}

// What the device finds as the likeliest of a row, against the row itself: both are exact.
std::string compare_likeliest(std::span<const float> row, const CandidateQuery& found) {
  std::vector<Candidate> best(found.best.size());
  CandidateQuery expected;
  expected.best = best;
  answer_query(row, expected);
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i].id == found.best[i].id && best[i].logit == found.best[i].logit) continue;
    return fmt::format("the likeliest tokens: expected {} in place {}, found {}", best[i].id, i, found.best[i].id);
  }
  return {};
}

}  // namespace

std::uint32_t ProofSteps::n_positions() const { return std::accumulate(n_rows.begin(), n_rows.end(), n_decoded); }

std::uint32_t ProofSteps::most_rows() const { return n_rows.empty() ? 1 : *std::ranges::max_element(n_rows); }

Result<std::shared_ptr<const MemoryPlan>> ProofDevice::plan(DType kv, const ProofSteps& steps) const {
  PlanOptions options;
  options.n_ctx = model_.info->n_ctx_trained;
  CHECK(steps.n_positions() <= options.n_ctx, "the steps are longer than the model's context");
  options.n_batch = options.n_logit_rows = steps.most_rows();
  options.kv_k = options.kv_v = kv;
  options.stream_rows = 0;
  options.n_checkpoints = 0;  // nothing is taken back
  options.devices = {{device_}};
  if (device_ != 0) {
    options.n_gpu_layers = static_cast<std::int32_t>(model_.info->n_layers());
    options.n_cpu_ffn = 0;
  }
  const Result<MemoryPlan> plan = plan_memory(*model_.info, devices_, options);
  if (!plan) return plan.error();
  return std::make_shared<const MemoryPlan>(with_guards(*plan));
}

Result<std::unique_ptr<ProofDevice>> ProofDevice::load(const ProofModel& model, std::vector<DeviceInfo> devices,
                                                       const BackendFactory& make_backend, const StopToken& stop) {
  std::unique_ptr<ProofDevice> made(new ProofDevice(model, std::move(devices)));  // NOLINT: the constructor is private
  const auto plan = made->plan(DType::kF16, {.n_rows = {1}, .n_decoded = 1});
  if (!plan) return plan.error();
  made->plan_ = *plan;
  const auto loaded = load_model(model.file, {model.info, *plan, make_backend}, stop, [](Bytes) {});
  if (!loaded) return loaded.error();
  made->loaded_ = *loaded;
  for (DeviceIndex i = 0; i < made->devices_.size(); ++i) {
    const auto& backend = made->loaded_->backends[i];
    Result<std::unique_ptr<Arena>> bounce = std::unique_ptr<Arena>();
    if (backend != nullptr) bounce = backend->map_arena(bounce_plan(i, made->devices_[i]));
    if (!bounce) return bounce.error();
    made->bounces_.push_back(std::move(*bounce));
  }
  for (std::size_t i = 0; i < (*plan)->arenas.size(); ++i) {
    const ArenaPlan& arena = (*plan)->arenas[i];
    if (arena.lifetime != Lifetime::kModel) continue;
    Backend& backend = *made->loaded_->backends[arena.mapped_by];
    if (Status written = write_guards(backend, arena, *made->loaded_->arenas[i], *made->bounces_[arena.mapped_by]);
        !written)
      return written.error();
  }
  return made;
}

// The weights stand first in every plan of the same placement, in the same arenas.
std::vector<Arena*> ProofDevice::all_arenas() const {
  std::vector<Arena*> all;
  std::size_t next = 0;
  for (std::size_t i = 0; i < plan_->arenas.size(); ++i) {
    Arena* arena = session_[i].get();
    if (plan_->arenas[i].lifetime == Lifetime::kModel) {
      while (loaded_->arenas[next] == nullptr) ++next;
      arena = loaded_->arenas[next++].get();
    }
    all.push_back(arena);
  }
  return all;
}

Status ProofDevice::map_session() {
  session_.clear();
  for (const ArenaPlan& plan : plan_->arenas) {
    session_.emplace_back();
    if (plan.lifetime != Lifetime::kSession) continue;
    Result<std::unique_ptr<Arena>> arena = loaded_->backends[plan.mapped_by]->map_arena(plan);
    if (!arena) return arena.error();
    session_.back() = std::move(*arena);
  }
  return ok_status();
}

Status ProofDevice::clear_session(const StopToken& stop) {
  for (std::size_t i = 0; i < session_.size(); ++i) {
    if (session_[i] == nullptr) continue;
    const ArenaPlan& plan = plan_->arenas[i];
    Backend& backend = *loaded_->backends[plan.mapped_by];
    if (Status cleared = backend.clear_arena(*session_[i], stop, [](Bytes) {}); !cleared) return cleared;
    if (Status written = write_guards(backend, plan, *session_[i], *bounces_[plan.mapped_by]); !written) return written;
  }
  return ok_status();
}

Status ProofDevice::check_guards(std::vector<std::string>& faults) {
  const std::vector<Arena*> arenas = all_arenas();
  for (std::size_t i = 0; i < arenas.size(); ++i) {
    if (arenas[i] == nullptr) continue;
    const ArenaPlan& plan = plan_->arenas[i];
    const Result<std::string> damage =
        find_guard_damage(*loaded_->backends[plan.mapped_by], plan, *arenas[i], *bounces_[plan.mapped_by]);
    if (!damage) return damage.error();
    if (!damage->empty()) faults.push_back(*damage);
  }
  return ok_status();
}

Result<ProofAnswers> ProofDevice::run_once(Executor& executor, const ProofSteps& steps, const StopToken& stop,
                                           std::vector<std::string>& faults, const std::function<void()>& advance) {
  ProofAnswers answers;
  const std::uint32_t n_vocab = model_.info->n_vocab;
  std::vector<std::uint32_t> sizes = steps.n_rows;
  sizes.insert(sizes.end(), steps.n_decoded, 1);
  std::uint32_t position = 0;
  for (const std::uint32_t n_rows : sizes) {
    std::vector<StepRow> rows;
    std::vector<std::uint32_t> logit_rows;
    for (std::uint32_t i = 0; i < n_rows; ++i, ++position) {
      rows.push_back({token_at(position, n_vocab), 0, position});
      logit_rows.push_back(i);
    }
    std::vector<Candidate> best(kLikeliest);
    CandidateQuery query;
    query.row = n_rows - 1;
    query.best = best;
    // Of a token of an answer with the step, of rows of a prompt behind it: a session does both.
    const std::span<CandidateQuery> with_step(&query, n_rows == 1 ? 1 : 0);
    if (Status done = executor.step(rows, logit_rows, stop, with_step); !done) return done.error();
    std::vector<float>& logits = answers.of_steps.emplace_back();
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      const Result<std::span<const float>> found = executor.logits(row);
      if (!found) return found.error();
      logits.insert(logits.end(), found->begin(), found->end());
    }
    if (with_step.empty()) {
      if (Status found = executor.top_k({&query, 1}); !found) return found.error();
    }
    std::string fault = compare_likeliest(std::span(logits).last(n_vocab), query);
    if (!fault.empty()) faults.push_back(std::move(fault));
    advance();
  }
  return answers;
}

Result<ProofDevice::Outcome> ProofDevice::run(DType kv, const ProofSteps& steps, std::uint32_t n_runs,
                                              const StopToken& stop, const std::function<void()>& advance) {
  session_.clear();
  const auto planned = plan(kv, steps);
  if (!planned) return planned.error();
  plan_ = *planned;
  if (Status mapped = map_session(); !mapped) return mapped.error();
  const auto balance = loaded_->balance->of(*plan_, &model_.file, stop);
  if (!balance) return balance.error();
  Outcome outcome;
  const std::vector<Arena*> arenas = all_arenas();
  for (std::uint32_t i = 0; i < n_runs; ++i) {
    if (Status cleared = clear_session(stop); !cleared) return cleared.error();
    const auto executor = Executor::open(*model_.info, *plan_, loaded_->backends, arenas, *balance, stop);
    if (!executor) return executor.error();
    Result<ProofAnswers> answers = run_once(**executor, steps, stop, outcome.faults, advance);
    if (!answers) return answers.error();
    outcome.runs.push_back(std::move(*answers));
    if (Status checked = check_guards(outcome.faults); !checked) return checked.error();
  }
  return outcome;
}

}  // namespace headroom
