#include "ui/calculator/load_cycle.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/overloaded.h"
#include "support/written_lines.h"

namespace headroom::ui {
namespace {

using namespace load_stage;

constexpr quint64 kRuns = 7;  // the request that is waited for; 5 is older, 9 is newer

template <class Value>
using Named = std::vector<std::pair<std::string, Value>>;

const std::shared_ptr<const MemoryPlan>& planOf() {
  static const auto kPlan = std::make_shared<const MemoryPlan>();
  return kPlan;
}

LoadedModel model(const char* path) { return {QLatin1StringView(path), nullptr, planOf(), {}, 1.0, {}}; }

// Each alone, and over a model that request 3 loaded.
Named<LoadCycle> cycles() {
  const Named<LoadStage> stages{{"Settled", Settled{}},
                                {"Loading", Loading{kRuns, planOf(), 10, 100, false}},
                                {"Mapping", Loading{kRuns, nullptr, 0, 0, false}},
                                {"Cancelling", Loading{kRuns, planOf(), 10, 100, true}},
                                {"Closing", Closing{kRuns}}};
  Named<LoadCycle> all;
  for (const auto& [name, stage] : stages) {
    LoadCycle empty, holding;
    empty.stage = holding.stage = stage;
    empty.order.loaded(2);
    empty.order.unloaded(3);
    holding.order.loaded(3);
    holding.held = HeldModel{model("old"), {.n_arenas = 2}, 30, false};
    all.insert(all.end(), {{name + ", nothing held", empty}, {name + ", old held", holding}});
  }
  return all;
}

Named<LoadEvent> events() {
  namespace e = load_event;
  Named<LoadEvent> all{{"a load starts", e::Started{9, planOf()}},
                       {"a new session starts", e::Started{9, nullptr}},
                       {"close", e::CloseAsked{9}},
                       {"cancel", e::CancelAsked{}},
                       {"counters", e::Counted{{.n_arenas = 1}, 64}}};
  for (const quint64 request : {quint64{3}, quint64{5}, kRuns, quint64{9}}) {
    const std::string of = " of " + std::to_string(request);
    all.insert(all.end(), {{"progress" + of, e::Progressed{request, 50, 100}},
                           {"loaded" + of, e::Loaded{request, model("new")}},
                           {"unloaded" + of, e::Unloaded{request}},
                           {"failure" + of, e::Failed{request, {ErrorCode::kResource, Message::plain("no")}}},
                           {"cancelled" + of, e::Failed{request, {ErrorCode::kCancelled, Message::plain("cancelled")}}},
                           {"lost device" + of, e::Failed{request, {ErrorCode::kDeviceLost, Message::plain("lost")}}}});
  }
  return all;
}

std::string describe(const LoadCycle& cycle) {
  const std::string stage =
      std::visit(Overloaded{[](const Settled&) -> std::string { return "Settled"; },
                            [](const Loading& loading) {
                              return std::string(loading.isCancelling ? "Cancelling "
                                                 : loading.arriving   ? "Loading "
                                                                      : "Mapping ") +
                                     std::to_string(loading.request) + " at " + std::to_string(loading.bytesDone);
                            },
                            [](const Closing& closing) { return "Closing " + std::to_string(closing.request); }},
                 cycle.stage);
  if (!cycle.held) return stage + ", nothing held";
  return stage + ", " + cycle.held->model.path.toStdString() + " held with " +
         std::to_string(cycle.held->kvTokensUsed) + " tokens" + (cycle.held->isLost ? ", lost" : "");
}

std::string describe(const LoadEffect& effect) {
  namespace e = load_effect;
  return std::visit(Overloaded{[](const e::StopRequest& stop) { return "stop " + std::to_string(stop.request); },
                               [](const e::TellCancelled&) -> std::string { return "tell cancelled"; },
                               [](const e::TellFailed& failed) { return "tell " + failed.error.message.text(); },
                               [](const e::TellReleased&) -> std::string { return "tell released"; }},
                    effect);
}

TEST(LoadCycle, every_event_in_every_state_does_what_the_table_says) {
  std::vector<std::string> rows;
  for (const auto& [name, cycle] : cycles()) {
    for (const auto& [eventName, event] : events()) {
      LoadCycle next = cycle;
      std::string row = name + " + " + eventName + " -> ";
      const std::vector<LoadEffect> effects = react(next, event);
      row += describe(next) == describe(cycle) ? "same" : describe(next);
      for (const LoadEffect& effect : effects) row += "; " + describe(effect);
      rows.push_back(row);
    }
  }
  test::expectWrittenLines(rows, HEADROOM_SOURCE_DIR "/tests/ui/calculator/load_cycle_table.txt");
}

TEST(LoadCycle, whatever_runs_a_close_ends_it_and_nothing_is_held) {
  for (const auto& [name, cycle] : cycles()) {
    LoadCycle closed = cycle;
    react(closed, load_event::CloseAsked{9});
    react(closed, load_event::Failed{kRuns, {ErrorCode::kCancelled, Message::plain("cancelled")}});
    react(closed, load_event::Unloaded{9});
    EXPECT_EQ(describe(closed), "Settled, nothing held") << name;
  }
}

TEST(LoadCycle, a_load_that_was_given_up_and_still_succeeded_is_shown_when_the_newer_one_is_cancelled) {
  LoadCycle cycle;
  react(cycle, load_event::Started{1, planOf()});
  react(cycle, load_event::Started{2, planOf()});
  react(cycle, load_event::CancelAsked{});
  react(cycle, load_event::Loaded{1, model("first")});
  EXPECT_EQ(describe(cycle), "Cancelling 2 at 0, first held with 0 tokens");
  react(cycle, load_event::Failed{2, {ErrorCode::kCancelled, Message::plain("cancelled")}});
  EXPECT_EQ(describe(cycle), "Settled, first held with 0 tokens");
}

TEST(LoadCycle, a_repeated_event_of_a_model_that_is_gone_does_not_bring_it_back) {
  LoadCycle cycle;
  react(cycle, load_event::Started{1, planOf()});
  react(cycle, load_event::Loaded{1, model("first")});
  react(cycle, load_event::CloseAsked{2});
  react(cycle, load_event::Unloaded{2});
  react(cycle, load_event::Loaded{1, model("first")});
  EXPECT_EQ(describe(cycle), "Settled, nothing held");
}

TEST(LoadCycle, the_old_model_may_go_before_the_new_one_is_there) {
  LoadCycle cycle;
  react(cycle, load_event::Started{1, planOf()});
  react(cycle, load_event::Loaded{1, model("first")});
  react(cycle, load_event::Started{2, planOf()});
  react(cycle, load_event::Unloaded{2});
  EXPECT_EQ(describe(cycle), "Loading 2 at 0, nothing held");
  react(cycle, load_event::Loaded{2, model("second")});
  EXPECT_EQ(describe(cycle), "Settled, second held with 0 tokens");
}

}  // namespace
}  // namespace headroom::ui
