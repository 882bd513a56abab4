// What many turns of conversations take of a loaded model whose context has kContextOfTurns tokens.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "engine/run/engine_fixture.h"
#include "support/resident_bytes.h"

namespace headroom::test {

inline constexpr std::uint32_t kContextOfTurns = 64;

// Every conversation fills its context, is told so, overflows it, is told that too, and begins anew; every fifth answer
// is stopped. To be made before the engine is asked for anything.
class ManyTurns {
 public:
  explicit ManyTurns(Engine& engine) : engine_(engine) {
    engine_.before_event = [&engine, stops = stops_](const Event& event) {
      if (*stops && std::holds_alternative<PrefillProgress>(event.body)) engine->stop(event.request);
    };
  }

  std::size_t n_full = 0, n_too_long = 0, n_stopped = 0;
  std::uint64_t n_allocations = 0;
  Bytes growth = 0;  // of the program, since a tenth of the turns

  void take(std::uint32_t n_turns) {
    Bytes warm = 0;
    std::string conversation;
    for (std::uint32_t turn = 0; turn < n_turns; ++turn) {
      if (turn == n_turns / 10) warm = resident_bytes();
      conversation += "user says a few words;";
      *stops_ = turn % 5 == 4;
      const RequestId id = engine_->generate(ask(conversation, 20));
      if (conversation.size() < kContextOfTurns) {
        const auto finished = engine_.wait_for<GenerationFinished>(id);
        ASSERT_TRUE(finished.has_value()) << turn;
        n_full += finished->reason == FinishReason::kContextFull ? 1 : 0;
        n_stopped += finished->reason == FinishReason::kStopped ? 1 : 0;
        n_allocations = std::max(n_allocations, finished->stats.grown.n_arenas);
        conversation += "ok;";
      } else {
        ASSERT_TRUE(engine_.wait_for<PromptTooLong>(id).has_value()) << turn;
        ++n_too_long;
        conversation.clear();
      }
      engine_.clear();
    }
    *stops_ = false;
    const Bytes now = resident_bytes();
    growth = now > warm ? now - warm : 0;
  }

 private:
  Engine& engine_;
  std::shared_ptr<std::atomic<bool>> stops_ = std::make_shared<std::atomic<bool>>(false);  // the engine lives longer
};

}  // namespace headroom::test
