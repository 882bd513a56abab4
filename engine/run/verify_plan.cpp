#include "run/verify_plan.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "plan/prompt_speed.h"
#include "plan/speed.h"
#include "run/peak_meter.h"
#include "run/scheduler.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;
// A step that decodes takes about as long as so many rows of a prompt: weights are read once for either.
constexpr std::uint64_t kDecodeUnits = 16;

// Text does not matter to memory and speed; the same ids each time do to comparing two reports.
std::vector<TokenId> some_tokens(std::uint32_t n_vocab, std::size_t n) {
  Random random(1);
  std::vector<TokenId> tokens(n);
  for (TokenId& token : tokens) token = random.next_u32() % n_vocab;
  return tokens;
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Error stopped() { return {ErrorCode::kCancelled, Message::say("the verification was stopped")}; }

// Where the timed tokens stand in a slot: three stretches that do not overlap, the last of which ends where all slots
// go on together. Example: n_ctx 4,096 gives 0, 2,044 and 4,056, of 32 tokens each, and ends at 4,088.
struct Stretches {
  std::uint32_t n_timed = 0, end = 0;
  std::vector<std::uint32_t> starts;
};
Stretches stretches_of(std::uint32_t n_ctx) {
  Stretches found;
  found.end = n_ctx - std::min(kVerifyLastTokens, n_ctx);
  found.n_timed = std::min(kVerifyTimedTokens, found.end / 4);
  if (found.n_timed > 0) found.starts = {0, found.end / 2, found.end - found.n_timed};
  return found;
}

class Verifier {
 public:
  Verifier(Session& session, const StopToken& stop, const OnVerifyProgress& on_progress)
      : session_(session),
        options_(session.plan().options),
        stop_(stop),
        on_progress_(on_progress),
        n_ctx_(session.cache().n_ctx()),
        n_slots_(session.cache().n_slots()),
        stretches_(stretches_of(n_ctx_)),
        tokens_(some_tokens(session.model().info->n_vocab, std::size_t{n_ctx_} + n_slots_)),
        peaks_(session.model().backends) {
    for (std::uint32_t slot = 0; slot < n_slots_; ++slot)
      samplers_.emplace_back(SamplerSettings{.temperature = 0}, 1, session.sampler_scratch());
    progress_.n_total = units_in_all();
  }
  ~Verifier() {
    empty_slots();
    (void)session_.take_decode_times();  // they are of no answer
  }
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  Result<Verification> run();

 private:
  // Those of a slot, (n_ctx + 1): every slot begins one token further on, so that no slot can copy from another.
  std::span<const TokenId> tokens_of(std::uint32_t slot) const {
    return std::span(tokens_).subspan(slot, std::size_t{n_ctx_} + 1);
  }
  std::uint32_t n_held(std::uint32_t slot) const {
    return static_cast<std::uint32_t>(session_.cache().tokens(slot).size());
  }
  void empty_slots() {
    for (std::uint32_t slot = 0; slot < n_slots_; ++slot) session_.clear(slot);
  }
  std::uint64_t units_in_all() const;
  void advance(std::uint64_t n_units);
  Status begin(std::uint32_t slot);
  Status fill_one();
  Status read_up_to(std::uint32_t end);
  Status decode_timed();
  Status fill_others();
  Status decode_last();
  void look_at_the_end();
  Status write_answers();
  Status write_answer(Scheduler& scheduler, RequestId id);
  void tell_devices();

  Session& session_;
  const PlanOptions& options_;
  const StopToken& stop_;
  const OnVerifyProgress& on_progress_;
  const std::uint32_t n_ctx_, n_slots_;
  const Stretches stretches_;
  const std::vector<TokenId> tokens_;
  std::vector<Sampler> samplers_;  // of each slot; what they choose is not looked at
  PeakMeter peaks_;
  VerifyProgress progress_;
  std::optional<Error> failed_;  // of an answer
  Verification found_;
};

std::uint64_t Verifier::units_in_all() const {
  const std::uint64_t n_timed = stretches_.starts.size() * stretches_.n_timed;
  const std::uint64_t n_last = n_ctx_ - stretches_.end;
  const std::uint64_t n_answers = n_ctx_ < 2 ? 0 : kVerifyWarmUpAnswers + kVerifyAnswers;
  return std::uint64_t{n_slots_} * stretches_.end + n_timed * (kDecodeUnits - 1) + n_last * kDecodeUnits +
         n_answers * kVerifyAnswerTokens * kDecodeUnits;
}

void Verifier::advance(std::uint64_t n_units) {
  progress_.n_done = std::min(progress_.n_done + n_units, progress_.n_total);
  peaks_.sample_when_due();
  on_progress_(progress_);
}

// As an answer begins: with the checkpoints that a prompt of this length has.
Status Verifier::begin(std::uint32_t slot) {
  const Result<std::uint32_t> begun = session_.begin_prompt(slot, tokens_of(slot).first(n_ctx_), stop_);
  return begun ? ok_status() : Status(begun.error());
}

Status Verifier::read_up_to(std::uint32_t end) {
  const std::uint32_t first = n_held(0);
  const Clock::time_point start = Clock::now();
  while (n_held(0) < end) {
    const std::uint32_t n = session_.rows_to_checkpoint(0, std::min<std::uint32_t>(options_.n_batch, end - n_held(0)));
    if (Status done = session_.step({0, tokens_of(0).subspan(n_held(0), n), 0}, stop_); !done) return done;
    advance(n);
  }
  if (found_.prompt || end == first) return ok_status();
  const std::uint32_t n_read = end - first;
  found_.prompt = PromptSpeed{n_read, n_read / seconds_since(start),
                              estimate_prompt_tokens_per_s(*session_.model().info, session_.plan(), n_read, first)};
  return ok_status();
}

Status Verifier::decode_timed() {
  const std::uint32_t depth = n_held(0);
  std::vector<double> seconds;
  for (std::uint32_t i = 0; i < stretches_.n_timed; ++i) {
    const SlotRows row{0, tokens_of(0).subspan(n_held(0), 1), 1};
    SampledRow sampled{.row = 0, .sampler = &samplers_[0]};
    const Clock::time_point start = Clock::now();
    if (Status done = session_.step_and_sample({&row, 1}, {&sampled, 1}, stop_); !done) return done;
    seconds.push_back(seconds_since(start));
    advance(kDecodeUnits);
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  found_.speeds.push_back(
      {depth, *middle > 0 ? 1 / *middle : 0,
       estimate_tokens_per_s(*session_.model().info, session_.plan(), std::uint64_t{depth} + stretches_.n_timed / 2)});
  return ok_status();
}

Status Verifier::fill_one() {
  if (Status begun = begin(0); !begun) return begun;
  for (const std::uint32_t start : stretches_.starts) {
    if (Status read = read_up_to(start); !read) return read;
    if (Status timed = decode_timed(); !timed) return timed;
  }
  return read_up_to(stretches_.end);  // of a context that is too short to time
}

// The rows of a step are shared out evenly, as far as each slot has some left.
Status Verifier::fill_others() {
  if (n_slots_ == 1) return ok_status();
  for (std::uint32_t slot = 1; slot < n_slots_; ++slot) {
    if (Status begun = begin(slot); !begun) return begun;
  }
  std::vector<SlotRows> parts;
  while (true) {
    parts.clear();
    std::uint32_t n_left = options_.step_rows();
    for (std::uint32_t slot = 1; slot < n_slots_; ++slot) {
      const std::uint32_t share = std::max(1U, std::min(n_left / (n_slots_ - slot), options_.n_batch));
      const std::uint32_t n = std::min(share, stretches_.end - n_held(slot));
      if (n == 0) continue;
      const std::uint32_t n_rows = session_.rows_to_checkpoint(slot, n);
      parts.push_back({slot, tokens_of(slot).subspan(n_held(slot), n_rows), 0});
      n_left -= n_rows;
    }
    if (parts.empty()) return ok_status();
    if (Status done = session_.step(parts, stop_); !done) return done;
    advance(options_.step_rows() - n_left);
  }
}

Status Verifier::decode_last() {
  std::vector<SlotRows> parts;
  std::vector<SampledRow> sampled;
  while (n_held(0) < n_ctx_) {
    parts.clear();
    sampled.clear();
    const std::uint32_t n_rows = std::min(1 + options_.n_draft, n_ctx_ - n_held(0));
    for (std::uint32_t slot = 0; slot < n_slots_; ++slot) {
      parts.push_back({slot, tokens_of(slot).subspan(n_held(slot), n_rows), n_rows});
      sampled.push_back({.row = (slot + 1) * n_rows - 1, .sampler = &samplers_[slot]});
    }
    if (Status done = session_.step_and_sample(parts, sampled, stop_); !done) return done;
    advance(n_rows * kDecodeUnits);
  }
  return ok_status();
}

// Full slots hold what they were given, and a prompt with one token more is refused and changes nothing.
void Verifier::look_at_the_end() {
  const auto is_full = [&](std::uint32_t slot) {
    return std::ranges::equal(session_.cache().tokens(slot), tokens_of(slot).first(n_ctx_));
  };
  for (std::uint32_t slot = 0; slot < n_slots_; ++slot) found_.n_full_slots += is_full(slot) ? 1 : 0;
  const Result<std::uint32_t> longer = session_.begin_prompt(0, tokens_of(0), stop_);
  found_.refuses_longer_prompt = !longer && longer.error().code == ErrorCode::kDoesNotFit && is_full(0);
}

Status Verifier::write_answer(Scheduler& scheduler, RequestId id) {
  GenerateRequest request;
  request.conversation = id;
  request.max_tokens = kVerifyAnswerTokens;
  request.sampler.seed = id;
  ReadPrompt prompt;
  const std::span<const TokenId> all(tokens_);
  const std::size_t n_prompt = std::min<std::size_t>(kVerifyPromptTokens, n_ctx_ / 2);
  const auto from = all.subspan(id % (all.size() - n_prompt), n_prompt);
  prompt.tokens.assign(from.begin(), from.end());
  if (!scheduler.add(id, std::move(request), stop_)) return *failed_;
  scheduler.prompt_read(id, std::move(prompt));
  while (!scheduler.is_idle()) {
    scheduler.advance();
    peaks_.sample_when_due();
    on_progress_(progress_);
  }
  if (stop_.stop_requested()) return stopped();
  if (failed_) return *failed_;
  advance(kVerifyAnswerTokens * kDecodeUnits);  // all of them, wherever the answer ended
  return ok_status();
}

Status Verifier::write_answers() {
  if (n_ctx_ < 2) return ok_status();  // there is no room for an answer
  const Scheduler::EventSink sink = [this](const Event& event) {
    if (const auto* failed = std::get_if<Failed>(&event.body)) failed_ = failed->error;
  };
  Scheduler scheduler(session_, sink);
  RequestId id = 0;
  while (id < kVerifyWarmUpAnswers) {
    if (Status done = write_answer(scheduler, ++id); !done) return done;
  }
  const GrowthMeter meter(session_.model().backends);
  for (; found_.n_answers < kVerifyAnswers; ++found_.n_answers) {
    if (Status done = write_answer(scheduler, ++id); !done) return done;
  }
  found_.grown_by_answers = meter.growth();
  return ok_status();
}

void Verifier::tell_devices() {
  const MemoryPlan& plan = session_.plan();
  const MemoryReport report = session_.memory_report();
  for (DeviceIndex index = 0; index < plan.devices.size(); ++index) {
    if (index >= session_.model().backends.size() || session_.model().backends[index] == nullptr) continue;
    const DeviceInfo& info = plan.devices[index];
    VerifiedDevice device{.device = info.id, .planned_bytes = plan.planned_bytes(index)};
    for (const ArenaReport& arena : report.arenas)
      device.mapped_bytes += arena.device == info.id ? arena.mapped_bytes : 0;
    const PeakMeter::Peak& peak = peaks_.of(index);
    if (info.kind != DeviceKind::kCpu) {
      device.planned_driver_bytes = info.driver_bytes;
      device.planned_driver_is_measured = info.driver_measured;
      device.most_driver_bytes = peak.driver;
    }
    device.most_ours_bytes = peak.ours;
    device.least_free_bytes = peak.least_free.value_or(0);
    found_.devices.push_back(std::move(device));
  }
  found_.grown = report.grown;
}

Result<Verification> Verifier::run() {
  const Clock::time_point start = Clock::now();
  empty_slots();
  found_.n_ctx = n_ctx_;
  found_.n_slots = n_slots_;
  if (Status filled = fill_one(); !filled) return filled.error();
  progress_.stage = VerifyStage::kAllSlots;
  if (Status filled = fill_others(); !filled) return filled.error();
  if (Status decoded = decode_last(); !decoded) return decoded.error();
  peaks_.sample();
  look_at_the_end();
  empty_slots();
  progress_.stage = VerifyStage::kAnswers;
  if (Status written = write_answers(); !written) return written.error();
  peaks_.sample();
  tell_devices();
  found_.seconds = seconds_since(start);
  return std::move(found_);
}

}  // namespace

Result<Verification> verify_plan(Session& session, const StopToken& stop, const OnVerifyProgress& on_progress) {
  if (session.model().tokenizer == nullptr)
    return Error{ErrorCode::kUnsupported,
                 Message::say("the file has no tokenizer, so no answers can be written with it")};
  if (stop.stop_requested()) return stopped();
  return Verifier(session, stop, on_progress).run();
}

}  // namespace headroom
