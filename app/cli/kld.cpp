#include <fmt/format.h>

#include <algorithm>

#include "divergence.h"
#include "kept_kernels.h"
#include "open_model.h"
#include "options.h"
#include "run/load_model.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

struct Options {
  std::string model, file;
  PlanArguments plan;
  std::uint32_t maxChunks = 0;
  bool asJson = false;
};

// Rows of one step, all of which ask for logits: 64 x 128k floats are 31 MiB.
constexpr std::uint32_t kRowsPerStep = 64;

// Two sessions over the same weights: one with F16 KV, one with the types that are judged. Their backends are apart, so
// that each step of one can be compared with the same step of the other and no logits need to be kept.
struct Pair {
  std::unique_ptr<Session> reference, judged;
};

Result<Pair> openPair(const OpenModel& open, const StopToken& stop) {
  PlanOptions options = open.planned.plan->options;
  options.kv_k = options.kv_v = DType::kF16;
  Result<MemoryPlan> plan = plan_memory(*open.planned.info, open.planned.plan->devices, options);
  if (!plan) return plan.error();
  Result<std::shared_ptr<const LoadedModel>> second = share_weights(*open.loaded, backendFactory());
  if (!second) return second.error();
  Result<std::unique_ptr<Session>> judged = Session::open(open.loaded, open.planned.plan, stop);
  if (!judged) return judged.error();
  Result<std::unique_ptr<Session>> reference =
      Session::open(*second, std::make_shared<const MemoryPlan>(std::move(*plan)), stop);
  if (!reference) return reference.error();
  return Pair{std::move(*reference), std::move(*judged)};
}

// Up to `n` tokens from `first`. Every window of a model whose texts begin with a token of their own begins with it, in
// the place of the text's token, as llama.cpp's perplexity tool has it: figures of both can be compared, and no window
// starts in a way that training never showed.
std::vector<TokenId> windowAt(std::span<const TokenId> tokens, std::size_t first, std::size_t n,
                              const SpecialTokens& special) {
  const std::span<const TokenId> window = tokens.subspan(first, std::min(n, tokens.size() - first));
  std::vector<TokenId> chunk(window.begin(), window.end());
  if (special.add_bos && special.bos) chunk.front() = *special.bos;
  return chunk;
}

// One window of the text, in both sessions, from an empty cache. Positions whose next token is in the window count.
Status compareChunk(Pair& pair, std::span<const TokenId> chunk, Divergence& divergence, const StopToken& stop) {
  pair.reference->clear(0);
  pair.judged->clear(0);
  for (std::size_t first = 0; first < chunk.size(); first += pair.judged->max_logit_rows()) {
    if (Status wanted = stillWanted(); !wanted) return wanted;
    const std::size_t n = std::min<std::size_t>(chunk.size() - first, pair.judged->max_logit_rows());
    for (Session* session : {pair.reference.get(), pair.judged.get()}) {
      if (Status done = session->step({0, chunk.subspan(first, n), static_cast<std::uint32_t>(n)}, stop); !done)
        return done;
    }
    for (std::uint32_t row = 0; row < n && first + row + 1 < chunk.size(); ++row) {
      const Result<std::span<const float>> reference = pair.reference->logits(row), judged = pair.judged->logits(row);
      if (!reference) return reference.error();
      if (!judged) return judged.error();
      divergence.add(*reference, *judged, chunk[first + row + 1]);
    }
  }
  return ok_status();
}

void printSummary(const Options& options, const DivergenceSummary& summary, std::size_t nChunks, bool asJson) {
  if (asJson) {
    printJson({{"kv_k", options.plan.kvK},
               {"kv_v", options.plan.kvV},
               {"kv_scheme", kvSchemeName(options.plan)},
               {"n_ctx", options.plan.nCtx},
               {"n_chunks", nChunks},
               {"n_positions", summary.nPositions},
               {"perplexity_f16", summary.referencePerplexity},
               {"perplexity", summary.perplexity},
               {"kld_mean", summary.meanKld},
               {"kld_median", summary.medianKld},
               {"kld_p999", summary.p999Kld},
               {"same_top_share", summary.sameTopShare}});
    return;
  }
  printLine(fmt::format("KV {} / {}{}, {} positions in {} windows of {}", options.plan.kvK, options.plan.kvV,
                        options.plan.plainKv ? " (plain)" : "", summary.nPositions, nChunks, options.plan.nCtx));
  printLine(fmt::format("perplexity        {:.4f} with f16 KV, {:.4f} with this", summary.referencePerplexity,
                        summary.perplexity));
  printLine(fmt::format("KL divergence     mean {:.6f}, median {:.6f}, 99.9 % {:.6f}", summary.meanKld,
                        summary.medianKld, summary.p999Kld));
  printLine(fmt::format("same top token    {:.2f} %", 100 * summary.sameTopShare));
}

ExitCode kld(Options options, Interrupts& interrupts) {
  const auto fail = [&](const Error& error) { return report(error, options.asJson); };
  if (options.plan.nCtx == 1)
    return fail(
        {ErrorCode::kUsage, Message::plain("--ctx: expected at least 2, a token and the one that follows; found 1")});
  if (options.plan.nSlots != 1)
    return fail({ErrorCode::kUsage, Message::plain(fmt::format("--slots: expected 1, as one text is read; found {}",
                                                               options.plan.nSlots))});
  const Result<std::string> text = readTextFile(options.file);
  if (!text) return fail(text.error());
  options.plan.mostRowsWithLogits = kRowsPerStep;
  interrupts.hear();
  const StopToken stop = interrupts.token();
  const Result<OpenModel> open = openModel(options.model, options.plan, stop);
  if (!open) return fail(open.error());
  options.plan.nCtx = open->planned.plan->options.n_ctx;
  if (!open->loaded->tokenizer)
    return fail({ErrorCode::kUnsupported,
                 Message::plain(fmt::format("{}: {}", options.model, open->loaded->template_problem.text()))});
  const std::vector<TokenId> tokens = open->loaded->tokenizer->encode(*text, true, false);
  if (tokens.size() < 2)
    return fail({ErrorCode::kUsage,
                 Message::plain(fmt::format("{} has {} tokens: at least 2 are needed", options.file, tokens.size()))});
  Result<Pair> pair = openPair(*open, stop);
  if (!pair) return fail(pair.error());
  Divergence divergence;
  std::size_t nChunks = 0;
  for (std::size_t first = 0; first + 1 < tokens.size(); first += options.plan.nCtx) {
    if (options.maxChunks > 0 && nChunks == options.maxChunks) break;
    const std::vector<TokenId> chunk = windowAt(tokens, first, options.plan.nCtx, open->loaded->tokenizer->special());
    if (Status done = compareChunk(*pair, chunk, divergence, stop); !done) return fail(done.error());
    ++nChunks;
  }
  printSummary(options, divergence.summary(), nChunks, options.asJson);
  return kDone;
}

}  // namespace

Command addKld(CLI::App& program, Interrupts& interrupts) {
  CLI::App* app = addSubcommand(program, "kld",
                                "What a KV type costs in quality: perplexity of a text, and KL divergence from F16 KV");
  auto options = std::make_shared<Options>();
  addText(*app, "MODEL", options->model, "A .gguf file", {.isRequired = true});
  addText(*app, "--file", options->file, "Text, read in windows of --ctx tokens", {.isRequired = true});
  addNumber(*app, "--chunks", options->maxChunks, {.least = 1}, "At most this many windows; default: the whole text");
  addPlanOptions(*app, options->plan);
  addPlainKvOption(*app, options->plan);
  addJsonOption(*app, options->asJson);
  addExample(*app, "kld model.gguf --file text.txt --kv-k q8_0 --kv-v q4_0 --ctx 512");
  return {app, [options, &interrupts] { return kld(*options, interrupts); }};
}

}  // namespace headroom::cli
