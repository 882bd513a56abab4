#include "ui/chat/chat_stage.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/overloaded.h"
#include "support/written_lines.h"

namespace headroom::ui {
namespace {

using namespace chat_stage;

constexpr quint64 kRuns = 7;  // the request of every running stage; 5 is older, 9 is newer

template <class Value>
using Named = std::vector<std::pair<std::string, Value>>;

Trouble full() { return {Trouble::Kind::ContextFull, Sentence::plain("full"), 2000, "resumed"}; }

Named<ChatStage> stages() {
  return {{"Resting", Resting{}},
          {"Waiting", Answering{kRuns, "a", "q", true, 100, 0, false, false, 0, false}},
          {"Reading", Answering{kRuns, "a", "q", true, 100, 0, false, false, 0, true}},
          {"Reading again", Answering{kRuns, "a", "q", false, 100, 0, false, false, 0, true}},
          {"Writing", Answering{kRuns, "a", "q", true, 100, 4, true, false, 100, true}},
          {"Stopping", Answering{kRuns, "a", "q", true, 100, 4, true, true, 100, true}},
          {"Summarising", Summarising{kRuns, "cut", full(), 100, "so far", false, true}},
          {"Summarising nothing yet", Summarising{kRuns, "cut", full(), 100, "", false, false}},
          {"Stopping a summary", Summarising{kRuns, "cut", full(), 100, "so far", true, true}}};
}

Named<ChatEvent> events() {
  namespace e = chat_event;
  Named<ChatEvent> all{{"an answer starts", e::AnswerStarted{9, "new", "asked", true, 50}},
                       {"a summary starts", e::SummaryStarted{9, "new cut", full(), 50}},
                       {"stop", e::StopAsked{}},
                       {"the conversation is deleted", e::Deleted{}},
                       {"the program ends", e::Ended{}}};
  for (const quint64 request : {quint64{5}, kRuns, quint64{9}}) {
    const std::string of = " of " + std::to_string(request);
    const auto ends = {std::pair{"the end", ChatEnd::EndOfTurn},
                       {"a stop string", ChatEnd::StopString},
                       {"the length limit", ChatEnd::MaxTokens},
                       {"a stop", ChatEnd::Stopped},
                       {"a full context", ChatEnd::ContextFull}};
    all.insert(all.end(), {{"50 % read" + of, e::ReadingProgressed{request, 50}},
                           {"text" + of, e::TextArrived{request, "text"}},
                           {"a thought" + of, e::TextArrived{request, "thought", TextKind::kThinking}},
                           {"no text" + of, e::TextArrived{request, ""}},
                           {"too long" + of, e::TooLong{request, 1200, 1000}},
                           {"failure" + of, e::Failed{request, {ErrorCode::kResource, Message::plain("no")}}},
                           {"cancelled" + of, e::Failed{request, {ErrorCode::kCancelled, Message::plain("cancelled")}}},
                           {"another model by" + of.substr(3), e::ModelChanged{request}}});
    for (const auto& [name, end] : ends) {
      ChatFigures figures;
      figures.promptTokens = 20;
      figures.generatedTokens = 5;
      figures.contextLength = 1000;
      all.push_back({name + of, e::Finished{request, end, figures}});
    }
  }
  return all;
}

std::string text(const QString& value) { return value.toStdString(); }

std::string describe(const ChatStage& stage) {
  return std::visit(Overloaded{[](const Resting&) -> std::string { return "Resting"; },
                               [](const Answering& a) {
                                 return std::string(a.isStopping   ? "Stopping"
                                                    : a.isWriting  ? "Writing"
                                                    : a.hasStarted ? "Reading"
                                                                   : "Waiting") +
                                        " " + text(a.turnId) + " by " + std::to_string(a.request) + ", " +
                                        std::to_string(a.readPercent) + " %, " + std::to_string(a.writtenChars) +
                                        " chars";
                               },
                               [](const Summarising& s) {
                                 return std::string(s.isStopping ? "Stopping a summary" : "Summarising") +
                                        (s.hasStarted ? " before " : " later before ") + text(s.cutId) + " by " +
                                        std::to_string(s.request) + " \"" + text(s.text) + "\"";
                               }},
                    stage);
}

std::string stateName(TurnState state) {
  static const char* const kNames[] = {"done", "writing", "stopped", "limit hit", "context full", "interrupted"};
  return kNames[static_cast<int>(state)];
}

std::string describe(const ChatEffect& effect) {
  namespace e = chat_effect;
  return std::visit(
      Overloaded{
          [](const e::StopRequest& stop) { return "stop " + std::to_string(stop.request); },
          [](const e::AppendText& append) {
            return (append.kind == TextKind::kThinking ? "append a thought to " : "append to ") + text(append.turnId);
          },
          [](const e::FinishTurn& finished) {
            return "finish " + text(finished.turnId) + " as " + stateName(finished.state) + " with " +
                   std::to_string(finished.writtenChars) + " chars" + (finished.figures ? " and figures" : "");
          },
          [](const e::DropTurn& dropped) { return "drop " + text(dropped.turnId); },
          [](const e::Count& count) {
            return "count " + std::to_string(count.tokens) + " for " + std::to_string(count.chars);
          },
          [](const e::CutAndResume& cut) {
            return "cut at " + text(cut.cutId) + " with \"" + text(cut.summary) + "\", go on at " + text(cut.resumeId);
          },
          [](const e::TellTrouble& told) { return "tell again: " + text(told.trouble.sentence.text()); },
          [](const e::TellFull& told) {
            return "tell full of " + std::to_string(told.contextLength) + ", go on at " + text(told.resumeId);
          },
          [](const e::TellTooLong& told) {
            return "tell " + std::string(told.wasSummary ? "summary " : "") + std::to_string(told.promptTokens) +
                   " too long for " + std::to_string(told.contextLength) + ", go on at " + text(told.resumeId);
          },
          [](const e::TellFailed& told) { return "tell " + told.error.message.text(); }},
      effect);
}

TEST(ChatStage, every_event_in_every_stage_does_what_the_table_says) {
  std::vector<std::string> rows;
  for (const auto& [stageName, stage] : stages()) {
    for (const auto& [eventName, event] : events()) {
      ChatStage next = stage;
      std::string row = stageName + " + " + eventName + " -> ";
      const std::vector<ChatEffect> effects = react(next, event);
      row += describe(next) == describe(stage) ? "same" : describe(next);
      for (const ChatEffect& effect : effects) row += "; " + describe(effect);
      rows.push_back(row);
    }
  }
  test::expectWrittenLines(rows, HEADROOM_SOURCE_DIR "/tests/ui/chat/chat_stage_table.txt");
}

TEST(ChatStage, what_an_older_or_an_unknown_request_tells_changes_nothing) {
  for (const auto& [stageName, stage] : stages()) {
    for (const auto& [eventName, event] : events()) {
      const bool isOfOther = eventName.ends_with(" of 5") || eventName.ends_with(" of 9");
      if (!isOfOther) continue;
      ChatStage next = stage;
      EXPECT_TRUE(react(next, event).empty()) << stageName << ", " << eventName;
      EXPECT_EQ(describe(next), describe(stage)) << stageName << ", " << eventName;
    }
  }
}

// The user can always get away: no stage needs an answer of the engine to be left.
TEST(ChatStage, two_stops_or_a_deletion_end_every_running_stage) {
  for (const auto& [name, stage] : stages()) {
    ChatStage stopped = stage, deleted = stage;
    react(stopped, chat_event::StopAsked{});
    react(stopped, chat_event::StopAsked{});
    EXPECT_EQ(describe(stopped), "Resting") << name;
    react(deleted, chat_event::Deleted{});
    EXPECT_EQ(describe(deleted), "Resting") << name;
    EXPECT_EQ(requestOf(deleted), 0U) << name;
  }
}

// Each running answer ends its turn exactly once, whatever ends it: a turn that is left as "writing" would wait
// forever.
TEST(ChatStage, whoever_leaves_an_answer_finishes_or_drops_its_turn) {
  for (const auto& [stageName, stage] : stages()) {
    if (!std::holds_alternative<Answering>(stage)) continue;
    for (const auto& [eventName, event] : events()) {
      ChatStage next = stage;
      int nEnds = 0;
      for (const ChatEffect& effect : react(next, event)) {
        nEnds += std::holds_alternative<chat_effect::FinishTurn>(effect) ||
                 std::holds_alternative<chat_effect::DropTurn>(effect);
      }
      const auto* goesOn = std::get_if<Answering>(&next);
      const bool isLeft = goesOn == nullptr || goesOn->turnId != "a";
      EXPECT_EQ(nEnds, isLeft ? 1 : 0) << stageName << ", " << eventName;
    }
  }
}

}  // namespace
}  // namespace headroom::ui
