// The same prompt with parts of the model on the device, beside the CPU alone.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "gpu/gpu_check.h"
#include "open_model.h"
#include "plan/speed.h"
#include "support/decode_step.h"

namespace headroom::check {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPromptTokens = 100, kComparedTokens = 24, kWarmTokens = 4, kTimedTokens = 32;
// Relative to a row of logits, in the mean square: both sides round what meets quantized weights to int8, each in
// groups of its own, and each layer adds its own error to the residual. On lavapipe it was 0.8 to 1.4 % times the root
// of their number (6 narrow layers, 16 of the 1B shape); a kernel that computes something else is off by far more.
double most_logit_error(std::uint32_t n_layers) { return 0.025 * std::sqrt(n_layers); }

struct Place {
  std::string name;
  std::uint32_t n_gpu_layers = 0, n_cpu_ffn = 0;
};

std::vector<Place> places_of(std::uint32_t n_layers) {
  std::vector<Place> places;
  for (const std::uint32_t n : std::set<std::uint32_t>{0, 1, n_layers / 2, n_layers - 1, n_layers})
    places.push_back({fmt::format("{} of {} layers", n, n_layers), n, 0});
  places.push_back({"all but the FFNs", n_layers, n_layers});
  return places;
}

struct Run {
  std::vector<TokenId> tokens;             // the likeliest behind the prompt, and behind each token that was given
  std::vector<std::vector<float>> logits;  // that they were chosen from
  double load_seconds = 0, prefill_tokens_per_s = 0, decode_tokens_per_s = 0;
  double predicted_tokens_per_s = 0;  // 0: not known
  std::uint64_t n_allocations = 0;    // after the load
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<TokenId> prompt_tokens() {
  std::vector<TokenId> tokens(kPromptTokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<TokenId>(3 + (i * 37 + i * i) % 250);
  return tokens;
}

Status take_logits(Session& session, Run& run) {
  const Result<std::span<const float>> row = session.logits(0);
  if (!row) return row.error();
  run.logits.emplace_back(row->begin(), row->end());
  run.tokens.push_back(argmax(*row));
  return ok_status();
}

// The prompt and kComparedTokens behind it: `given`, so that every place sees the same, or where it is empty the
// likeliest.
Status compare(Session& session, const std::vector<TokenId>& given, Run& run) {
  if (Status done = session.step({0, prompt_tokens(), 1}, {}); !done) return done;
  if (Status taken = take_logits(session, run); !taken) return taken;
  for (std::size_t i = 0; i < kComparedTokens; ++i) {
    const std::vector<test::SlotToken> next{{0, given.empty() ? run.tokens.back() : given[i]}};
    if (Status done = test::decode(session, next); !done) return done;
    if (Status taken = take_logits(session, run); !taken) return taken;
  }
  return ok_status();
}

Result<TokenId> decode_likeliest(Session& session, Sampler& sampler, TokenId token) {
  const std::vector<test::SlotToken> next{{0, token}};
  if (Status done = test::decode(session, next); !done) return done.error();
  SampledRow row{0, &sampler, session.cache().tokens(0)};
  if (Status sampled = session.sample({&row, 1}); !sampled) return sampled.error();
  return row.token;
}

// As an answer is made: the device finds the likeliest itself.
Status time_steps(Session& session, Run& run) {
  session.clear(0);
  const Clock::time_point start = Clock::now();
  if (Status done = session.step({0, prompt_tokens(), 1}, {}); !done) return done;
  run.prefill_tokens_per_s = kPromptTokens / seconds_since(start);
  Sampler sampler({.temperature = 0}, 1, session.sampler_scratch());
  TokenId token = run.tokens.front();
  Clock::time_point timed;
  for (std::size_t i = 0; i < kWarmTokens + kTimedTokens; ++i) {
    if (i == kWarmTokens) timed = Clock::now();
    const Result<TokenId> next = decode_likeliest(session, sampler, token);
    if (!next) return next.error();
    token = *next;
  }
  run.decode_tokens_per_s = kTimedTokens / seconds_since(timed);
  return ok_status();
}

Result<Run> run_at(const std::string& model, const std::string& device, const Place& place,
                   const std::vector<TokenId>& given) {
  const Result<cli::OpenModel> open =
      cli::openModel(model, arguments_for(device, place.n_gpu_layers, place.n_cpu_ffn), {});
  if (!open) return open.error();
  const Result<std::unique_ptr<Session>> session = Session::open(open->loaded, open->planned.plan);
  if (!session) return session.error();
  Run run;
  run.load_seconds = open->loaded->seconds;
  run.predicted_tokens_per_s =
      estimate_tokens_per_s(*open->loaded->info, *open->planned.plan, kPromptTokens + kTimedTokens / 2).value_or(0);
  if (Status compared = compare(**session, given, run); !compared) return compared.error();
  if (Status timed = time_steps(**session, run); !timed) return timed.error();
  run.n_allocations = (*session)->n_allocations_after_open();
  return run;
}

// The largest of all rows: root mean square of the difference, relative to that of the row.
double largest_error(const Run& found, const Run& expected) {
  double largest = 0;
  for (std::size_t row = 0; row < expected.logits.size(); ++row) {
    double difference = 0, magnitude = 0;
    for (std::size_t i = 0; i < expected.logits[row].size(); ++i) {
      const double was = expected.logits[row][i], is = found.logits[row][i];
      difference += (is - was) * (is - was);
      magnitude += was * was;
    }
    const double error = std::sqrt(difference / magnitude);
    // Whatever is no number is no small error.
    largest = std::isfinite(error) ? std::max(largest, error) : INFINITY;
  }
  return largest;
}

std::size_t count_differing(const std::vector<TokenId>& found, const std::vector<TokenId>& expected) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) n += found[i] != expected[i] ? 1 : 0;
  return n;
}

// What one place gave, as data; a token may differ where two are about as likely, so it is the logits that count.
Json judge(const Place& place, const Run& run, const Run& alone, std::uint32_t n_layers, Outcome& outcome) {
  const double error = largest_error(run, alone);
  const double most = most_logit_error(n_layers);
  if (!(error <= most)) {
    outcome.failures.push_back(fmt::format("{}: expected logits within {:.1f} % of the CPU's, found {:.1f} %",
                                           place.name, 100 * most, 100 * error));
  }
  if (run.n_allocations != 0) {
    outcome.failures.push_back(
        fmt::format("{}: expected no allocation after the load, found {}", place.name, run.n_allocations));
  }
  return {{"place", place.name},
          {"n_gpu_layers", place.n_gpu_layers},
          {"n_cpu_ffn", place.n_cpu_ffn},
          {"load_seconds", run.load_seconds},
          {"prefill_tokens_per_s", run.prefill_tokens_per_s},
          {"decode_tokens_per_s", run.decode_tokens_per_s},
          {"predicted_tokens_per_s", run.predicted_tokens_per_s},
          {"largest_logit_error", error},
          {"most_logit_error", most},
          {"n_tokens", run.tokens.size()},
          {"n_differing_tokens", count_differing(run.tokens, alone.tokens)}};
}

}  // namespace

Result<Outcome> check_offload(const std::string& model, const std::string& device) {
  const Result<std::uint32_t> n_layers = n_layers_of(model);
  if (!n_layers) return n_layers.error();
  Outcome outcome;
  Json places = Json::array();
  Run alone;
  std::size_t n_equal = 0;
  double largest = 0;
  std::string lines;
  for (const Place& place : places_of(*n_layers)) {
    Result<Run> run = run_at(model, device, place, alone.tokens);
    if (!run) return run.error();
    if (places.empty()) alone = *run;  // 0 layers stand there
    if (has_fault("offload") && !places.empty()) run->logits.back()[0] = INFINITY;
    places.push_back(judge(place, *run, alone, *n_layers, outcome));
    n_equal += places.back()["n_differing_tokens"] == 0 ? 1 : 0;
    const double error = places.back()["largest_logit_error"].get<double>();
    largest = std::max(largest, error);
    lines += fmt::format("\n{}: {:.1f} tokens/s, predicted {:.1f}; logits within {:.2f} %", place.name,
                         run->decode_tokens_per_s, run->predicted_tokens_per_s, 100 * error);
  }
  outcome.figure = fmt::format("tokens equal in {} of {} places, logits within {:.2f} %{}", n_equal, places.size(),
                               100 * largest, lines);
  outcome.data["places"] = std::move(places);
  return outcome;
}

}  // namespace headroom::check
