#include <fmt/format.h>

#include <algorithm>

#include "open_model.h"
#include "options.h"
#include "plan/plan_options.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

struct Options {
  std::string model, tokens, file, outPath;
  PlanArguments plan;
  bool asJson = false;
};

// A row of the last step.
Status append(std::string& bytes, Session& session, std::uint32_t row) {
  static_assert(std::endian::native == std::endian::little, "the file is little-endian");
  const Result<std::span<const float>> logits = session.logits(row);
  if (!logits) return logits.error();
  bytes.append(reinterpret_cast<const char*>(logits->data()), logits->size_bytes());
  return ok_status();
}

// One slot: the prompt in steps of the batch.
Status evaluateInSteps(Session& session, const std::vector<TokenId>& tokens, const StopToken& stop,
                       std::string& bytes) {
  const std::size_t nBatch = session.plan().options.n_batch;
  for (std::size_t first = 0; first < tokens.size(); first += nBatch) {
    if (Status wanted = stillWanted(); !wanted) return wanted;
    const std::size_t n = std::min(tokens.size() - first, nBatch);
    if (Status done = session.step({0, {tokens.data() + first, n}, static_cast<std::uint32_t>(n)}, stop); !done)
      return done;
    for (std::uint32_t row = 0; row < n; ++row) {
      if (Status appended = append(bytes, session, row); !appended) return appended;
    }
  }
  return ok_status();
}

// Several slots: the same tokens in all of them, side by side; what the last slot computed is kept, so that a mix-up of
// slots shows.
Status evaluateSideBySide(Session& session, const std::vector<TokenId>& tokens, const StopToken& stop,
                          std::string& bytes) {
  std::vector<SlotRows> step(session.cache().n_slots());
  for (const TokenId token : tokens) {
    if (Status wanted = stillWanted(); !wanted) return wanted;
    for (std::uint32_t slot = 0; slot < step.size(); ++slot) step[slot] = {slot, {&token, 1}, 1};
    if (Status done = session.step(step, stop); !done) return done;
    if (Status appended = append(bytes, session, session.cache().n_slots() - 1); !appended) return appended;
  }
  return ok_status();
}

ExitCode logits(Options options, Interrupts& interrupts) {
  const auto fail = [&](const Error& error) { return report(error, options.asJson); };
  const Result<std::vector<TokenId>> tokens = parseTokens("--tokens", options.tokens);
  if (!tokens) return fail(tokens.error());
  if (tokens->empty())
    return fail({ErrorCode::kUsage, Message::plain("--tokens: expected token ids such as 1,2,3, found none")});
  // All positions of a step ask for their logits; a step longer than the prompt would only plan for rows that are never
  // used.
  options.plan.mostRowsWithLogits = static_cast<std::uint32_t>(std::min<std::size_t>(kMaxBatch, tokens->size()));
  Result<OutputFile> out = OutputFile::open(options.outPath);
  if (!out) return fail(out.error());
  interrupts.hear();
  const StopToken stop = interrupts.token();
  const Result<OpenModel> open = openModel(options.model, options.plan, stop);
  if (!open) return fail(open.error());
  Result<std::unique_ptr<Session>> session = Session::open(open->loaded, open->planned.plan, stop);
  if (!session) return fail(session.error());
  // Also refuses ids outside the vocabulary and prompts longer than the context.
  if (Result<std::uint32_t> begun = (*session)->begin_prompt(0, *tokens); !begun) return fail(begun.error());
  std::string bytes;
  bytes.reserve(tokens->size() * open->loaded->info->n_vocab * sizeof(float));
  const bool isAlone = options.plan.nSlots == 1;
  if (Status done = isAlone ? evaluateInSteps(**session, *tokens, stop, bytes)
                            : evaluateSideBySide(**session, *tokens, stop, bytes);
      !done) {
    return fail(done.error());
  }
  if (Status written = out->write(bytes); !written) return fail(written.error());
  if (options.asJson) {
    printJson({{"n_tokens", tokens->size()},
               {"n_vocab", open->loaded->info->n_vocab},
               {"dtype", "float32"},
               {"out", options.outPath}});
  } else {
    printLine(fmt::format("{}: float32 ({}, {})", options.outPath, tokens->size(), open->loaded->info->n_vocab));
  }
  return kDone;
}

}  // namespace

Command addLogits(CLI::App& program, Interrupts& interrupts) {
  CLI::App* app = addSubcommand(
      program, "logits", "The logits after each of the given tokens, as float32 little-endian (n_tokens, n_vocab)");
  auto options = std::make_shared<Options>();
  addText(*app, "MODEL", options->model, "A .gguf file", {.isRequired = true});
  addText(*app, "--tokens", options->tokens,
          "Token ids: 1,2,3. With --slots the same tokens run in all slots side by side", {.isRequired = true});
  addText(*app, "--out", options->outPath, "File to write", {.isRequired = true});
  options->plan.kvK = options->plan.kvV = "f32";  // what is compared is the model, not its cache
  addPlanOptions(*app, options->plan);
  addJsonOption(*app, options->asJson);
  addExample(*app, "logits model.gguf --tokens 1,2,3 --kv-k q8_0 --out logits.f32");
  return {app, [options, &interrupts] { return logits(*options, interrupts); }};
}

}  // namespace headroom::cli
