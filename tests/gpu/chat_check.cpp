// Many turns of conversations with one loaded model.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "chat.h"
#include "gpu/gpu_check.h"

namespace headroom::check {
namespace {

constexpr std::uint32_t kAnswerTokens = 12, kTurnTokens = 80;  // a turn with its question and roles has no more
constexpr Bytes kMostGrowth = 16 * kMiB;  // the heap's own rounding, and what a card's other programs do meanwhile

// What is held at one moment.
struct Held {
  Bytes device_free = 0, resident = 0;
};

// Of this program, without its files: systems give those pages up and read them again as they like.
Bytes own_bytes() {
  std::ifstream status("/proc/self/status");
  Bytes sum = 0;
  for (std::string word; status >> word;) {
    Bytes kib = 0;
    if ((word == "RssAnon:" || word == "VmSwap:") && status >> kib) sum += kib * kKiB;
  }
  return sum;
}

Result<Held> held_now(const std::string& device) {
  const Result<DeviceInfo> now = device_now(device);
  if (!now) return now.error();
  return Held{now->free_bytes, own_bytes()};
}

// The most that either grew by since `first`.
struct Growth {
  Bytes device = 0, resident = 0;
  void add(const Held& first, const Held& now) {
    device = std::max(device, first.device_free - std::min(first.device_free, now.device_free));
    resident = std::max(resident, now.resident - std::min(first.resident, now.resident));
  }
};

void judge(const Growth& growth, bool device_counts, std::uint64_t n_allocations, Outcome& outcome) {
  const auto expect = [&](bool holds, const std::string& sentence) {
    if (!holds) outcome.failures.push_back(sentence);
  };
  expect(n_allocations == 0, fmt::format("expected no allocation after the load, found {}", n_allocations));
  expect(growth.resident <= kMostGrowth, fmt::format("expected the program to grow by no more than {}, found {}",
                                                     format_bytes(kMostGrowth), format_bytes(growth.resident)));
  expect(!device_counts || growth.device <= kMostGrowth,
         fmt::format("expected no more than {} less free on the device, found {}", format_bytes(kMostGrowth),
                     format_bytes(growth.device)));
}

// One answer, with what was said before; a conversation that fills its context begins anew.
Result<GenerationFinished> take_turn(cli::Chat& chat, std::vector<ChatMessage>& messages, std::uint32_t turn) {
  messages.push_back({"user", fmt::format("question {} of many, in a few words", turn)});
  GenerateRequest request;
  request.prompt.messages = messages;
  request.prompt.allow_plain_template = true;
  request.max_tokens = kAnswerTokens;
  request.sampler.seed = turn + 1;
  const cli::Answer answer = chat.answer(std::move(request), false);
  if (answer.error) return *answer.error;
  messages.push_back({"assistant", answer.text});
  const GenerationStats& stats = answer.finished->stats;
  if (stats.context_used + 2 * kTurnTokens > stats.n_ctx) messages.clear();
  return *answer.finished;
}

}  // namespace

Result<Outcome> check_chat(const std::string& model, const std::string& device, std::uint32_t n_turns) {
  const Result<std::uint32_t> n_layers = n_layers_of(model);
  if (!n_layers) return n_layers.error();
  cli::PlanArguments arguments = arguments_for(device, *n_layers, 0);
  arguments.nCtx = 512;  // full after a few turns
  Result<cli::PlannedModel> planned = cli::planToLoad(model, arguments, {});
  if (!planned) return planned.error();
  const cli::Interrupts interrupts;
  cli::Chat chat(std::move(*planned), interrupts);
  if (const std::optional<Error> error = chat.load()) return *error;
  std::vector<ChatMessage> messages;
  std::optional<Held> first;
  Growth growth;
  std::uint64_t n_allocations = has_fault("chat") ? 1 : 0;
  std::uint32_t n_tokens = 0, n_conversations = 1;
  for (std::uint32_t turn = 0; turn < n_turns; ++turn) {
    const Result<GenerationFinished> finished = take_turn(chat, messages, turn);
    if (!finished) return finished.error();
    n_tokens += finished->stats.generated_tokens;
    n_conversations += messages.empty() ? 1 : 0;
    n_allocations = std::max(n_allocations, finished->stats.grown.n_arenas);
    // In the first conversation every kernel and buffer is met; looking at a device takes some milliseconds.
    if (n_conversations == 1 || turn % std::max(1U, n_turns / 20) != 0) continue;
    const Result<Held> held = held_now(device);
    if (!held) return held.error();
    if (!first) first = *held;
    growth.add(*first, *held);
  }
  const Result<DeviceInfo> now = device_now(device);
  if (!now) return now.error();
  Outcome outcome;
  judge(growth, is_counted(*now), n_allocations, outcome);
  outcome.figure = fmt::format("{} turns, {} conversations, {} tokens; {} allocations; grew by {}{}", n_turns,
                               n_conversations, n_tokens, n_allocations, format_bytes(growth.resident),
                               is_counted(*now) ? fmt::format(", on the device {}", format_bytes(growth.device)) : "");
  outcome.data = {{"n_turns", n_turns},
                  {"n_conversations", n_conversations},
                  {"n_generated_tokens", n_tokens},
                  {"n_allocations_after_load", n_allocations},
                  {"resident_growth_bytes", growth.resident},
                  {"device_growth_bytes", growth.device},
                  {"device_is_counted", is_counted(*now)}};
  return outcome;
}

}  // namespace headroom::check
