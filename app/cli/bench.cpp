#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "bench_report.h"
#include "open_model.h"
#include "options.h"
#include "plan/placement.h"
#include "plan/speed.h"
#include "plan/weight_stream.h"
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

// Decoding and reads of the CPU's memory alternate, so that other programs slow both alike. After at least so much
// decoding the meter reads once, which takes some tens of milliseconds.
constexpr double kTurnSeconds = 0.1;

struct Speeds {
  double prefillTokensPerS = 0, decodeTokensPerS = 0;
  double prefillOutside = 0, decodeOutside = 0;  // the share of the time in which a thread multiplied no matrix
  double cpuReadBytesPerS = 0;                   // between the decoded tokens; 0: nothing is decoded on the CPU
};

// One repeat of a part of the bench.
struct Sample {
  double seconds = 0;
  double readSeconds = 0, readBytes = 0;  // of the meter, between the steps
  double readBytesPerS() const { return readSeconds > 0 ? readBytes / readSeconds : 0; }
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
    if (Status done = session.step({0, tokens.subspan(first, n), nLogitRows}, stop); !done) return done;
  }
  return ok_status();
}

template <class Work>
Result<double> secondsOf(Work work) {
  const Clock::time_point start = Clock::now();
  if (Status done = work(); !done) return done.error();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// `meter`: null where the CPU reads no weights.
Result<Sample> decode(Session& session, std::span<const TokenId> tokens, ReadMeter* meter, const StopToken& stop) {
  Sample sample;
  double sinceRead = 0;
  const auto read = [&] {
    sample.readSeconds += meter->read();
    sample.readBytes += static_cast<double>(meter->size());
    sinceRead = 0;
  };
  for (const TokenId token : tokens) {
    if (Status wanted = stillWanted(); !wanted) return wanted.error();
    const Result<double> seconds = secondsOf([&] { return session.step({0, {&token, 1}, 1}, stop); });
    if (!seconds) return seconds.error();
    sample.seconds += *seconds;
    sinceRead += *seconds;
    if (meter != nullptr && sinceRead >= kTurnSeconds) read();
  }
  if (meter != nullptr && (sample.readSeconds == 0 || sinceRead >= kTurnSeconds / 2)) read();
  return sample;
}

struct Timing {
  Sample median;
  double outside = 0;
};

// `work` from the same depth each time, after `tokens` up to there: the median of the repeats, after one that warms up.
template <class Work>
Result<Timing> timed(Session& session, const Options& options, std::span<const TokenId> tokens, const StopToken& stop,
                     Work work) {
  const Backends& backends = session.model().backends;
  std::vector<Sample> samples;
  double all = 0, productsBefore = 0;
  for (std::uint32_t repeat = 0; repeat <= options.nRepeats; ++repeat) {
    // A window may have to be read again.
    const Result<std::uint32_t> nHeld = session.take_back(0, options.depth);
    if (!nHeld) return nHeld.error();
    if (Status filled = prefill(session, tokens.first(options.depth).subspan(*nHeld), stop); !filled)
      return filled.error();
    if (repeat == 1) productsBefore = product_seconds(backends);
    const Result<Sample> taken = work();
    if (!taken) return taken.error();
    if (repeat == 0) continue;
    samples.push_back(*taken);
    all += taken->seconds;
  }
  const double products = product_seconds(backends) - productsBefore;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle, {}, &Sample::seconds);
  return Timing{.median = *middle, .outside = 1 - products / all};
}

std::vector<TokenWork> workOf(const Options& options, const ModelInfo& info, const MemoryPlan& plan) {
  return token_work(info, plan.devices, plan.placement, plan.options, options.depth + options.nDecode / 2);
}

// Of the CPU, where it reads weights or a cache; else null.
Result<std::unique_ptr<ReadMeter>> openMeter(const Options& options, const LoadedModel& model, const MemoryPlan& plan) {
  const std::vector<TokenWork> work = workOf(options, *model.info, plan);
  for (const DeviceIndex index : devices_in_use(plan.placement)) {
    if (plan.devices[index].kind == DeviceKind::kCpu && work[index].bytes > 0)
      return model.backends[index]->open_read_meter();
  }
  return std::unique_ptr<ReadMeter>();
}

Result<Speeds> measure(Session& session, const Options& options, const StopToken& stop) {
  const std::vector<TokenId> tokens =
      someTokens(session.model().info->n_vocab, options.depth + std::max(options.nPrompt, options.nDecode));
  const std::span<const TokenId> after = std::span(tokens).subspan(options.depth);
  Speeds speeds;
  if (options.nPrompt > 0) {
    const auto work = [&]() -> Result<Sample> {
      const Result<double> seconds = secondsOf([&] { return prefill(session, after.first(options.nPrompt), stop); });
      if (!seconds) return seconds.error();
      return Sample{.seconds = *seconds};
    };
    const Result<Timing> timing = timed(session, options, tokens, stop, work);
    if (!timing) return timing.error();
    speeds.prefillTokensPerS = options.nPrompt / timing->median.seconds;
    speeds.prefillOutside = timing->outside;
  }
  if (options.nDecode > 0) {
    const Result<std::unique_ptr<ReadMeter>> meter = openMeter(options, session.model(), session.plan());
    if (!meter) return meter.error();
    const Result<Timing> timing = timed(session, options, tokens, stop, [&] {
      return decode(session, after.first(options.nDecode), meter->get(), stop);
    });
    if (!timing) return timing.error();
    speeds.decodeTokensPerS = options.nDecode / timing->median.seconds;
    speeds.decodeOutside = timing->outside;
    speeds.cpuReadBytesPerS = timing->median.readBytesPerS();
  }
  return speeds;
}

// What each device of the plan that reads weights or a cache does for the bench, and could do at most.
Result<std::vector<BenchedDevice>> measureDevices(const Options& options, const OpenModel& open, const Speeds& speeds) {
  const ModelInfo& info = *open.loaded->info;
  const MemoryPlan& plan = *open.planned.plan;
  const std::vector<TokenWork> work = workOf(options, info, plan);
  const Placement inPrompts =
      placement_of(plan.placement, plan.streaming, std::min(options.nPrompt, plan.options.n_batch));
  std::vector<BenchedDevice> devices;
  for (const DeviceIndex index : devices_in_use(plan.placement)) {
    if (!(work[index].bytes > 0)) continue;  // the embedding's rows alone
    BenchedDevice device{.info = plan.devices[index], .decodeBytes = work[index].bytes};
    for (const LayerPlacement& layer : plan.placement.layers) device.nLayers += layer.attention == index ? 1 : 0;
    device.prefillOps = prefillOps(info, inPrompts, index, options.nPrompt, options.depth);
    const Result<DeviceLimits> limits = open.loaded->backends[index]->measure_limits();
    if (!limits) return limits.error();
    device.limits = *limits;
    // What the CPU's memory gave while it decoded, not in another second.
    if (device.info.kind == DeviceKind::kCpu && speeds.cpuReadBytesPerS > 0)
      device.limits.read_bytes_per_s = speeds.cpuReadBytesPerS;
    devices.push_back(std::move(device));
  }
  return devices;
}

// Backends tell of the time in products where a CPU computes them.
bool isOnCpuAlone(const std::vector<BenchedDevice>& devices) {
  return std::all_of(devices.begin(), devices.end(),
                     [](const BenchedDevice& device) { return device.info.kind == DeviceKind::kCpu; });
}

BenchFigures makeFigures(const Options& options, const OpenModel& open, const Speeds& speeds,
                         std::vector<BenchedDevice> devices) {
  const ModelInfo& info = *open.loaded->info;
  const MemoryPlan& plan = *open.planned.plan;
  BenchFigures figures{.model = info.name,
                       .kvK = options.plan.kvK,
                       .kvV = options.plan.kvV,
                       .kvScheme = std::string(kvSchemeName(options.plan)),
                       .nPrompt = options.nPrompt,
                       .nDecode = options.nDecode,
                       .depth = options.depth,
                       .nBatch = plan.options.n_batch,
                       .loadSeconds = open.loaded->seconds,
                       .prefillTokensPerS = speeds.prefillTokensPerS,
                       .decodeTokensPerS = speeds.decodeTokensPerS,
                       .predictedTokensPerS = estimate_tokens_per_s(info, plan, options.depth + options.nDecode / 2)};
  for (const DeviceInfo& device : plan.devices) {
    if (device.kind == DeviceKind::kCpu) figures.nThreads = device.n_threads;
  }
  figures.loadBytesPerS = static_cast<double>(bytes_to_load(info, plan)) / open.loaded->seconds;
  if (isOnCpuAlone(devices)) {
    if (options.nPrompt > 0) figures.prefillOutside = speeds.prefillOutside;
    if (options.nDecode > 0) figures.decodeOutside = speeds.decodeOutside;
  }
  figures.devices = std::move(devices);
  return figures;
}

ExitCode bench(Options options, Interrupts& interrupts) {
  const auto fail = [&](const Error& error) { return report(error, options.asJson); };
  if (options.nPrompt == 0 && options.nDecode == 0)
    return fail({ErrorCode::kUsage, Message::plain("-p and -n are both 0: there is nothing to measure")});
  if (options.plan.nCtx == 0) options.plan.nCtx = options.depth + std::max(options.nPrompt, options.nDecode);
  if (options.plan.nCtx < std::uint64_t{options.depth} + std::max(options.nPrompt, options.nDecode)) {
    return fail({ErrorCode::kUsage,
                 Message::plain(fmt::format("--ctx {} cannot hold --depth {} and {} tokens", options.plan.nCtx,
                                            options.depth, std::max(options.nPrompt, options.nDecode)))});
  }
  interrupts.hear();
  const StopToken stop = interrupts.token();
  const Result<OpenModel> open = openModel(options.model, options.plan, stop);
  if (!open) return fail(open.error());
  const Result<std::unique_ptr<Session>> session = Session::open(open->loaded, open->planned.plan, stop);
  if (!session) return fail(session.error());
  const Result<Speeds> speeds = measure(**session, options, stop);
  if (!speeds) return fail(speeds.error());
  Result<std::vector<BenchedDevice>> devices = measureDevices(options, *open, *speeds);
  if (!devices) return fail(devices.error());
  const BenchFigures figures = makeFigures(options, *open, *speeds, std::move(*devices));
  if (options.asJson) {
    printJson(benchJson(figures));
  } else {
    print(benchText(figures));
  }
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
