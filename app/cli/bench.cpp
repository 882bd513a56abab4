#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "backend/cpu/cpu_limits.h"
#include "model/weight_layout.h"
#include "open_model.h"
#include "options.h"
#include "run/load_model.h"
#include "run/random.h"
#include "run/sampler.h"
#include "subcommands.h"
#include "work_count.h"

namespace headroom::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string model;
  PlanArguments plan;
  std::uint32_t nPrompt = 512, nDecode = 64, depth = 0, nRepeats = 3;
  bool asJson = false;
};

struct Speeds {
  double prefillTokensPerS = 0, decodeTokensPerS = 0;
  double prefillOutside = 0, decodeOutside = 0;  // the share of the time in which a thread multiplied no matrix
};

// Text does not matter to speed; the same ids each time do to comparing runs.
std::vector<TokenId> someTokens(std::uint32_t nVocab, std::size_t n) {
  Random random(1);
  std::vector<TokenId> tokens(n);
  for (TokenId& token : tokens) token = random.next_u32() % nVocab;
  return tokens;
}

Status prefill(Session& session, std::span<const TokenId> tokens, const StopToken& stop) {
  const std::size_t nBatch = session.plan().options.n_batch;
  for (std::size_t first = 0; first < tokens.size(); first += nBatch) {
    if (Status wanted = stillWanted(); !wanted) return wanted;
    const std::size_t n = std::min(nBatch, tokens.size() - first);
    const std::uint32_t nLogitRows = first + n == tokens.size() ? 1 : 0;
    if (Status done = session.extend(0, tokens.subspan(first, n), nLogitRows, stop); !done) return done;
  }
  return ok_status();
}

Status decode(Session& session, std::span<const TokenId> tokens, const StopToken& stop) {
  for (const TokenId token : tokens) {
    if (Status wanted = stillWanted(); !wanted) return wanted;
    const SlotToken next{0, token};
    if (Status done = session.decode({&next, 1}, stop); !done) return done;
  }
  return ok_status();
}

template <class Work>
Result<double> secondsOf(Work work) {
  const Clock::time_point start = Clock::now();
  if (Status done = work(); !done) return done.error();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Timing {
  double medianSeconds = 0, outside = 0;
};

// `work` from the same depth each time: the median of the repeats, after one that warms up.
template <class Work>
Result<Timing> timed(Session& session, const Options& options, Work work) {
  const Backends& backends = session.model().backends;
  std::vector<double> seconds;
  double all = 0, productsBefore = 0;
  for (std::uint32_t repeat = 0; repeat <= options.nRepeats; ++repeat) {
    session.truncate(0, options.depth);
    if (repeat == 1) productsBefore = product_seconds(backends);
    const Result<double> taken = secondsOf(work);
    if (!taken) return taken.error();
    if (repeat == 0) continue;
    seconds.push_back(*taken);
    all += *taken;
  }
  const double products = product_seconds(backends) - productsBefore;
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  return Timing{.medianSeconds = seconds[seconds.size() / 2], .outside = 1 - products / all};
}

Result<Speeds> measure(Session& session, const Options& options, const StopToken& stop) {
  const std::vector<TokenId> tokens =
      someTokens(session.model().info->n_vocab, options.depth + std::max(options.nPrompt, options.nDecode));
  const std::span<const TokenId> after = std::span(tokens).subspan(options.depth);
  if (Status filled = prefill(session, std::span(tokens).first(options.depth), stop); !filled) return filled.error();
  Speeds speeds;
  if (options.nPrompt > 0) {
    const Result<Timing> timing =
        timed(session, options, [&] { return prefill(session, after.first(options.nPrompt), stop); });
    if (!timing) return timing.error();
    speeds.prefillTokensPerS = options.nPrompt / timing->medianSeconds;
    speeds.prefillOutside = timing->outside;
  }
  if (options.nDecode > 0) {
    const Result<Timing> timing =
        timed(session, options, [&] { return decode(session, after.first(options.nDecode), stop); });
    if (!timing) return timing.error();
    speeds.decodeTokensPerS = options.nDecode / timing->medianSeconds;
    speeds.decodeOutside = timing->outside;
  }
  return speeds;
}

struct Figures {
  Speeds speeds;
  double decodeBytesPerS = 0, prefillOpsPerS = 0;
  double loadBytesPerS = 0;  // of the file's weights, by all threads together
  CpuLimits limits;
  std::uint32_t nThreads = 1;
};

void printFigures(const Options& options, const OpenModel& open, const Figures& figures) {
  const auto share = [](double part, double whole) { return whole > 0 ? 100 * part / whole : 0.0; };
  if (options.asJson) {
    printJson({{"model", open.loaded->info->name},
               {"n_prompt", options.nPrompt},
               {"n_decode", options.nDecode},
               {"depth", options.depth},
               {"n_threads", figures.nThreads},
               {"n_batch", open.planned.plan->options.n_batch},
               {"kv_k", options.plan.kvK},
               {"kv_v", options.plan.kvV},
               {"kv_scheme", kvSchemeName(options.plan)},
               {"load_seconds", open.loaded->seconds},
               {"load_bytes_per_s", figures.loadBytesPerS},
               {"prefill_tokens_per_s", figures.speeds.prefillTokensPerS},
               {"decode_tokens_per_s", figures.speeds.decodeTokensPerS},
               {"prefill_outside_matrices", figures.speeds.prefillOutside},
               {"decode_outside_matrices", figures.speeds.decodeOutside},
               {"decode_bytes_per_s", figures.decodeBytesPerS},
               {"read_bandwidth_bytes_per_s", figures.limits.read_bytes_per_s},
               {"prefill_ops_per_s", figures.prefillOpsPerS},
               {"int8_peak_ops_per_s", figures.limits.int8_ops_per_s},
               {"tile_peak_ops_per_s", figures.limits.tile_ops_per_s}});
    return;
  }
  printLine(fmt::format("{}, {} threads, depth {}", open.loaded->info->name, figures.nThreads, options.depth));
  printLine(fmt::format("load    {:>10.2f} s         {:>8.1f} GB/s, {:.1f} a thread", open.loaded->seconds,
                        figures.loadBytesPerS * 1e-9, figures.loadBytesPerS * 1e-9 / figures.nThreads));
  const double tiles = figures.limits.tile_ops_per_s;
  const std::string ofTiles = tiles > 0 ? fmt::format(" and {:.0f} % of that of tiles, {:.1f}",
                                                      share(figures.prefillOpsPerS, tiles), tiles * 1e-9)
                                        : "";
  printLine(
      fmt::format("prefill {:>10.1f} tokens/s  {:>8.1f} Gop/s, {:.0f} % of the int8 peak of {:.1f}{}; {:.1f} % of the "
                  "time outside matrices",
                  figures.speeds.prefillTokensPerS, figures.prefillOpsPerS * 1e-9,
                  share(figures.prefillOpsPerS, figures.limits.int8_ops_per_s), figures.limits.int8_ops_per_s * 1e-9,
                  ofTiles, 100 * figures.speeds.prefillOutside));
  printLine(
      fmt::format("decode  {:>10.1f} tokens/s  {:>8.1f} GB/s, {:.0f} % of the read bandwidth of {:.1f}; {:.1f} % of "
                  "the time outside matrices",
                  figures.speeds.decodeTokensPerS, figures.decodeBytesPerS * 1e-9,
                  share(figures.decodeBytesPerS, figures.limits.read_bytes_per_s),
                  figures.limits.read_bytes_per_s * 1e-9, 100 * figures.speeds.decodeOutside));
}

ExitCode bench(Options options, Interrupts& interrupts) {
  const auto fail = [&](const Error& error) { return report(error, options.asJson); };
  if (options.nPrompt == 0 && options.nDecode == 0)
    return fail({ErrorCode::kUsage, "-p and -n are both 0: there is nothing to measure"});
  if (options.plan.nCtx == 0) options.plan.nCtx = options.depth + std::max(options.nPrompt, options.nDecode);
  if (options.plan.nCtx < std::uint64_t{options.depth} + std::max(options.nPrompt, options.nDecode)) {
    return fail({ErrorCode::kUsage, fmt::format("--ctx {} cannot hold --depth {} and {} tokens", options.plan.nCtx,
                                                options.depth, std::max(options.nPrompt, options.nDecode))});
  }
  interrupts.hear();
  const StopToken stop = interrupts.token();
  const Result<OpenModel> open = openModel(options.model, options.plan, stop);
  if (!open) return fail(open.error());
  const Result<std::unique_ptr<Session>> session = Session::open(open->loaded, open->planned.plan);
  if (!session) return fail(session.error());
  const Result<Speeds> speeds = measure(**session, options, stop);
  if (!speeds) return fail(speeds.error());
  Figures figures;
  figures.speeds = *speeds;
  for (const DeviceInfo& device : open->planned.plan->devices) {
    if (device.kind == DeviceKind::kCpu) figures.nThreads = device.n_threads;
  }
  const ModelInfo& info = *open->loaded->info;
  const Bytes weightBytes = bytes_to_load(info, *open->planned.plan);
  figures.loadBytesPerS = static_cast<double>(weightBytes) / open->loaded->seconds;
  figures.decodeBytesPerS =
      speeds->decodeTokensPerS * decodeBytes(info, open->planned.plan->options, options.depth + options.nDecode / 2);
  if (options.nPrompt > 0)
    figures.prefillOpsPerS =
        speeds->prefillTokensPerS * prefillOps(info, options.nPrompt, options.depth) / options.nPrompt;
  const Result<CpuLimits> limits = measure_cpu_limits(figures.nThreads);
  if (!limits) return fail(limits.error());
  figures.limits = *limits;
  printFigures(options, *open, figures);
  return kDone;
}

}  // namespace

Command addBench(CLI::App& program, Interrupts& interrupts) {
  CLI::App* app = addSubcommand(
      program, "bench",
      "Load, prefill and decode speed, beside what this machine's memory and arithmetic could do at most");
  auto options = std::make_shared<Options>();
  addText(*app, "MODEL", options->model, "A .gguf file", {.isRequired = true});
  constexpr WholeRange kTokens{.most = 1'000'000};
  addNumber(*app, "-p", options->nPrompt, kTokens, "Prompt tokens; 0: no prefill");
  addNumber(*app, "-n", options->nDecode, kTokens, "Tokens to decode; 0: no decode");
  addNumber(*app, "--depth", options->depth, kTokens, "Positions already in the cache; 0: an empty one");
  addNumber(*app, "--repeat", options->nRepeats, {.least = 1, .most = 1000},
            "Measured repeats after the warm-up; the median counts");
  addPlanOptions(*app, options->plan);
  addPlainKvOption(*app, options->plan);
  addJsonOption(*app, options->asJson);
  addExample(*app, "bench model.gguf -p 512 -n 64 --depth 4096 --threads 8 --json");
  return {app, [options, &interrupts] { return bench(*options, interrupts); }};
}

}  // namespace headroom::cli
